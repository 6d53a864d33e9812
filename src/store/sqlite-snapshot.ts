// Reads one state of the embedded store beside the process that has it: without its lock, and without making anything.

import { existsSync } from 'node:fs';
import { SqliteConnection } from './sqlite-connection.ts';
import { findDriver, openDatabase, toRefusal } from './sqlite-driver.ts';
import { type Reader, StartRefused } from './store.ts';

export async function readSqliteSnapshot<T>(file: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  if (!existsSync(file)) throw new StartRefused(`There is no database ${file} yet.`);
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
