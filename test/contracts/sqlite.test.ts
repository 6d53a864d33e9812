// What the embedded store does on its disk: write-ahead log, one commit for many writes, one process.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { migrateAtStart } from '../../src/store/migration/migration.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection/connection.ts';
import { sqliteDdl, sqliteExecutor } from '../../src/store/sqlite/ddl.ts';
import { type Database, findDriver, openDatabase } from '../../src/store/sqlite/driver.ts';
import { lockFile } from '../../src/store/sqlite/file-lock.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { WriteQueue } from '../../src/store/sqlite/write-queue.ts';
import { StartRefused } from '../../src/store/store.ts';
import { execute, rowsOf } from '../support/database.ts';
import { folderForTest } from '../support/folder.ts';
import { add, items, namesIn, storeWith } from './store.ts';
import { insertInto } from './tables.ts';

const openSqlite = (folder: string) => new SqliteStore(join(folder, 'data.db'), systemClock());

test('commits are appended to a write-ahead log, and are on disk when they return: synchronous=FULL', () => {
  const file = join(folderForTest(), 'data.db');
  const database = openDatabase(findDriver(), file, 'write');
  onTestFinished(() => database.close());
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('foreign_keys')).toBe(1);
  expect(pragma('trusted_schema')).toBe(0);
});

test('on every runtime a whole number is one for SQLite, of a version whose write-ahead log loses nothing', () => {
  const database = openDatabase(findDriver(), join(folderForTest(), 'data.db'), 'write');
  onTestFinished(() => database.close());
  expect(database.prepare('SELECT typeof(?1) AS kind, CAST(?1 AS TEXT) AS text').get(1)).toMatchObject({ kind: 'integer', text: '1' });
  const [major = 0, minor = 0, patch = 0] = String(database.prepare('SELECT sqlite_version() AS v').get()?.['v']).split('.').map(Number);
  expect((major * 1000 + minor) * 1000 + patch).toBeGreaterThanOrEqual(3_051_003);
});

test('the database and its folder are private to the user', async () => {
  const folder = join(folderForTest(), 'data');
  const store = openSqlite(folder);
  onTestFinished(() => store.close());
  await store.migrate([items]);
  await add(store, 1, 'a');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).sort()).toEqual(['data.db', 'data.db-lock', 'data.db-shm', 'data.db-wal']);
  for (const name of readdirSync(folder)) expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
});

const notDatabases: readonly (readonly [title: string, dbname: string, says: RegExp])[] = [
  ['a text', 'notes.txt', /notes\.txt cannot be opened: it holds something that is not a database; see store\.dbname\.$/],
  ['a text shorter than the beginning of a database', 'short.txt', /short\.txt cannot be opened: it holds something/],
  ['a folder', 'folder', /folder cannot be opened: it is a folder; see store\.dbname\.$/],
  ['a file below a file', 'notes.txt/x.db', /x\.db cannot be opened: it is below a file; see store\.dbname\.$/],
  ['a database that is broken', 'broken.db', /broken\.db cannot be opened: .*; see store\.dbname\.$/],
  ['a lock that is something else', 'other.db', /other\.db-lock cannot be opened: it holds something/],
];

for (const [title, dbname, says] of notDatabases) {
  test(`what is no database is refused with a clear line, and stays as it is: ${title}`, async () => {
    const folder = folderForTest();
    mkdirSync(join(folder, 'folder'));
    const files = { 'notes.txt': 'these are my notes', 'short.txt': 'SQLite', 'other.db-lock': '{}' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o644 });
    writeFileSync(join(folder, 'broken.db'), Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)]));
    const before = readdirSync(folder);
    const open = async (): Promise<void> => {
      const store = new SqliteStore(join(folder, dbname), systemClock());
      await store.migrate([items]).finally(() => store.close());
    };
    const thrown = await open().catch((each: unknown) => each);
    expect(thrown).toBeInstanceOf(StartRefused);
    expect(String(thrown)).toMatch(says);
    for (const [name, text] of Object.entries(files)) {
      expect([readFileSync(join(folder, name), 'utf8'), statSync(join(folder, name)).mode & 0o777]).toEqual([text, 0o644]);
    }
    if (dbname !== 'broken.db') expect(readdirSync(folder).filter((each) => each !== 'other.db')).toEqual(before);
  });
}

test('a lock that fails otherwise is not taken for another process', () => {
  const { DatabaseSync } = findDriver();
  class Failing extends DatabaseSync {
    override exec(): void {
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    }
  }
  const file = join(folderForTest(), 'data.db');
  expect(() => lockFile({ DatabaseSync: Failing }, file)).toThrow(/data\.db-lock cannot be opened: disk I\/O error; see store\.dbname\.$/);
});

test('writes that arrive together share one commit', async () => {
  const { store, folder } = await storeWith(openSqlite, [items]);
  const before = commits(folder);
  await Promise.all(Array.from({ length: 100 }, (_, id) => add(store, id, `n${id}`)));
  expect(commits(folder) - before).toBeLessThanOrEqual(3);
  await add(store, 1000, 'alone');
  await add(store, 1001, 'alone too');
  expect(commits(folder) - before).toBeGreaterThanOrEqual(3);
});

test('a transaction that failed writes no commit', async () => {
  const { store, folder } = await storeWith(openSqlite, [items]);
  const before = commits(folder);
  await expect(store.write(() => Promise.reject(new Error('stop')))).rejects.toThrow('stop');
  expect(commits(folder)).toBe(before);
});

test('a failing commit fails all writes that share it, and the next ones are made', async () => {
  const file = join(folderForTest(), 'data.db');
  const real = openDatabase(findDriver(), file, 'write');
  await migrateAtStart({ executor: sqliteExecutor(real), ddl: sqliteDdl, clock: systemClock() }, [items], {});
  let failing = false;
  const fail = (sql: string): void => {
    if (failing && sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 778 });
  };
  const unused = {
    all: () => [],
    iterate: () => [].values(),
    run: () => ({ changes: 0 }),
    setReadBigInts: () => {},
    setReturnArrays: () => {},
  };
  const unreliable: Database = {
    exec(sql) {
      fail(sql);
      real.exec(sql);
    },
    prepare(sql) {
      const statement = real.prepare(sql);
      const get: typeof statement.get = (...values) => {
        fail(sql);
        return statement.get(...values);
      };
      return sql === 'COMMIT' ? { ...unused, get } : statement;
    },
    limits: real.limits,
    close: () => real.close(),
  };
  const failures: unknown[] = [];
  const listener = {
    failed: (thrown: unknown) => void failures.push(thrown),
    commits: () => {},
  };
  const queue = new WriteQueue(new SqliteConnection(unreliable), listener);
  onTestFinished(() => real.close());
  const write = (id: number) => queue.add((tx) => tx.insert(insertInto(items), [id, `n${id}`]));
  failing = true;
  const results = await Promise.allSettled([1, 2, 3].map(write));
  expect(results.map((each) => (each.status === 'rejected' ? each.reason.code : 'done'))).toEqual([
    'store-failed',
    'store-failed',
    'store-failed',
  ]);
  expect(failures.length).toBeGreaterThan(0);
  failing = false;
  await Promise.all([4, 5].map(write));
  expect(rowsOf(file, 'SELECT id FROM "m/Item"')).toEqual([{ id: 4 }, { id: 5 }]);
});

test('a second store on the same file is refused with a clear line, until the first is closed', async () => {
  const folder = folderForTest();
  const first = openSqlite(folder);
  await first.migrate([items]);
  expect(() => openSqlite(folder)).toThrow(/Another process is using the database .*data\.db/);
  expect(inAnotherProcess(folder)).toMatch(/StartRefused: Another process is using the database/);
  await add(first, 1, 'a');
  await first.close();
  expect(inAnotherProcess(folder)).toBe('opened');
  const again = openSqlite(folder);
  onTestFinished(() => again.close());
  expect(await namesIn(again)).toEqual(['a']);
});

test('after a store was closed its file alone holds everything', async () => {
  const folder = folderForTest();
  const store = openSqlite(folder);
  await store.migrate([items]);
  await add(store, 1, 'a');
  expect(await namesIn(store)).toEqual(['a']);
  await store.close();
  const copy = join(folder, 'copy.db');
  copyFileSync(join(folder, 'data.db'), copy);
  expect(rowsOf(copy, 'SELECT name FROM "m/Item"')).toEqual([{ name: 'a' }]);
});

test('an older runtime refuses a newer database, and leaves it as it is', async () => {
  const folder = folderForTest();
  const store = openSqlite(folder);
  await store.migrate([items]);
  await store.close();
  execute(join(folder, 'data.db'), `UPDATE "__platform" SET "value" = '99' WHERE "key" = 'format'`);
  const again = openSqlite(folder);
  onTestFinished(() => again.close());
  await expect(again.migrate([items])).rejects.toThrow(/newer version of the platform/);
  expect(rowsOf(join(folder, 'data.db'), `SELECT "value" AS v FROM "__platform" WHERE "key" = 'format'`)).toEqual([{ v: '99' }]);
});

test('what the service keeps has the types of SQLite that it says it has', async () => {
  const { folder } = await storeWith(openSqlite, [items]);
  expect(rowsOf(join(folder, 'data.db'), 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const [{ sql } = { sql: '' }] = rowsOf(join(folder, 'data.db'), `SELECT sql FROM sqlite_schema WHERE name = 'm/Item'`);
  expect(sql).toMatch(/STRICT$/);
});

/** How many transactions stand in the write-ahead log: a frame that ends one carries the size of the database. */
function commits(folder: string): number {
  const log = readFileSync(join(folder, 'data.db-wal'));
  const pageSize = log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + 24 <= log.length; at += 24 + pageSize) {
    const isCurrent = log.readUInt32BE(at + 8) === log.readUInt32BE(16) && log.readUInt32BE(at + 12) === log.readUInt32BE(20);
    if (isCurrent && log.readUInt32BE(at + 4) > 0) count += 1;
  }
  return count;
}

function inAnotherProcess(folder: string): string {
  const module = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../src', name)).href);
  const script = `
    const { SqliteStore } = await import(${module('store/sqlite/sqlite.ts')});
    const { systemClock } = await import(${module('clock.ts')});
    try { new SqliteStore(${JSON.stringify(join(folder, 'data.db'))}, systemClock()).close(); console.log('opened'); }
    catch (thrown) { console.log(String(thrown)); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
