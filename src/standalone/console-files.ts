// Stands in for `http/console/files.ts` in a built application: the files of the console are a part of the file.

import { readPart } from './parts.ts';

export function readConsolePack(): Promise<Buffer | undefined> {
  return Promise.resolve(readPart(__filename, 'console'));
}
