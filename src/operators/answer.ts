// Answers to operators: JSON, or why there is none; and the query of a request, in which nothing stands that is not asked for.

import { isAbsolute, relative } from 'node:path';
import { error, type Fault } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { StartRefused } from '../store/store.ts';

export function jsonAnswer(value: unknown): HttpResponse {
  return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: JSON.stringify(value) };
}

/** The parameters of a query, each at most once; any other is refused. */
export function parametersIn({ query }: HttpRequest, ...names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name))
      faults.push({
        attribute: name,
        code: 'unknown',
        message: names.length === 0 ? 'is not a parameter' : `there are ${names.join(', ')}`,
      });
    else if (found.has(name)) faults.push({ attribute: name, code: 'value', message: 'stands more than once' });
    found.set(name, value);
  }
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
  return found;
}

/** What commands refuse with a line is refused here with the same line. */
export async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof StartRefused) throw error('query-invalid', { detail: thrown.message }, thrown);
    throw thrown;
  }
}

/** Of the store itself such a line names files of the machine, which are for the log. */
export async function orStoreFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof StartRefused ? error('store-failed', {}, thrown) : thrown;
  }
}

export interface NamedFolder {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
}

/**
 * Relative to the folder of the project. Of what lies elsewhere the name alone, because where is nobody's business, and its place in the package: packages
 * have files of the same name.
 */
export function shownFile(file: string, folder: string, packages: readonly NamedFolder[] = []): string {
  const own = placeIn(folder, file);
  if (own !== undefined) return own;
  const places = packages.flatMap((each) => {
    const place = placeIn(each.folder, file);
    return place === undefined ? [] : [{ name: each.name, place }];
  });
  // Of packages that lie in one another, the innermost.
  const [owner] = places.sort((a, b) => a.place.length - b.place.length);
  return owner === undefined ? (file.split(/[\\/]/).at(-1) ?? '') : `${owner.name}/${owner.place}`;
}

function placeIn(folder: string, file: string): string | undefined {
  const path = relative(folder, file).replaceAll('\\', '/');
  return path === '' || path.startsWith('..') || isAbsolute(path) ? undefined : path;
}
