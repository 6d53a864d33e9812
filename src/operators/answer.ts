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

/** Relative to the folder of the project; of what lies elsewhere the name alone, because where is nobody's business. */
export function shownFile(file: string, folder: string): string {
  const path = relative(folder, file).replaceAll('\\', '/');
  return path === '' || path.startsWith('..') || isAbsolute(path) ? (file.split(/[\\/]/).at(-1) ?? '') : path;
}
