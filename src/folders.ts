// Makes folders, level by level: a recursive call never comes back where the system takes no folder, as below /proc.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the folder and those above it where they are missing. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (thrown) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(folder)) throw thrown;
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')) return false;
    throw thrown;
  }
}
