// Entries whose time is over are removed in whole blocks, and what is left still verifies; of several processes one seals, and another one goes on when it ends.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { systemClock } from '../../src/clock.ts';
import { open, type Served } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';
import { verified } from './support.ts';

const model = `module m
entity Post { id Int @id, title String, @meta {"audit": true} }
`;
const day = 24 * 3600 * 1000;

/** Goes as all clocks do, so many days later. */
function clockAfter(days: number): Clock {
  const clock = systemClock();
  return { now: () => new Date(clock.now().getTime() + days * day), uuid: clock.uuid };
}

interface Days {
  readonly folder: string;
  /** Serves from this day on, does some work, and ends. */
  on(days: number, keep: number | undefined, work: (served: Served) => Promise<unknown>): Promise<Served>;
}

function calendar(): Days {
  const folder = folderForTest();
  return {
    folder,
    async on(days, keep, work) {
      const served = await open(model, { folder, audit: { keep }, parts: { clock: clockAfter(days) } });
      await work(served);
      await served.close();
      return served;
    },
  };
}

const post = (id: number) => (served: Served) => served.post('/m/Post', { id, title: `of ${id}` });
const instancesIn = async ({ kept }: Served): Promise<readonly unknown[]> =>
  (await kept.rows('SELECT "instance" FROM "platform.audit/Entry" ORDER BY "id"')).map((row) => row['instance']);

test('entries are kept for so many days, then removed with their block, and the trail verifies all the same', async () => {
  const days = calendar();
  await days.on(0, 30, post(0));
  await days.on(10, 30, post(10));
  let served = await days.on(29, 30, post(29));
  expect(await instancesIn(served)).toEqual(['0', '10', '29']);
  served = await days.on(31, 30, post(31));
  expect(await instancesIn(served)).toEqual(['10', '29', '31']);
  expect(await verified(model, served)).toMatchObject({ blocks: 3, sealed: 3, pruned: 1, unsealed: 0, found: [] });
  served = await days.on(100, 30, post(100));
  expect(await instancesIn(served)).toEqual(['100']);
  expect(await verified(model, served)).toMatchObject({ blocks: 1, sealed: 1, pruned: 4, found: [] });
  expect(served.failures).toEqual([]);
});

test('without auditTrail.keep nothing is removed', async () => {
  const days = calendar();
  await days.on(0, undefined, post(0));
  const served = await days.on(36_000, undefined, post(1));
  expect(await instancesIn(served)).toEqual(['0', '1']);
});

const blocks = '"__platform_audit_blocks"';

/** What is done to a trail of which a part was removed when its time was over, and what is found. */
const attacks: readonly (readonly [title: string, sql: string, found: object])[] = [
  [
    'more was removed than the stub says',
    `DELETE FROM ${blocks} WHERE "kind" = 'block' AND "number" = 3`,
    { kind: 'blocks-removed', from: 3, to: 3 },
  ],
  ['the stub was removed', `DELETE FROM ${blocks} WHERE "kind" = 'pruned'`, { kind: 'blocks-removed', from: 1, to: 2 }],
  ['the stub counts otherwise', `UPDATE ${blocks} SET "count" = 7 WHERE "kind" = 'pruned'`, { kind: 'block-altered', block: 2 }],
  ['the stub stands for more', `UPDATE ${blocks} SET "number" = 0 WHERE "kind" = 'pruned'`, { kind: 'block-altered', block: 0 }],
];

test.each(attacks)('that %s is found', async (_, sql, expected) => {
  const days = calendar();
  for (const id of [0, 1]) await days.on(id, 30, post(id));
  const served = await days.on(60, 30, post(60));
  await days.on(61, 30, post(61));
  expect(await verified(model, served)).toMatchObject({ pruned: 2, findings: 0 });
  await served.kept.execute(sql);
  expect((await verified(model, served)).found).toContainEqual(expect.objectContaining(expected));
});

test('blocks that are not as they were sealed are not removed: that would hide it', async () => {
  const days = calendar();
  const served = await days.on(0, 30, post(0));
  await served.kept.execute(`UPDATE ${blocks} SET "count" = 7`);
  const later = await days.on(60, 30, post(60));
  expect(later.failures).toMatchObject([{ message: expect.stringContaining('the audit trail is not pruned: block 1') }]);
  expect(await instancesIn(later)).toEqual(['0', '60']);
  expect((await verified(model, later)).found).toContainEqual({ kind: 'block-altered', block: 1 });
});

// The embedded store belongs to one process, and names nobody.
test.runIf(storeOfRun() === 'postgres')(
  'the state that names who seals is made anew where somebody removes it on a server, and told',
  async () => {
    const folder = folderForTest();
    const served = await open(model, { folder, audit: {} });
    await post(1)(served);
    await expect.poll(async () => (await verified(model, served)).sealed).toBe(1);
    await served.kept.execute('DELETE FROM "__platform_audit_state"');
    await post(2)(served);
    await expect.poll(async () => (await verified(model, served)).sealed).toBe(2);
    expect(served.failures).toMatchObject([{ message: expect.stringContaining('the state of the audit trail was removed') }]);
    await served.close();
  },
);

test.runIf(storeOfRun() === 'postgres')('several processes write, one of them seals, and another one takes over when it ends', async () => {
  const folder = folderForTest();
  const first = await open(model, { folder, audit: { anchor: join(folder, 'audit-anchor') } });
  const second = await open(model, { folder, audit: { anchor: join(folder, 'other-anchor') } });
  onTestFinished(async () => {
    await second.close();
  });
  const work = Array.from({ length: 60 }, (_, id) => post(id)(id % 2 === 0 ? first : second));
  expect((await Promise.all(work)).map(({ status }) => status)).toEqual(work.map(() => 201));
  await expect.poll(async () => (await verified(model, first)).sealed).toBe(60);
  await first.close();
  await post(60)(second);
  await expect.poll(async () => (await verified(model, second)).sealed).toBe(61);
  expect(await verified(model, second)).toMatchObject({ found: [], unsealed: 0 });
  // Each knows how far the trail had got, whoever sealed it.
  const anchorOf = (name: string): number => Number(readFileSync(join(folder, name), 'utf8').split(' ')[0]);
  await expect.poll(() => anchorOf('other-anchor')).toBeGreaterThan(anchorOf('audit-anchor'));
  expect([...first.failures, ...second.failures]).toEqual([]);
});
