// Every pattern in a list of statements, however deep it stands.

import { unreachable } from '../../errors.ts';
import type { Aggregate, Alias, Expression, InstancePattern, Pattern, PatternAttribute, Statement } from '../pattern.ts';

export function* instancesIn(statements: readonly Statement[]): Iterable<InstancePattern> {
  for (const statement of statements) {
    yield* inPattern(statement.pattern);
    for (const each of [...(statement.catches ?? []), ...(statement.throws ?? [])]) yield* instancesIn([each.handler]);
    if (statement.empty !== undefined) yield* instancesIn([statement.empty]);
    yield* instancesIn(statement.then ?? []);
  }
}

/** The names that statements give to results, however deep they stand. */
export function* namesIn(statements: readonly Statement[]): Iterable<string> {
  for (const { pattern, as, catches = [], throws = [], empty, then = [] } of statements) {
    if (as !== undefined) yield* namesOf(as);
    yield* namesIn(statementsIn(pattern));
    yield* namesIn([...catches, ...throws].map((each) => each.handler));
    if (empty !== undefined) yield* namesIn([empty]);
    yield* namesIn(then);
  }
}

export function namesOf(alias: Alias): readonly string[] {
  const names = alias.kind === 'whole' ? [alias.name] : [...alias.names, alias.rest];
  return names.flatMap((each) => (each === undefined ? [] : [each.text]));
}

/** The statements directly inside of a pattern. */
function statementsIn(pattern: Pattern): readonly Statement[] {
  switch (pattern.kind) {
    case 'for':
      return [pattern.source, ...pattern.body];
    case 'if':
      return [...pattern.then, ...(pattern.otherwise ?? [])];
    case 'match':
      return [...pattern.cases.flatMap((each) => each.body), ...(pattern.otherwise ?? [])];
    case 'block':
      return pattern.statements;
    case 'return':
      return [pattern.value];
    case 'await':
      return [pattern.body, ...(pattern.done ?? []), ...pattern.handlers.map((each) => each.handler)];
    case 'rethrow':
      return [pattern.after];
    default:
      return [];
  }
}

function* inPattern(pattern: Pattern): Iterable<InstancePattern> {
  yield* instancesIn(statementsIn(pattern));
  switch (pattern.kind) {
    case 'instance':
      yield* inInstance(pattern);
      break;
    case 'delete':
      yield* inInstance(pattern.target);
      break;
    case 'path':
      for (const each of pattern.steps) yield* inInstance(each);
      break;
    case 'expression':
      yield* inExpressions([pattern.expression]);
      break;
    case 'if':
      yield* inExpressions([pattern.condition]);
      break;
    case 'match':
      yield* inExpressions([pattern.subject, ...pattern.cases.map((each) => each.value)]);
      break;
    case 'eval':
      yield* inExpressions([pattern.value]);
      break;
    case 'throw':
      yield* inExpressions([pattern.reason]);
      break;
    case 'query':
      yield* inExpressions([pattern.query]);
      break;
    case 'full-text':
    case 'for':
    case 'block':
    case 'return':
    case 'await':
    case 'rethrow':
      break;
    default:
      unreachable(pattern);
  }
}

function* inInstance(pattern: InstancePattern): Iterable<InstancePattern> {
  yield pattern;
  const { attributes, nested, links = [], options } = pattern;
  const values = (all: readonly PatternAttribute[]): readonly Expression[] => all.flatMap((each) => expressionIn(each.value));
  yield* inExpressions([
    ...values(attributes),
    ...values(options.where ?? []),
    ...(options.joins ?? []).flatMap((each) => values(each.attributes)),
    ...(options.into ?? []).flatMap((each) => expressionIn(each.value)),
    ...[options.from, options.condition, options.limit, options.offset].flatMap((each) => each ?? []),
    ...links.flatMap((each) => [...values(each.attributes), ...[each.other, each.id].flatMap((end) => end ?? [])]),
  ]);
  for (const each of nested) for (const inner of each.patterns) yield* inInstance(inner);
}

function expressionIn(value: Expression | Aggregate): readonly Expression[] {
  return value.kind === 'aggregate' ? [] : [value];
}

function* inExpressions(expressions: readonly Expression[]): Iterable<InstancePattern> {
  for (const expression of expressions) {
    switch (expression.kind) {
      case 'pattern':
        yield* inInstance(expression.pattern);
        break;
      case 'call':
        yield* inExpressions(expression.arguments);
        break;
      case 'list':
        yield* inExpressions(expression.items);
        break;
      case 'map':
        yield* inExpressions(expression.entries.map((each) => each.value));
        break;
      case 'unary':
        yield* inExpressions([expression.operand]);
        break;
      case 'binary':
        yield* inExpressions([expression.left, expression.right]);
        break;
      case 'quote':
      case 'unquote':
        yield* inExpressions([expression.value]);
        break;
      case 'literal':
      case 'reference':
      case 'code':
        break;
      default:
        unreachable(expression);
    }
  }
}
