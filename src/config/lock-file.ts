// model.lock.json beside the model: the copy for review of what the database knows. It is written, and never trusted.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Project } from './project.ts';

export const lockName = 'model.lock.json';

/** The digest of the tables that the file tells of; nothing where it is missing or something else. */
export function lockedDigest({ folder }: Project): string | undefined {
  try {
    const [, digest] = /^ {2}"digest": "([0-9a-f]*)",$/m.exec(readFileSync(join(folder, lockName), 'utf8')) ?? [];
    return digest;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return undefined;
    throw thrown;
  }
}

/** Why it could not be written: a folder that nobody may write to is no reason not to serve. */
export function writeLock({ folder }: Project, text: string): string | undefined {
  const file = join(folder, lockName);
  try {
    // Whoever reads it meanwhile finds the old one or the new one.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return `${lockName} could not be written: ${thrown.message}`;
    throw thrown;
  }
}

/** A single source file is tried out, not kept; only a project has a lock. */
export function hasLock({ folder, sources, manifest }: Project): boolean {
  return manifest !== undefined || sources.every((each) => dirname(each.file) !== folder);
}
