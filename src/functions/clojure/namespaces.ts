// Makes the namespaces that a model's code is evaluated in: one for each component, with what it uses of others and of the host.

import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import { fromJavaScript, toJavaScript } from '../javascript/values.ts';
import { absentFunctions } from './absent.ts';
import type { Adapting } from './adapted.ts';
import { dateNamespace } from './dates.ts';
import { AuthorException, asAuthor, exceptionNames, type Host, type HostNamespace, hostNamespaceOf, hostNamespaces } from './host.ts';
import type { Callable, Core, Interpreter } from './interpreter.ts';
import { isOneOf } from './numbers/comparisons.ts';
import { literalNumber, numberFunctions } from './numbers/numbers.ts';
import type { ClojureSource, Required } from './source.ts';
import { fromClojure, toClojure } from './values.ts';

export interface Namespaces {
  of(component: string): string;
  /** The names of what the text of a model is adapted with. */
  readonly adapting: Adapting;
}

/** `(import "rates.js" :as :rates)`: what the module exports, by the component that imports it. */
export interface JavaScript {
  readonly module: string;
  readonly alias: string;
  /** Whether its functions act on other systems. */
  readonly external: boolean;
  readonly functions: ReadonlyMap<string, Callable>;
}

interface Needed {
  readonly sources: readonly ClojureSource[];
  readonly interpreter: Interpreter;
  readonly host: Host;
  readonly imports: readonly JavaScript[];
  /** Something outside of the service is called, or may be. */
  readonly noted: () => void;
  readonly lenience: Lenience;
}

/** Components whose functions are handlers of resolvers: what they lack is told, and fails when it is called. */
export interface Lenience {
  readonly components: ReadonlySet<string>;
  readonly warnings: Diagnostic[];
}

/** Every model gets its own: two of them in one process share nothing. */
export async function openNamespaces(
  { sources, interpreter, host, imports, noted, lenience }: Needed,
  faults: Diagnostic[],
): Promise<Namespaces> {
  const prefix = interpreter.fresh();
  const of = (component: string): string => `${prefix}.${component === '' ? 'model' : component}`;
  const names = [...new Set(sources.map((each) => each.component))];
  const opening: Opening = {
    interpreter,
    prefix,
    of,
    components: new Map(names.map((each) => [folded(each), of(each)])),
    numbers: numberFunctions(interpreter.core),
    host: new Map([...hostNamespaces(host), ['dateFns', dateNamespace(host.clock, interpreter.core)]]),
    imports,
    noted,
    lenience,
  };
  const filesOf = (component: string) => sources.filter((each) => each.component === component);
  defineHost(opening);
  for (const each of names) declare(each, filesOf(each), opening);
  for (const each of names) await organize(each, filesOf(each), opening, faults);
  return { of, adapting: { exact: `${prefix}.numbers/exact`, isOneOf: `${prefix}.numbers/one-of` } };
}

interface Opening {
  readonly interpreter: Interpreter;
  readonly prefix: string;
  of(component: string): string;
  /** The namespaces of components, by their names as `folded` has them. */
  readonly components: ReadonlyMap<string, string>;
  readonly numbers: ReadonlyMap<string, Callable>;
  readonly host: ReadonlyMap<string, HostNamespace>;
  readonly imports: readonly JavaScript[];
  readonly noted: () => void;
  readonly lenience: Lenience;
}

/** `Acme.MyCore`, `acme.my-core` and `acme.my_core` are the same namespace. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

function defineHost({ interpreter, prefix, numbers, host }: Opening): void {
  for (const [name, value] of numbers) interpreter.define(`${prefix}.numbers`, name, value);
  const { core } = interpreter;
  interpreter.define(`${prefix}.numbers`, 'exact', (text: unknown) => literalNumber(String(text), core));
  interpreter.define(`${prefix}.numbers`, 'one-of', (constants: unknown, value: unknown) => isOneOf(constants, value, core));
  for (const name of exceptionNames) interpreter.define(`${prefix}.exceptions`, name, AuthorException);
  for (const [space, { functions }] of host) {
    for (const [name, value] of functions) interpreter.define(`${prefix}.host.${space}`, name, givingNumbers(value, core));
  }
}

/** Numbers that the host gives are those of everything else. */
function givingNumbers(called: Callable, core: Core): Callable {
  return (...values) => {
    const result = called(...values);
    return typeof result === 'number' || typeof result === 'bigint' ? core.number(result) : result;
  };
}

/** The names come first, so that their order in the files does not matter. */
function declare(component: string, files: readonly ClojureSource[], { interpreter, prefix, of, numbers }: Opening): void {
  const defined = definedIn(files);
  const excluded = new Set([...files.flatMap((each) => each.excludes), ...defined]);
  const free = (names: Iterable<string>): string => [...names].filter((each) => !excluded.has(each)).join(' ');
  interpreter.evaluate(
    of(component),
    `(ns ${of(component)} (:refer-clojure :exclude [${[...numbers.keys(), ...excluded].join(' ')}])
       (:require [${prefix}.numbers :refer [${free(numbers.keys())}]] [${prefix}.exceptions :refer [${free(exceptionNames)}]]))
     (declare ${defined.join(' ')})`,
  );
}

function definedIn(files: readonly ClojureSource[]): readonly string[] {
  return files.flatMap((each) => each.definitions.flatMap(({ name }) => name ?? []));
}

/** What the component requires, refers to, and calls by the full names of namespaces. */
async function organize(component: string, files: readonly ClojureSource[], opening: Opening, faults: Diagnostic[]): Promise<void> {
  const { interpreter, prefix, of, components } = opening;
  const namespace = of(component);
  const taken = new Set<string>();
  const alias = (name: string, target: string): void => {
    if (taken.has(name) || target === name) return;
    taken.add(name);
    interpreter.evaluate(namespace, `(alias '${name} '${target})`);
  };
  for (const [space, { names }] of opening.host) for (const name of names) alias(name, `${prefix}.host.${space}`);
  for (const each of opening.imports) if (each.module === component) alias(each.alias, defineImport(each, opening));
  for (const { refers, requires, mentioned } of files) {
    for (const each of refers) {
      const target = components.get(folded(each));
      if (target !== undefined && target !== namespace) interpreter.evaluate(namespace, `(require '[${target} :refer :all])`);
    }
    for (const each of requires) {
      const absent = await requireOne(each, { namespace, component, files }, opening, faults);
      if (absent !== undefined) alias(each.name, absent);
    }
    for (const name of mentioned) {
      const target = targetOf(name, opening);
      if (target !== undefined) alias(name, target);
    }
  }
}

/** Functions of JavaScript get and give values as the service knows them. */
function defineImport({ module, alias, external, functions }: JavaScript, { interpreter, prefix, noted }: Opening): string {
  const { core } = interpreter;
  const namespace = `${prefix}.import.${module}.${alias}`;
  for (const [name, value] of functions) {
    interpreter.define(namespace, name, (...given: readonly unknown[]) => {
      if (external) noted();
      try {
        const result = value(...given.map((each) => toJavaScript(fromClojure(each, core))));
        if (!(result instanceof Promise)) return toClojure(fromJavaScript(result), core);
        noted();
        return result.then(
          (later: unknown) => toClojure(fromJavaScript(later), core),
          (thrown: unknown) => Promise.reject(asAuthor(thrown)),
        );
      } catch (thrown) {
        throw asAuthor(thrown);
      }
    });
  }
  return namespace;
}

interface Requiring {
  readonly namespace: string;
  readonly component: string;
  readonly files: readonly ClojureSource[];
}

/** The namespace of its stand-ins, where it is not there and need not be. */
async function requireOne(required: Required, requiring: Requiring, opening: Opening, faults: Diagnostic[]): Promise<string | undefined> {
  const { name, isModule, options, form } = required;
  const { namespace, component, files } = requiring;
  const written = isModule ? JSON.stringify(name) : (targetOf(name, opening) ?? name);
  try {
    await opening.interpreter.load(`(ns ${namespace}) (require '[${written} ${options}])`);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const { lenience, interpreter, prefix } = opening;
    if (isModule || !lenience.components.has(component) || !why.startsWith('Could not find namespace')) {
      faults.push(diagnostic('import-unreadable', form.span, `\`${name}\` cannot be loaded: ${why}`));
      return undefined;
    }
    const absent = `${prefix}.absent.${name}`;
    for (const [each, value] of absentFunctions(required, files)) interpreter.define(absent, each, value);
    await interpreter.load(`(ns ${namespace}) (require '[${absent} ${options}])`);
    const message = `the library \`${name}\` is not there: functions that need it fail when they are called`;
    lenience.warnings.push(diagnostic('package-library-missing', form.span, message));
    return absent;
  }
  return undefined;
}

function targetOf(name: string, { components, prefix }: Opening): string | undefined {
  const host = hostNamespaceOf(name);
  return components.get(folded(name)) ?? (host === undefined ? undefined : `${prefix}.host.${host}`);
}
