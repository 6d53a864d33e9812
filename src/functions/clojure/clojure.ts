// Evaluates the Clojure code of a model's components, each in a namespace of its own, and calls its functions.

import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import type { Functions, HandlerContext, OutsideCalls } from '../../engine/eval/functions.ts';
import { PlatformError } from '../../errors.ts';
import type { FunctionReference, Model } from '../../model/model.ts';
import { positionOf, type Source, type Span } from '../../source.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { CallLimit } from '../call-limit.ts';
import { actsOutside } from '../effects.ts';
import { bugOf, refusedBy } from '../failure.ts';
import { absentHostFunctions, failing, isOfAbsent } from './absent.ts';
import { adapted } from './adapted.ts';
import { handleClojure, subscribeClojure } from './handler.ts';
import { authorText, type Host, isOfInterpreter } from './host.ts';
import { type Core, type Interpreter, isCallable, loadInterpreter } from './interpreter.ts';
import { type JavaScript, type Lenience, type Namespaces, openNamespaces } from './namespaces.ts';
import { type ClojureSource, readClojure } from './source.ts';
import type { Use } from './uses.ts';
import { fromClojure, toClojure } from './values.ts';

export interface Clojure {
  /** What it calls of the modules that its component imports is noted, as that of the model itself is. */
  call(reference: FunctionReference, values: readonly Value[], outside: OutsideCalls): Awaitable<Value>;
  /** The same as the handler of a resolver. */
  handle(reference: FunctionReference, argument: Value, context: HandlerContext): Awaitable<Value>;
  readonly subscribe: Functions['subscribe'];
  /** What could not be evaluated; then nothing may be called. */
  readonly faults: readonly Diagnostic[];
  /** What is not there, and fails when it is called. */
  readonly warnings: readonly Diagnostic[];
}

interface Needed {
  readonly model: Model;
  /** At least one. */
  readonly uses: readonly Use[];
  /** Where the interpreter is looked for. */
  readonly folders: readonly string[];
  readonly host: Host;
  readonly imports: readonly JavaScript[];
  readonly watch: CallLimit;
  /** For what is evaluated once, at start. */
  readonly watchLoading: CallLimit;
}

export async function loadClojure({ model, uses, folders, host, imports, watch, watchLoading }: Needed): Promise<Clojure> {
  const interpreter = await loadInterpreter(folders, uses.slice(0, 1).map(neededBy).join(''));
  for (const each of [watch, watchLoading]) each.onEnded(interpreter.bound);
  const sources = sourcesOf(model, uses).map((source) => readClojure(source, model.code));
  const faults: Diagnostic[] = [];
  const lenience = { components: resolving(model, sources), warnings: sources.flatMap(effectsIn) };
  // That of the call under way, which is over, or has given a promise, before the next one begins.
  let under: OutsideCalls | undefined;
  const noted = (): void => {
    if (under !== undefined) under.called = true;
  };
  const namespaces = await openNamespaces({ sources, interpreter, host, imports, noted, lenience }, faults);
  const evaluation: Evaluation = { interpreter, namespaces, faults, lenience, watch: watchLoading };
  const isOpen = faults.length === 0;
  if (isOpen) define(sources, evaluation);
  const functions = isOpen ? functionsOf(uses, sources, evaluation) : new Map<string, unknown>();
  const calling: Calling = { core: interpreter.core, host, watch };
  return {
    faults,
    warnings: lenience.warnings,
    call(reference, values, outside) {
      const key = keyOf(reference);
      if (!functions.has(key)) throw new Error(`${reference.function} of ${reference.file} is not loaded`);
      under = outside;
      try {
        return call(functions.get(key), reference, values, calling);
      } finally {
        under = undefined;
      }
    },
    handle: (reference, argument, context) =>
      handleClojure(functions.get(keyOf(reference)), argument, context, { ...calling, name: shown(reference) }),
    subscribe: (reference, emit, context) =>
      subscribeClojure(functions.get(keyOf(reference)), emit, context, { ...calling, name: shown(reference) }),
  };
}

/** What may be done twice for one request: code of the model itself has no import that could say that it may not. */
function effectsIn({ requires, fetches }: ClojureSource): readonly Diagnostic[] {
  const acting = requires
    .filter(({ isModule, name }) => isModule && actsOutside(name))
    .map(({ form, name }) => ({ form, what: `requires \`${name}\`` }));
  return [...acting, ...fetches.map((form) => ({ form, what: 'calls `fetch`' }))].map(({ form, what }) =>
    diagnostic(
      'import-external',
      form.span,
      `the model ${what}, and a function of the model that gives no promise may be called twice for one request`,
      'call it in a module, and import that with `:external true`',
    ),
  );
}

interface Evaluation {
  readonly interpreter: Interpreter;
  readonly namespaces: Namespaces;
  readonly faults: Diagnostic[];
  readonly lenience: Lenience;
  readonly watch: CallLimit;
}

/** The components whose functions are handlers of resolvers. */
function resolving({ resolvers }: Model, sources: readonly ClojureSource[]): ReadonlySet<string> {
  const files = new Set([...resolvers.values()].flatMap(({ methods }) => Object.values(methods).map((each) => each.file)));
  return new Set(sources.filter(({ source }) => files.has(source.file)).map((each) => each.component));
}

/** Everything that the components define, in the order in which they build on each other. */
function define(sources: readonly ClojureSource[], evaluation: Evaluation): void {
  for (const { component, definitions } of inOrder(sources)) {
    for (const { form } of definitions) evaluated(textOf(form.span), form.span, component, evaluation);
  }
}

/** What each use means, by `keyOf`. */
function functionsOf(uses: readonly Use[], sources: readonly ClojureSource[], evaluation: Evaluation): ReadonlyMap<string, unknown> {
  const functions = new Map<string, unknown>();
  const componentOf = new Map(sources.map(({ source, component }) => [source.file, component]));
  for (const { reference, span } of uses) {
    const key = keyOf(reference);
    const component = componentOf.get(reference.file) ?? '';
    if (!functions.has(key)) functions.set(key, evaluated(reference.function, span, component, evaluation));
  }
  return functions;
}

function evaluated(text: string, span: Span, component: string, evaluation: Evaluation): unknown {
  const { interpreter, namespaces, faults, lenience, watch } = evaluation;
  try {
    return watch.one(
      () => interpreter.evaluate(namespaces.of(component), adapted(text, namespaces.adapting)),
      () => 'It',
    );
  } catch (thrown) {
    const found = faultOf(thrown, span, text === textOf(span), interpreter);
    const lacking = lenience.components.has(component) ? absentIn(thrown) : undefined;
    if (lacking === undefined) faults.push(found);
    else lenience.warnings.push({ ...found, code: 'package-library-missing', severity: 'warning' });
    if (lacking === undefined || lacking === '') return undefined;
    interpreter.define(namespaces.of(component), lacking, failing(lacking));
    return evaluated(text, span, component, evaluation);
  }
}

/** The name of a function of the predecessor's host that is needed; an empty one where a stand-in was called meanwhile. */
function absentIn(thrown: unknown): string | undefined {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const unresolved = /^Unable to resolve symbol: (.*)$/.exec(message)?.[1] ?? '';
  if (absentHostFunctions.has(unresolved)) return unresolved;
  return isOfAbsent(message) ? '' : undefined;
}

function neededBy({ reference, span }: Use): string {
  const { line, column } = positionOf(span);
  return `${span.source.file}:${line}:${column}: ${shown(reference).replace(/^T/, 't').replace(/^A/, 'a')}`;
}

function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}

function keyOf({ file, function: name }: FunctionReference): string {
  return `${file}\n${name}`;
}

/** Every file that code stands in, once. */
function sourcesOf(model: Model, uses: readonly Use[]): readonly Source[] {
  const spans = [...model.code.map((each) => each.span), ...uses.map((each) => each.span)];
  return [...new Map(spans.map(({ source }) => [source.file, source])).values()];
}

/** A component comes behind those that it refers to. */
function inOrder(sources: readonly ClojureSource[]): readonly ClojureSource[] {
  const done = new Set<ClojureSource>();
  const visit = (source: ClojureSource, path: readonly ClojureSource[]): void => {
    if (done.has(source) || path.includes(source)) return;
    for (const name of source.refers) {
      for (const each of sources) if (each.component === name) visit(each, [...path, source]);
    }
    done.add(source);
  };
  for (const each of sources) visit(each, []);
  return [...done];
}

/** Where and why code could not be evaluated; `isOwn` where what was evaluated is the text of the span. */
function faultOf(thrown: unknown, span: Span, isOwn: boolean, { core }: Interpreter): Diagnostic {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const unresolved = /^Unable to resolve symbol: (.*)$/.exec(message)?.[1];
  const why = unresolved === undefined ? `this cannot be evaluated: ${message}` : `nothing is called \`${unresolved}\` here`;
  const data = thrown instanceof Error && isOfInterpreter(thrown, core) ? core.exData(thrown) : undefined;
  const [line, column] = ['line', 'column'].map((name) => Number(core.get(data, core.keyword(name)) ?? 1));
  return diagnostic('function-unknown', isOwn ? spanAt(span, line ?? 1, column ?? 1) : span, why);
}

/** The place in the code where it went wrong. */
function spanAt(span: Span, line: number, column: number): Span {
  let { start } = span;
  for (let passed = 1; passed < line; passed += 1) {
    const next = span.source.text.indexOf('\n', start);
    if (next === -1 || next + 1 >= span.end) return span;
    start = next + 1;
  }
  return { ...span, start: Math.min(start + column - 1, span.end - 1) };
}

interface Calling {
  readonly core: Core;
  readonly host: Host;
  readonly watch: CallLimit;
}

/** A function is called; anything else is the value that it is, or looked up in where values are given. */
function call(found: unknown, reference: FunctionReference, values: readonly Value[], calling: Calling): Awaitable<Value> {
  const { core, watch } = calling;
  const what = (): string => shown(reference);
  // What it gives may be a sequence that is only worked out when somebody looks at it.
  const plain = (result: unknown): Value => watch.one(() => fromClojure(result, core), what);
  try {
    return watch.one(() => {
      const given = values.map((each) => toClojure(each, core));
      const result = isCallable(found) ? found(...given) : given.length === 0 ? found : core.apply(found, core.vector(given));
      if (!(result instanceof Promise)) return fromClojure(result, core);
      return result.then(plain).catch((thrown: unknown) => fail(thrown, reference, calling));
    }, what);
  } catch (thrown) {
    return fail(thrown, reference, calling);
  }
}

/** What the author wrote is told; whatever else goes wrong in code that is interpreted is a bug of it. */
function fail(thrown: unknown, reference: FunctionReference, { core, host }: Calling): never {
  if (thrown instanceof PlatformError) throw thrown;
  const told = authorText(thrown, core);
  throw told === undefined ? bugOf(shown(reference), thrown, host.failed) : refusedBy(shown(reference), told, thrown);
}

/** The name of a function; one that is written in place has none. */
function shown({ function: text }: FunctionReference): string {
  return /^[^\s()#]+$/.test(text) ? `The function ${text}` : 'A function of the model';
}
