// Stands in for `functions/clojure/interpreter-folder.ts` in a built application: the interpreter of Clojure is a part of the file.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '../folders.ts';
import { cacheFolder } from './native.ts';
import { digest, readPart } from './parts.ts';

/** The modules of the interpreter are files that import each other: written once to a private folder of the user, and compared at every start. */
export function interpreterFolder(): string {
  const part = readPart(__filename, 'interpreter');
  // Without the part none is needed, or the project's own is found.
  if (part === undefined) return dirname(__filename);
  const files: Readonly<Record<string, string>> = JSON.parse(part.toString());
  const folder = join(cacheFolder() ?? temporary(), digest(part).slice(0, 32));
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    makeFolder(dirname(file), 0o700);
    writeFileSync(file, text, { mode: 0o600 });
  }
  return folder;
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'platform-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
