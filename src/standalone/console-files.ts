// Stands in for `http/console/files.ts` in a built application: the files of the pages are parts of the file.

import { readPart } from './parts.ts';

export function readPack(page: string): Promise<Buffer | undefined> {
  return Promise.resolve(readPart(__filename, page));
}
