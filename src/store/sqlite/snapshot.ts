// Reads one state of the embedded store beside the process that has it: without its lock, and without making anything.

import { existsSync } from 'node:fs';
import { type Clock, systemClock } from '../../clock.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { type Reader, StartRefused } from '../store.ts';
import { SqliteConnection } from './connection/connection.ts';
import { sqliteDdl, sqliteExecutor } from './ddl.ts';
import { type Database, findDriver, openDatabase, toRefusal, toSchemaRefusal } from './driver.ts';
import { StatementWatch } from './slow/time-limit.ts';

export function hasSqliteFile(file: string): boolean {
  return existsSync(file);
}

/** What the tables are, for whoever only tells what a migration would do. */
export async function readSqliteSchema<T>(file: string, clock: Clock, work: (session: SchemaSession) => Promise<T>): Promise<T> {
  const database = openDatabase(findDriver(), file, 'read');
  try {
    return await inReadTransaction(database, () => work({ executor: sqliteExecutor(database), ddl: sqliteDdl, clock }));
  } catch (thrown) {
    throw toSchemaRefusal(file, thrown);
  } finally {
    database.close();
  }
}

export async function readSqliteSnapshot<T>(file: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  if (!hasSqliteFile(file)) throw new StartRefused(`There is no database ${file} yet.`);
  const database = openDatabase(findDriver(), file, 'read');
  // Statements call functions that it brings along.
  const connection = new SqliteConnection(database, { watch: new StatementWatch(database, systemClock()) });
  try {
    return await inReadTransaction(database, () => work(connection));
  } catch (thrown) {
    throw withoutTables(thrown) ?? toRefusal(file, thrown);
  } finally {
    connection.close();
  }
}

/** All reads of it see the state that the first one saw. It is ended before the file is closed: statements that nobody has collected yet would keep its lock. */
async function inReadTransaction<T>(database: Database, work: () => Promise<T>): Promise<T> {
  database.exec('BEGIN');
  try {
    return await work();
  } finally {
    database.exec('ROLLBACK');
  }
}

/** The statements come from the model: a name that the database lacks is new there. */
function withoutTables(thrown: unknown): StartRefused | undefined {
  const found = thrown instanceof Error ? /no such (?:table|column): (.+)$/.exec(thrown.message) : null;
  if (found === null) return undefined;
  return new StartRefused(`The database has no ${found[1]} yet: start the service with this model once, or see platform migrate.`, thrown);
}
