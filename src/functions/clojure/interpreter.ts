// Finds the interpreter of Clojure (`nbb`) beside the project or the runtime, and gives what is needed of it.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartRefused } from '../../store/store.ts';
import type { Numeric } from '../../values/arithmetic.ts';
import { numberMaker } from './protocols.ts';

export type Callable = (...values: readonly unknown[]) => unknown;
/** A function by its name in Clojure. */
export type NamedFunction = readonly [name: string, called: Callable];

export interface Interpreter {
  /** Evaluates a text in a namespace, and waits for nothing. What fails says where. */
  evaluate(namespace: string, text: string): unknown;
  /** Evaluates a text that may load modules. */
  load(text: string): Promise<unknown>;
  define(namespace: string, name: string, value: unknown): void;
  /** A name that nothing in this process has yet. */
  fresh(): string;
  /** Gives what sets the values of `binding` back to those of this moment. */
  bound(): () => void;
  readonly core: Core;
}

/** Functions of the language itself, as JavaScript calls them. */
export interface Core extends Readonly<Record<CoreName, Callable>> {
  /** A number of the service as one of this interpreter. */
  number(value: Numeric): unknown;
}

type CoreName =
  | 'apply'
  | 'compare'
  | 'count'
  | 'equals'
  | 'exData'
  | 'find'
  | 'first'
  | 'format'
  | 'get'
  | 'isCollection'
  | 'isKeyword'
  | 'isMap'
  | 'isSequential'
  | 'isSymbol'
  | 'isUuid'
  | 'iterate'
  | 'key'
  | 'keyword'
  | 'map'
  | 'name'
  | 'namespace'
  | 'next'
  | 'range'
  | 'seq'
  | 'sort'
  | 'sortBy'
  | 'sortedMap'
  | 'sortedSet'
  | 'str'
  | 'takeWhile'
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
  const bound = member(tools, 'bound');
  return {
    evaluate: (namespace, text) => evaluate(namespace, text),
    load: async (text) => loadString(text),
    define: (namespace, name, value) => {
      define(namespace, name, value);
    },
    fresh: () => String(fresh()),
    bound: () => {
      const setBack = bound();
      return () => {
        if (isCallable(setBack)) setBack();
      };
    },
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

/** `:sci/error` has failures told with their places, whatever the interpreter was in the midst of when a function was ended before. */
const toolsText = `
(require '[goog.string])
#js {"evaluate" (fn [namespace text]
                   (binding [*ns* (create-ns (symbol namespace))]
                     (try (load-string text) (catch ^:sci/error js/Error e (throw e)))))
     "bound" (fn [] (let [frame (get-thread-binding-frame-impl)] (fn [] (reset-thread-binding-frame-impl frame))))
     "define" (fn [namespace name value] (intern (create-ns (symbol namespace)) (symbol name) value))
     "fresh" (fn [] (str (gensym "model")))
     "apply" (fn [f values] (apply f values))
     "map" (fn [items] (apply (if (> (count items) 16) hash-map array-map) items))
     "implement" (fn [prototype equals hash compare print]
                   (doseq [[protocol method arity f] [[IEquiv '-equiv 2 equals] [IHash '-hash 1 hash] [IComparable '-compare 2 compare]
                                                      [IPrintWithWriter '-pr-writer 3 print]]]
                     ((:marker-setter protocol) prototype)
                     ((get-in protocol [:native-methods method :setters arity]) prototype f)))
     "hash" hash "write" -write "count" count "find" find "isSequential" sequential? "iterate" iterate "takeWhile" take-while
     "range" range "sortedMap" sorted-map-by "sortedSet" sorted-set-by
     "equals" = "exData" ex-data "first" first "format" goog.string/format "get" get "isCollection" coll? "isKeyword" keyword?
     "isMap" map? "isSymbol" symbol? "isUuid" uuid? "key" key "keyword" keyword "name" name "namespace" namespace "next" next
     "seq" seq "sort" sort "sortBy" sort-by "compare" compare "str" str "val" val "vector" vec}`;

function coreOf(tools: unknown): Core {
  const of = (name: CoreName): Callable => member(tools, name);
  const [implement, hash, write] = [member(tools, 'implement'), member(tools, 'hash'), member(tools, 'write')];
  return {
    number: numberMaker({ implement, hash, write }),
    apply: of('apply'),
    compare: of('compare'),
    count: of('count'),
    equals: of('equals'),
    exData: of('exData'),
    find: of('find'),
    first: of('first'),
    format: of('format'),
    get: of('get'),
    isCollection: of('isCollection'),
    isKeyword: of('isKeyword'),
    isMap: of('isMap'),
    isSequential: of('isSequential'),
    isSymbol: of('isSymbol'),
    isUuid: of('isUuid'),
    iterate: of('iterate'),
    key: of('key'),
    keyword: of('keyword'),
    map: of('map'),
    name: of('name'),
    namespace: of('namespace'),
    next: of('next'),
    range: of('range'),
    seq: of('seq'),
    sort: of('sort'),
    sortBy: of('sortBy'),
    sortedMap: of('sortedMap'),
    sortedSet: of('sortedSet'),
    str: of('str'),
    takeWhile: of('takeWhile'),
    val: of('val'),
    vector: of('vector'),
  };
}

function member(of: unknown, name: string): Callable {
  const found: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  if (!isCallable(found)) throw new StartRefused(`this version of nbb has no ${name}; install another: npm install nbb@1`);
  return found;
}
