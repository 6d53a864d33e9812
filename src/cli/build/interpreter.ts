// The interpreter of Clojure for a built application, taken from where it is installed; only where the model has Clojure.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { interpreterFolder } from '../../functions/clojure/interpreter-folder.ts';
import { clojureUses } from '../../functions/clojure/uses.ts';
import type { Model } from '../../model/model.ts';
import type { Part } from '../../standalone/parts.ts';
import { StartRefused } from '../../store/store.ts';

export function interpreterPart(model: Model, folder: string): readonly Part[] {
  if (clojureUses(model).length === 0) return [];
  const entry = [folder, interpreterFolder()].map((each) => resolvedFrom(each, 'nbb')).find((each) => each !== undefined);
  if (entry === undefined)
    throw new StartRefused('The model has functions in Clojure, which need the package nbb; install it: npm install nbb');
  const own = dirname(entry);
  const needed = resolvedFrom(own, 'import-meta-resolve');
  const files = { ...filesOf('nbb', own), ...(needed === undefined ? {} : filesOf('import-meta-resolve', dirname(needed))) };
  return [{ name: 'interpreter', content: Buffer.from(JSON.stringify(files)) }];
}

function resolvedFrom(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, 'package.json')).resolve(name);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}

/** What runs, and the licence; in an order that does not depend on the disk. */
function filesOf(name: string, folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('node_modules/') && /(^package\.json|^licen[cs]e|\.m?js)$/i.test(path))
    .sort();
  return Object.fromEntries(paths.map((path) => [`node_modules/${name}/${path}`, readFileSync(join(folder, path), 'utf8')]));
}
