// Finds the files of a page: among the assets of the bundle, or, in the source tree, made from their sources.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export type PageName = 'console' | 'graphql';

/** In the form of `pack.ts`; nothing where they are not there. */
export async function readPack(page: PageName): Promise<Buffer | undefined> {
  // The bundle is split: this code stands beside the assets, or one folder below.
  const asset = [`./assets/${page}.pack`, `../assets/${page}.pack`]
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  return asset === undefined ? made(page) : readFile(asset);
}

/** By an address that the bundler does not follow: what builds pages is no part of the bundle, beside which that path leads to strangers. */
async function made(page: PageName): Promise<Buffer | undefined> {
  const script = new URL('../../../scripts/console.js', import.meta.url);
  if (!import.meta.url.endsWith('/src/http/console/files.ts') || !existsSync(script)) return undefined;
  const builders: Readonly<Record<string, unknown>> = await import(script.href);
  const build = builders[`${page}Pack`];
  if (typeof build !== 'function') return undefined;
  const { pack }: { pack: unknown } = await build();
  return Buffer.isBuffer(pack) ? pack : undefined;
}
