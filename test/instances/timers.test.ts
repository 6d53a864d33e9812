// A schedule over several instances: each due time is run once, whoever of them is killed.

import { expect, test } from 'vitest';
import { command } from '../cli/harness.ts';
import { isLong, seed } from '../support/form.ts';
import { pause, until } from '../support/time.ts';
import { fleet } from './instances.ts';

/** What is seen of it before the kill, and after it. */
const runs = isLong ? 30 : 3;

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

interface Tick {
  /** Both in seconds. */
  readonly due: number;
  readonly at: number;
}

/** A time is passed over only where the one before it was done so many seconds late. */
const late = 10;

test('a schedule of every second is run once for each time that is due where one of two instances is killed: none twice, none missed, nothing half done', async () => {
  const { start, rows, folder } = instances();
  const [first] = [await start(), await start()];
  const begun = Date.now() / 1000;
  const seconds = (value: unknown): number => Date.parse(String(value)) / 1000;
  /** Those from a time on, when there are so many. */
  const ticks = (count: number, from: number): Promise<readonly Tick[]> =>
    until(async () => {
      const all = await rows(`SELECT due, "at" FROM "clock/Tick" ORDER BY due, "at"`);
      const found = all.map(({ due, at }) => ({ due: seconds(due), at: seconds(at) })).filter(({ due }) => due > from);
      return found.length >= count && found;
    });
  await ticks(runs, begun);
  // At some moment of a second: while it runs what is due, or while the other one does.
  await pause(seed % 1000);
  first.running.child.kill('SIGKILL');
  await first.running.exit;
  await ticks(runs, Date.now() / 1000);
  const all = await ticks(2 * runs, begun);
  const pairs = all.slice(1).map((tick, index) => [all[index] ?? tick, tick] as const);
  expect(pairs.filter(([before, tick]) => tick.due === before.due || !Number.isInteger(tick.due))).toEqual([]);
  expect(pairs.filter(([before, tick]) => tick.due > before.due + 1 && tick.at - before.due <= late)).toEqual([]);
  // What is counted is done: also where the one that did it was killed.
  const [counted] = await rows('SELECT t.runs, (SELECT count(*) FROM "clock/Tick") AS ticks FROM "platform/timer" AS t');
  expect(Number(counted?.['runs'])).toBe(Number(counted?.['ticks']));
  const listed = await command(folder, 'timers');
  expect(listed.out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}clock\/beat every second, \d+ runs$/m);
}, 200_000);
