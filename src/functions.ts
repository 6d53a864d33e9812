// Loads the application's own JavaScript and TypeScript modules, once at start, and calls what they export.

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type Functions, noFunctions } from './engine/functions.ts';
import type { FunctionReference, Model } from './model/model.ts';
import { StartRefused } from './store/store.ts';

type Module = Readonly<Record<string, unknown>>;
type Callable = (...values: readonly unknown[]) => unknown;

export async function loadFunctions(model: Model): Promise<Functions> {
  refuseClojure(model);
  if (model.functions.length === 0) return noFunctions;
  const modules = new Map<string, Module>();
  for (const { file } of model.functions) {
    if (!modules.has(file)) modules.set(file, await loadModule(file));
  }
  refuseMissing(model, modules);
  return { call: ({ file, function: name }, values) => functionOf(modules, file, name)(...values) };
}

/** Each load is a new module, so that a changed file is seen by a reload. */
async function loadModule(file: string): Promise<Module> {
  try {
    const text = await readFile(file, 'utf8');
    if (file.endsWith('.ts')) return await import(await strippedUrl(text));
    return await import(`${pathToFileURL(file).href}?${hashOf(text)}`);
  } catch (cause) {
    throw new StartRefused(`${file} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

async function strippedUrl(text: string): Promise<string> {
  const { transform } = await import('sucrase');
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
  return `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return (hash >>> 0).toString(36);
}

function functionOf(modules: ReadonlyMap<string, Module>, file: string, name: string): Callable {
  const found = modules.get(file)?.[name];
  if (!isCallable(found)) throw new Error(`${file} exports no function ${name}`);
  return found;
}

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

/** Rules that nobody could check must not be taken for checked. */
function refuseClojure(model: Model): void {
  const [first] = usedFunctions(model).filter((each) => each.language === 'clojure');
  if (first === undefined) return;
  throw new StartRefused(`${first.file} needs the Clojure function ${first.function}; functions in Clojure are not in this version.`);
}

/** A name that the file does not export is told at the start, not at the first request that needs it. */
function refuseMissing(model: Model, modules: ReadonlyMap<string, Module>): void {
  const missing = usedFunctions(model).filter(({ file, function: name }) => !isCallable(modules.get(file)?.[name]));
  const [first] = missing;
  if (first !== undefined) throw new StartRefused(`${first.file} exports no function ${first.function}, which the model uses.`);
}

function usedFunctions(model: Model): readonly FunctionReference[] {
  const used: FunctionReference[] = [];
  for (const type of [...model.entities.values(), ...model.records.values(), ...model.events.values()]) {
    for (const attribute of type.attributes) {
      if (attribute.check !== undefined) used.push(attribute.check);
      if (attribute.default?.kind === 'function') used.push(attribute.default.function);
    }
  }
  return used;
}
