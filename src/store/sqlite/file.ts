// Makes the files of the embedded store, private to the user, and leaves alone every file that is something else.

import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../folders.ts';
import { StartRefused } from '../store.ts';

/**
 * Makes the file where it is missing. One that holds something is refused before anything is changed, unless it is what it should be.
 * No existing file is opened here: closing it would give back the locks that SQLite holds on it in this process.
 */
export function ownFile(file: string, isOurs: () => boolean): void {
  const stats = attempt(file, () => {
    makeFolder(dirname(file), 0o700);
    return statSync(file, { throwIfNoEntry: false });
  });
  if (stats?.isDirectory() === true) throw cannotOpen(file, 'it is a folder');
  if (stats !== undefined && stats.size > 0 && !isOurs()) throw cannotOpen(file, 'it holds something that is not a database');
  attempt(file, () => (stats === undefined ? make(file) : chmodSync(file, 0o600)));
}

/** The one line for a database that cannot be had. */
export function cannotOpen(file: string, reason: string, cause?: unknown): StartRefused {
  return new StartRefused(`The database ${file} cannot be opened: ${reason}; see store.dbname.`, cause);
}

function make(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (thrown) {
    // Another process has just made it, and has it.
    if (codeOf(thrown) !== 'EEXIST') throw thrown;
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'access is denied'],
  ['EPERM', 'access is denied'],
  ['EROFS', 'it is on a disk that cannot be written'],
  ['ENOSPC', 'there is no space left'],
  ['ENOTDIR', 'it is below a file'],
  ['EEXIST', 'it is below a file'],
  ['ENOENT', 'its folder cannot be made'],
  ['ENAMETOOLONG', 'its name is too long'],
]);

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const code = codeOf(thrown);
    throw cannotOpen(file, reasons.get(code) ?? code, thrown);
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}
