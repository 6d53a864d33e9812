// An example that is served, and a page of its console in the browser.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Options, type Project, type Served, serve } from '../support/app.ts';
import type { useBrowser, Visit } from './browser.ts';

export interface Visiting extends Visit, Served {
  /** A path below `/console`. */
  go(path: string): Promise<unknown>;
}

const examples = join(import.meta.dirname, '../../examples');

export function example(name: string): string {
  return readFileSync(join(examples, name, 'src', `${name}.al`), 'utf8');
}

type Open = ReturnType<typeof useBrowser>;

export async function visiting(open: Open, project: Project, options: Options = {}, context: Parameters<Open>[1] = {}): Promise<Visiting> {
  const served = await serve(project, options);
  const [address = ''] = await served.app.listen();
  const { page, complaints } = await open(address, context);
  onTestFinished(() => page.context().close());
  return { ...served, page, complaints, go: (path) => page.goto(`${address}/console${path}`) };
}
