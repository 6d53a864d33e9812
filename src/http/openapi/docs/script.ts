// Finds the script of the API reference page: among the assets of the bundle, or, in the source tree, in its package.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Compressed with gzip. */
export async function readDocsScript(): Promise<Buffer> {
  // The bundle is split: this code stands beside the assets, or one folder below.
  const asset = ['./assets/scalar.js.gz', '../assets/scalar.js.gz']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  return asset === undefined ? packaged() : readFile(asset);
}

/** By an address that the bundler does not follow: the package is no part of the bundle. */
async function packaged(): Promise<Buffer> {
  const script: unknown = await import(new URL('../../../../scripts/scalar.js', import.meta.url).href);
  if (typeof script !== 'object' || script === null || !('scalarScript' in script) || typeof script.scalarScript !== 'function') {
    throw new Error('the script of the API reference page is missing');
  }
  const compressed: unknown = await script.scalarScript();
  if (!Buffer.isBuffer(compressed)) throw new Error('the script of the API reference page is missing');
  return compressed;
}
