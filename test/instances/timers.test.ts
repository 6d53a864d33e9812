// A schedule over several instances: each due time is run once, whoever of them is killed.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
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

test('a schedule of every second is run once for each second, also where one of two instances is killed half-way', async () => {
  const { start, rows, folder } = instances();
  const [first] = [await start(), await start()];
  const begin = Math.ceil(Date.now() / 1000) + 1;
  await sleep((begin + seconds / 2) * 1000 - Date.now() - 300);
  first.running.child.kill('SIGKILL');
  await sleep((begin + seconds) * 1000 - Date.now() + 3000);
  const due = (await rows('SELECT due FROM "clock/Tick"')).map((each) => Date.parse(String(each['due'])) / 1000);
  const inTime = due.filter((each) => each >= begin && each < begin + seconds);
  expect(inTime.filter((each, index) => inTime.indexOf(each) !== index)).toEqual([]);
  expect(new Set(inTime)).toEqual(new Set(Array.from({ length: seconds }, (_, index) => begin + index)));
  const listed = await command(folder, 'timers');
  expect(listed.out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}clock\/beat every second, \d+ runs$/m);
}, 200_000);
