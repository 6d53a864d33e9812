// Reads instances, so many at a time, each with a pause behind its answer, in a process of its own that does nothing else: what it measures is the service
// and the machine alone. Told so many milliseconds by message, it tells how long each read took.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [port, path, most] = [Number(process.argv[2]), process.argv[3], Number(process.argv[4])];
const [width, pause] = [Number(process.argv[5]), Number(process.argv[6])];
const agent = new Agent({ keepAlive: true, maxSockets: width });
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
  const reader = async () => {
    while (performance.now() < until) {
      times.push(await read());
      await sleep(pause);
    }
  };
  await Promise.all(Array.from({ length: width }, reader));
  process.send(times);
});
