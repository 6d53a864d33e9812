// A schedule over several instances: each due time is run once, whoever of them is killed.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../cli/harness.ts';
import { fleet, isLong } from './instances.ts';

const seconds = isLong ? 60 : 8;

const instances = fleet({
  'src/clock.al': `module clock

entity Tick {
  id UUID @id @default(uuid()),
  due DateTime,
  at DateTime @default(now())
}

@schedule("every second")
event beat {}
workflow beat {
  {platform/timer {name? "clock/beat"}} @as [timer];
  {Tick {due timer.due}}
}
`,
});

/** Seconds for which a busy machine let an instance answer nobody: what is not run in them is no fault of its schedule. */
function stallsOf(port: number): { stop(): Promise<number> } {
  let isStopped = false;
  const watch = async (): Promise<number> => {
    let seconds = 0;
    while (!isStopped) {
      const began = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/health`)).text();
      await sleep(50);
      seconds += Math.floor((performance.now() - began) / 500) / 2;
    }
    return Math.ceil(seconds);
  };
  const watched = watch();
  return {
    stop() {
      isStopped = true;
      return watched;
    },
  };
}

test('a schedule of every second is run once for each second where one of two instances is killed half-way: none twice, at most one missed and made up', async () => {
  const { start, rows, folder } = instances();
  const [first, second] = [await start(), await start()];
  const stalls = stallsOf(second.port);
  onTestFinished(async () => void (await stalls.stop()));
  const begin = Math.ceil(Date.now() / 1000) + 1;
  await sleep((begin + seconds / 2) * 1000 - Date.now() - 300);
  first.running.child.kill('SIGKILL');
  const dueTimes = async (): Promise<readonly number[]> =>
    (await rows('SELECT due FROM "clock/Tick"')).map((each) => Date.parse(String(each['due'])) / 1000);
  // One run after the other: where a later one is done, those before it are.
  await expect
    .poll(async () => Math.max(...(await dueTimes())), { timeout: 120_000, interval: 500 })
    .toBeGreaterThanOrEqual(begin + seconds);
  const inTime = (await dueTimes()).filter((each) => each >= begin && each < begin + seconds);
  const missed = Array.from({ length: seconds }, (_, index) => begin + index).filter((each) => !inTime.includes(each));
  process.stdout.write(`${seconds} seconds, one of two instances killed: ${inTime.length} runs, ${missed.length} missed\n`);
  expect(inTime.filter((each, index) => inTime.indexOf(each) !== index)).toEqual([]);
  expect(missed.length).toBeLessThanOrEqual(1 + (await stalls.stop()));
  const listed = await command(folder, 'timers');
  expect(listed.out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}clock\/beat every second, \d+ runs$/m);
}, 200_000);
