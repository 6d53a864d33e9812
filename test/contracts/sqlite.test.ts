// What the embedded store does on its disk: write-ahead log, full synchronisation, one commit for many writes, one process.

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { SqliteStore } from '../../src/store/sqlite.ts';
import { SqliteConnection } from '../../src/store/sqlite-connection.ts';
import { type Database, findDriver, openDatabase } from '../../src/store/sqlite-driver.ts';
import { migrateSqlite } from '../../src/store/sqlite-schema.ts';
import { WriteQueue } from '../../src/store/write-queue.ts';
import { execute, rowsOf } from '../support/database.ts';
import { folderForTest } from '../support/folder.ts';
import { add, items, namesIn, storeWith } from './store.ts';
import { insertInto } from './tables.ts';

const openSqlite = (folder: string) => new SqliteStore(join(folder, 'data.db'), systemClock());

test('an acknowledged write is on disk: WAL with synchronous=FULL', () => {
  const file = join(folderForTest(), 'data.db');
  const database = openDatabase(findDriver(), file, 'write');
  onTestFinished(() => database.close());
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('foreign_keys')).toBe(1);
  expect(pragma('trusted_schema')).toBe(0);
});

test('the database and its folder are private to the user', async () => {
  const folder = join(folderForTest(), 'data');
  const store = openSqlite(folder);
  onTestFinished(() => store.close());
  await store.migrate([items]);
  await add(store, 1, 'a');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ['data.db', 'data.db-wal', 'data.db-shm', 'data.db-lock']) {
    expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
  }
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
  migrateSqlite(real, [items], systemClock());
  let failing = false;
  const fail = (sql: string): void => {
    if (failing && sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 778 });
  };
  const unreliable: Database = {
    exec(sql) {
      fail(sql);
      real.exec(sql);
    },
    prepare(sql) {
      const statement = real.prepare(sql);
      const run: typeof statement.run = (...values) => {
        fail(sql);
        return statement.run(...values);
      };
      return sql === 'COMMIT' ? { get: () => undefined, all: () => [], setReadBigInts: () => {}, run } : statement;
    },
    close: () => real.close(),
  };
  const failures: unknown[] = [];
  const queue = new WriteQueue(new SqliteConnection(unreliable), (thrown) => void failures.push(thrown));
  onTestFinished(() => real.close());
  const write = (id: number) => queue.add((tx) => tx.insert(insertInto(items), [id, `n${id}`]), false);
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
    const { SqliteStore } = await import(${module('store/sqlite.ts')});
    const { systemClock } = await import(${module('clock.ts')});
    try { new SqliteStore(${JSON.stringify(join(folder, 'data.db'))}, systemClock()).close(); console.log('opened'); }
    catch (thrown) { console.log(String(thrown)); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
