// In charge of reading statements: patterns, loops, conditions, and what is done with their results.

import type { Alias, Handler, Name, Pattern, Statement } from '../../../model/pattern.ts';
import { continueExpression, readBracedStatement, readExpression, startsOperand } from './expression.ts';
import {
  accept,
  at,
  expect,
  fail,
  nested,
  next,
  type Parser,
  peek,
  readBody,
  readItems,
  readSimpleName,
  report,
  spanFrom,
} from './parser.ts';
import { isMap, readInstance } from './pattern.ts';

/** Statements up to the closing brace; the opening one is expected. */
export function readBlock(parser: Parser): readonly Statement[] {
  expect(parser, '{');
  return nested(parser, () => readBody(parser, '}', readStatement));
}

export function readStatement(parser: Parser): Statement {
  const { start } = peek(parser);
  const result: Writable<Statement> = readPlain(parser);
  while (at(parser, '@') && suffixes.has(peek(parser, 1).text)) readSuffix(parser, result);
  return { ...result, span: spanFrom(parser, start) };
}

function readPlain(parser: Parser): Statement {
  const { start } = peek(parser);
  return { pattern: nested(parser, readPattern), span: spanFrom(parser, start) };
}

/** At the top of a file a new line or `;` ends a statement. */
export function endStatement(parser: Parser): void {
  if (accept(parser, ';') || peek(parser).newline || peek(parser).kind === 'end') return;
  fail(parser, '`;` or a new line');
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const suffixes = new Set(['as', 'catch', 'throws', 'empty', 'then']);

function readSuffix(parser: Parser, statement: Writable<Statement>): void {
  expect(parser, '@');
  const name = readSimpleName(parser, 'a suffix');
  const known = new Map(Object.entries(statement)).has(name.text === 'catch' ? 'catches' : name.text);
  if (known) report(parser, 'annotation-repeated', name.span, `\`@${name.text}\` stands here twice`);
  if (name.text === 'as') statement.as = readAlias(parser);
  else if (name.text === 'catch') statement.catches = readHandlers(parser);
  else if (name.text === 'throws') statement.throws = readHandlers(parser);
  // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no statement is ever awaited.
  else if (name.text === 'then') statement.then = readBlock(parser);
  // What follows goes on with the statement around: `@empty "none" @as b` names the result, whichever it is.
  else statement.empty = readPlain(parser);
}

function readAlias(parser: Parser): Alias {
  const { start } = peek(parser);
  if (!accept(parser, '[')) return { kind: 'whole', name: readSimpleName(parser, 'a name for the result') };
  const names: (Name | undefined)[] = [];
  let rest: Name | undefined;
  readItems(parser, ']', () => {
    if (rest !== undefined) fail(parser, '`]` after the name of the rest');
    const name = readSimpleName(parser, 'a name for a part of the result');
    if (name.text !== '__') names.push(name.text === '_' ? undefined : name);
    else if (accept(parser, ',')) rest = readSimpleName(parser, 'a name for the rest');
    else fail(parser, '`,` and a name for the rest');
  });
  const alias = { kind: 'parts', names, span: spanFrom(parser, start) } as const;
  return rest === undefined ? alias : { ...alias, rest };
}

const outcomes = ['not_found', 'error', 'declined'] as const;

/** `{not_found <statement> error <statement>}`. */
function readHandlers(parser: Parser): readonly Handler[] {
  expect(parser, '{');
  const handlers: Handler[] = [];
  while (!accept(parser, '}')) {
    const on = outcomes.find((each) => accept(parser, each)) ?? fail(parser, '`not_found`, `error`, `declined` or `}`');
    handlers.push({ on, handler: nested(parser, readStatement) });
    if (!accept(parser, ',')) accept(parser, ';');
  }
  return handlers;
}

function readPattern(parser: Parser): Pattern {
  const token = peek(parser);
  if (token.kind === 'name') return readKeyword(parser) ?? readExpressionPattern(parser);
  if (at(parser, '{')) return readBraces(parser);
  if (at(parser, '(') && isKeywordPattern(parser, 1)) {
    next(parser);
    const inner = nested(parser, readPattern);
    expect(parser, ')');
    return inner;
  }
  return readExpressionPattern(parser);
}

function readExpressionPattern(parser: Parser): Pattern {
  return asPattern(parser, readExpression(parser));
}

/** A pattern in parentheses is that pattern. */
function asPattern(parser: Parser, expression: ReturnType<typeof readExpression>): Pattern {
  if (expression.kind === 'pattern') return expression.pattern;
  return { kind: 'expression', expression, span: spanFrom(parser, expression.span.start) };
}

function readBraces(parser: Parser): Pattern {
  const read = readBracedStatement(parser);
  if (read.kind === 'full-text') return read;
  const operand = read.kind === 'instance' ? ({ kind: 'pattern', pattern: read, span: read.span } as const) : read;
  return asPattern(parser, continueExpression(parser, operand));
}

/** Words open a statement only where its own grammar follows: elsewhere they are names. */
function isKeywordPattern(parser: Parser, ahead: number): boolean {
  const follows = peek(parser, ahead + 1);
  if (follows.newline) return false;
  const opens = (sign: string) => follows.text === sign && follows.kind === 'symbol';
  const operand = startsOperand(parser, ahead + 1);
  switch (peek(parser, ahead).text) {
    case 'if':
      return opens('(') || (operand && follows.kind !== 'symbol');
    case 'for':
      return operand && follows.kind === 'name';
    case 'delete':
    case 'purge':
      return opens('{') || (operand && follows.kind === 'name');
    case 'return':
    case 'throw':
      return operand;
    default:
      return false;
  }
}

function readKeyword(parser: Parser): Pattern | undefined {
  if (!isKeywordPattern(parser, 0)) return undefined;
  const { text, start } = next(parser);
  if (text === 'if') return readIf(parser, start);
  if (text === 'for') return readFor(parser, start);
  if (text === 'return') return { kind: 'return', value: nested(parser, readStatement), span: spanFrom(parser, start) };
  if (text === 'throw') return { kind: 'throw', reason: readExpression(parser), span: spanFrom(parser, start) };
  if (isMap(parser)) {
    next(parser);
    fail(parser, 'the name of a type');
  }
  return { kind: 'delete', purge: text === 'purge', target: readInstance(parser), span: spanFrom(parser, start) };
}

function readIf(parser: Parser, start: number): Pattern {
  expect(parser, '(');
  const condition = readExpression(parser);
  expect(parser, ')');
  const then = readBlock(parser);
  const otherwise = accept(parser, 'else') ? readElse(parser) : undefined;
  const pattern = { kind: 'if', condition, then, span: spanFrom(parser, start) } as const;
  return otherwise === undefined ? pattern : { ...pattern, otherwise };
}

function readElse(parser: Parser): readonly Statement[] {
  if (!at(parser, 'if')) return readBlock(parser);
  const { start } = next(parser);
  const pattern = nested(parser, () => readIf(parser, start));
  return [{ pattern, span: spanFrom(parser, start) }];
}

function readFor(parser: Parser, start: number): Pattern {
  const variable = readSimpleName(parser, 'a name');
  expect(parser, 'in');
  const source = nested(parser, readStatement);
  const body = readBlock(parser);
  return { kind: 'for', variable, source, body, span: spanFrom(parser, start) };
}
