// Finds the files of the console: among the assets of the bundle, or, in the source tree, made from their sources.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** In the form of `pack.ts`; nothing where they are not there. */
export async function readConsolePack(): Promise<Buffer | undefined> {
  // The bundle is split: this code stands beside the assets, or one folder below.
  const asset = ['./assets/console.pack', '../assets/console.pack']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  return asset === undefined ? made() : readFile(asset);
}

/** By an address that the bundler does not follow: what builds the console is no part of the bundle. */
async function made(): Promise<Buffer | undefined> {
  const script = new URL('../../../scripts/console.js', import.meta.url);
  if (!existsSync(script)) return undefined;
  const builder: unknown = await import(script.href);
  if (typeof builder !== 'object' || builder === null || !('consolePack' in builder) || typeof builder.consolePack !== 'function')
    return undefined;
  const { pack }: { pack: unknown } = await builder.consolePack();
  return Buffer.isBuffer(pack) ? pack : undefined;
}
