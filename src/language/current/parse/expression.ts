// In charge of reading expressions: literals, references, calls, and operators with their usual precedence.

import { equalityFunctions, sameOf } from '../../../model/equality.ts';
import { sumOf } from '../../../model/numeric-expression.ts';
import {
  absence,
  type BinaryOperator,
  comparisonSigns,
  type Expression,
  type InstancePattern,
  type Literal,
  type MapExpression,
} from '../../../model/pattern.ts';
import type { Span } from '../../../source.ts';
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
  report,
  spanFrom,
  tokenSpan,
  touches,
} from './parser.ts';
import { isInstance, isMap, readFullText, readInstance, readMap } from './pattern.ts';

const notPrecedence = 3;
const comparisonPrecedence = 4;

const precedences = new Map<string, readonly [operator: BinaryOperator, precedence: number]>([
  ['or', ['or', 1]],
  ['and', ['and', 2]],
  ...[...comparisonSigns].map(([word, operator]) => [word, [operator, comparisonPrecedence]] as const),
  ['+', ['+', 5]],
  ['-', ['-', 5]],
  ['*', ['*', 6]],
  ['/', ['/', 6]],
]);

const unaryPrecedence = 7;
/** So many operators stand above one another at most: a chain of them is a deep tree, however flat it looks. */
const deepestOperator = 1000;

export function readExpression(parser: Parser): Expression {
  return readFrom(parser, 0);
}

/** Goes on behind an operand that has been read already; `depth` is that of the operators in it. */
export function continueExpression(parser: Parser, left: Expression, lowest = 0, depth = 0): Expression {
  let result = left;
  let deep = depth;
  for (;;) {
    if (lowest <= comparisonPrecedence && at(parser, 'is') && isAbsence(parser)) {
      result = readAbsence(parser, result);
      deep += 1;
      if (deep > deepestOperator) refuseDepth(parser, result.span);
      continue;
    }
    const token = peek(parser);
    const found = token.kind === 'symbol' || token.kind === 'name' ? precedences.get(token.text) : undefined;
    if (found === undefined || found[1] < lowest) break;
    next(parser);
    const right = measured(parser, () => readFrom(parser, found[1] + 1));
    deep = Math.max(deep, right.depth) + 1;
    if (deep > deepestOperator) refuseDepth(parser, token);
    result = { kind: 'binary', operator: found[0], left: result, right: right.value, span: spanFrom(parser, result.span.start) };
  }
  parser.operators = Math.max(parser.operators, deep);
  return result;
}

/** `is null`, `is not null`: comparisons with `null`, which are printed as they were written. */
function isAbsence(parser: Parser): boolean {
  return at(parser, 'null', 1) || (at(parser, 'not', 1) && at(parser, 'null', 2));
}

function readAbsence(parser: Parser, left: Expression): Expression {
  next(parser);
  const operator: BinaryOperator = accept(parser, 'not') ? '!=' : '==';
  const right: Literal = { kind: 'literal', value: null, raw: absence, span: tokenSpan(parser, next(parser)) };
  return { kind: 'binary', operator, left, right, span: spanFrom(parser, left.span.start) };
}

function refuseDepth(parser: Parser, token: { readonly start: number; readonly end: number }): void {
  const span = { source: parser.source, start: token.start, end: token.end };
  report(parser, 'nesting-too-deep', span, `more than ${deepestOperator} operators build on one another in this expression`);
  abandon();
}

/** What is read, with how many operators stand above one another in it. */
function measured(parser: Parser, read: () => Expression): { readonly value: Expression; readonly depth: number } {
  const outer = parser.operators;
  parser.operators = 0;
  const value = read();
  const depth = parser.operators;
  parser.operators = Math.max(outer, depth);
  return { value, depth };
}

function readFrom(parser: Parser, lowest: number): Expression {
  return nested(parser, () => {
    const operand = measured(parser, () => readOperand(parser));
    return continueExpression(parser, operand.value, lowest, operand.depth);
  });
}

function readOperand(parser: Parser): Expression {
  const token = peek(parser);
  switch (token.kind) {
    case 'text':
    case 'number':
      return readLiteral(parser);
    case 'name':
      return readWord(parser);
    case 'symbol':
      return readSign(parser);
    case 'end':
      return fail(parser, 'a value');
  }
}

export function readLiteral(parser: Parser): Literal {
  const token = next(parser);
  return { kind: 'literal', value: token.value, raw: token.text, span: tokenSpan(parser, token) };
}

function readSign(parser: Parser): Expression {
  const { start } = peek(parser);
  if (at(parser, '{')) return readBraces(parser);
  if (accept(parser, '[')) {
    const items = readItems(parser, ']', readExpression);
    return { kind: 'list', items, span: spanFrom(parser, start) };
  }
  if (accept(parser, '(')) {
    const inner = readExpression(parser);
    expect(parser, ')');
    return inner;
  }
  if (!accept(parser, '-')) return fail(parser, 'a value');
  if (peek(parser).kind === 'number') return negative(readLiteral(parser), start);
  const operand = readFrom(parser, unaryPrecedence);
  return { kind: 'unary', operator: '-', operand, span: spanFrom(parser, start) };
}

function negative(literal: Literal, start: number): Literal {
  return { kind: 'literal', value: negated(literal.value), raw: `-${literal.raw}`, span: { ...literal.span, start } };
}

/** A map, or a pattern where a value is expected. */
function readBraces(parser: Parser): Expression {
  if (isMap(parser)) return readMap(parser);
  const pattern = nested(parser, readInstance);
  return { kind: 'pattern', pattern, span: pattern.span };
}

/** What may begin a statement with a brace: also a full-text search. */
export function readBracedStatement(parser: Parser): MapExpression | InstancePattern | ReturnType<typeof readFullText> {
  if (isMap(parser)) return readMap(parser);
  return isInstance(parser) ? readInstance(parser) : readFullText(parser);
}

const constants = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function readWord(parser: Parser): Expression {
  const token = peek(parser);
  if (at(parser, 'not') && startsOperand(parser, 1)) {
    next(parser);
    const operand = readFrom(parser, notPrecedence);
    return { kind: 'unary', operator: 'not', operand, span: spanFrom(parser, token.start) };
  }
  const awaited = at(parser, 'await') && startsName(parser, 1);
  if (awaited) next(parser);
  const name = readName(parser, 'a value');
  const constant = constants.get(name.text);
  if (constant !== undefined && !awaited) return { kind: 'literal', value: constant, raw: name.text, span: name.span };
  if (at(parser, '(') && !peek(parser).newline) {
    next(parser);
    const args = readItems(parser, ')', readExpression);
    const span = spanFrom(parser, token.start);
    if (name.text === 'add' && !awaited) return readSum(parser, args, span);
    const equality = equalityFunctions.find((each) => each === name.text && !awaited && args.length > 0);
    return equality === undefined ? { kind: 'call', name, arguments: args, awaited, span } : sameOf(equality, args, span);
  }
  if (awaited) return fail(parser, '`(`');
  return { kind: 'reference', path: pathOf(name.text), span: name.span };
}

/** `add(a, b, ...)`: a sum of numbers, whatever they are given as. */
function readSum(parser: Parser, [first, second, ...more]: readonly Expression[], span: Span): Expression {
  parser.operators += more.length + 1;
  if (parser.operators > deepestOperator) refuseDepth(parser, span);
  if (first !== undefined && second !== undefined) return sumOf(first, [second, ...more], span);
  report(parser, 'function-arguments', span, '`add` takes two arguments or more');
  return first ?? { kind: 'literal', value: null, raw: 'null', span };
}

/** `blog.core/Post.title` is the path `blog.core/Post`, `title`. */
function pathOf(text: string): readonly string[] {
  const slash = text.indexOf('/');
  if (slash === -1) return text.split('.');
  const [first = '', ...rest] = text.slice(slash + 1).split('.');
  return [`${text.slice(0, slash)}/${first}`, ...rest];
}

/** Whether an operand begins at the token `ahead`, on the same line: otherwise a word before it is only a name. */
export function startsOperand(parser: Parser, ahead: number): boolean {
  const token = peek(parser, ahead);
  if (token.newline || token.kind === 'end') return false;
  if (token.kind !== 'symbol') return !isWordOperator(parser, ahead);
  return token.text === '(' || token.text === '[' || token.text === '{' || token.text === '-';
}

function startsName(parser: Parser, ahead: number): boolean {
  return startsOperand(parser, ahead) && peek(parser, ahead).kind === 'name';
}

function isWordOperator(parser: Parser, ahead: number): boolean {
  const token = peek(parser, ahead);
  if (token.kind !== 'name' || !precedences.has(token.text)) return false;
  return !(at(parser, '.', ahead + 1) && touches(parser, ahead + 1));
}
