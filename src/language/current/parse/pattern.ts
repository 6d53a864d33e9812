// In charge of reading what stands in braces: maps, and patterns that create, query, update, search.

import { nearest } from '../../../diagnostics.ts';
import {
  type Aggregate,
  type ComparisonOperator,
  comparisonSigns,
  type Expression,
  type InstancePattern,
  type Join,
  type Literal,
  type MapExpression,
  type Name,
  type NestedPattern,
  type Pattern,
  type PatternAttribute,
  type PatternOptions,
} from '../../../model/pattern.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import { negated } from '../lex/literal.ts';
import {
  abandon,
  accept,
  at,
  expect,
  fail,
  nested,
  next,
  type Parser,
  peek,
  readItems,
  readName,
  readSimpleName,
  report,
  spanFrom,
  tokenSpan,
} from './parser.ts';

type FullText = Extract<Pattern, { kind: 'full-text' }>;

/** The brace at the cursor opens a map: `{}`, `{"key": ...}`, `{1: ...}`, `{true: ...}`. */
export function isMap(parser: Parser): boolean {
  return (
    at(parser, '}', 1) || peek(parser, 1).kind === 'text' || peek(parser, 1).kind === 'number' || at(parser, ':', 2) || at(parser, '-', 1)
  );
}

export function readMap(parser: Parser): MapExpression {
  const { start } = expect(parser, '{');
  const entries = readItems(parser, '}', readEntry);
  return { kind: 'map', entries, span: spanFrom(parser, start) };
}

function readEntry(parser: Parser): { readonly key: Literal; readonly value: Expression } {
  const key = readKey(parser);
  expect(parser, ':');
  return { key, value: parser.readExpression(parser) };
}

function readKey(parser: Parser): Literal {
  const token = peek(parser);
  const sign = at(parser, '-') && peek(parser, 1).kind === 'number' ? -1 : 1;
  if (sign === -1) next(parser);
  const literal = peek(parser);
  if (literal.kind === 'text' || literal.kind === 'number') {
    next(parser);
    const found = sign === 1 ? literal.value : negated(literal.value);
    // As a key it is a text.
    const value = found instanceof ExactNumber ? found.text : found;
    return { kind: 'literal', value, raw: sign === 1 ? literal.text : `-${literal.text}`, span: spanFrom(parser, token.start) };
  }
  if (at(parser, 'true') || at(parser, 'false')) {
    next(parser);
    return { kind: 'literal', value: token.text === 'true', raw: token.text, span: tokenSpan(parser, token) };
  }
  return fail(parser, 'a key in quotes', token.kind === 'name' ? `write "${token.text}"` : undefined);
}

/** The brace at the cursor opens an instance pattern, and no full-text search (`{Doc? "words"}`). */
export function isInstance(parser: Parser): boolean {
  const start = parser.index;
  parser.index += 1;
  while (peek(parser).kind === 'name' || at(parser, '.') || at(parser, '/')) parser.index += 1;
  const result = !at(parser, '?') || at(parser, '{', 1) || at(parser, '}', 1);
  parser.index = start;
  return result;
}

export function readFullText(parser: Parser): FullText {
  const { start } = expect(parser, '{');
  const type = readName(parser, 'the name of a type');
  expect(parser, '?');
  const text = parser.readExpression(parser);
  const options = at(parser, '{') ? readMap(parser) : undefined;
  accept(parser, ',');
  expect(parser, '}');
  const found = { kind: 'full-text', type, text, span: spanFrom(parser, start) } as const;
  return options === undefined ? found : { ...found, options };
}

/** `{Type {attr value, attr? value}, Rel [...], @options}`. */
export function readInstance(parser: Parser): InstancePattern {
  const { start } = expect(parser, '{');
  const type = readName(parser, 'the name of a type, or a key in quotes');
  const all = accept(parser, '?');
  expect(parser, '{');
  const attributes = readItems(parser, '}', readPatternAttribute);
  const nestedPatterns: NestedPattern[] = [];
  let options: PatternOptions = {};
  if (!at(parser, '}') && !peek(parser).newline) expectComma(parser);
  else accept(parser, ',');
  readItems(parser, '}', () => {
    if (at(parser, '@')) options = readOption(parser, options);
    else nestedPatterns.push(readNested(parser));
  });
  return { kind: 'instance', type, all, attributes, nested: nestedPatterns, options, span: spanFrom(parser, start) };
}

function expectComma(parser: Parser): void {
  if (!accept(parser, ',')) fail(parser, '`,` or `}`');
}

function readNested(parser: Parser): NestedPattern {
  const { start } = peek(parser);
  const relationship = readName(parser, 'the name of a relationship, an option, or `}`');
  const list = accept(parser, '[');
  const patterns = list ? readItems(parser, ']', (each) => nested(each, readInstance)) : [nested(parser, readInstance)];
  return { relationship, list, patterns, span: spanFrom(parser, start) };
}

/** `attr value`, `attr? value`, `attr?> value`; a colon behind the name says nothing. */
function readPatternAttribute(parser: Parser): PatternAttribute {
  const { start } = peek(parser);
  const name = readName(parser, 'the name of an attribute');
  const query = accept(parser, '?') ? readQueryOperator(parser) : undefined;
  accept(parser, ':');
  const value = readValue(parser);
  const attribute = { name, value, span: spanFrom(parser, start) };
  return query === undefined ? attribute : { ...attribute, query };
}

function readQueryOperator(parser: Parser): ComparisonOperator {
  const token = peek(parser);
  const isOne = token.kind === 'symbol' || (token.kind === 'name' && beginsValue(parser, 1));
  const operator = isOne ? comparisonSigns.get(token.text) : undefined;
  if (operator === undefined) return '==';
  next(parser);
  return operator;
}

function beginsValue(parser: Parser, ahead: number): boolean {
  const token = peek(parser, ahead);
  if (token.newline || token.kind === 'end') return false;
  return token.kind !== 'symbol' || ['(', '[', '{', '-', '@'].includes(token.text);
}

function readValue(parser: Parser): Expression | Aggregate {
  return at(parser, '@') ? readAggregate(parser) : parser.readExpression(parser);
}

const aggregates = new Map<string, Aggregate['function']>([
  ['count', 'count'],
  ['sum', 'sum'],
  ['avg', 'avg'],
  ['min', 'min'],
  ['max', 'max'],
]);

function readAggregate(parser: Parser): Aggregate {
  const { start } = expect(parser, '@');
  const name = readSimpleName(parser, 'the name of an aggregate');
  const known = aggregates.get(name.text);
  if (known === undefined) return unknownOption(parser, name, 'aggregate', aggregates.keys());
  expect(parser, '(');
  const star = peek(parser);
  const of = accept(parser, '*') ? { text: '*', span: tokenSpan(parser, star) } : readName(parser, 'the name of an attribute');
  expect(parser, ')');
  return { kind: 'aggregate', function: known, of, span: spanFrom(parser, start) };
}

function unknownOption(parser: Parser, name: Name, what: string, known: Iterable<string>): never {
  const near = nearest(name.text, known);
  report(parser, 'annotation-unknown', name.span, `there is no ${what} \`@${name.text}\``, near && `did you mean \`@${near}\`?`);
  abandon();
}

const joinSides = new Map<string, Join['side']>([
  ['join', 'inner'],
  ['inner_join', 'inner'],
  ['left_join', 'left'],
  ['right_join', 'right'],
  ['full_join', 'full'],
]);

const optionReaders = new Map<string, (parser: Parser) => PatternOptions>([
  ['from', (parser) => ({ from: parser.readExpression(parser) })],
  ['upsert', () => ({ upsert: true })],
  ['distinct', () => ({ distinct: true })],
  ['into', (parser) => ({ into: readBraced(parser, readColumn) })],
  ['where', (parser) => (at(parser, '(') ? { condition: readArgument(parser) } : { where: readBraced(parser, readPatternAttribute) })],
  ['groupBy', (parser) => ({ groupBy: readNames(parser) })],
  ['orderBy', (parser) => ({ orderBy: readOrder(parser) })],
  ['limit', (parser) => ({ limit: readArgument(parser) })],
  ['offset', (parser) => ({ offset: readArgument(parser) })],
]);

function readOption(parser: Parser, options: PatternOptions): PatternOptions {
  const { start } = expect(parser, '@');
  const name = readSimpleName(parser, 'the name of an option');
  const side = joinSides.get(name.text);
  if (side !== undefined) return { ...options, joins: [...(options.joins ?? []), readJoin(parser, side, start)] };
  const read = optionReaders.get(name.text);
  if (read === undefined) return unknownOption(parser, name, 'option', [...optionReaders.keys(), ...joinSides.keys()]);
  const option = read(parser);
  if (Object.keys(option).some((key) => Object.hasOwn(options, key)))
    report(parser, 'annotation-repeated', name.span, `\`@${name.text}\` stands here twice`);
  return { ...options, ...option };
}

function readJoin(parser: Parser, side: Join['side'], start: number): Join {
  const type = readName(parser, 'the name of a type');
  const attributes = readBraced(parser, readPatternAttribute);
  return { side, type, attributes, span: spanFrom(parser, start) };
}

function readBraced<T>(parser: Parser, read: (parser: Parser) => T): readonly T[] {
  expect(parser, '{');
  return readItems(parser, '}', read);
}

function readColumn(parser: Parser): { readonly name: Name; readonly value: Expression | Aggregate } {
  const name = readSimpleName(parser, 'the name of a column');
  accept(parser, ':');
  return { name, value: readValue(parser) };
}

function readNames(parser: Parser): readonly Name[] {
  expect(parser, '(');
  return readItems(parser, ')', (each) => readName(each, 'the name of an attribute'));
}

/** `(a, b) @desc`, or each with its own direction: `(a @desc, b)`. */
function readOrder(parser: Parser): NonNullable<PatternOptions['orderBy']> {
  expect(parser, '(');
  const columns = readItems(parser, ')', (each) => ({ name: readName(each, 'the name of an attribute'), descending: readDirection(each) }));
  return readDirection(parser) ? columns.map((each) => ({ ...each, descending: true })) : columns;
}

function readDirection(parser: Parser): boolean {
  const descending = at(parser, '@') && at(parser, 'desc', 1);
  if (descending || (at(parser, '@') && at(parser, 'asc', 1))) parser.index += 2;
  return descending;
}

function readArgument(parser: Parser): Expression {
  expect(parser, '(');
  const value = parser.readExpression(parser);
  expect(parser, ')');
  return value;
}
