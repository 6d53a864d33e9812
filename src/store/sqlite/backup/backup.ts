// Copies the database of the embedded store while a service may be using it: one moment of it, whole, checked, private to the user.

import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { isError } from '../../../errors.ts';
import { makeFolder } from '../../../folders.ts';
import { findAstray, type MendedTable } from '../../migration/mend-paths.ts';
import { readSchema } from '../../migration/state.ts';
import { StartRefused } from '../../store.ts';
import { type Database, findDriver, openDatabase, toRefusal } from '../driver.ts';
import { toStoreError } from '../errors.ts';
import { readSqliteSchema } from '../snapshot.ts';

export interface Backup {
  readonly bytes: number;
  /** Rows by table, the store's own aside. */
  readonly rows: ReadonlyMap<string, number>;
  /** Rows that are not where their parents are: copied as they are, and mended when a service starts on the copy. */
  readonly astray: readonly MendedTable[];
}

/** Takes no lock that a service would notice; throws `StartRefused` where there is nothing to copy, or something in the way. */
export async function backupSqlite(file: string, target: string, clock: Clock): Promise<Backup> {
  if (!existsSync(file)) throw new StartRefused(`There is no database ${file} yet.`);
  if (existsSync(target)) throw inTheWay(target);
  makeFolder(dirname(target), 0o700);
  const partial = `${target}.${process.pid}.partial`;
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    copy(file, partial);
    const rows = check(partial);
    const astray = await readSqliteSchema(partial, clock, async (session) => findAstray(session, (await readSchema(session)).tables));
    place(partial, target);
    return { bytes: statSync(target).size, rows, astray };
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${end}`, { force: true });
  }
}

function copy(file: string, target: string): void {
  const source = openDatabase(findDriver(), file, 'read');
  try {
    source.prepare('VACUUM INTO ?1').run(target);
  } catch (thrown) {
    // The source is only read: what is full is the disk of the copy.
    throw isError(toStoreError(thrown), 'store-full')
      ? new StartRefused(`There is no room for the backup in ${dirname(target)}.`, thrown)
      : toRefusal(file, thrown);
  } finally {
    source.close();
  }
}

/** A backup that cannot be restored is worse than none. */
function check(file: string): ReadonlyMap<string, number> {
  const database = openDatabase(findDriver(), file, 'read');
  try {
    const faults = texts(database, 'PRAGMA integrity_check', 'integrity_check').filter((each) => each !== 'ok');
    const broken = database.prepare('PRAGMA foreign_key_check').all();
    if (faults.length > 0) throw new StartRefused(`The database is damaged, and was not backed up: ${faults[0]}.`);
    if (broken.length > 0) throw new StartRefused(`${broken.length} rows point at nothing; the database was not backed up.`);
    const tables = texts(database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'", 'name');
    return new Map(tables.sort().map((name) => [name, count(database, name)]));
  } finally {
    database.close();
  }
}

function texts(database: Database, sql: string, column: string): string[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => String(row[column]));
}

function count(database: Database, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM "${table.replaceAll('"', '""')}"`).get()?.['n'] ?? 0);
}

/** On the disk before it has its name, and never over something else. */
function place(partial: string, target: string): void {
  flush(partial);
  try {
    linkSync(partial, target);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') throw inTheWay(target);
    if (!withoutLinks.has(codeOf(thrown))) throw thrown;
    renameSync(partial, target);
  }
  // Windows has no way to flush a folder, and needs none.
  if (process.platform !== 'win32') flush(dirname(target));
}

/** Some disks cannot give a file a second name; there the look from before must do. */
const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP']);

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function inTheWay(target: string): StartRefused {
  return new StartRefused(`${target} is already there; a backup overwrites nothing.`);
}
