// In charge of the small pieces of text: keywords, texts, numbers, and brackets around nodes.

import { isSameScalar, type Literal, type Scalar } from '../../../model/pattern.ts';
import type { Span } from '../../../source.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import { decodeText, isKeywordText, numberOf } from '../read/atom.ts';
import { type Branch, branch, type Item, type Node } from './layout.ts';

export function keyword(text: string): string {
  return `:${text}`;
}

export function vector(nodes: readonly (Node | Item)[]): Branch {
  return branch('[]', nodes.map(itemOf));
}

/** A vector whose first word says what it is. */
export function form(nodes: readonly (Node | Item)[], head = 2): Branch {
  return branch('[]', nodes.map(itemOf), { head });
}

function itemOf(each: Node | Item): Item {
  return typeof each === 'string' || 'open' in each ? { node: each } : each;
}

export function list(nodes: readonly (Node | Item)[], style: { span?: Span; head?: number; broken?: boolean } = {}): Branch {
  const { span, head = 2, broken = false } = style;
  return branch('()', nodes.map(itemOf), { head, broken, ...extent(span) });
}

export function quotedList(nodes: readonly Node[]): Branch {
  return branch("'()", nodes.map(itemOf), { head: 2 });
}

export interface Entry {
  readonly key: Node;
  readonly value: Node;
  readonly span?: Pick<Span, 'start' | 'end'> | undefined;
}

/** With a span, comments stay between the entries. */
export function map(entries: readonly Entry[], span?: Span, broken = false): Branch {
  const items = entries.map(({ key, value, span: at }) => ({ node: key, value, ...(at === undefined ? {} : { span: at }) }));
  return branch('{}', items, { broken, ...extent(span) });
}

/** Comments stay between the items of brackets whose place in the source is known. */
function extent(span: Span | undefined): { readonly end?: number } {
  return span === undefined ? {} : { end: span.end };
}

export function textNode(value: string): string {
  const escaped = value.replace(/["\\]/g, (character) => `\\${character}`);
  return `"${escaped.replace(/[\0-\x08\x0b-\x1f\x7f\u2028\u2029\ufeff\ud800-\udfff]|\r/g, escapeOf)}"`;
}

function escapeOf(character: string): string {
  return character === '\r' ? '\\r' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** As its author wrote it where that has this meaning, else in the plain form of its value. */
export function literalNode({ value, raw }: Literal): string {
  if (typeof value === 'string' && /^"(?:[^"\\]|\\[\s\S])*"$/.test(raw) && decodeText(raw.slice(1, -1)).value === value && isReadable(raw))
    return raw;
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber;
  if (isNumber && isSameScalar(numberOf(raw), value)) return raw;
  return scalarNode(value);
}

function isReadable(raw: string): boolean {
  return decodeText(raw.slice(1, -1)).fault === undefined && !raw.includes('\r');
}

/** Where a keyword is data, and not a reference. */
export function dataLiteral(literal: Literal): string {
  const isKeyword = typeof literal.value === 'string' && literal.raw === `:${literal.value}` && isKeywordText(literal.value);
  return isKeyword ? literal.raw : literalNode(literal);
}

function scalarNode(value: Scalar): string {
  if (value instanceof ExactNumber) return value.text;
  switch (typeof value) {
    case 'string':
      return textNode(value);
    case 'number':
      return numberNode(value);
    case 'object':
      return 'nil';
    default:
      return String(value);
  }
}

function numberNode(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (Number.isNaN(value)) return '##NaN';
  if (!Number.isFinite(value)) return value > 0 ? '##Inf' : '##-Inf';
  const text = String(value);
  // Without a point it would be read as the exact integer that it is not.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e') ? `${text}.0` : text;
}
