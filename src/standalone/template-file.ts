// Stands in for `identity/mail/template-file.ts` in a built application: the templates of the project are a part of the file, those where it runs come first.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPart } from './parts.ts';

export function readTemplate(folder: string, name: string): string | undefined {
  const file = join(folder, 'mail', name);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const part = readPart(__filename, 'mail');
  const embedded: ReadonlyMap<string, string> = new Map(part === undefined ? [] : JSON.parse(part.toString()));
  return embedded.get(name);
}
