// Finds the interpreter of Clojure (`nbb`) beside the project or the runtime, and gives what is needed of it.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartRefused } from '../../store/store.ts';

export type Callable = (...values: readonly unknown[]) => unknown;

export interface Interpreter {
  /** Evaluates a text in a namespace, and waits for nothing. */
  evaluate(namespace: string, text: string): unknown;
  /** Evaluates a text that may load modules. */
  load(text: string): Promise<unknown>;
  define(namespace: string, name: string, value: unknown): void;
  /** A name that nothing in this process has yet. */
  fresh(): string;
  readonly core: Core;
}

/** Functions of the language itself, as JavaScript calls them. */
export type Core = Readonly<Record<CoreName, Callable>>;

type CoreName =
  | 'apply'
  | 'compare'
  | 'equals'
  | 'exData'
  | 'first'
  | 'format'
  | 'get'
  | 'isCollection'
  | 'isKeyword'
  | 'isMap'
  | 'isSymbol'
  | 'isUuid'
  | 'key'
  | 'keyword'
  | 'map'
  | 'name'
  | 'namespace'
  | 'next'
  | 'seq'
  | 'sort'
  | 'sortBy'
  | 'str'
  | 'val'
  | 'vector';

/** Loads it from the first of these folders that it can be found from; `needed` is what cannot do without it. */
export async function loadInterpreter(folders: readonly string[], needed: string): Promise<Interpreter> {
  const file = folders.map(fileFrom).find((each) => each !== undefined);
  if (file === undefined) throw new StartRefused(`${needed} is Clojure, which needs the package nbb; install it: npm install nbb`);
  const module: unknown = await import(pathToFileURL(file).href);
  const loadString = member(module, 'loadString');
  const tools = await loadString(toolsText);
  const evaluate = member(tools, 'evaluate');
  const define = member(tools, 'define');
  const fresh = member(tools, 'fresh');
  return {
    evaluate: (namespace, text) => evaluate(namespace, text),
    load: async (text) => loadString(text),
    define: (namespace, name, value) => {
      define(namespace, name, value);
    },
    fresh: () => String(fresh()),
    core: coreOf(tools),
  };
}

export function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

function fileFrom(folder: string): string | undefined {
  try {
    return createRequire(join(folder, 'package.json')).resolve('nbb');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}

const toolsText = `
(require '[goog.string])
#js {"evaluate" (fn [namespace text] (binding [*ns* (create-ns (symbol namespace))] (load-string text)))
     "define" (fn [namespace name value] (intern (create-ns (symbol namespace)) (symbol name) value))
     "fresh" (fn [] (str (gensym "model")))
     "apply" (fn [f values] (apply f values))
     "map" (fn [items] (apply (if (> (count items) 16) hash-map array-map) items))
     "equals" = "exData" ex-data "first" first "format" goog.string/format "get" get "isCollection" coll? "isKeyword" keyword?
     "isMap" map? "isSymbol" symbol? "isUuid" uuid? "key" key "keyword" keyword "name" name "namespace" namespace "next" next
     "seq" seq "sort" sort "sortBy" sort-by "compare" compare "str" str "val" val "vector" vec}`;

function coreOf(tools: unknown): Core {
  const of = (name: CoreName): Callable => member(tools, name);
  return {
    apply: of('apply'),
    compare: of('compare'),
    equals: of('equals'),
    exData: of('exData'),
    first: of('first'),
    format: of('format'),
    get: of('get'),
    isCollection: of('isCollection'),
    isKeyword: of('isKeyword'),
    isMap: of('isMap'),
    isSymbol: of('isSymbol'),
    isUuid: of('isUuid'),
    key: of('key'),
    keyword: of('keyword'),
    map: of('map'),
    name: of('name'),
    namespace: of('namespace'),
    next: of('next'),
    seq: of('seq'),
    sort: of('sort'),
    sortBy: of('sortBy'),
    str: of('str'),
    val: of('val'),
    vector: of('vector'),
  };
}

function member(of: unknown, name: string): Callable {
  const found: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  if (!isCallable(found)) throw new StartRefused(`this version of nbb has no ${name}; install another: npm install nbb@1`);
  return found;
}
