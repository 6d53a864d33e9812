// The uuid of a database that the configuration does not name: drawn once per project, and kept beside the data.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../folders.ts';

/** The kept uuid, else the fresh one. Nothing is written: `check` only looks. */
export function peekStoreId(projectFolder: string, fresh: () => string): string {
  return read(fileOf(projectFolder)) ?? fresh();
}

/** The kept uuid; the first time, the fresh one is kept. Throws when it cannot be kept: the next start would not find the data. */
export function keepStoreId(projectFolder: string, fresh: () => string): string {
  const file = fileOf(projectFolder);
  const kept = read(file);
  if (kept !== undefined) return kept;
  const id = fresh();
  makeFolder(dirname(file), 0o700);
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}

function fileOf(projectFolder: string): string {
  return join(projectFolder, 'data', '.store-id');
}

function read(file: string): string | undefined {
  try {
    const id = readFileSync(file, 'utf8').trim();
    return /^[0-9a-f-]{36}$/.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
