// Loads SQLite, and opens files with the settings of the store.

import { StartRefused } from '../store.ts';
import { isFull, isOfSqlite, isOfTheMachine } from './errors.ts';
import { cannotOpen } from './file.ts';
import { loadSqlite } from './package.ts';

export interface PreparedStatement {
  get(...values: unknown[]): Readonly<Record<string, unknown>> | undefined;
  all(...values: unknown[]): readonly Readonly<Record<string, unknown>>[];
  iterate(...values: unknown[]): IterableIterator<Readonly<Record<string, unknown>>>;
  run(...values: unknown[]): { readonly changes: number | bigint };
  setReadBigInts(enabled: boolean): void;
  /** Whether a row is the list of its values, and not an object of them by the names of its columns. */
  setReturnArrays(enabled: boolean): void;
  /** Gives its memory back at once. */
  finalize?(): void;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): PreparedStatement;
  /** `length`: bytes of the longest text that a statement makes or reads; one that is longer is an error of SQLite's. */
  readonly limits: { length: number };
  close(): void;
}

/** One that was opened here, with everything that the driver gives it. */
export interface OpenDatabase extends Database {
  function(name: string, options: Readonly<Record<string, never>>, work: (...values: readonly unknown[]) => number | string | null): void;
}

export interface Driver {
  readonly DatabaseSync: new (file: string, options?: { readonly readOnly?: boolean; readonly timeout?: number }) => OpenDatabase;
}

/** Every text up to here is one that the runtime can hold: it has fewer characters than bytes, and may have 2 ** 29. */
export const longestText = 500_000_000;

/** That of the package, on every runtime: the SQLite of Node itself takes whole numbers for fractions, so that 1 as a text is "1.0". */
export function findDriver(): Driver {
  try {
    return loadSqlite();
  } catch (thrown) {
    // A built application says itself what this machine does not let be loaded.
    if (thrown instanceof StartRefused || !(thrown instanceof Error)) throw thrown;
    throw new StartRefused(`SQLite cannot be loaded on this machine: ${thrown.message}`, thrown);
  }
}

export function openDatabase(driver: Driver, file: string, mode: 'write' | 'read', longest = longestText): OpenDatabase {
  // FULL: a commit is on disk when it returns.
  const database = opened(file, () => new driver.DatabaseSync(file, { readOnly: mode === 'read', timeout: 5000 }), [
    mode === 'write'
      ? 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY;'
      : // What is sorted may be more than memory should hold: beyond the cache it goes to a file that has no name.
        'PRAGMA temp_store = FILE;',
    'PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -16000;',
  ]);
  database.limits.length = Math.min(longest, longestText);
  return database;
}

export function opened(file: string, open: () => OpenDatabase, statements: readonly string[]): OpenDatabase {
  let database: OpenDatabase | undefined;
  try {
    database = open();
    for (const each of statements) database.exec(each);
    return database;
  } catch (thrown) {
    database?.close();
    throw toRefusal(file, thrown);
  }
}

/** What the machine or the file is at fault for is told in a line; the rest is a bug. */
export function toRefusal(file: string, thrown: unknown): unknown {
  return isOfTheMachine(thrown) ? cannotOpen(file, thrown instanceof Error ? thrown.message : String(thrown), thrown) : thrown;
}

/** The same for work on the tables, which what others have made in the file can be in the way of too. */
export function toSchemaRefusal(file: string, thrown: unknown): unknown {
  if (isFull(thrown)) return new StartRefused(`There is no room left for a change of the tables of ${file}; nothing was changed.`, thrown);
  if (isOfTheMachine(thrown) || !isOfSqlite(thrown)) return toRefusal(file, thrown);
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new StartRefused(`SQLite refuses to change or to tell the tables of ${file}: ${reason}; nothing was changed.`, thrown);
}
