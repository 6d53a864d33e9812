// Migrations where others write to the same database: nothing is lost to a copy, and rows of an older model fit the newer one.

import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { compile } from '../../src/plan/compile.ts';
import { applyMigration } from '../../src/store/migration/migration.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import type { Executor } from '../../src/store/sql/executor.ts';
import { StartRefused } from '../../src/store/store.ts';
import { modelOf } from '../support/app.ts';
import { databaseForTest, postgresSettings, queryDatabase } from '../support/postgres.ts';

const tablesOf = (attributes: string) => compile(modelOf(`module m\nentity A { ${attributes} }\n`)).tables;

const before = tablesOf('id Int @id, code String');

async function prepared(): Promise<{ readonly name: string; readonly store: PostgresStore }> {
  const name = await databaseForTest();
  const store = new PostgresStore(postgresSettings(name), systemClock());
  await store.migrate(before);
  await queryDatabase(name, `INSERT INTO "m/A" ("id", "code", "__version") VALUES (1, 'a', 1)`);
  return { name, store };
}

test('while a table gets other keys, nobody else writes to it', async () => {
  const { name, store } = await prepared();
  const tried: unknown[] = [];
  const watched = (executor: Executor): Executor => ({
    rows: (sql, parameters) => executor.rows(sql, parameters),
    async run(sql, parameters) {
      const stale = await executor.run(sql, parameters);
      if (!sql.startsWith('ALTER TABLE "m/A" ADD CONSTRAINT')) return stale;
      const write = `SET lock_timeout = '50ms'; INSERT INTO "m/A" ("id", "code", "__version") VALUES (2, 'b', 1)`;
      tried.push(await queryDatabase(name, write).catch((thrown: unknown) => thrown));
      return stale;
    },
  });
  await store.schema((session) =>
    applyMigration({ ...session, executor: watched(session.executor) }, tablesOf('id Int, code String @id'), {}),
  );
  expect(tried).toEqual([expect.objectContaining({ code: '55P03' })]);
  expect(await queryDatabase(name, 'SELECT "code" FROM "m/A"')).toEqual([{ code: 'a' }]);
  await store.close();
});

const defaults: readonly (readonly [attribute: string, value: unknown])[] = [
  ['n Int @default(7)', '7'],
  ['n Decimal @default(1.50)', expect.stringMatching(/^1\.50?$/)],
  ['n Boolean @default(true)', true],
  [`n String @default("it's")`, "it's"],
  ['n UUID @default(uuid())', expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ['n DateTime @default(now())', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)],
  ['n Time @default(now())', expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/)],
];
for (const [attribute, value] of defaults) {
  test(`what an instance of the old model writes gets the default of what it does not know, until that is retired: ${attribute}`, async () => {
    const { name, store } = await prepared();
    await store.migrate(tablesOf(`id Int @id, code String, ${attribute}`));
    await queryDatabase(name, `INSERT INTO "m/A" ("id", "code", "__version") VALUES (2, 'b', 1)`);
    expect(await queryDatabase(name, 'SELECT "n" FROM "m/A" WHERE "id" = 2')).toEqual([{ n: value }]);
    await store.schema((session) => applyMigration(session, before, {}));
    await queryDatabase(name, `INSERT INTO "m/A" ("id", "code", "__version") VALUES (3, 'c', 1)`);
    expect(await queryDatabase(name, 'SELECT "n~1" FROM "m/A" WHERE "id" = 3')).toEqual([{ 'n~1': null }]);
    await store.close();
  });
}

const readiness: readonly (readonly [title: string, attributes: string, ready: boolean])[] = [
  ['what another one only added to', 'id Int @id, code String, n Int @optional', true],
  ['what another one has renamed', 'id Int @id, label String @was("code")', false],
];
for (const [title, attributes, ready] of readiness) {
  test(`an instance says whether it can serve ${title}`, async () => {
    const { name, store } = await prepared();
    const other = new PostgresStore(postgresSettings(name), systemClock());
    expect(await store.ready()).toBe(true);
    await other.migrate(tablesOf(attributes));
    expect([await store.ready(), await store.ready(), await other.ready()]).toEqual([ready, ready, true]);
    await store.close();
    await other.close();
  });
}

const refusals: readonly (readonly [title: string, prepare: string, settings: Partial<PostgresSettings>, says: RegExp])[] = [
  [
    'a role that may not',
    `DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; GRANT USAGE ON SCHEMA public TO reader; GRANT SELECT ON "__platform", "__platform_history", "m/A" TO reader`,
    { username: 'reader' },
    /^PostgreSQL at 127\.0\.0\.1:\d+ refuses .*; nothing was changed; the role in store\.username must own the tables, and be allowed to make some\.$/,
  ],
  [
    'a database that takes no writes',
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`,
    {},
    /^PostgreSQL at .* read-only transaction; nothing was changed; a standby, or a database that is set so, takes no writes\.$/,
  ],
];
for (const [title, prepare, settings, says] of refusals) {
  test(`a server that does not let tables be changed is told in a line: ${title}`, async () => {
    const { name, store } = await prepared();
    await store.close();
    await queryDatabase(name, prepare);
    const other = new PostgresStore(postgresSettings(name, settings), systemClock());
    const thrown = await other.migrate(tablesOf('id Int @id, code String, n Int @optional')).catch((each: unknown) => each);
    await other.close();
    await queryDatabase('postgres', `ALTER DATABASE ${name} RESET default_transaction_read_only`);
    expect(thrown).toBeInstanceOf(StartRefused);
    expect(thrown instanceof Error ? thrown.message : '').toMatch(says);
  });
}
