// Finds the SQLite that this process can use, and opens files with the settings that durability needs.

import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { StartRefused } from './store.ts';

export interface PreparedStatement {
  get(...values: unknown[]): Readonly<Record<string, unknown>> | undefined;
  all(...values: unknown[]): readonly Readonly<Record<string, unknown>>[];
  run(...values: unknown[]): { readonly changes: number | bigint };
  setReadBigInts(enabled: boolean): void;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): PreparedStatement;
  close(): void;
}

interface Driver {
  readonly DatabaseSync: new (file: string, options?: { readonly readOnly?: boolean; readonly timeout?: number }) => Database;
}

/** Below it, a bug in the write-ahead log can lose acknowledged writes. */
const oldestSafe = [3, 51, 3] as const;

/** The runtime's own SQLite where it is new enough, else the one that is installed with the package. */
export function findDriver(): Driver {
  const load = createRequire(import.meta.url);
  for (const name of ['node:sqlite', '@photostructure/sqlite']) {
    const driver = tryLoad(load, name);
    if (driver !== undefined && isSafe(driver)) return driver;
  }
  throw new StartRefused(`No SQLite of version ${oldestSafe.join('.')} or newer was found.`);
}

/** Makes the folder and the file private to the user, as everything in it is the application's data. */
export function openDatabase(driver: Driver, file: string, mode: 'write' | 'read'): Database {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new driver.DatabaseSync(file, { readOnly: mode === 'read', timeout: 5000 });
  if (mode === 'write') {
    chmodSync(file, 0o600);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;');
  }
  database.exec('PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000;');
  return database;
}

/**
 * Keeps a second process off the file for as long as this one lives: a lock that the operating system gives back with the process,
 * held on a neighbouring file so that this process can open several connections.
 */
export function lockFile(driver: Driver, file: string): Database {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = new driver.DatabaseSync(`${file}-lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;');
    chmodSync(`${file}-lock`, 0o600);
    return lock;
  } catch (thrown) {
    lock.close();
    throw new StartRefused(`Another process is using the database ${file}.`, thrown);
  }
}

function tryLoad(load: NodeJS.Require, name: string): Driver | undefined {
  try {
    return load(name);
  } catch (thrown) {
    // Not in this runtime: the next one is tried, and the caller says so when there is none.
    if (thrown instanceof Error) return undefined;
    throw thrown;
  }
}

function isSafe(driver: Driver): boolean {
  const database = new driver.DatabaseSync(':memory:');
  const version = String(database.prepare('SELECT sqlite_version() AS v').get()?.['v']).split('.').map(Number);
  database.close();
  for (const [index, least] of oldestSafe.entries()) {
    const part = version[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
