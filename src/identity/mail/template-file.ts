// A template of the application's own: a file in `mail/` of its folder.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its text; absent where there is none of this name. */
export function readTemplate(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, 'mail', name), 'utf8');
  } catch (thrown) {
    // One that is there and cannot be read is no reason to send another text.
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')) return undefined;
    throw thrown;
  }
}
