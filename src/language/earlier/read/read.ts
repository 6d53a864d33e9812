// In charge of the forms of the earlier surface: source text → forms, comments and faults. One pass, no recursion.

import type { Diagnostic } from '../../../diagnostics.ts';
import type { Comment } from '../../../model/declaration.ts';
import type { Source } from '../../../source.ts';
import { characterOf, decodeText, isKeywordText, numberOf, startsNumber, wordOf } from './atom.ts';
import type { Collection, Form, Prefixed } from './form.ts';
import { abandon, close, comment, emit, match, open, push, type Reader, report, spanAt } from './reader.ts';

export interface FormsRead {
  readonly forms: readonly Form[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Never throws: what cannot be read becomes a diagnostic, and reading goes on behind it. */
export function readForms(source: Source): FormsRead {
  const reader: Reader = {
    source,
    text: source.text,
    position: 0,
    frames: [],
    forms: [],
    comments: [],
    diagnostics: [],
    textsEnd: true,
    swallowed: false,
  };
  while (reader.position < reader.text.length) step(reader);
  for (let frame = reader.frames.pop(); frame !== undefined; frame = reader.frames.pop()) abandon(reader, frame, reader.text.length);
  return reader;
}

const whitespace = /[\s,\ufeff]+/uy;
const word = /[^\s,()[\]{}";@^`~\\]+/uy;
const tag = /[^\s,()[\]{}";@^`~\\#'0-9:?_][^\s,()[\]{}";@^`~\\]*/uy;
const brackets = new Map<string, { readonly of: Collection['kind']; readonly close: string }>([
  ['(', { of: 'list', close: ')' }],
  ['[', { of: 'vector', close: ']' }],
  ['{', { of: 'map', close: '}' }],
]);
const prefixes = new Map<string, Prefixed['kind']>([
  ["'", 'quote'],
  ['`', 'syntax-quote'],
  ['@', 'deref'],
]);

function step(reader: Reader): void {
  const character = reader.text.charAt(reader.position);
  const space = match(reader, whitespace);
  const bracket = brackets.get(character);
  const prefix = prefixes.get(character);
  if (space !== undefined) reader.position += space.length;
  else if (character === ';') lineComment(reader);
  else if (bracket !== undefined) open(reader, bracket.of, bracket.close, 1);
  else if (character === ')' || character === ']' || character === '}') close(reader, character);
  else if (character === '"') text(reader, 1, 'text');
  else if (character === '#') dispatch(reader);
  else if (prefix !== undefined) push(reader, { kind: 'prefix', of: prefix, tag: '', start: reader.position }, 1);
  else if (character === '~') unquote(reader);
  else if (character === '^') push(reader, { kind: 'meta', start: reader.position, skipped: false }, 1);
  else if (character === '\\') characterLiteral(reader);
  else readWord(reader);
}

function lineComment(reader: Reader): void {
  const start = reader.position;
  const lineEnd = reader.text.indexOf('\n', start);
  const end = lineEnd === -1 ? reader.text.length : lineEnd;
  comment(reader, start, end);
  reader.position = end;
}

function text(reader: Reader, prefix: number, kind: 'text' | 'regex'): undefined {
  const start = reader.position;
  const end = reader.textsEnd ? textEnd(reader.text, start + prefix, false) : textEnd(reader.text, start + prefix, true);
  if (end === -1) {
    const wasKnown = !reader.textsEnd;
    reader.textsEnd = false;
    reader.swallowed = reader.frames.length > 0;
    const lineEnd = reader.text.indexOf('\n', start);
    reader.position = lineEnd === -1 ? reader.text.length : lineEnd;
    if (!wasKnown) report(reader, 'text-unclosed', start, start + 1, 'the text has no closing quote');
    emit(reader, { kind, value: reader.text.slice(start + prefix, reader.position), span: spanAt(reader, start, reader.position) });
    return;
  }
  reader.position = end;
  const inner = reader.text.slice(start + prefix, end - 1);
  const span = spanAt(reader, start, end);
  if (kind === 'regex') return emit(reader, { kind, value: inner, span });
  const { value, fault } = decodeText(inner);
  if (fault !== undefined) {
    const at = start + prefix + fault;
    report(reader, 'character-unexpected', at, at + 2, 'this escape means nothing', 'write `\\\\` for a backslash');
  }
  emit(reader, { kind, value, span });
}

/** The offset behind the closing quote, or -1. */
function textEnd(source: string, start: number, sameLine: boolean): number {
  for (let index = start; index < source.length; index += 1) {
    const character = source.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '"') return index + 1;
    else if (sameLine && character === '\n') return -1;
  }
  return -1;
}

function dispatch(reader: Reader): void {
  const { text: source, position: start } = reader;
  const following = source.charAt(start + 1);
  if (following === '{') open(reader, 'set', '}', 2);
  else if (following === '(') open(reader, 'function', ')', 2);
  else if (following === '"') text(reader, 2, 'regex');
  else if (following === '_') push(reader, { kind: 'discard', start }, 2);
  else if (following === "'") push(reader, { kind: 'prefix', of: 'var', tag: '', start }, 2);
  else if (following === '^') push(reader, { kind: 'meta', start, skipped: false }, 2);
  else if (following === '!') lineComment(reader);
  else if (following === '?') push(reader, { kind: 'prefix', of: 'conditional', tag: '', start }, source.charAt(start + 2) === '@' ? 3 : 2);
  else if (following === '#') symbolicValue(reader);
  else if (following === ':') namespacedMap(reader);
  else tagged(reader);
}

function unquote(reader: Reader): void {
  const splice = reader.text.charAt(reader.position + 1) === '@';
  push(reader, { kind: 'prefix', of: splice ? 'splice' : 'unquote', tag: '', start: reader.position }, splice ? 2 : 1);
}

const symbolic = new Map([
  ['##Inf', Number.POSITIVE_INFINITY],
  ['##-Inf', Number.NEGATIVE_INFINITY],
  ['##NaN', Number.NaN],
]);

function symbolicValue(reader: Reader): void {
  const found = match(reader, word) ?? '##';
  const value = symbolic.get(found);
  const start = reader.position;
  reader.position += found.length;
  if (value !== undefined) emit(reader, { kind: 'number', value, text: found, span: spanAt(reader, start, reader.position) });
  else report(reader, 'number-malformed', start, reader.position, `\`${found}\` is not a value`);
}

/** `#:Acme{:No 1}`: the keys belong to that component. */
function namespacedMap(reader: Reader): undefined {
  const found = match(reader, word) ?? '#:';
  const at = reader.position + found.length;
  const gap = /^[\s,]*/.exec(reader.text.slice(at, at + 100))?.[0].length ?? 0;
  const component = found.replace(/^#::?/, '');
  const isComponent = isKeywordText(component) && !component.includes('/');
  if (!isComponent) report(reader, 'name-malformed', reader.position, at, `\`${found.slice(0, 40)}\` names no component`);
  if (reader.text.charAt(at + gap) === '{') return open(reader, 'map', '}', found.length + gap + 1, isComponent ? component : '_');
  report(reader, 'token-unexpected', reader.position, at, 'a map is expected behind this');
  reader.position = at;
}

/** `#$ VAR`, `#uuid "..."`. */
function tagged(reader: Reader): void {
  const start = reader.position;
  reader.position += 1;
  const found = match(reader, tag);
  if (found === undefined) {
    report(reader, 'character-unexpected', start, start + 1, '`#` means nothing here');
    return;
  }
  push(reader, { kind: 'prefix', of: 'tagged', tag: found, start }, found.length);
}

function characterLiteral(reader: Reader): void {
  const start = reader.position;
  reader.position += 1;
  const first = [...reader.text.slice(reader.position, reader.position + 2)][0] ?? '';
  const rest = match(reader, word) ?? first;
  reader.position += Math.max(rest.length, first.length);
  const value = characterOf(rest === '' ? first : rest);
  const span = spanAt(reader, start, reader.position);
  if (value === undefined) report(reader, 'character-unexpected', start, reader.position, 'there is no such character');
  else emit(reader, { kind: 'character', value, span });
}

function readWord(reader: Reader): void {
  const found = match(reader, word) ?? reader.text.charAt(reader.position);
  const start = reader.position;
  reader.position += found.length;
  const span = spanAt(reader, start, reader.position);
  if (startsNumber(found)) {
    const value = numberOf(found);
    if (value === undefined) report(reader, 'number-malformed', start, reader.position, `\`${found.slice(0, 40)}\` is not a number`);
    emit(reader, { kind: 'number', value: value ?? 0, text: found, span });
    return;
  }
  const atom = wordOf(found, span);
  if (atom === undefined) report(reader, 'character-unexpected', start, reader.position, `\`${found.slice(0, 40)}\` is not a name`);
  else emit(reader, atom);
}
