// Loads the application's own functions, once at start, and calls them: JavaScript and TypeScript modules, Clojure in the model.

import { createHash } from 'node:crypto';
import { dirname, relative } from 'node:path';
import type { Clock } from '../clock.ts';
import { type Diagnostic, diagnostic, nearest } from '../diagnostics.ts';
import { type Functions, noFunctions } from '../engine/eval/functions.ts';
import type { Agent, FunctionReference, ImportedFunctions, Model } from '../model/model.ts';
import type { Source } from '../source.ts';
import { StartRefused } from '../store/store.ts';
import { type CallLimit, callLimitFor } from './call-limit.ts';
import type { Clojure } from './clojure/clojure.ts';
import { type Callable, isCallable } from './clojure/interpreter.ts';
import { interpreterFolder } from './clojure/interpreter-folder.ts';
import type { JavaScript } from './clojure/namespaces.ts';
import { clojureUses } from './clojure/uses.ts';
import { effectIn } from './effects.ts';
import { handleJavaScript, subscribeJavaScript } from './javascript/handler.ts';
import { callJavaScript } from './javascript/javascript.ts';
import { type Module, Unloaded } from './javascript/module.ts';
import { loadModule, moduleTexts } from './javascript/module-file.ts';

/** What functions are loaded for. */
export interface FunctionsOptions {
  /** That of the project. */
  readonly folder: string;
  readonly clock: Clock;
  /** Milliseconds that one call may take while everybody else waits for it. */
  readonly limit: number;
  /** The text of files that stay loaded as they are for the life of the application. */
  readonly loaded: Map<string, string>;
  /** What went wrong inside a function, for the log alone. */
  failed(thrown: unknown, message: string): void;
  /** A line that a workflow writes into the log. */
  logged(line: string): void;
}

export async function loadFunctions(model: Model, place: FunctionsOptions): Promise<Functions> {
  const modules = await loadModules(model.functions);
  const watch = callLimitFor(place.limit);
  const calling = { watch, failed: place.failed };
  const clojure = await clojureOf(model, place, modules, watch);
  const [first] = [...faultsOf(model.functions, modules), ...(clojure?.faults ?? [])];
  if (first !== undefined) throw new StartRefused(`${first.file}:${first.line}:${first.column}: ${first.message}.`);
  if (clojure === undefined && model.functions.length === 0) return { ...noFunctions, log: place.logged };
  return {
    log: place.logged,
    version: await versionOf(model, place.loaded),
    together: watch.some,
    handle: (reference, argument, context, most) =>
      reference.language === 'clojure' && clojure !== undefined
        ? clojure.handle(reference, argument, context)
        : handleJavaScript(functionOf(modules, reference.file, reference.function), reference.function, { argument, context, most }, watch),
    subscribe: (reference, emit, context) =>
      reference.language === 'clojure' && clojure !== undefined
        ? clojure.subscribe(reference, emit, context)
        : subscribeJavaScript(functionOf(modules, reference.file, reference.function), reference.function, emit, context, watch),
    call(reference, values, outside, context) {
      if (reference.external === true) outside.called = true;
      const given =
        reference.language === 'clojure' && clojure !== undefined
          ? clojure.call(reference, values, outside)
          : callJavaScript(functionOf(modules, reference.file, reference.function), reference.function, values, calling, context);
      if (given instanceof Promise) outside.called = true;
      return given;
    },
  };
}

/** Of all files that the imported modules consist of, and of the Clojure in the model; packages are not looked at. */
async function versionOf({ functions, code }: Model, loaded: Map<string, string>): Promise<string> {
  const hash = createHash('sha256');
  for (const file of new Set(functions.map((each) => each.file)))
    for (const text of await moduleTexts(file, loaded)) hash.update(`${text}\0`);
  for (const { text } of code) hash.update(`${text}\0`);
  return hash.digest('hex').slice(0, 16);
}

/** What the imported modules lack: files that cannot be loaded, and functions that the model calls and they do not export. */
export async function functionFaults(functions: readonly ImportedFunctions[]): Promise<readonly Diagnostic[]> {
  return faultsOf(functions, await loadModules(functions));
}

/**
 * Imports whose modules look as if they acted on other systems, and do not say so: a write that others got in the way of would do it again. What only handlers of
 * resolvers are called from is never repeated. `words` say so in the language of a source.
 */
export async function undeclaredEffects(
  { functions, resolvers }: Model,
  words: (source: Source) => string,
): Promise<readonly Diagnostic[]> {
  const handlers = new Set([...resolvers.values()].flatMap(({ methods }) => Object.values(methods).map(keyOf)));
  const found: Diagnostic[] = [];
  for (const { alias, file, external, uses, span } of functions) {
    if (external || (uses.length > 0 && uses.every(({ text }) => handlers.has(keyOf({ file, function: text }))))) continue;
    const [effect] = (await moduleTexts(file, new Map())).flatMap((text) => effectIn(text) ?? []);
    if (effect === undefined) continue;
    const message = `${effect}: a function of \`${alias}\` that gives no promise may be called twice for one request`;
    found.push(diagnostic('import-external', span, message, `write \`${words(span.source)}\` behind the name of the import`));
  }
  return found;
}

function keyOf({ file, function: name }: FunctionReference): string {
  return `${file} ${name}`;
}

/** The model with the texts of agents that imported modules export; anything but a text is a fault. */
export async function withImportedTexts(model: Model): Promise<{ readonly model: Model; readonly faults: readonly Diagnostic[] }> {
  if ([...model.agents.values()].every(({ texts }) => texts.length === 0)) return { model, faults: [] };
  const modules = await loadModules(model.functions);
  const faults: Diagnostic[] = [];
  const agents = [...model.agents].map(([key, agent]): [string, Agent] => {
    let known = agent;
    for (const { field, file, name, span } of agent.texts) {
      const module = modules.get(file);
      const text = module instanceof Unloaded ? undefined : module?.[name];
      if (typeof text !== 'string')
        faults.push(diagnostic('agent-field-type', span, `\`${field}\` must be a text, and ${name} of the module is none`));
      else known = field === 'goal' ? { ...known, settings: { ...known.settings, goal: text } } : { ...known, [field]: text };
    }
    return [key, known];
  });
  return { model: { ...model, agents: new Map(agents) }, faults };
}

/** What the model's own Clojure lacks: names that mean nothing, code that cannot be evaluated. */
export async function clojureFaults(
  model: Model,
  place: Omit<FunctionsOptions, 'failed' | 'logged' | 'limit' | 'loaded'>,
): Promise<readonly Diagnostic[]> {
  const modules = await loadModules(model.functions);
  const found = await clojureOf(model, { ...place, failed: () => {} }, modules, callLimitFor(loading));
  return [...(found?.faults ?? []), ...(found?.warnings ?? [])];
}

/** Milliseconds that one form of the model's own code may take to be evaluated at start. */
const loading = 10_000;

/** Not even the code that knows Clojure is loaded where a model has none. */
async function clojureOf(
  model: Model,
  { folder, clock, failed }: Omit<FunctionsOptions, 'logged' | 'limit' | 'loaded'>,
  modules: Modules,
  watch: CallLimit,
): Promise<Clojure | undefined> {
  const uses = clojureUses(model);
  if (uses.length === 0) return undefined;
  const { loadClojure } = await import('./clojure/clojure.ts');
  const host = { clock, failed, environment: process.env };
  const folders = [folder, interpreterFolder()];
  return loadClojure({
    model,
    uses,
    folders,
    host,
    imports: importsOf(model.functions, modules),
    watch,
    watchLoading: callLimitFor(loading),
  });
}

/** What Clojure code may call of the modules that its component imports. */
function importsOf(functions: readonly ImportedFunctions[], modules: Modules): readonly JavaScript[] {
  return functions.flatMap(({ module, alias, file, external }) => {
    const found = modules.get(file);
    if (found === undefined || found instanceof Unloaded) return [];
    const exported = Object.entries(found).flatMap(([name, value]) => (isCallable(value) ? [[name, value] as const] : []));
    return [{ module, alias, external, functions: new Map(exported) }];
  });
}

/** By file: what it exports, or why it cannot be loaded. */
type Modules = ReadonlyMap<string, Module | Unloaded>;

async function loadModules(functions: readonly ImportedFunctions[]): Promise<Modules> {
  const modules = new Map<string, Module | Unloaded>();
  for (const { file } of functions) {
    if (!modules.has(file)) modules.set(file, await loadModule(file));
  }
  return modules;
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

function functionOf(modules: Modules, file: string, name: string): Callable {
  const module = modules.get(file);
  const found = module instanceof Unloaded ? undefined : module?.[name];
  if (!isCallable(found)) throw new Error(`${file} exports no function ${name}`);
  return found;
}
