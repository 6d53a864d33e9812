// Every pattern in a list of statements, however deep it stands.

import { unreachable } from '../errors.ts';
import type { Model } from './model.ts';
import type { Aggregate, Alias, Expression, InstancePattern, Pattern, PatternAttribute, Statement } from './pattern.ts';

/** Every statement of the model, wherever it runs. */
export function statementsOf({ workflows, triggers, substitutions, reactions, flows, startup }: Model): readonly Statement[] {
  return [
    ...[...workflows.values()].flatMap((each) => each.body),
    ...triggers.flatMap((each) => (each.runs.kind === 'body' ? each.runs.body : [])),
    ...[...substitutions.values()].flat(),
    ...reactions.flatMap((each) => each.body),
    ...[...flows.values()].flatMap((each) =>
      [...each.nodes.values()].flatMap((node) => (node.kind === 'statement' ? [node.statement] : [])),
    ),
    ...startup,
  ];
}

/** Generators would cost more than all the rest of the look. */
type Visit = (pattern: InstancePattern) => void;

export function eachInstance(statements: readonly Statement[], visit: Visit): void {
  for (const statement of statements) {
    inPattern(statement.pattern, visit);
    for (const each of [...(statement.catches ?? []), ...(statement.throws ?? [])]) eachInstance([each.handler], visit);
    if (statement.empty !== undefined) eachInstance([statement.empty], visit);
    eachInstance(statement.then ?? [], visit);
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

/** The types that statements search by words, however deep they stand. */
export function* searchesIn(statements: readonly Statement[]): Iterable<string> {
  for (const { pattern, catches = [], throws = [], empty, then = [] } of statements) {
    if (pattern.kind === 'full-text') yield pattern.type.text;
    yield* searchesIn(statementsIn(pattern));
    yield* searchesIn([...catches, ...throws].map((each) => each.handler));
    if (empty !== undefined) yield* searchesIn([empty]);
    yield* searchesIn(then);
  }
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

function inPattern(pattern: Pattern, visit: Visit): void {
  eachInstance(statementsIn(pattern), visit);
  switch (pattern.kind) {
    case 'instance':
      inInstance(pattern, visit);
      break;
    case 'delete':
      inInstance(pattern.target, visit);
      break;
    case 'path':
      for (const each of pattern.steps) inInstance(each, visit);
      break;
    case 'expression':
      inExpressions([pattern.expression], visit);
      break;
    case 'if':
      inExpressions([pattern.condition], visit);
      break;
    case 'match':
      inExpressions([pattern.subject, ...pattern.cases.map((each) => each.value)], visit);
      break;
    case 'eval':
      inExpressions([pattern.value], visit);
      break;
    case 'throw':
      inExpressions([pattern.reason], visit);
      break;
    case 'query':
      inExpressions([pattern.query], visit);
      break;
    case 'full-text':
      inExpressions([pattern.text], visit);
      break;
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

function inInstance(pattern: InstancePattern, visit: Visit): void {
  visit(pattern);
  const { attributes, nested, links = [], options } = pattern;
  const values = (all: readonly PatternAttribute[]): readonly Expression[] => all.flatMap((each) => expressionIn(each.value));
  inExpressions(
    [
      ...values(attributes),
      ...values(options.where ?? []),
      ...(options.joins ?? []).flatMap((each) => values(each.attributes)),
      ...(options.into ?? []).flatMap((each) => expressionIn(each.value)),
      ...[options.from, options.condition, options.limit, options.offset].flatMap((each) => each ?? []),
      ...links.flatMap((each) => [...values(each.attributes), ...[each.other, each.id].flatMap((end) => end ?? [])]),
    ],
    visit,
  );
  for (const each of nested) for (const inner of each.patterns) inInstance(inner, visit);
}

function expressionIn(value: Expression | Aggregate): readonly Expression[] {
  return value.kind === 'aggregate' ? [] : [value];
}

function inExpressions(expressions: readonly Expression[], visit: Visit): void {
  for (const expression of expressions) {
    switch (expression.kind) {
      case 'pattern':
        inInstance(expression.pattern, visit);
        break;
      case 'call':
        inExpressions(expression.arguments, visit);
        break;
      case 'list':
        inExpressions(expression.items, visit);
        break;
      case 'map':
        inExpressions(
          expression.entries.map((each) => each.value),
          visit,
        );
        break;
      case 'unary':
        inExpressions([expression.operand], visit);
        break;
      case 'binary':
        inExpressions([expression.left, expression.right], visit);
        break;
      case 'quote':
      case 'unquote':
        inExpressions([expression.value], visit);
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
