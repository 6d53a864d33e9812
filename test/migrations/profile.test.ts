// The index by which the caller's own instance is found, whatever the case of its address: it comes and goes with `@profile`, and along with its attribute.

import { expect, test } from 'vitest';
import { storeOfRun } from '../support/store.ts';
import type { Step } from '../support/table.ts';
import { type Database, database } from './evolve.ts';

const indexes =
  storeOfRun() === 'postgres'
    ? `SELECT indexdef AS text FROM pg_indexes WHERE indexname LIKE 'm/Staff|%' AND indexdef LIKE '%lower(%'`
    : `SELECT "sql" AS text FROM sqlite_schema WHERE "name" LIKE 'm/Staff|%' AND "sql" LIKE '%lower(%'`;

async function lowered(data: Database): Promise<readonly unknown[]> {
  const found = await data.schema(async ({ executor }) => executor.rows(indexes));
  return found.map(({ text }) => /lower\(\(?"?(\w+)/.exec(String(text))?.[1]);
}

const rows: readonly Step[] = [
  { ask: 'POST /m/Staff', body: { id: 1, email: 'Ann@example.com' }, status: 201 },
  { ask: 'POST /m/Staff', body: { id: 2, email: 'ann@EXAMPLE.com' }, status: 201 },
];

const read: readonly Step[] = [{ ask: 'GET /m/Staff/1', status: 200 }];

test('it is made for rows that are there, moves with the attribute, and goes', async () => {
  const data = database();
  await data.serve('module m\nentity Staff { id Int @id, email Email }', rows);
  expect(await lowered(data)).toEqual([]);
  await data.serve('module m\nentity Staff { id Int @id, email Email, @profile(email) }', read);
  expect(await lowered(data)).toEqual(['email']);
  await data.serve('module m\nentity Staff { id Int @id, mail Email @was("email"), @profile(mail) }', read);
  expect(await lowered(data)).toEqual(['mail']);
  await data.serve('module m\nentity Staff { id Int @id, mail Email @was("email") }', read);
  expect(await lowered(data)).toEqual([]);
  await data.serve('module m\nentity Staff { id Int @id, mail Email @was("email"), @profile(mail) }', read);
  await data.apply('module m\nentity Staff { id Int @id }');
  await data.serve('module m\nentity Staff { id Int @id }', read);
  expect(await lowered(data)).toEqual([]);
});
