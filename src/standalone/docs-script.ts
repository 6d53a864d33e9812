// Stands in for `http/openapi/docs/script.ts` in a built application: the script of the API reference page is a part of the file.

import { readPart } from './parts.ts';

/** Compressed with gzip. */
export function readDocsScript(): Promise<Buffer> {
  const script = readPart(__filename, 'docs-script');
  return script === undefined ? Promise.reject(new Error('the script of the API reference page is missing')) : Promise.resolve(script);
}
