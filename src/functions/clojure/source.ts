// Reads what a component's file says to its functions: which namespaces it uses, what it defines, which of its numbers are exact.

import { type Form, isKeyword, lookUp, textOf, unquoted } from '../../language/earlier/read/form.ts';
import { readForms } from '../../language/earlier/read/read.ts';
import type { ModuleCode } from '../../model/model.ts';
import type { Source } from '../../source.ts';

export interface ClojureSource {
  readonly source: Source;
  /** The component that it belongs to. */
  readonly component: string;
  /** `:refer [:Other.Core]`. */
  readonly refers: readonly string[];
  readonly requires: readonly Required[];
  readonly excludes: readonly string[];
  /** In the order of the file, without what `requires` has taken over. */
  readonly definitions: readonly Definition[];
  /** Where the runtime's own `fetch` is named. */
  readonly fetches: readonly Form[];
  /** The namespaces of all qualified symbols. */
  readonly mentioned: ReadonlySet<string>;
}

export interface Required {
  readonly form: Form;
  /** The namespace, or the name of a JavaScript module. */
  readonly name: string;
  readonly isModule: boolean;
  /** What stands behind the name: `:as x :refer [y]`. */
  readonly options: string;
}

export interface Definition {
  readonly form: Form;
  /** Where it can be used before it stands there. */
  readonly name: string | undefined;
}

export function readClojure(source: Source, code: readonly ModuleCode[]): ClojureSource {
  const { forms } = readForms(source);
  const lists = forms.flatMap((form) => (form.kind === 'list' ? [form] : []));
  const component = lists.find((each) => headOf(each) === 'component');
  const [, name, options] = component?.items ?? [];
  const starts = new Set(code.flatMap(({ span }) => (span.source.file === source.file ? [span.start] : [])));
  const own = lists.filter((each) => starts.has(each.span.start));
  const clauses = [
    ...(options?.kind === 'map' ? clausesOf(lookUp(options, 'clj-import')) : []),
    ...own.flatMap((each) => (headOf(each) === 'ns' ? each.items.slice(2) : [])),
  ];
  const loose = own.filter((each) => headOf(each) === 'require' || headOf(each) === 'use');
  const refer = options?.kind === 'map' ? lookUp(options, 'refer') : undefined;
  return {
    source,
    component: isKeyword(name) ? name.name : '',
    refers: refer?.kind === 'vector' ? refer.items.flatMap((each) => (isKeyword(each) ? [each.name] : [])) : [],
    requires: [...clauses.flatMap((each) => requiresOf(each)), ...loose.flatMap((each) => entriesOf(each, headOf(each) === 'use'))],
    excludes: clauses.flatMap(excludesOf),
    definitions: own.filter((each) => !organizing.has(headOf(each))).map((form) => ({ form, name: definedBy(form) })),
    fetches: forms.flatMap((each) => [...symbolsIn(each)]).filter((each) => each.name === 'js/fetch'),
    mentioned: new Set(forms.flatMap((each) => [...namespacesIn(each)])),
  };
}

/** Forms about namespaces, which are not evaluated where they stand. */
const organizing = new Set(['ns', 'require', 'use', 'import', 'in-ns']);

function headOf(form: Form): string {
  const [head] = form.kind === 'list' ? form.items : [];
  return head?.kind === 'symbol' ? head.name : isKeyword(head) ? `:${head.name}` : '';
}

function clausesOf(form: Form | undefined): readonly Form[] {
  const inner = form === undefined ? undefined : unquoted(form);
  return inner !== undefined && 'items' in inner ? inner.items : [];
}

function requiresOf(clause: Form): readonly Required[] {
  const head = headOf(clause);
  return head === ':require' || head === ':use' ? entriesOf(clause, head === ':use') : [];
}

function entriesOf(clause: Form, all: boolean): readonly Required[] {
  const items = 'items' in clause ? clause.items.slice(1) : [];
  return items.flatMap((each) => {
    const form = unquoted(each);
    const [first, ...rest] = form.kind === 'vector' || form.kind === 'list' ? form.items : [form];
    if (first?.kind !== 'symbol' && first?.kind !== 'text') return [];
    const only = rest.findIndex((option) => isKeyword(option, 'only'));
    const chosen = only === -1 ? undefined : rest[only + 1];
    const options = all ? `:refer ${chosen === undefined ? ':all' : textOf(chosen)}` : rest.map(textOf).join(' ');
    return [{ form, name: first.kind === 'text' ? first.value : first.name, isModule: first.kind === 'text', options }];
  });
}

function excludesOf(clause: Form): readonly string[] {
  if (headOf(clause) !== ':refer-clojure' || !('items' in clause)) return [];
  const at = clause.items.findIndex((each) => isKeyword(each, 'exclude'));
  const names = at === -1 ? undefined : clause.items[at + 1];
  return names !== undefined && 'items' in names ? names.items.flatMap((each) => (each.kind === 'symbol' ? [each.name] : [])) : [];
}

/** Functions and values may be used before they are defined; macros and types may not. */
function definedBy(form: Form): string | undefined {
  const [, name] = form.kind === 'list' ? form.items : [];
  return ['def', 'defn', 'defn-', 'defonce'].includes(headOf(form)) && name?.kind === 'symbol' ? name.name : undefined;
}

function* namespacesIn(form: Form): Iterable<string> {
  for (const { name } of symbolsIn(form)) {
    const slash = name.indexOf('/');
    if (slash > 0) yield name.slice(0, slash);
  }
}

function* symbolsIn(form: Form): Iterable<Extract<Form, { kind: 'symbol' }>> {
  if ('form' in form) yield* symbolsIn(form.form);
  if ('items' in form) for (const each of form.items) yield* symbolsIn(each);
  if (form.kind === 'symbol') yield form;
}
