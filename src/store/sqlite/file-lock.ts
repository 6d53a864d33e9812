// The lock on the file of the embedded store: one process at a time.

import { StartRefused } from '../store.ts';
import { type Database, type Driver, opened } from './driver.ts';
import { isBusy, isForeign } from './errors.ts';
import { ownFile } from './file.ts';

/**
 * Keeps a second process off the file for as long as this one lives: a lock that the operating system gives back with the process,
 * held on a neighbouring file so that this process can open several connections. Both files are the user's alone.
 */
export function lockFile(driver: Driver, file: string): Database {
  ownFile(file, () => isDatabase(driver, file));
  ownFile(`${file}-lock`, () => false);
  try {
    // Nothing is ever written to it, so that its journal need not be a file.
    const statements = ['PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;'];
    return opened(`${file}-lock`, () => new driver.DatabaseSync(`${file}-lock`, { timeout: 0 }), statements);
  } catch (thrown) {
    if (isBusy(thrown)) throw new StartRefused(`Another process is using the database ${file}: stop it first, and run this again.`, thrown);
    throw thrown;
  }
}

/** Asked of SQLite, which changes nothing for it. Other failures than this one are told when the file is opened in earnest. */
function isDatabase(driver: Driver, file: string): boolean {
  let database: Database | undefined;
  try {
    database = new driver.DatabaseSync(file, { readOnly: true, timeout: 5000 });
    database.prepare('PRAGMA schema_version').get();
    return true;
  } catch (thrown) {
    return !isForeign(thrown);
  } finally {
    database?.close();
  }
}
