// Reads instances one after the other, in a process of its own that does nothing else, so that what it measures is the service and the machine alone.
// Told so many milliseconds by message, it tells how long each read took.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [port, path, most] = [Number(process.argv[2]), process.argv[3], Number(process.argv[4])];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let id = 0;

function read() {
  id = (id % most) + 1;
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: `${path}/${id}`, agent }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`a read was answered ${response.statusCode}`));
      });
    });
    call.on('error', reject);
    call.end();
  });
}

process.on('message', async (milliseconds) => {
  const [times, until] = [[], performance.now() + milliseconds];
  while (performance.now() < until) {
    times.push(await read());
    await sleep(1);
  }
  process.send(times);
});
