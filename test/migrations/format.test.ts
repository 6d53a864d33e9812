// A database that a version without identities wrote goes on as it is: identities are given at the first start.

import { expect, test } from 'vitest';
import { migrationStatus } from '../../src/store/migration/migration.ts';
import { readSchema } from '../../src/store/migration/state.ts';
import type { SchemaSession } from '../../src/store/sql/ddl.ts';
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
  await data.schema(async ({ executor }) => void (await executor.run('DROP TABLE "__platform"')));
});

const set = (key: string, value: string) => `UPDATE "__platform" SET "value" = '${value}' WHERE "key" = '${key}'`;

/** Nothing is made, changed or guessed; what is stored stays as it is. */
const unreadable: readonly (readonly [title: string, statements: readonly string[], says: RegExp])[] = [
  ['a table of that name from elsewhere', ['DROP TABLE "__platform"', 'CREATE TABLE "__platform" (a INTEGER)'], /its columns are others/],
  [
    'a table with keys that are no texts',
    ['DROP TABLE "__platform"', 'CREATE TABLE "__platform" ("key" INTEGER, "value" INTEGER)', `INSERT INTO "__platform" VALUES (1, 1)`],
    /its columns are others|it has no format/,
  ],
  ['a table of keys and values that is not ours', ['DELETE FROM "__platform"'], /it has no format/],
  ['a format that is no number', [set('format', 'two')], /it has no format/],
  ['tables that are no JSON', [set('digest', 'other'), set('tables', '[{')], /the tables cannot be read/],
  ['tables that are something else', [set('digest', 'other'), set('tables', '[{"name": 1}]')], /the tables cannot be read/],
  ['retired things that are something else', [set('digest', 'other'), set('retired', '[1]')], /what is retired cannot be read/],
];
for (const [title, statements, says] of unreadable) {
  test(`a database whose own notes cannot be read is refused in a line: ${title}`, async () => {
    const data = database();
    await data.serve(first, rows);
    const run = (each: string) => data.schema(async ({ executor }) => void (await executor.run(each)));
    for (const each of statements) await run(each);
    const said = await data.refusal(first);
    expect(said).toMatch(says);
    expect(said).toMatch(/^What the database says about its tables \(__platform\) is damaged, or from elsewhere: [^\n]+ store\.dbname\.$/);
    await run('DROP TABLE "__platform"');
  });
}

test('a history that cannot be read is refused in a line', async () => {
  const data = database();
  await data.serve(first, rows);
  const run = (each: string) => data.schema(async ({ executor }) => void (await executor.run(each)));
  await run(`UPDATE "__platform_history" SET "words" = 'x'`);
  await expect(data.schema((session) => migrationStatus(session, tablesOf(first)))).rejects.toThrow(/its history cannot be read/);
  await run('DROP TABLE "__platform_history"');
  await run('CREATE TABLE "__platform_history" (a INTEGER)');
  await expect(data.schema((session) => migrationStatus(session, tablesOf(first)))).rejects.toThrow(/its columns are others/);
  await run('DROP TABLE "__platform_history"');
});

const timed = 'module m\nentity T { id Int @id, at DateTime @unique, tm Time @optional @indexed }';

test('indexes of a database made before times were compared by moment are made anew, and the same moment twice refuses the start', async () => {
  const data = database();
  await data.serve(timed, [{ ask: 'POST /m/T', body: { id: 1, at: '2024-01-01T00:00:00Z', tm: '10:00' }, status: 201 }]);
  await data.schema(async (session) => {
    const { executor, ddl } = session;
    const { tables } = await readSchema(session);
    const old = tables.map((table) => ({ ...table, columns: table.columns.map(({ byMoment: _, ...column }) => column) }));
    await executor.run('DROP INDEX "m/T|at|unique|moment"');
    await executor.run(`UPDATE "__platform" SET "value" = ${ddl.dialect.parameter(1)} WHERE "key" = 'tables'`, [JSON.stringify(old)]);
    await executor.run(set('digest', 'of another time'));
    await executor.run(`INSERT INTO "m/T" ("id", "at", "tm", "__version") VALUES (2, '2024-01-01T00:00:00.000', '10:00:00.0', 1)`);
  });
  expect(await data.refusal(timed)).toMatch(/m\/T holds instances with the same at, which would have to be unique: 1, 2/);
  await data.schema(async ({ executor }) => void (await executor.run(`UPDATE "m/T" SET "at" = '2024-01-01T00:00:01Z' WHERE "id" = 2`)));
  await data.serve(timed, [
    { ask: 'POST /m/T', body: { id: 3, at: '2024-01-01T00:00:01.0' }, status: 409, code: 'duplicate' },
    { ask: 'GET /m/T?tm=10:00:00.00', status: 200, has: [{ id: 1 }, { id: 2 }] },
  ]);
});

test('an index of a database made before indexes had the identifier is made anew', async () => {
  const data = database();
  await data.serve(first, rows);
  await data.schema(async (session) => {
    const { executor, ddl } = session;
    const { tables } = await readSchema(session);
    const old = tables.map((table) => ({ ...table, indexes: table.indexes.map((each) => (each[0] === 'kind' ? ['kind'] : each)) }));
    await executor.run('DROP INDEX "m/P|kind|id|index"');
    await executor.run('CREATE INDEX "m/P|kind|index" ON "m/P" ("kind")');
    await executor.run(`UPDATE "__platform" SET "value" = ${ddl.dialect.parameter(1)} WHERE "key" = 'tables'`, [JSON.stringify(old)]);
    await executor.run(set('digest', 'of another time'));
  });
  await data.serve(first, asBefore);
  await data.schema(async ({ executor }) => {
    await executor.run('DROP INDEX "m/P|kind|id|index"');
    await expect((async () => executor.run('DROP INDEX "m/P|kind|index"'))()).rejects.toThrow();
  });
});

const placed = `module m
entity P { id Int @id }
entity C { at DateTime @id }
entity X { id Int @id }
relationship PC contains(P, C)
relationship CX contains(C, X)`;

test('keys of children that were made of the text of a moment are made anew, with all below them', async () => {
  const data = database();
  const path = '/m/P/1/PC/C/2024-01-01T00:00:00.500Z';
  await data.serve(placed, [
    { ask: 'POST /m/P', body: { id: 1 }, status: 201 },
    { ask: 'POST /m/P/1/PC/C', body: { at: '2024-01-01T00:00:00.500Z' }, status: 201 },
  ]);
  await data.schema(async (session) => {
    const { executor, ddl } = session;
    const { tables } = await readSchema(session);
    const old = tables.map((table) => ({ ...table, columns: table.columns.map(({ byMoment: _, ...column }) => column) }));
    await executor.run(`UPDATE "__platform" SET "value" = ${ddl.dialect.parameter(1)} WHERE "key" = 'tables'`, [JSON.stringify(old)]);
    await executor.run(set('digest', 'of another time'));
    await executor.run(`UPDATE "m/C" SET "__key" = "__key" || '00Z'`);
    await executor.run(
      `INSERT INTO "m/X" ("id", "__version", "__key", "__path__", "__parent_m$CX") SELECT 5, 1, "__key" || '\u0001m/CX\u00018000000000000005', "__path__" || '/m$CX/m$X/5', "__key" FROM "m/C"`,
    );
  });
  await data.serve(placed, [
    { ask: `GET ${path.replace('500Z', '5')}/CX/X/5`, status: 200, has: { id: 5 } },
    { ask: `GET ${path}/CX/X`, status: 200, has: [{ id: 5 }] },
    { ask: 'POST /m/P/1/PC/C', body: { at: '2024-01-01T00:00:00.5' }, status: 409, code: 'duplicate' },
  ]);
});

/** What the first format wrote down: the tables alone, as the model then described them. */
async function asFormatOne(session: SchemaSession): Promise<void> {
  const { executor, ddl } = session;
  const { tables } = await readSchema(session);
  const old = tables.map(({ id: _id, retired: _retired, addressing: _addressing, was: _was, columns, ...table }) => ({
    ...table,
    columns: columns.map(({ id: _own, was: _former, ...column }) => column),
  }));
  const write = (key: string, value: string) =>
    executor.run(`UPDATE "__platform" SET "value" = ${ddl.dialect.parameter(1)} WHERE "key" = '${key}'`, [value]);
  await write('tables', JSON.stringify(old));
  await write('format', '1');
  await write('digest', 'of another time');
  await executor.run(`DELETE FROM "__platform" WHERE "key" = 'retired'`);
  await executor.run('DROP TABLE "__platform_history"');
}
