// In charge of texts and numbers of the current surface: where they end, what they mean, and how a value is written.

import { isSameScalar, type Literal, type Scalar } from '../../../model/pattern.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import { decimalValue } from '../../../values/json/number.ts';

/** The offset behind the closing delimiter of the text that begins at `start`, or -1 when there is none before `limit`. */
export function textEnd(text: string, start: number, delimiter: string, limit: number): number {
  for (let index = start + 1; index < limit; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === delimiter) return index + 1;
  }
  return -1;
}

const simpleEscapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
]);

/** What the characters between the delimiters mean. Line ends count as `\n`, however the file was saved. */
export function decodeText(inner: string): string {
  const unified = inner.includes('\r') ? inner.replaceAll('\r\n', '\n') : inner;
  if (!unified.includes('\\')) return unified;
  return unified.replace(/\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|[\s\S])/gu, (_, escaped: string) => {
    if (escaped === 'u' || !escaped.startsWith('u')) return simpleEscapes.get(escaped) ?? escaped;
    const code = Number.parseInt(escaped.startsWith('u{') ? escaped.slice(2, -1) : escaped.slice(1), 16);
    return code > 0x10ffff ? escaped : String.fromCodePoint(code);
  });
}

/** Exact: an integer that a double cannot hold is a bigint, any other number an ExactNumber. `undefined` for one of too many digits. */
export function numberValue(digits: string): number | bigint | ExactNumber | undefined {
  if (!/^\d+$/.test(digits)) return decimalValue(digits);
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

/** `-` in front of a number. */
export function negated(value: Scalar): Scalar {
  if (value instanceof ExactNumber) return new ExactNumber(`-${value.text}`);
  return typeof value === 'bigint' ? -value : -Number(value);
}

/** How a literal is written: as its author wrote it where that has this meaning, else in the plain form of its value. */
export function literalText({ raw, value }: Literal): string {
  // The earlier surface marks exact numbers at their end.
  const written = /\d[MN]$/.test(raw) ? raw.slice(0, -1) : raw;
  return isSameScalar(literalValue(written), value) ? written : valueText(value);
}

const nameOnly = /^[_\p{L}][_\p{L}\p{N}\p{M}]*$/u;

export function isPlainName(text: string): boolean {
  return nameOnly.test(text);
}

export function valueText(value: Scalar): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.text;
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return inexactText(value);
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Without a point it would be read as the exact integer that it is not. */
function inexactText(value: number): string {
  const text = String(value);
  return text.includes('e') ? text : `${text}.0`;
}

const wholeNumber = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function literalValue(raw: string): Scalar | undefined {
  if (raw === 'true' || raw === 'false') return raw === 'true';
  if (raw === 'null') return null;
  if (raw.startsWith('"') || raw.startsWith('`')) {
    return textEnd(raw, 0, raw.charAt(0), raw.length) === raw.length ? decodeText(raw.slice(1, -1)) : undefined;
  }
  if (!wholeNumber.test(raw)) return undefined;
  const value = numberValue(raw.replace(/^-/, ''));
  return raw.startsWith('-') && value !== undefined ? negated(value) : value;
}
