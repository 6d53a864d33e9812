// Loads the application's own JavaScript and TypeScript modules, once at start, and calls what they export.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Diagnostic, diagnostic, nearest } from './diagnostics.ts';
import { type Functions, noFunctions } from './engine/functions.ts';
import type { FunctionReference, ImportedFunctions, Model } from './model/model.ts';
import type { Expression } from './model/pattern.ts';
import { StartRefused } from './store/store.ts';

type Module = Readonly<Record<string, unknown>>;
type Callable = (...values: readonly unknown[]) => unknown;

export async function loadFunctions(model: Model): Promise<Functions> {
  refuseClojure(model);
  if (model.functions.length === 0) return noFunctions;
  const modules = await loadModules(model.functions);
  const [first] = faultsOf(model.functions, modules);
  if (first !== undefined) throw new StartRefused(`${first.file}:${first.line}:${first.column}: ${first.message}.`);
  return { call: ({ file, function: name }, values) => functionOf(modules, file, name)(...values) };
}

/** What the imported modules lack: files that cannot be loaded, and functions that the model calls and they do not export. */
export async function functionFaults(functions: readonly ImportedFunctions[]): Promise<readonly Diagnostic[]> {
  return faultsOf(functions, await loadModules(functions));
}

/** By file: what it exports, or why it cannot be loaded. */
type Modules = ReadonlyMap<string, Module | Unloaded>;

class Unloaded {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

async function loadModules(functions: readonly ImportedFunctions[]): Promise<Modules> {
  const modules = new Map<string, Module | Unloaded>();
  for (const { file } of functions) {
    if (!modules.has(file)) modules.set(file, await loadModule(file));
  }
  return modules;
}

/** Each load is a new module, so that a changed file is seen by a reload. */
async function loadModule(file: string): Promise<Module | Unloaded> {
  if (!existsSync(file)) return new Unloaded('there is no such file');
  try {
    const text = await readFile(file, 'utf8');
    if (file.endsWith('.ts')) return await import(await strippedUrl(text));
    return await import(`${pathToFileURL(file).href}?${hashOf(text)}`);
  } catch (thrown) {
    const [line = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n');
    return new Unloaded(line);
  }
}

function faultsOf(functions: readonly ImportedFunctions[], modules: Modules): readonly Diagnostic[] {
  return functions.flatMap(({ file, alias, span, uses }) => {
    const module = modules.get(file);
    const shown = relative(dirname(span.source.file), file);
    if (module instanceof Unloaded) return [diagnostic('import-unreadable', span, `${shown} cannot be loaded: ${module.reason}`)];
    const known = Object.entries(module ?? {}).flatMap(([name, value]) => (isCallable(value) ? [name] : []));
    return uses.flatMap(({ text, span: place }) => {
      const near = nearest(text, known);
      const suggestion = near === undefined ? undefined : `did you mean \`${alias}.${near}\`?`;
      return known.includes(text) ? [] : [diagnostic('function-unknown', place, `${shown} exports no function \`${text}\``, suggestion)];
    });
  });
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

function functionOf(modules: Modules, file: string, name: string): Callable {
  const module = modules.get(file);
  const found = module instanceof Unloaded ? undefined : module?.[name];
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

function usedFunctions(model: Model): readonly FunctionReference[] {
  const used: FunctionReference[] = [];
  const links = [...model.relationships.values()].filter((each) => each.kind === 'between');
  for (const type of [...model.entities.values(), ...model.records.values(), ...model.events.values(), ...links]) {
    for (const attribute of type.attributes) {
      if (attribute.check !== undefined) used.push(attribute.check);
      if (attribute.default?.kind === 'function') used.push(attribute.default.function);
      if (attribute.expression !== undefined) used.push(...functionsIn(attribute.expression));
    }
  }
  return used;
}

function functionsIn(expression: Expression): readonly FunctionReference[] {
  switch (expression.kind) {
    case 'call':
      return [...(expression.function === undefined ? [] : [expression.function]), ...expression.arguments.flatMap(functionsIn)];
    case 'code':
      return [{ file: expression.span.source.file, function: expression.text, language: 'clojure' }];
    case 'unary':
      return functionsIn(expression.operand);
    case 'binary':
      return [...functionsIn(expression.left), ...functionsIn(expression.right)];
    case 'list':
      return expression.items.flatMap(functionsIn);
    case 'map':
      return expression.entries.flatMap(({ value }) => functionsIn(value));
    default:
      return [];
  }
}
