// In charge of statements of dataflows: patterns with what is done with their results, and the forms that are vectors.

import type { Alias, Handler, Name, Pattern, Statement } from '../../../../model/pattern.ts';
import { type Collection, type Form, isKeyword, isMap, pairsOf } from '../../read/form.ts';
import { expected, fault, nameOf, reference } from '../lowering.ts';
import { type DataflowNames, isInstance } from '../names.ts';
import { lowerValue } from '../value.ts';
import { lowerMatch, lowerPath } from './choice.ts';
import { lowerInstance } from './pattern.ts';

export function lowerStatement(form: Form, flow: DataflowNames): Statement | undefined {
  if (isMap(form)) return lowerMapStatement(form, flow);
  const [head] = form.kind === 'vector' ? form.items : [];
  if (form.kind === 'vector' && isKeyword(head)) return lowerVector(form, head.name, flow);
  if (isKeyword(form) && form.name.endsWith('?')) return allOf(form, flow);
  // A pattern that stands for itself says the same with a quote.
  if (form.kind === 'quote' && isMap(form.form) && isInstance(form.form, flow)) return lowerMapStatement(form.form, flow);
  return { pattern: { kind: 'expression', expression: lowerValue(form, flow), span: form.span }, span: form.span };
}

/** One pattern, or a vector of them. */
export function lowerBody(form: Form, flow: DataflowNames): readonly Statement[] {
  const [head, ...rest] = form.kind === 'vector' ? form.items : [];
  const isBlock = form.kind === 'vector' && head !== undefined && !isKeyword(head);
  // Where the first of several patterns is a name, `:do` keeps it from being taken for a form of its own.
  const patterns = isBlock
    ? form.items
    : isKeyword(head, 'do') && parts({ ...form, kind: 'vector', items: [head, ...rest] }, ends).tail.length === 0
      ? rest
      : [form];
  return patterns.flatMap((each) => lowerStatement(each, flow) ?? []);
}

const ends = ['as', 'throws'];

/** `:Hr/Team?`: all of them. */
function allOf(form: Extract<Form, { kind: 'keyword' }>, flow: DataflowNames): Statement | undefined {
  const { span } = form;
  const pattern = lowerInstance({ kind: 'map', items: [form, { kind: 'map', items: [], span }], span }, flow);
  return pattern === undefined ? undefined : { pattern, span };
}

function lowerMapStatement(form: Form, flow: DataflowNames): Statement | undefined {
  if (!isMap(form)) return undefined;
  const [first] = form.items;
  if (first !== undefined && !isKeyword(first)) {
    return { pattern: { kind: 'expression', expression: lowerValue(form, flow), span: form.span }, span: form.span };
  }
  const pattern = lowerInstance(form, flow);
  if (pattern === undefined) return undefined;
  const tail = pairsOf(form).flatMap(({ key, value }) => (isKeyword(key, 'as') || isKeyword(key, 'throws') ? [key, value] : []));
  return withTail(pattern, tail, form, flow);
}

/** The vector without its trailing options, and these. */
function parts({ items }: Collection, options: readonly string[]): { readonly operands: readonly Form[]; readonly tail: readonly Form[] } {
  let end = items.length;
  while (end > 2 && isOneOf(items[end - 2], options)) end -= 2;
  return { operands: items.slice(1, end), tail: items.slice(end) };
}

function isOneOf(form: Form | undefined, names: readonly string[]): boolean {
  return isKeyword(form) && names.includes(form.name);
}

function withTail(pattern: Pattern, tail: readonly Form[], form: Form, flow: DataflowNames): Statement {
  const options = pairsOf({ kind: 'map', items: tail, span: form.span });
  const find = (name: string) => options.find(({ key }) => isKeyword(key, name))?.value;
  const alias = find('as');
  const thrown = find('throws');
  const as = alias === undefined ? undefined : lowerAlias(alias, flow);
  const throws = thrown === undefined ? undefined : lowerHandlers(listOf(thrown), thrown, flow).handlers;
  return { pattern, ...(as === undefined ? {} : { as }), ...(throws === undefined ? {} : { throws }), span: form.span };
}

function listOf(form: Form): readonly Form[] {
  return 'items' in form ? form.items : [form];
}

/** `:A`, `[:A :_ :B :& :Rest]`. */
function lowerAlias(form: Form, { lowering }: DataflowNames): Alias | undefined {
  if (isKeyword(form)) return { kind: 'whole', name: nameOf(form) };
  if (form.kind !== 'vector') return expected(lowering, form, form, 'a name, or a vector of names,');
  const names: (Name | undefined)[] = [];
  for (const [index, each] of form.items.entries()) {
    if (!isKeyword(each)) return expected(lowering, each, form, 'a name, as a keyword,');
    if (each.name !== '&') names.push(each.name === '_' ? undefined : nameOf(each));
    else {
      const rest = form.items[index + 1];
      if (!isKeyword(rest)) return expected(lowering, rest, each, 'a name for the rest');
      return { kind: 'parts', names, rest: nameOf(rest), span: form.span };
    }
  }
  return { kind: 'parts', names, span: form.span };
}

const outcomes: ReadonlyMap<string, Handler['on']> = new Map([
  ['not-found', 'not_found'],
  ['error', 'error'],
  ['declined', 'declined'],
]);

interface Handled {
  readonly handlers: readonly Handler[];
  /** What is done when all went well. */
  readonly done: readonly Statement[] | undefined;
  /** What is done when nothing was found. */
  readonly empty: Statement | undefined;
}

/** `:ok body [:not-found :error] body`. */
function lowerHandlers(items: readonly Form[], around: Form, flow: DataflowNames): Handled {
  const handlers: Handler[] = [];
  let done: readonly Statement[] | undefined;
  let empty: Statement | undefined;
  for (const { key, value } of pairsOf({ kind: 'map', items, span: around.span })) {
    const body = lowerBody(value, flow);
    const handler = asOne(body, value);
    for (const tag of key.kind === 'vector' ? key.items : [key]) {
      const on = isKeyword(tag) ? outcomes.get(tag.name) : undefined;
      if (isKeyword(tag, 'ok')) done = body;
      else if (isKeyword(tag, 'empty')) empty = handler;
      else if (on === undefined) expected(flow.lowering, tag, around, 'one of `:ok`, `:not-found`, `:declined` and `:error`');
      else handlers.push({ on, handler });
    }
  }
  return { handlers, done, empty };
}

/** Several statements where one is expected are a block. */
function asOne(statements: readonly Statement[], { span }: Form): Statement {
  const [only] = statements;
  return only !== undefined && statements.length === 1 ? only : { pattern: { kind: 'block', statements, span }, span };
}

function lowerVector(form: Collection, word: string, flow: DataflowNames): Statement | undefined {
  const { operands, tail } = parts(form, word === 'eval' ? ['as', 'throws', 'check'] : ['as', 'throws']);
  const statement = (pattern: Pattern | undefined) => (pattern === undefined ? undefined : withTail(pattern, tail, form, flow));
  switch (word) {
    case 'match':
      return statement(lowerMatch(operands, form, flow, lowerBody));
    case 'for-each':
      return statement(lowerLoop(operands, form, flow));
    case 'try':
      return lowerTry(operands, tail, form, flow);
    case 'await':
      return statement(lowerAwait(operands, form, flow));
    case 'eval':
      return statement(lowerEval(operands, tail, form, flow));
    case 'delete':
    case 'purge':
      return statement(lowerDelete(operands, word === 'purge', form, flow));
    case 'query':
      return statement(lowerQuery(operands, form, flow));
    case '?':
      return statement(lowerPath(operands, form, flow));
    case 'rethrow-after':
      return statement(lowerRethrow(operands, form, flow));
    case 'value':
      return statement({ kind: 'expression', expression: lowerValue(operands[0] ?? form, flow), span: form.span });
    case 'throw':
      return statement({ kind: 'throw', reason: lowerValue(operands[0] ?? form, flow), span: form.span });
    case 'return':
      return lowerReturn(operands, form, flow);
    case 'do':
      return statement({ kind: 'block', statements: operands.flatMap((each) => lowerStatement(each, flow) ?? []), span: form.span });
    case 'search':
      return statement(lowerSearch(operands, form, flow));
    default:
      return { pattern: { kind: 'expression', expression: lowerValue(form, flow), span: form.span }, span: form.span };
  }
}

/** `[:for-each source body...]`; `[:for-each [source :as :T] body...]` names the element. */
function lowerLoop(operands: readonly Form[], form: Form, flow: DataflowNames): Pattern | undefined {
  const [given, ...bodies] = operands;
  if (given === undefined) return expected(flow.lowering, given, form, 'what is to be gone through');
  const [inner, word, name] = given.kind === 'vector' ? given.items : [];
  const named = given.kind === 'vector' && given.items.length === 3 && isKeyword(word, 'as') && isKeyword(name);
  const source = lowerStatement(named && inner !== undefined ? inner : given, flow);
  if (source === undefined) return undefined;
  const variable = named && isKeyword(name) ? nameOf(name) : { text: '%', span: given.span };
  return { kind: 'for', variable, source, body: bodies.flatMap((each) => lowerStatement(each, flow) ?? []), span: form.span };
}

function lowerTry(operands: readonly Form[], tail: readonly Form[], form: Form, flow: DataflowNames): Statement | undefined {
  const [first, ...rest] = operands;
  const tried = first === undefined ? expected(flow.lowering, first, form, 'a pattern') : lowerStatement(first, flow);
  if (tried === undefined || first === undefined) return undefined;
  const { handlers, done, empty } = lowerHandlers(rest, form, flow);
  if (handlers.length === 0 && done === undefined && empty === undefined)
    return expected(flow.lowering, first, form, 'a handler, as in `:not-found {...}`,');
  const plain = Object.keys(tried).every((key) => key === 'pattern' || key === 'span');
  const pattern: Pattern = plain ? tried.pattern : { kind: 'block', statements: [tried], span: first.span };
  const { as, ...statement } = withTail(pattern, tail, form, flow);
  const handled: Statement = {
    ...statement,
    ...(handlers.length === 0 ? {} : { catches: handlers }),
    ...(empty === undefined ? {} : { empty }),
    // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no statement is ever awaited.
    ...(done === undefined ? {} : { then: done }),
  };
  if (as === undefined) return handled;
  // The name is that of what `:ok` gives, and not of what it was given for.
  return done === undefined
    ? { ...handled, as }
    : { pattern: { kind: 'block', statements: [handled], span: form.span }, as, span: form.span };
}

function lowerAwait(operands: readonly Form[], form: Form, flow: DataflowNames): Pattern | undefined {
  const [first, ...rest] = operands;
  const body = first === undefined ? expected(flow.lowering, first, form, 'a pattern') : lowerStatement(first, { ...flow, awaits: true });
  if (body === undefined) return undefined;
  const { handlers, done } = lowerHandlers(rest, form, flow);
  return { kind: 'await', body, handlers, ...(done === undefined ? {} : { done }), span: form.span };
}

function lowerEval(operands: readonly Form[], tail: readonly Form[], form: Form, flow: DataflowNames): Pattern | undefined {
  const [first] = operands;
  if (first === undefined) return expected(flow.lowering, first, form, 'what is to be evaluated');
  if (isMap(first) && isEvent(first, flow)) return lowerInstance(first, flow);
  const check = pairsOf({ kind: 'map', items: tail, span: form.span }).find(({ key }) => isKeyword(key, 'check'))?.value;
  const value = lowerValue(first, flow);
  // Only a name can hold an event that is known at run time.
  if (check === undefined && value.kind !== 'reference') return { kind: 'expression', expression: value, span: form.span };
  if (check === undefined) return { kind: 'eval', value, span: form.span };
  const test = isKeyword(check) ? reference([check.name], check.span) : lowerValue(check, flow);
  return { kind: 'eval', value, check: test, span: form.span };
}

/** `{:Evt {...}}`, and not just data. */
function isEvent(map: Collection, flow: DataflowNames): boolean {
  const [key, value] = map.items;
  return isInstance(map, flow) || (map.items.length === 2 && isKeyword(key) && value?.kind === 'map');
}

/** `[:delete :E {:A 1}]`, `[:delete :E :*]`, `[:delete :E :purge]`, `[:delete :E id]`. */
function lowerDelete(operands: readonly Form[], purge: boolean, form: Form, flow: DataflowNames): Pattern | undefined {
  const [type, what] = operands;
  if (type !== undefined && isMap(type)) {
    const found = lowerInstance(type, flow);
    return found === undefined ? undefined : { kind: 'delete', purge, target: found, span: form.span };
  }
  if (!isKeyword(type)) return expected(flow.lowering, type, form, 'the name of an entity, as a keyword,');
  const all = what === undefined || isKeyword(what, '*') || isKeyword(what, 'purge');
  const { span } = form;
  const named = { ...type, name: all && !type.name.endsWith('?') ? `${type.name}?` : type.name };
  const conditions = isMap(what) ? what.items.map((each, index) => (index % 2 === 0 ? asQuery(each) : each)) : [];
  const byIdentity = what === undefined || all || isMap(what) ? [] : [{ kind: 'keyword', name: '__Id__?', span: what.span } as const, what];
  const target = lowerInstance({ kind: 'map', items: [named, { kind: 'map', items: [...conditions, ...byIdentity], span }], span }, flow);
  return target === undefined ? undefined : { kind: 'delete', purge: purge || isKeyword(what, 'purge'), target, span };
}

function asQuery(form: Form): Form {
  return isKeyword(form) && !form.name.endsWith('?') ? { ...form, name: `${form.name}?` } : form;
}

/** `[:query {:E? {...}}]` is that pattern; `[:query :Ev.Query]` is known at run time only. */
function lowerQuery(operands: readonly Form[], form: Form, flow: DataflowNames): Pattern | undefined {
  const [first] = operands;
  if (first === undefined) return expected(flow.lowering, first, form, 'a query');
  if (!isMap(first)) return { kind: 'query', query: lowerValue(first, flow), span: form.span };
  const [, value] = first.items;
  if (value?.kind === 'symbol' || value?.kind === 'list')
    return fault(flow.lowering, 'token-unexpected', value.span, 'no query is made of text; write what is looked for as a pattern');
  return lowerInstance(first, flow);
}

function lowerRethrow(operands: readonly Form[], form: Form, flow: DataflowNames): Pattern | undefined {
  const [first] = operands;
  const after = first === undefined ? expected(flow.lowering, first, form, 'a pattern') : lowerStatement(first, flow);
  return after === undefined ? undefined : { kind: 'rethrow', after, span: form.span };
}

function lowerReturn(operands: readonly Form[], form: Form, flow: DataflowNames): Statement | undefined {
  const [first] = operands;
  const value = first === undefined ? expected(flow.lowering, first, form, 'a pattern') : lowerStatement(first, flow);
  return value === undefined ? undefined : { pattern: { kind: 'return', value, span: form.span }, span: form.span };
}

/** `[:search :E "words" {...}]`: full text. */
function lowerSearch(operands: readonly Form[], form: Form, flow: DataflowNames): Pattern | undefined {
  const [type, text, options] = operands;
  if (!isKeyword(type) || text === undefined) return expected(flow.lowering, type, form, 'an entity and a text');
  const given = options === undefined ? undefined : lowerValue(options, flow);
  const search = { kind: 'full-text', type: nameOf(type), text: lowerValue(text, flow), span: form.span } as const;
  return given?.kind === 'map' ? { ...search, options: given } : search;
}
