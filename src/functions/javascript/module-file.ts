// Loads one module of a project from its JavaScript or TypeScript file; in a built application `standalone/modules.ts` stands in.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importedNames, imports } from '../imported-names.ts';
import { type Module, Unloaded } from './module.ts';

/** Each load is a new module, so that a changed file is seen by a reload. */
export async function loadModule(file: string): Promise<Module | Unloaded> {
  if (!existsSync(file)) return new Unloaded('there is no such file');
  try {
    const text = await readFile(file, 'utf8');
    return await import(isTypeScript(file) ? await strippedUrl(file, text, []) : hashedUrl(file, text));
  } catch (thrown) {
    const [line = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n');
    return new Unloaded(line);
  }
}

/**
 * Of the file, and of every file of the project that it leads to, in the order in which they are met. A JavaScript file that another one
 * imports is loaded once in the life of a process: `loaded` remembers its text, so that it is what the functions really are.
 */
export async function moduleTexts(
  file: string,
  loaded: Map<string, string>,
  met = new Set<string>(),
  isFresh = true,
): Promise<readonly string[]> {
  if (met.has(file) || !existsSync(file)) return [];
  met.add(file);
  const known = isFresh ? undefined : loaded.get(file);
  const text = known ?? (await readFile(file, 'utf8'));
  if (!isFresh) loaded.set(file, text);
  const texts = [text];
  for (const name of relativeImports(text))
    texts.push(...(await moduleTexts(resolve(dirname(file), name), loaded, met, isTypeScript(file))));
  return texts;
}

/** What the text of a module imports by relative paths. */
export function relativeImports(text: string): readonly string[] {
  return importedNames(text).filter((name) => name.startsWith('.'));
}

function isTypeScript(file: string): boolean {
  return /\.m?ts$/.test(file);
}

function hashedUrl(file: string, text: string): string {
  return `${pathToFileURL(file).href}?${hashOf(text)}`;
}

/** The module without its types, as an address of its own; what it imports is named in full there, as nothing goes from such an address. */
async function strippedUrl(file: string, text: string, above: readonly string[]): Promise<string> {
  if (above.includes(file)) throw new Error(`${basename(file)} imports itself, by way of ${basename(above.at(-1) ?? file)}`);
  const { transform } = await import('sucrase');
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
  const names = new Set(importedNames(code));
  const urls = new Map<string, string>();
  for (const name of names) if (!isBuiltin(name)) urls.set(name, await urlOf(name, file, [...above, file]));
  const named = code.replace(imports, (whole, start: string, quote: string, name: string) =>
    urls.has(name) ? `${start}${quote}${urls.get(name)}${quote}` : whole,
  );
  return `data:text/javascript;base64,${Buffer.from(named).toString('base64')}`;
}

async function urlOf(name: string, from: string, above: readonly string[]): Promise<string> {
  if (!name.startsWith('.')) return pathToFileURL(createRequire(from).resolve(name)).href;
  const file = resolve(dirname(from), name);
  const text = await readFile(file, 'utf8');
  return isTypeScript(file) ? strippedUrl(file, text, above) : hashedUrl(file, text);
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return (hash >>> 0).toString(36);
}
