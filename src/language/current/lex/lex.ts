// In charge of the tokens of the current surface: source text → tokens, comments and the faults that only characters can have.

import { type Diagnostic, diagnostic } from '../../../diagnostics.ts';
import type { Comment } from '../../../model/declaration.ts';
import type { Scalar } from '../../../model/pattern.ts';
import type { Source } from '../../../source.ts';
import { decodeText, numberValue, textEnd } from './literal.ts';

export interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'symbol' | 'end';
  /** As written. */
  readonly text: string;
  /** Of a text or a number. */
  readonly value: Scalar;
  readonly start: number;
  readonly end: number;
  /** Whether it is the first on its line. */
  readonly newline: boolean;
  /** Characters before it on its line, when it is the first there. */
  readonly indent: number;
  /** Whether characters before it were refused, so that a fault found at it has been explained already. */
  readonly explained: boolean;
}

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
  /** A comment without an end has swallowed the rest: what is missing behind it is no second fault. */
  readonly truncated: boolean;
}

export function lex(source: Source): Lexed {
  const lexer: Lexer = {
    source,
    text: source.text,
    position: 0,
    newline: true,
    explained: false,
    truncated: false,
    unclosed: new Set(),
    tokens: [],
    comments: [],
    diagnostics: [],
  };
  while (lexer.position < lexer.text.length) step(lexer);
  push(lexer, 'end', lexer.text.length, null);
  return lexer;
}

interface Lexer {
  readonly source: Source;
  readonly text: string;
  position: number;
  newline: boolean;
  explained: boolean;
  truncated: boolean;
  /** Delimiters that were found open at the end of the file: from then on such a text ends with its line. */
  readonly unclosed: Set<string>;
  readonly tokens: Token[];
  readonly comments: Comment[];
  readonly diagnostics: Diagnostic[];
}

const whitespace = /\s+/uy;
const name = /[_\p{L}][_\p{L}\p{N}\p{M}]*/uy;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy;
const numberTail = /[._\p{L}\p{N}\p{M}]*/uy;
const symbol = /-->|->|==|!=|<>|<=|>=|[{}[\](),;:.?@=<>+\-*/]/uy;
const wordCharacter = /[_\p{L}\p{N}\p{M}]/u;
const singleQuoted = /'([^'\r\n]*)'/uy;
const refused = /[^\s_\p{L}\p{N}{}[\](),;:.?@=<>+\-*/"`']+/uy;

function step(lexer: Lexer): void {
  const { text, position } = lexer;
  const character = text.charAt(position);
  const space = match(lexer, whitespace);
  if (space !== undefined) {
    lexer.newline ||= space.includes('\n') || space.includes('\r');
    lexer.position += space.length;
  } else if (text.startsWith('//', position)) lineComment(lexer);
  else if (text.startsWith('/*', position)) blockComment(lexer);
  else if (character === '"' || character === '`') quoted(lexer, character);
  else if (startsNumber(lexer)) numeric(lexer);
  else word(lexer);
}

function word(lexer: Lexer): void {
  const word = match(lexer, name);
  const sign = word === undefined ? match(lexer, symbol) : undefined;
  if (word !== undefined) push(lexer, 'name', lexer.position + word.length, null);
  else if (sign !== undefined) push(lexer, 'symbol', lexer.position + sign.length, null);
  else refuse(lexer);
}

function match(lexer: Lexer, pattern: RegExp): string | undefined {
  pattern.lastIndex = lexer.position;
  return pattern.exec(lexer.text)?.[0];
}

function push(lexer: Lexer, kind: Token['kind'], end: number, value: Scalar): void {
  const { position: start, newline, explained } = lexer;
  const indent = newline ? start - lexer.text.lastIndexOf('\n', start - 1) - 1 : 0;
  lexer.tokens.push({ kind, text: lexer.text.slice(start, end), value, start, end, newline, indent, explained });
  lexer.position = end;
  lexer.newline = false;
  lexer.explained = false;
}

function report(lexer: Lexer, code: Diagnostic['code'], start: number, end: number, message: string, suggestion?: string): void {
  lexer.diagnostics.push(diagnostic(code, { source: lexer.source, start, end }, message, suggestion));
  lexer.explained = true;
}

function lineComment(lexer: Lexer): void {
  const end = lexer.text.indexOf('\n', lexer.position);
  comment(lexer, end === -1 ? lexer.text.length : end);
}

function blockComment(lexer: Lexer): void {
  const start = lexer.position;
  const close = lexer.text.indexOf('*/', start + 2);
  if (close === -1) {
    report(lexer, 'comment-unclosed', start, start + 2, 'the comment has no end', 'close it with `*/`');
    lexer.truncated = true;
    lexer.position = lexer.text.length;
    return;
  }
  comment(lexer, close + 2);
  lexer.newline ||= lexer.text.slice(start, close).includes('\n');
}

function comment(lexer: Lexer, end: number): void {
  const start = lexer.position;
  const text = lexer.text.slice(start, end).trimEnd();
  lexer.comments.push({ text, span: { source: lexer.source, start, end: start + text.length } });
  lexer.position = end;
}

function quoted(lexer: Lexer, delimiter: string): void {
  const start = lexer.position;
  const nextLine = lexer.text.indexOf('\n', start);
  const lineEnd = nextLine === -1 ? lexer.text.length : nextLine;
  const end = textEnd(lexer.text, start, delimiter, lexer.unclosed.has(delimiter) ? lineEnd : lexer.text.length);
  if (end !== -1 && !endsInsideWord(lexer, start, end)) {
    push(lexer, 'text', end, decodeText(lexer.text.slice(start + 1, end - 1)));
    return;
  }
  if (end === -1) lexer.unclosed.add(delimiter);
  report(
    lexer,
    'text-unclosed',
    start,
    start + 1,
    'the text has no end',
    delimiter === '`' ? 'close it with a back quote' : 'close it with a double quote',
  );
  push(lexer, 'text', lineEnd, lexer.text.slice(start + 1, lineEnd));
  lexer.explained = true;
}

/** A text over several lines whose closing quote is followed by a letter began with the quote that another one lacks. */
function endsInsideWord(lexer: Lexer, start: number, end: number): boolean {
  const next = lexer.text.codePointAt(end);
  if (next === undefined || !wordCharacter.test(String.fromCodePoint(next))) return false;
  return lexer.text.slice(start, end).includes('\n');
}

function startsNumber(lexer: Lexer): boolean {
  const { text, position, tokens } = lexer;
  if (isDigit(text.charCodeAt(position))) return true;
  if (text.charAt(position) !== '.' || !isDigit(text.charCodeAt(position + 1))) return false;
  const before = tokens.at(-1);
  return before === undefined || before.end !== position || before.kind !== 'name';
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function numeric(lexer: Lexer): void {
  const start = lexer.position;
  const digits = match(lexer, number) ?? '';
  lexer.position += digits.length;
  const tail = match(lexer, numberTail) ?? '';
  lexer.position = start;
  const end = start + digits.length + tail.length;
  const value = tail === '' ? numberValue(digits) : undefined;
  if (value === undefined) report(lexer, 'number-malformed', start, end, `\`${lexer.text.slice(start, end)}\` is not a number`);
  push(lexer, 'number', end, value ?? 0);
  lexer.explained = value === undefined;
}

function refuse(lexer: Lexer): void {
  const start = lexer.position;
  const single = match(lexer, singleQuoted);
  if (single !== undefined) {
    const end = start + single.length;
    report(lexer, 'character-unexpected', start, end, "a text is not written in `'`", `write ${JSON.stringify(single.slice(1, -1))}`);
    push(lexer, 'text', end, single.slice(1, -1));
    return;
  }
  const run = match(lexer, refused) ?? String.fromCodePoint(lexer.text.codePointAt(start) ?? 0);
  report(
    lexer,
    'character-unexpected',
    start,
    start + run.length,
    `unexpected ${describe(run)}`,
    operatorWords(run, lexer.text.charAt(start + run.length)),
  );
  lexer.position += run.length;
}

/** What people write who come from elsewhere: `a && !b`. */
function operatorWords(run: string, next: string): string | undefined {
  // `String!` is something else.
  const isOperator = /^(?:&&|\|\||!)+$/.test(run) && (!run.endsWith('!') || /[_\p{L}(]/u.test(next));
  if (!isOperator) return undefined;
  const words = run.replace(/&&|\|\||!/g, (each) => (each === '&&' ? 'and ' : each === '||' ? 'or ' : 'not '));
  return `write \`${words.trimEnd()}\``;
}

function describe(run: string): string {
  const shown = run.length > 20 ? `${run.slice(0, 20)}…` : run;
  const visible = shown.replace(/[\p{C}]/gu, (each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  return [...run].length === 1 ? `character \`${visible}\`` : `characters \`${visible}\``;
}
