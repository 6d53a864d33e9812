// Statements one after the other: what names stand for behind each of them, and what the last gives.

import { unreachable } from '../../errors.ts';
import { localOf } from '../model.ts';
import type { Alias, Handler, Pattern, Statement } from '../pattern.ts';
import { searchedAttributes } from '../searched.ts';
import { namesIn } from '../walk.ts';
import { checkComparison } from './checks.ts';
import { typeOf } from './expressions.ts';
import { deletedType, patternType } from './patterns.ts';
import type { Scope, Typing } from './scope.ts';
import { boolean, canBeNull, elementOf, listOf, never, nothing, orNull, presentIn, union, unknown, type ValueType } from './value-type.ts';

export function statementsType(statements: readonly Statement[], scope: Scope, typing: Typing): ValueType {
  let last: ValueType = nothing;
  for (const each of statements) last = statementType(each, scope, typing);
  return last;
}

function statementType(statement: Statement, scope: Scope, typing: Typing): ValueType {
  const { pattern, as, empty, then } = statement;
  const handlers = [...(statement.catches ?? []), ...(statement.throws ?? [])];
  const done = catchesFailures(statement.catches ?? [])
    ? caughtType(scope, (inside) => actionType(pattern, inside, typing))
    : actionType(pattern, scope, typing);
  // Handlers run when an unknown part of the statement has been done.
  if (handlers.length > 0) forget(namesIn([{ pattern, span: statement.span }]), scope);
  const caught = handlerTypes(statement.catches ?? [], scope, typing);
  handlerTypes(statement.throws ?? [], scope, typing);
  const whenEmpty = empty === undefined ? never : branch(scope, () => statementType(empty, scope, typing));
  const all = union([done, ...caught, whenEmpty]);
  if (as !== undefined) bind(as, all, scope);
  if (then === undefined) return all;
  const further = branch(scope, () => statementsType(then, scope, typing));
  return union([all, further]);
}

function catchesFailures(handlers: readonly Handler[]): boolean {
  return handlers.some((each) => each.on !== 'not_found');
}

/** What fails in it need not be wrong: a handler goes on. */
function caughtType(scope: Scope, work: (inside: Scope) => ValueType): ValueType {
  const inside = { ...scope, caught: true };
  const type = work(inside);
  scope.names = inside.names;
  return type;
}

function handlerTypes(handlers: readonly Handler[], scope: Scope, typing: Typing): readonly ValueType[] {
  return handlers.map((each) =>
    branch(scope, () => {
      scope.names.set('Error', unknown);
      return statementType(each.handler, scope, typing);
    }),
  );
}

/** Something that may be done or not: a name then stands for what it did before, or for what it was made. */
function branch(scope: Scope, work: () => ValueType): ValueType {
  const before = scope.names;
  scope.names = new Map(before);
  const type = work();
  scope.names = merged([before, scope.names]);
  return type;
}

/** One of several is done. */
function branches(all: readonly (() => ValueType)[], scope: Scope): ValueType {
  const before = scope.names;
  const ends: Map<string, ValueType>[] = [];
  const types = all.map((work) => {
    scope.names = new Map(before);
    const type = work();
    ends.push(scope.names);
    return type;
  });
  scope.names = merged(ends);
  return union(types);
}

function merged(all: readonly ReadonlyMap<string, ValueType>[]): Map<string, ValueType> {
  const [only] = all;
  if (only !== undefined && all.every((each) => isSame(each, only))) return new Map(only);
  const names = new Set(all.flatMap((each) => [...each.keys()]));
  return new Map([...names].map((name) => [name, union(all.map((each) => each.get(name) ?? nothing))]));
}

function isSame(one: ReadonlyMap<string, ValueType>, other: ReadonlyMap<string, ValueType>): boolean {
  return one.size === other.size && [...one].every(([name, type]) => other.get(name) === type);
}

function forget(names: Iterable<string>, scope: Scope): void {
  scope.names = new Map(scope.names);
  for (const each of names) if (scope.names.has(each)) scope.names.set(each, unknown);
}

function bind(alias: Alias, type: ValueType, { names }: Scope): void {
  if (alias.kind === 'whole') {
    names.set(alias.name.text, type);
    return;
  }
  const element = elementOf(type);
  for (const each of alias.names) if (each !== undefined) names.set(each.text, orNull(element));
  if (alias.rest !== undefined) names.set(alias.rest.text, listOf(element));
}

function actionType(pattern: Pattern, scope: Scope, typing: Typing): ValueType {
  switch (pattern.kind) {
    case 'instance':
      return patternType(pattern, scope, typing);
    case 'expression':
      return typeOf(pattern.expression, scope, typing);
    case 'delete':
      return deletedType(pattern.target, scope, typing);
    case 'throw':
      typeOf(pattern.reason, scope, typing);
      return never;
    case 'eval':
      return evaluatedType(pattern, scope, typing);
    case 'path': {
      const steps = pattern.steps.map((each) => patternType(each, scope, typing));
      return steps.at(-1) ?? unknown;
    }
    case 'query':
      typeOf(pattern.query, scope, typing);
      return listOf(unknown);
    case 'full-text':
      return searchType(pattern, scope, typing);
    default:
      return controlType(pattern, scope, typing);
  }
}

/** What passed its check is of the type that was asked for. */
function evaluatedType({ value, check }: Extract<Pattern, { kind: 'eval' }>, scope: Scope, typing: Typing): ValueType {
  const type = typeOf(value, scope, typing);
  return check === undefined ? type : unknown;
}

type Control = Extract<Pattern, { kind: 'for' | 'if' | 'match' | 'block' | 'return' | 'await' | 'rethrow' }>;

/** What decides which statements are done. */
function controlType(pattern: Control, scope: Scope, typing: Typing): ValueType {
  const body = (statements: readonly Statement[] | undefined) => (): ValueType =>
    statements === undefined ? boolean : statementsType(statements, scope, typing);
  switch (pattern.kind) {
    case 'for':
      return loopType(pattern, scope, typing);
    case 'if':
      typeOf(pattern.condition, scope, typing);
      return branches([body(pattern.then), body(pattern.otherwise)], scope);
    case 'match': {
      const subject = typeOf(pattern.subject, scope, typing);
      for (const { value } of pattern.cases)
        checkComparison({ operator: '==', left: pattern.subject, right: value }, subject, typeOf(value, scope, typing), typing);
      return branches([...pattern.cases.map((each) => body(each.body)), body(pattern.otherwise)], scope);
    }
    case 'block':
      return statementsType(pattern.statements, scope, typing);
    case 'return':
      statementType(pattern.value, scope, typing);
      return never;
    case 'await':
      branch(scope, () => caughtType(scope, (inside) => statementType(pattern.body, inside, typing)));
      branch(scope, body(pattern.done));
      handlerTypes(pattern.handlers, scope, typing);
      return unknown;
    case 'rethrow':
      statementType(pattern.after, scope, typing);
      return never;
    default:
      return unreachable(pattern);
  }
}

/** In a round, a name may stand for what an earlier one made it. */
function loopType({ variable, source, body }: Extract<Pattern, { kind: 'for' }>, scope: Scope, typing: Typing): ValueType {
  const element = elementOf(statementType(source, scope, typing));
  const hidden = scope.names.get(variable.text);
  const last = branch(scope, () => {
    forget(namesIn(body), scope);
    scope.names.set(variable.text, presentIn(element).length === 0 || canBeNull(element) ? unknown : element);
    return statementsType(body, scope, typing);
  });
  // The variable ends with its loop, and what it hid is back.
  if (hidden === undefined) scope.names.delete(variable.text);
  else scope.names.set(variable.text, hidden);
  return listOf(last);
}

const options: ReadonlySet<unknown> = new Set(['limit', 'offset']);

/** `{Doc? "words" {"limit": 5}}` */
function searchType(pattern: Extract<Pattern, { kind: 'full-text' }>, scope: Scope, typing: Typing): ValueType {
  const type = pattern.type.text;
  typeOf(pattern.text, scope, typing);
  for (const { key, value } of pattern.options?.entries ?? []) {
    typeOf(value, scope, typing);
    if (key.kind === 'literal' && !options.has(key.value))
      typing.tell('pattern-unavailable', key.span, `a search has no option \`${String(key.value)}\``, 'there are `limit` and `offset`');
  }
  const entity = typing.model.entities.get(type);
  if (entity !== undefined && searchedAttributes(entity.attributes).length === 0)
    typing.tell('pattern-unavailable', pattern.span, `\`${localOf(type)}\` has no attribute of type String to search`);
  return listOf({ kind: 'instance', type });
}
