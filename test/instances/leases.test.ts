// Which instance has a subscription while a message of it takes long: the row that says so is locked then, which is a sign of life.

import { expect, onTestFinished, test } from 'vitest';
import { compile } from '../../src/plan/compile.ts';
import { SubscriptionLease } from '../../src/resolvers/subscriptions/lease.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import { modelOf, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { databaseForTest, postgresSettings } from '../support/postgres.ts';
import { isLong } from './instances.ts';

/** Seconds that its first event takes: more than a lock is waited for, and in the long form than others wait for a sign. */
const seconds = isLong ? 8 : 2;

const project = {
  'core.al': `
module m
import "slow.js" @as slow
entity Note { id Int @id, after Int }
event told { id Int }
workflow told { {Note {id told.id, after await slow.wait(told.id)}} }
resolver notes [] { subscribe slow.watch, onSubscription m/told }
`,
  'slow.js': `
import { setTimeout as sleep } from 'node:timers/promises';
export const wait = async (id) => { if (id === 1) await sleep(${seconds * 1000}); return id; };
export async function watch(emit, { cursor, signal }) {
  await Promise.all([1, 2].filter((id) => id > (cursor ?? 0)).map((id) => emit({ id }, id)));
  while (!signal.aborted) await sleep(20);
}
`,
};

const tables = compile(modelOf(project)).tables;

async function leases() {
  const clock = testClock();
  const store = new PostgresStore(postgresSettings(await databaseForTest(), { lockTimeout: 1 }), clock);
  onTestFinished(() => store.close());
  await store.migrate(tables);
  const table = tables.find((each) => each.columns.some(({ name }) => name === 'beat'));
  if (table === undefined) throw new Error('the plan has no table of subscriptions');
  const lease = () => new SubscriptionLease({ resolver: 'm/notes', table, store, clock });
  return { clock, store, one: lease(), other: lease() };
}

test('whoever commits a message, however long that takes, keeps the subscription, and nobody waits for it', async () => {
  const { clock, store, one, other } = await leases();
  expect([await one.take(), await other.take()]).toEqual([true, false]);
  await store.write(async (tx) => {
    expect(await one.isHeld(tx)).toBe(true);
    clock.advance(6000);
    expect([await one.take(), await other.take()]).toEqual([true, false]);
    clock.advance(6000);
    await one.moveTo(undefined, tx);
  });
  expect(await other.take()).toBe(false);
});

test('a message that is taken back was a sign of life nevertheless; without another one somebody else takes over', async () => {
  const { clock, store, one, other } = await leases();
  expect([await one.take(), await other.take()]).toEqual([true, false]);
  const failing = store.write(async (tx) => {
    expect(await one.isHeld(tx)).toBe(true);
    clock.advance(6000);
    expect(await other.take()).toBe(false);
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(await other.take()).toBe(false);
  clock.advance(6000);
  expect([await other.take(), await one.take()]).toEqual([true, false]);
  expect(await store.write((tx) => one.isHeld(tx))).toBe(false);
});

test('an event that takes longer than a lock is waited for ends no subscription, and refuses no message that waits', async () => {
  const store = postgresSettings(await databaseForTest(), { lockTimeout: 1 });
  const both = [await serve(project, { store }), await serve(project, { store })];
  for (const { app } of both) await app.listen();
  await expect
    .poll(async () => (await both[0]?.get('/m/Note'))?.body)
    .toEqual([
      { id: 1, after: 1 },
      { id: 2, after: 2 },
    ]);
  expect(both.flatMap(({ failures }) => failures)).toEqual([]);
});
