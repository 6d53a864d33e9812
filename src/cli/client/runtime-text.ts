// The part of a generated client that is the same for every model: its files one after the other, as one text.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { OptionalPart } from './generate.ts';

const always = ['types', 'errors', 'form', 'integers', 'query', 'connection', 'server-events', 'watch', 'collection'] as const;
const optional = ['current', 'earlier', 'calls', 'events', 'agents', 'runs', 'auth'] as const;

export async function runtimeText(uses: ReadonlySet<OptionalPart>): Promise<string> {
  const texts = await Promise.all([...always, ...optional.filter((each) => uses.has(each))].map(readPart));
  return texts.map(withoutImports).join('\n');
}

async function readPart(name: string): Promise<string> {
  // In the source tree beside this file; the bundle is split: this code stands beside the assets, or one folder below.
  const places = [`./runtime/${name}.ts`, `./assets/client/${name}.ts`, `../assets/client/${name}.ts`];
  const found = places.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  if (found === undefined) throw new Error(`the part ${name} of generated clients is missing`);
  return readFile(found, 'utf8');
}

/** What is exported of one file for another is private to the generated one; types and errors are for whoever uses it. */
function withoutImports(text: string): string {
  return text
    .replace(/^\/\/.*\n/, '')
    .replace(/^import (?:type )?\{[^}]*\} from '[^']+';\n/gm, '')
    .replace(/^export (?=(?:async )?function|const)/gm, '')
    .trim()
    .concat('\n');
}
