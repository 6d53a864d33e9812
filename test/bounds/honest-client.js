// Callers in a process of their own, whose waiting is not that of the test, nor for the memory that its threads share: each asks for the targets
// in turn until they are told to stop, and they say how long the answers took, and for how much of that the main thread of the service was at work.
// Plain JavaScript, as nobody takes the types off.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setPriority } from 'node:os';

const { port, pid, targets, pause, callers } = JSON.parse(process.argv[2]);
// The main thread of a process has the number of the process. Nanoseconds on a processor come first, then those of waiting for one.
const statistics = `/proc/${pid}/task/${pid}/schedstat`;
const hasStatistics = existsSync(statistics);
const scheduled = () =>
  hasStatistics
    ? readFileSync(statistics, 'utf8')
        .split(' ')
        .map((each) => Number(each) / 1e6)
    : [0, 0];
try {
  // What it waits for a processor itself is not to be taken for what the service makes it wait.
  if (process.platform === 'linux') {
    setPriority(0, -15);
    // Who starts it may have left the processors to all others.
    execFileSync('chrt', ['--all-tasks', '--other', '--pid', '0', String(process.pid)]);
  }
} catch {
  // Not everybody may.
}
const agent = new Agent({ keepAlive: true, maxSockets: callers });
const times = [];
const work = [];
const delays = [];
const others = [];
let running = true;
process.once('message', () => {
  running = false;
});

const ask = (path) =>
  new Promise((resolve) => {
    const call = get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
    });
    call.once('error', (failure) => resolve(failure.message));
  });

const call = async (first) => {
  for (let round = first; running; round += 1) {
    const [workedBefore, delayedBefore] = scheduled();
    const began = performance.now();
    const said = await ask(targets[round % targets.length]);
    times.push(performance.now() - began);
    const [worked, delayed] = scheduled();
    work.push(Math.max(0, worked - workedBefore));
    delays.push(Math.max(0, delayed - delayedBefore));
    if (said !== 200) others.push(said);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};

await Promise.all(Array.from({ length: callers }, (_, first) => call(first)));
agent.destroy();
process.send({ times, work, delays, others }, () => process.disconnect());
