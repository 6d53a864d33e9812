// A subscription over several instances: one of them has it, and another goes on where it was when that one is killed.

import { expect, test } from 'vitest';
import { feedIn, handlers } from '../resolvers/feed.ts';
import { fleet } from './instances.ts';

const instances = fleet({
  'src/feed.js': handlers,
  'src/hr.al': `module hr

import "feed.js" @as feed

entity Change {
  id Int @id,
  by Int
}

event changed {
  id Int
}

workflow changed {
  {Change {id changed.id, by feed.processId()}}
}

resolver people [] {
  subscribe feed.watch,
  onSubscription hr/changed
}
`,
});

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

test('a subscription is had by one instance at a time; when that is killed, another one goes on behind the last committed message', async () => {
  const { start, rows, folder } = instances();
  const feed = feedIn(folder);
  const both = [await start(), await start()];
  const changes = async () => (await rows('SELECT id, by FROM "hr/Change" ORDER BY id')).map(({ id, by }) => [Number(id), Number(by)]);
  const ids = async () => (await changes()).map(([id]) => id);
  feed.add(...numbers(0, 20).map((id) => ({ id })));
  await expect.poll(ids).toEqual(numbers(0, 20));
  const [, first = 0] = (await changes())[0] ?? [];
  expect(new Set((await changes()).map(([, by]) => by))).toEqual(new Set([first]));
  const holder = both.find(({ running }) => running.child.pid === first);
  feed.add(...numbers(20, 200).map((id) => ({ id })));
  holder?.running.child.kill('SIGKILL');
  await expect.poll(ids).toEqual(numbers(0, 220));
  expect(new Set((await changes()).map(([, by]) => by)).size).toBe(2);
}, 200_000);
