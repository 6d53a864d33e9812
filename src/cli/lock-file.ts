// Keeps model.lock.json in step with the database, for `run` and `migrate`.

import { hasLock, lockedDigest, writeLock } from '../config/lock-file.ts';
import type { Project } from '../config/project.ts';

/** What stood in the way, in a line. `read` gives the text, unless the digest that it is given is that of what is stored. */
export async function keepLock(
  project: Project,
  read: (known: string | undefined) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!hasLock(project)) return undefined;
  const text = await read(lockedDigest(project));
  return text === undefined ? undefined : writeLock(project, text);
}
