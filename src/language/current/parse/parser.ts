// In charge of the cursor over the tokens: looking ahead, expecting, reporting, and going on behind a fault.

import { type Diagnostic, type DiagnosticCode, diagnostic } from '../../../diagnostics.ts';
import type { Expression, Name } from '../../../model/pattern.ts';
import { positionOf, type Source, type Span } from '../../../source.ts';
import type { Lexed, Token } from '../lex/lex.ts';
import { type Outline, outline } from './outline.ts';

export interface Parser {
  readonly source: Source;
  readonly tokens: readonly Token[];
  readonly outline: Outline;
  readonly diagnostics: Diagnostic[];
  readonly truncated: boolean;
  /** Patterns and expressions contain each other: the way back from the former to the latter. */
  readonly readExpression: (parser: Parser) => Expression;
  index: number;
  nesting: number;
  /** How many operators stand above one another at most, in what is read since this was set to 0. */
  operators: number;
  lastReported: number;
  lineWithoutSeparator: number;
}

const deepest = 200;

export function createParser(source: Source, lexed: Lexed, readExpression: (parser: Parser) => Expression): Parser {
  const { tokens, diagnostics, truncated } = lexed;
  return {
    source,
    tokens,
    outline: outline(tokens),
    diagnostics: [...diagnostics],
    truncated,
    readExpression,
    index: 0,
    nesting: 0,
    operators: 0,
    lastReported: -1,
    lineWithoutSeparator: 0,
  };
}

const nothing: Token = { kind: 'end', text: '', value: null, start: 0, end: 0, newline: true, indent: 0, explained: false };

export function peek(parser: Parser, ahead = 0): Token {
  return parser.tokens[parser.index + ahead] ?? parser.tokens.at(-1) ?? nothing;
}

export function next(parser: Parser): Token {
  const token = peek(parser);
  if (token.kind !== 'end') parser.index += 1;
  return token;
}

/** Whether the sign or word stands at the cursor (or `ahead` of it). A quoted text is never a word. */
export function at(parser: Parser, text: string, ahead = 0): boolean {
  const token = peek(parser, ahead);
  return token.text === text && (token.kind === 'symbol' || token.kind === 'name');
}

export function accept(parser: Parser, text: string): boolean {
  if (!at(parser, text)) return false;
  parser.index += 1;
  return true;
}

export function expect(parser: Parser, text: string): Token {
  return at(parser, text) ? next(parser) : fail(parser, `\`${text}\``);
}

/** Whether the token `ahead` touches the one before it. */
export function touches(parser: Parser, ahead: number): boolean {
  return peek(parser, ahead).start === peek(parser, ahead - 1).end;
}

export function spanFrom(parser: Parser, start: number): Span {
  const last = parser.tokens[parser.index - 1];
  return { source: parser.source, start, end: Math.max(start, last?.end ?? start) };
}

export function tokenSpan(parser: Parser, token: Token): Span {
  return { source: parser.source, start: token.start, end: token.end };
}

export function report(parser: Parser, code: DiagnosticCode, span: Span, message: string, suggestion?: string): void {
  // A second fault at the same place is the same fault seen twice.
  if (span.start === parser.lastReported) return;
  parser.lastReported = span.start;
  parser.diagnostics.push(diagnostic(code, span, message, suggestion));
}

/**
 * Faults travel as an exception inside this folder only, from where one is found to the nearest list that can go on behind it
 * (`recovering`): every reader in between would otherwise have to hand it on.
 */
class SyntaxFault extends Error {}
const fault = new SyntaxFault('reported');

export function fail(parser: Parser, expected: string, suggestion?: string): never {
  const token = peek(parser);
  const explained = token.explained || (token.kind === 'end' && parser.truncated);
  if (!explained) report(parser, 'token-unexpected', tokenSpan(parser, token), `expected ${expected}, found ${shown(token)}`, suggestion);
  throw fault;
}

/** Gives up the present item: its fault has been reported. */
export function abandon(): never {
  throw fault;
}

export function shown(token: Token): string {
  if (token.kind === 'end') return 'the end of the file';
  const line = token.text.split('\n', 1)[0] ?? '';
  return line.length > 40 || line.length < token.text.length ? `\`${line.slice(0, 40)}…\`` : `\`${line}\``;
}

/** Runs `read` one level deeper, and refuses what no person would nest and no stack would hold. */
export function nested<T>(parser: Parser, read: (parser: Parser) => T): T {
  parser.nesting += 1;
  if (parser.nesting > deepest) {
    report(parser, 'nesting-too-deep', tokenSpan(parser, peek(parser)), `nested deeper than ${deepest} levels`);
    throw fault;
  }
  const result = read(parser);
  parser.nesting -= 1;
  return result;
}

/** Runs `read`; after a fault, `resume` moves the cursor to where reading can go on. */
export function recovering<T>(parser: Parser, read: (parser: Parser) => T, resume: (parser: Parser) => void): T | undefined {
  const { index, nesting, operators } = parser;
  try {
    return read(parser);
  } catch (thrown) {
    if (thrown !== fault) throw thrown;
    parser.nesting = nesting;
    parser.operators = operators;
    if (parser.index === index) next(parser);
    resume(parser);
    return undefined;
  }
}

function startsElsewhere(parser: Parser): boolean {
  return parser.outline.starts[parser.index] === true;
}

/** Items up to `close`, separated by a comma (or semicolon) or a new line; a broken item ends this list too. */
export function readItems<T>(parser: Parser, close: string, read: (parser: Parser) => T): readonly T[] {
  const items: T[] = [];
  while (!at(parser, close) && peek(parser).kind !== 'end') {
    items.push(read(parser));
    separate(parser, close);
  }
  expect(parser, close);
  return items;
}

/** As `readItems`, but a broken item does not hide the next one. The opening bracket has just been read. */
export function readBody<T>(parser: Parser, close: string, read: (parser: Parser) => T | undefined): readonly T[] {
  const items: T[] = [];
  // That of the first token inside, because brackets that are never closed do not count.
  const depth = parser.outline.depths[parser.index] ?? 0;
  const resume = () => resumeInBody(parser, depth);
  while (!at(parser, close) && peek(parser).kind !== 'end' && !startsElsewhere(parser)) {
    const item = recovering(
      parser,
      () => {
        const result = read(parser);
        separate(parser, close);
        return result;
      },
      resume,
    );
    if (item !== undefined) items.push(item);
  }
  expect(parser, close);
  return items;
}

/** On to the next separator, item on a new line, or closing bracket of the body whose tokens have this depth. */
function resumeInBody(parser: Parser, depth: number): void {
  const { depths } = parser.outline;
  while (peek(parser).kind !== 'end' && !startsElsewhere(parser)) {
    const here = depths[parser.index] ?? 0;
    if (here < depth) {
      if (at(parser, '}')) return;
    } else if (here === depth) {
      if (accept(parser, ',') || accept(parser, ';')) return;
      if (peek(parser).newline && (peek(parser).kind === 'name' || at(parser, '@') || at(parser, '{'))) return;
    }
    parser.index += 1;
  }
}

/** On to the next declaration: one that surely is, or what begins a line at its left edge, outside of all brackets. */
export function resumeAtTop(parser: Parser): void {
  for (; peek(parser).kind !== 'end'; parser.index += 1) {
    if (startsElsewhere(parser)) return;
    if ((parser.outline.depths[parser.index] ?? 0) === 0 && atLeftEdge(parser)) return;
  }
}

function atLeftEdge(parser: Parser): boolean {
  const token = peek(parser);
  if (!token.newline || token.indent > 0) return false;
  return token.kind === 'name' || at(parser, '{') || at(parser, '@');
}

export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** Between items in braces a new line does; on the same line a missing comma is reported, and reading goes on. */
function separate(parser: Parser, close: string): void {
  if (accept(parser, ',') || at(parser, close)) return;
  const token = peek(parser);
  if (close !== '}') {
    if (close === ')' || !token.newline || token.kind === 'name') fail(parser, `\`,\` or \`${close}\``);
  } else if (!accept(parser, ';') && !token.newline && token.kind !== 'end' && !token.explained) {
    const { line } = positionOf(tokenSpan(parser, token));
    const message = `expected \`,\`, \`}\` or a new line, found ${shown(token)}`;
    if (line !== parser.lineWithoutSeparator) report(parser, 'token-unexpected', tokenSpan(parser, token), message);
    parser.lineWithoutSeparator = line;
  }
}

export function readSimpleName(parser: Parser, expected: string): Name {
  if (peek(parser).kind !== 'name') return fail(parser, expected);
  const token = next(parser);
  return { text: token.text, span: tokenSpan(parser, token) };
}

/** A name, dotted or qualified: `Post`, `rates.convert`, `blog.core/Post`, `blog.core/Post.title`. */
export function readName(parser: Parser, expected: string): Name {
  const first = readSimpleName(parser, expected);
  dots(parser);
  if (at(parser, '/') && joins(parser)) {
    parser.index += 2;
    dots(parser);
  }
  const span = spanFrom(parser, first.span.start);
  return { text: parser.source.text.slice(span.start, span.end), span };
}

function dots(parser: Parser): void {
  while (at(parser, '.') && joins(parser)) parser.index += 2;
}

/** Whether the sign at the cursor stands between two names without spaces. */
function joins(parser: Parser): boolean {
  return touches(parser, 0) && touches(parser, 1) && peek(parser, 1).kind === 'name';
}
