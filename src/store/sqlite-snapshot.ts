// Reads one state of the embedded store beside the process that has it: without its lock, and without making anything.

import { existsSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import type { SchemaSession } from './ddl.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { sqliteDdl, sqliteExecutor } from './sqlite-ddl.ts';
import { findDriver, openDatabase, toRefusal, toSchemaRefusal } from './sqlite-driver.ts';
import { type Reader, StartRefused } from './store.ts';

export function hasSqliteFile(file: string): boolean {
  return existsSync(file);
}

/** What the tables are, for whoever only tells what a migration would do. */
export async function readSqliteSchema<T>(file: string, clock: Clock, work: (session: SchemaSession) => Promise<T>): Promise<T> {
  const database = openDatabase(findDriver(), file, 'read');
  try {
    database.exec('BEGIN');
    return await work({ executor: sqliteExecutor(database), ddl: sqliteDdl, clock });
  } catch (thrown) {
    throw toSchemaRefusal(file, thrown);
  } finally {
    database.close();
  }
}

export async function readSqliteSnapshot<T>(file: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  if (!hasSqliteFile(file)) throw new StartRefused(`There is no database ${file} yet.`);
  const database = openDatabase(findDriver(), file, 'read');
  const connection = new SqliteConnection(database);
  try {
    // All reads of one transaction see the state that the first one saw.
    database.exec('BEGIN');
    return await work(connection);
  } catch (thrown) {
    throw withoutTables(thrown) ?? toRefusal(file, thrown);
  } finally {
    connection.close();
  }
}

/** The statements come from the model: a name that the database lacks is new there. */
function withoutTables(thrown: unknown): StartRefused | undefined {
  const found = thrown instanceof Error ? /no such (?:table|column): (.+)$/.exec(thrown.message) : null;
  if (found === null) return undefined;
  return new StartRefused(`The database has no ${found[1]} yet: start the service with this model once, or see platform migrate.`, thrown);
}
