// What others have put on the tables (indexes, triggers, views, rights, comments) outlives a migration; what cannot is named before, and nothing is changed.

import { expect, onTestFinished, test } from 'vitest';
import { planMigration } from '../../src/store/migration/migration.ts';
import type { ExecutorRow } from '../../src/store/sql/executor.ts';
import { StartRefused } from '../../src/store/store.ts';
import { storeOfRun } from '../support/store.ts';
import type { Step } from '../support/table.ts';
import { type Database, database, tablesOf } from './evolve.ts';

const first = `module m
entity Item { id Int @id, price Int, note String @optional }
entity Part { id Int @id, name String }
relationship Of contains(Item, Part)
`;
const rows: readonly Step[] = [
  { ask: 'POST /m/Item', body: { id: 1, price: 3, note: 'a', Of: [{ id: 1, name: 'x' }] }, status: 201 },
  { ask: 'POST /m/Item', body: { id: 2, price: 5 }, status: 201 },
];

const isServer = storeOfRun() === 'postgres';

const bySqlite = [
  'CREATE INDEX "mine" ON "m/Item" ("price", "note")',
  `CREATE UNIQUE INDEX "only once" ON "m/Item" ("price") WHERE "note" IS NOT NULL`,
  'CREATE INDEX mine_too ON "m/Part" ("name" DESC)',
  'CREATE TABLE log (what TEXT)',
  `CREATE TRIGGER "told" AFTER UPDATE ON "m/Item" BEGIN INSERT INTO log VALUES ('item ' || NEW."price"); END`,
  `CREATE TRIGGER stops BEFORE UPDATE OF "name" ON "m/Part" BEGIN SELECT RAISE(ABORT, 'no'); END`,
  'CREATE VIEW cheap AS SELECT "id", "price" FROM "m/Item" WHERE "price" < 4',
  'CREATE VIEW parts AS SELECT * FROM "m/Part"',
];
const byServer = [
  'CREATE INDEX "mine" ON "m/Item" ("price", "note")',
  `CREATE UNIQUE INDEX "only once" ON "m/Item" ("price") WHERE "note" IS NOT NULL`,
  'CREATE INDEX mine_too ON "m/Part" ("name" DESC)',
  `COMMENT ON INDEX "mine" IS 'it''s mine'`,
  `COMMENT ON COLUMN "m/Item"."price" IS 'in euros'`,
  `COMMENT ON TABLE "m/Part" IS 'what it is made of'`,
  'ALTER TABLE "m/Item" ADD CONSTRAINT "not dear" CHECK (num_nulls("price", "note") < 2)',
  'ALTER TABLE "m/Item" ALTER COLUMN "price" SET NOT NULL',
  `DO $$ BEGIN CREATE ROLE additions_reader; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  'GRANT SELECT ON "m/Part" TO additions_reader',
  'GRANT SELECT ("price"), UPDATE ("price", "id") ON "m/Item" TO additions_reader WITH GRANT OPTION',
  `CREATE OR REPLACE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  'CREATE TRIGGER stops BEFORE UPDATE ON "m/Part" FOR EACH ROW EXECUTE FUNCTION stop()',
  'CREATE TRIGGER "stops too" BEFORE UPDATE ON "m/Item" FOR EACH ROW EXECUTE FUNCTION stop()',
  'ALTER TABLE "m/Item" ENABLE ALWAYS TRIGGER "stops too"',
  'ALTER TABLE "m/Part" ENABLE ROW LEVEL SECURITY',
  `CREATE POLICY mine ON "m/Part" USING ("name" <> 'secret')`,
];

/** All that others have made, in words that do not depend on what the platform itself has. */
const ofSqlite = `SELECT "type", "name", "sql" FROM sqlite_schema WHERE "sql" IS NOT NULL AND "type" <> 'table' AND "name" NOT LIKE '%|%' ORDER BY 1, 2`;
const ofServer = `
SELECT 'index' AS type, indexname AS name, indexdef || coalesce(obj_description(format('%I', indexname)::regclass), '') AS sql FROM pg_indexes WHERE indexname NOT LIKE '%|%' AND indexname NOT LIKE '\\_\\_%' AND schemaname = 'public'
UNION ALL SELECT 'check', conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace
UNION ALL SELECT 'trigger', tgname, tgenabled::text || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'policy', polname, pg_get_expr(polqual, polrelid) FROM pg_policy
UNION ALL SELECT 'comment', relname, description FROM pg_description JOIN pg_class ON objoid = pg_class.oid WHERE objsubid = 0 AND relkind = 'r' AND relname LIKE 'm/%'
UNION ALL SELECT 'rights', relname, relacl::text FROM pg_class WHERE relname LIKE 'm/%' AND relkind = 'r' AND relacl IS NOT NULL
UNION ALL SELECT 'column', c.relname || a.attname, concat(a.attacl::text, col_description(c.oid, a.attnum), a.attnotnull) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relname LIKE 'm/%' AND a.attname = 'price' ORDER BY 1, 2`;

async function made(data: Database): Promise<readonly unknown[]> {
  const found = await rowsOf(data, isServer ? ofServer : ofSqlite);
  return found.map((row) => JSON.stringify(row));
}

function rowsOf(data: Database, sql: string): Promise<readonly ExecutorRow[]> {
  return data.schema(async ({ executor }) => executor.rows(sql));
}

async function filled(additions: readonly string[]): Promise<Database> {
  const data = database();
  await data.serve(first, rows);
  await execute(data, additions);
  // Databases are used again.
  if (isServer) onTestFinished(() => execute(data, ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public']));
  return data;
}

async function execute(data: Database, statements: readonly string[]): Promise<void> {
  await data.schema(async ({ executor }) => {
    for (const each of statements) await executor.run(each);
  });
}

interface Kept {
  readonly title: string;
  readonly next: string;
  readonly answers: readonly Step[];
}

const kept: readonly Kept[] = [
  {
    title: 'a type changes',
    next: first.replace('price Int', 'price String'),
    answers: [
      {
        ask: 'GET /m/Item',
        status: 200,
        has: [
          { id: 1, price: '3' },
          { id: 2, price: '5' },
        ],
      },
    ],
  },
  {
    title: 'an identifier that others hold changes its type',
    next: first.replace('Item { id Int', 'Item { id String'),
    answers: [{ ask: 'GET /m/Item/1/Of/Part/1', status: 200, has: { name: 'x', __path__: 'path://m$Item/1/m$Of/m$Part/1' } }],
  },
  {
    title: 'another attribute identifies what is contained',
    next: first.replace('Part { id Int @id, name String', 'Part { id Int, name String @id'),
    answers: [{ ask: 'GET /m/Item/1/Of/Part/x', status: 200, has: { id: 1 } }],
  },
  {
    title: 'a parent is renamed, and the keys below it follow',
    next: first.replace('entity Item {', 'entity Thing { @was("Item"),').replace('(Item', '(Thing'),
    answers: [{ ask: 'GET /m/Thing/1/Of/Part/1', status: 200, has: { __path__: 'path://m$Thing/1/m$Of/m$Part/1' } }],
  },
  {
    title: 'a new attribute gets its default',
    next: first.replace('price Int', 'price Int, stock Int @default(7)'),
    answers: [{ ask: 'GET /m/Item/2', status: 200, has: { stock: 7 } }],
  },
];
for (const { title, next, answers } of kept) {
  test(`${title}: what others have put on the tables is there afterwards, and after undo`, async () => {
    const data = await filled(isServer ? byServer : bySqlite);
    const before = await made(data);
    expect(before.length).toBeGreaterThan(6);
    await data.apply(next);
    if (!title.startsWith('a parent')) expect(await made(data)).toEqual(before);
    else expect(await made(data)).toHaveLength(before.length);
    await data.serve(next, answers);
    await data.undo();
    expect(await made(data)).toEqual(before);
    await data.serve(first, [{ ask: 'GET /m/Item/1/Of/Part/1', status: 200, has: { name: 'x' } }]);
    if (!isServer) expect(await rowsOf(data, 'SELECT * FROM log')).toEqual([]);
  });
}

test('a start does not refuse because of what others have put on the tables, where it only adds', async () => {
  const data = await filled(isServer ? byServer : bySqlite);
  const next = first.replace('price Int', 'price Int, more String @optional');
  await data.serve(next, [{ ask: 'GET /m/Item/1', status: 200, has: { more: null } }]);
});

test('what can be kept is in the plan as a comment, so that the script is not run by hand', async () => {
  const data = await filled(['CREATE INDEX "mine" ON "m/Item" ("price")']);
  const { script } = await data.schema((session) => planMigration(session, tablesOf(first.replace('price Int', 'price String'))));
  expect(script.join('\n')).toContain('-- index mine on m/Item is made again; only platform migrate apply does this');
  expect(script.at(-1)).toMatch(/ROLLBACK|foreign_keys/);
});

const gone = first.replace(', note String @optional', '');

test('a view that reads what is retired is named before, and has to be said yes to', async () => {
  const data = await filled(['CREATE VIEW noted AS SELECT "id", "note" FROM "m/Item"']);
  const { changes } = await data.schema((session) => planMigration(session, tablesOf(gone)));
  expect(changes.map(({ words, asks, atStart }) => [words, asks, atStart])).toEqual([
    [expect.stringContaining('m/Item.note is retired'), false, false],
    ['view noted is not the platform’s, and goes on with what is retired of m/Item.note', true, false],
  ]);
  expect(await data.refusal(gone)).toContain('view noted is not the platform’s');
  await data.apply(gone);
  const read = () => rowsOf(data, 'SELECT count(*) AS n FROM noted');
  expect((await read()).map((row) => Number(row['n']))).toEqual([2]);
  await data.serve(gone, [{ ask: 'POST /m/Item', body: { id: 3, price: 1 }, status: 201 }]);
  await data.undo();
  expect((await read()).map((row) => Number(row['n']))).toEqual([3]);
});

interface Held {
  readonly title: string;
  readonly additions: readonly string[];
  readonly next: string;
  readonly words: string;
}

const held: readonly Held[] = [
  {
    title: 'a reference of others to a key that changes',
    additions: ['CREATE TABLE theirs (item bigint CONSTRAINT "to item" REFERENCES "m/Item" ("id"))'],
    next: first.replace('Item { id Int', 'Item { id String'),
    words: 'constraint to item on table theirs is not the platform’s, and holds m/Item.id as it is',
  },
  {
    title: 'a view of a column that holds keys',
    additions: ['CREATE VIEW below AS SELECT "__parent_m$Of" FROM "m/Part"'],
    next: first.replace('Item { id Int', 'Item { id String'),
    words: 'view below is not the platform’s, and holds m/Part.__parent_m$Of as it is',
  },
];
for (const { title, additions, next, words } of held) {
  test.runIf(isServer)(`${title} is in the way, is named with its way out, and nothing is changed`, async () => {
    const data = await filled(additions);
    const { changes } = await data.schema((session) => planMigration(session, tablesOf(next)));
    expect(changes.map(({ blocked }) => blocked)).toContain(words);
    await expect(data.apply(next)).rejects.toThrow(StartRefused);
    await data.serve(first, [{ ask: 'GET /m/Item/1/Of/Part/1', status: 200, has: { name: 'x' } }]);
  });
}

test('an index of others that the new type cannot have refuses the migration, and nothing is changed', async () => {
  const index = isServer
    ? 'CREATE INDEX even ON "m/Item" (("price" % 2))'
    : `CREATE INDEX even ON "m/Item" ("price") WHERE "price" > likelihood("id", 0.5)`;
  const data = await filled([index]);
  const next = first.replace('price Int', 'price String');
  if (isServer) {
    await expect(data.apply(next)).rejects.toThrow('index even is not the platform’s, and cannot be kept: operator does not exist');
    await data.serve(first, [{ ask: 'GET /m/Item/1', status: 200, has: { price: 3 } }]);
  } else {
    await data.apply(next);
    await data.serve(next, [{ ask: 'GET /m/Item/1', status: 200, has: { price: '3' } }]);
  }
});

test.runIf(!isServer)('a view that is broken already is named, and nothing is changed', async () => {
  const data = await filled(['CREATE VIEW broken AS SELECT * FROM nowhere']);
  const next = first.replace('price Int', 'cost Int @was("price")');
  expect(await data.refusal(next)).toMatch(
    /SQLite refuses to change .*error in view broken: no such table: main.nowhere; nothing was changed\./,
  );
  await data.serve(first, [{ ask: 'GET /m/Item/1', status: 200, has: { price: 3 } }]);
});

test.runIf(isServer)('a column that others have forbidden to be empty keeps nobody from writing, once it is retired', async () => {
  const data = await filled(['ALTER TABLE "m/Part" ALTER COLUMN "name" SET NOT NULL']);
  const next = first.replace('{ id Int @id, name String }', '{ id Int @id }');
  await data.apply(next);
  await data.serve(next, [{ ask: 'POST /m/Item/2/Of/Part', body: { id: 2 }, status: 201 }]);
});

test.runIf(isServer)('rows that a policy hides from the platform are not passed over', async () => {
  const data = await filled([
    `DO $$ BEGIN CREATE ROLE additions_narrow LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
    'GRANT ALL ON SCHEMA public TO additions_narrow',
    ...['m/Item', 'm/Part', '__platform', '__platform_history', '__platform_answers'].map(
      (each) => `ALTER TABLE "${each}" OWNER TO additions_narrow`,
    ),
    'ALTER TABLE "m/Item" ENABLE ROW LEVEL SECURITY',
    'ALTER TABLE "m/Item" FORCE ROW LEVEL SECURITY',
    'CREATE POLICY few ON "m/Item" USING ("id" = 1)',
  ]);
  const asNarrow = data.schema(async ({ executor, ddl }) => {
    for (const each of ddl.begin) await executor.run(each);
    await executor.run('SET LOCAL ROLE additions_narrow');
    await executor.run('UPDATE "m/Item" SET "price" = 1');
  });
  await expect(asNarrow).rejects.toThrow('row-level security');
});
