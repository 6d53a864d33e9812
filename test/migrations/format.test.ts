// A database that a version without identities wrote goes on as it is: identities are given at the first start.

import { expect, test } from 'vitest';
import type { SchemaSession } from '../../src/store/ddl.ts';
import { migrationStatus } from '../../src/store/migration.ts';
import { readSchema } from '../../src/store/migration-state.ts';
import { StartRefused } from '../../src/store/store.ts';
import { asBefore, evolutions, first, rows } from './changes.ts';
import { database, tablesOf } from './evolve.ts';

test('the first start gives identities, and nothing is said to have changed', async () => {
  const data = database();
  await data.serve(first, rows);
  await data.schema(asFormatOne);
  await data.serve(first, asBefore);
  const { tables } = await data.schema(readSchema);
  expect(tables.every((table) => table.id !== '' && table.columns.every((column) => column.id !== ''))).toBe(true);
  expect(await data.schema((session) => migrationStatus(session, tablesOf(first)))).toMatchObject({
    pending: [],
    history: [],
    retired: [],
  });
});

for (const { title, next, by, answers = [] } of evolutions.filter((each) => each.by !== 'nobody')) {
  test(`the first start may bring a change at once: ${title}`, async () => {
    const data = database();
    await data.serve(first, rows);
    await data.schema(asFormatOne);
    if (by === 'apply') await data.apply(next);
    await data.serve(next, answers);
  });
}

test('a database of a newer format is refused', async () => {
  const data = database();
  await data.serve(first, rows);
  await data.schema(async ({ executor }) => void (await executor.run(`UPDATE "__platform" SET "value" = '99' WHERE "key" = 'format'`)));
  expect(await data.refusal(first)).toMatch(/newer version of the platform \(format 99/);
  await expect(data.apply(first)).rejects.toThrow(StartRefused);
});

/** What the first format wrote down: the tables alone, as the model then described them. */
async function asFormatOne(session: SchemaSession): Promise<void> {
  const { executor, ddl } = session;
  const { tables } = await readSchema(session);
  const old = tables.map(({ id: _id, retired: _retired, addressing: _addressing, was: _was, columns, ...table }) => ({
    ...table,
    columns: columns.map(({ id: _own, was: _former, ...column }) => column),
  }));
  const set = (key: string, value: string) =>
    executor.run(`UPDATE "__platform" SET "value" = ${ddl.dialect.parameter(1)} WHERE "key" = '${key}'`, [value]);
  await set('tables', JSON.stringify(old));
  await set('format', '1');
  await set('digest', 'of another time');
  await executor.run(`DELETE FROM "__platform" WHERE "key" = 'retired'`);
  await executor.run('DROP TABLE "__platform_history"');
}
