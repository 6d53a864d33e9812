// Callers of an agent, in a process of their own, so that they take no time from whoever measures: so many at once, who do not all come at the same moment.
// Whoever is refused comes again a second later. Prints a line when they begin and, on SIGTERM, how they were answered.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [address, width, spread] = [new URL(process.argv[2]), Number(process.argv[3]), Number(process.argv[4])];
const agent = new Agent({ keepAlive: true, maxSockets: width });
const body = JSON.stringify({ message: 'Hello' });
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
const counts = { answered: 0, refused: 0, others: 0 };

function ask() {
  return new Promise((resolve) => {
    const call = request(address, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    call.on('error', () => resolve(0));
    call.end(body);
  });
}

async function caller(at) {
  await sleep((at * spread) / width);
  for (;;) {
    const status = await ask();
    counts[status === 200 ? 'answered' : status === 429 ? 'refused' : 'others'] += 1;
    if (status !== 200) await sleep(1000);
  }
}

process.on('SIGTERM', () => process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0)));
for (let at = 0; at < width; at += 1) caller(at);
process.stdout.write('0 \n');
