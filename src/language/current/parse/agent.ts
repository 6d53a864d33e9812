// In charge of reading agents and what surrounds them: flows, decisions, directives, scenarios, glossary entries, retries, resolvers.

import type {
  AgentDeclaration,
  DecisionDeclaration,
  Field,
  FieldsDeclaration,
  FlowDeclaration,
  FlowStep,
  ResolverDeclaration,
  RuleDeclaration,
} from '../../../model/declaration.ts';
import type { Expression, MapExpression, Name } from '../../../model/pattern.ts';
import { readAnnotations } from './annotation.ts';
import { readLiteral } from './expression.ts';
import {
  abandon,
  accept,
  at,
  expect,
  fail,
  type Parser,
  peek,
  readBody,
  readItems,
  readName,
  readSimpleName,
  report,
  shown,
  spanFrom,
} from './parser.ts';
import { isMap, readMap } from './pattern.ts';
import { readStatement } from './statement.ts';

export function readAgent(parser: Parser, isPublic: boolean, start: number): AgentDeclaration {
  parser.index += 1;
  const name = readName(parser, 'the name of the agent');
  const annotations = readAnnotations(parser, 'header');
  expect(parser, '{');
  const fields = readBody(parser, '}', readField);
  return { kind: 'agent', name, isPublic, annotations, fields, span: spanFrom(parser, start) };
}

function readField(parser: Parser): Field {
  return { name: readSimpleName(parser, 'the name of a field'), value: readFieldValue(parser) };
}

/** A value, or fields of its own: `backoff { strategy linear, delay 2 }`, which is a map. */
function readFieldValue(parser: Parser): Expression {
  const opensPattern = at(parser, '{', 2) || at(parser, '?', 2) || at(parser, '/', 2) || at(parser, '.', 2);
  if (!at(parser, '{') || isMap(parser) || opensPattern) return parser.readExpression(parser);
  const { start } = expect(parser, '{');
  const entries = readItems(parser, '}', () => {
    const { text, span } = readSimpleName(parser, 'the name of a field');
    return { key: { kind: 'literal', value: text, raw: text, span } as const, value: parser.readExpression(parser) };
  });
  return { kind: 'map', entries, span: spanFrom(parser, start) };
}

export function readFlow(parser: Parser, start: number): FlowDeclaration {
  parser.index += 1;
  const name = readName(parser, 'the name of the flow');
  expect(parser, '{');
  const steps = readBody(parser, '}', readSteps).flat();
  return { kind: 'flow', name, steps, span: spanFrom(parser, start) };
}

/** One step, or several on one line: where a step ends is clear without a separator. */
function readSteps(parser: Parser): readonly FlowStep[] {
  const steps: FlowStep[] = [];
  do steps.push(readStep(parser));
  while (peek(parser).kind === 'name' && !peek(parser).newline);
  return steps;
}

function readStep(parser: Parser): FlowStep {
  const from = readName(parser, 'the name of a step');
  expect(parser, '-->');
  const hasCondition = peek(parser).kind === 'text' || peek(parser).kind === 'number';
  const condition = hasCondition ? readLiteral(parser) : undefined;
  if (peek(parser).newline && at(parser, '-->', 1)) fail(parser, 'the name of the next step on the same line');
  const to = at(parser, '{') ? readStatement(parser) : readName(parser, 'the name of a step');
  const step = { from, to, span: spanFrom(parser, from.span.start) };
  return condition === undefined ? step : { ...step, condition };
}

export function readDecision(parser: Parser, start: number): DecisionDeclaration {
  parser.index += 1;
  const name = readName(parser, 'the name of the decision');
  expect(parser, '{');
  const cases: DecisionDeclaration['cases'][number][] = [];
  readBody(parser, '}', () => {
    do cases.push(readCase(parser));
    while (!peek(parser).newline && (at(parser, 'case') || at(parser, 'default')));
  });
  return { kind: 'decision', name, cases, span: spanFrom(parser, start) };
}

function readCase(parser: Parser): DecisionDeclaration['cases'][number] {
  const { start } = peek(parser);
  const isDefault = accept(parser, 'default');
  if (!isDefault && !accept(parser, 'case')) fail(parser, '`case` or `default`');
  const condition = isDefault ? undefined : readCondition(parser);
  expect(parser, '{');
  const results = readItems(parser, '}', (each) => readName(each, 'the name of a result'));
  const found = { results, span: spanFrom(parser, start) };
  return condition === undefined ? found : { ...found, condition };
}

function readCondition(parser: Parser): Expression {
  expect(parser, '(');
  const condition = parser.readExpression(parser);
  expect(parser, ')');
  return condition;
}

export function readRule(parser: Parser, kind: RuleDeclaration['kind'], start: number): RuleDeclaration {
  parser.index += 1;
  const name = readName(parser, `the name of the ${kind}`);
  if (!at(parser, '{')) fail(parser, '`{`');
  const body = at(parser, 'if', 1) ? readRuleBody(parser) : readMap(parser);
  return { kind, name, body, span: spanFrom(parser, start) };
}

/** `{ if ("cond") { "do this" } }`. */
function readRuleBody(parser: Parser): Exclude<RuleDeclaration['body'], MapExpression> {
  expect(parser, '{');
  const { start } = expect(parser, 'if');
  const condition = readCondition(parser);
  expect(parser, '{');
  const result = readStatement(parser);
  accept(parser, ';');
  expect(parser, '}');
  const span = spanFrom(parser, start);
  expect(parser, '}');
  return { kind: 'rule', condition, result, span };
}

export function readFields(parser: Parser, kind: FieldsDeclaration['kind'], start: number): FieldsDeclaration {
  parser.index += 1;
  const name = readName(parser, `the name of the ${kind}`);
  if (!at(parser, '{')) fail(parser, '`{`');
  const body = isMap(parser) && !at(parser, '}', 1) ? readMap(parser) : readFieldList(parser);
  const span = spanFrom(parser, start);
  if (kind === 'eval') report(parser, 'form-ignored', span, '`eval` has no effect here');
  return { kind, name, body, span };
}

function readFieldList(parser: Parser): readonly Field[] {
  expect(parser, '{');
  return readBody(parser, '}', readField);
}

/** A name, which may stand in quotes. */
function readTypeName(parser: Parser): Name {
  const token = peek(parser);
  if (token.kind !== 'text') return readName(parser, 'the name of a type');
  const { value, span } = readLiteral(parser);
  const text = String(value);
  if (/^[\p{L}_][\p{L}\p{N}_.]*(?:\/[\p{L}_][\p{L}\p{N}_]*)?$/u.test(text)) return { text, span };
  report(parser, 'token-unexpected', span, `expected the name of a type, found ${shown(token)}`);
  return abandon();
}

/** `resolver people [hr/Person] { create r.add, onSubscription hr/personChanged }`. */
export function readResolver(parser: Parser, start: number): ResolverDeclaration {
  parser.index += 1;
  const name = readName(parser, 'the name of the resolver');
  expect(parser, '[');
  const types = readItems(parser, ']', readTypeName);
  const isMarked = at(parser, '@') && at(parser, 'compose', 1);
  if (isMarked) parser.index += 2;
  expect(parser, '{');
  const entries = readBody(parser, '}', () => ({
    name: readSimpleName(parser, 'the name of a method'),
    function: readName(parser, 'the name of a function'),
  }));
  const [mode] = entries.filter(isMode);
  const compose = isMarked || mode?.function.text === 'compose';
  const methods = entries.filter((each) => !isMode(each));
  return { kind: 'resolver', name, types, methods, ...(compose ? { compose } : {}), span: spanFrom(parser, start) };
}

/** `mode compose` among the methods is the same as `@compose`. */
function isMode(entry: { readonly name: Name; readonly function: Name }): boolean {
  return entry.name.text === 'mode' && ['compose', 'override'].includes(entry.function.text);
}
