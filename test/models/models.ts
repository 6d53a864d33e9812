// The models of the earlier surface, as applications that are asked.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Served, serve } from '../support/app.ts';

const folder = join(import.meta.dirname, '..', 'language', 'earlier', 'models');

function projectOf(name: string): Readonly<Record<string, string>> {
  return { 'core.platform': readFileSync(join(folder, `${name}.clj`), 'utf8') };
}

/** Serves the model until the test ends. */
export function serveModel(name: string): Promise<Served> {
  return serve(projectOf(name), { surfaces: ['earlier'] });
}

/** Serves it with what an earlier start has left in the folder; the caller closes it. */
export function openModel(name: string, kept: string): Promise<Served> {
  return open(projectOf(name), { surfaces: ['earlier'], folder: kept });
}

/** The envelope of a create, with part of what was created. */
export function created(instance: object): unknown {
  return [{ status: 'ok', result: [instance] }];
}

/** The envelope of a refusal. */
export function refused(code: string, ...faults: readonly (readonly [attribute: string, code: string])[]): unknown {
  const errors = faults.map(([attribute, each]) => ({ attribute, code: each }));
  return [{ status: 'error', code, ...(errors.length === 0 ? {} : { errors }) }];
}
