// In charge of single words of the earlier surface: numbers, texts, characters, keywords and symbols, and what they mean.

import type { Span } from '../../../source.ts';
import { ExactNumber, quotientOf } from '../../../values/exact-number.ts';
import { decimalValue } from '../../../values/json/number.ts';
import type { Atom } from './form.ts';

/** What the characters between the quotes mean; `fault` is the offset of an escape that means nothing. */
export function decodeText(inner: string): { readonly value: string; readonly fault: number | undefined } {
  const unified = inner.includes('\r') ? inner.replaceAll('\r\n', '\n') : inner;
  if (!unified.includes('\\')) return { value: unified, fault: undefined };
  let fault: number | undefined;
  const value = unified.replace(/\\(u[0-9a-fA-F]{4}|[0-3][0-7]{2}|[0-7]{1,2}|[\s\S])/g, (whole, escaped: string, offset: number) => {
    const simple = escapes.get(escaped);
    if (simple !== undefined) return simple;
    if (/^u..../.test(escaped)) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    if (/^[0-7]/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8));
    fault ??= offset;
    return whole;
  });
  return { value, fault };
}

const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
]);

const namedCharacters = new Map([
  ['newline', '\n'],
  ['space', ' '],
  ['tab', '\t'],
  ['return', '\r'],
  ['backspace', '\b'],
  ['formfeed', '\f'],
]);

/** `word` is what stands behind the backslash. */
export function characterOf(word: string): string | undefined {
  const named = namedCharacters.get(word);
  if (named !== undefined) return named;
  if ([...word].length === 1) return word;
  if (/^u[0-9a-fA-F]{4}$/.test(word)) return String.fromCharCode(Number.parseInt(word.slice(1), 16));
  return /^o([0-3]?[0-7]{1,2})$/.test(word) ? String.fromCharCode(Number.parseInt(word.slice(1), 8)) : undefined;
}

const integer = /^([+-]?)(?:(0[xX][0-9a-fA-F]+)|(0[0-7]+)|([1-9]\d?)[rR]([0-9a-zA-Z]+)|(0|[1-9]\d*))N?$/;
const floating = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?M?$/;
const ratio = /^([+-]?\d+)\/(\d+)$/;

/** Nobody means a longer one, and reading it would take its time. */
const longestNumber = 1000;

/** The value of a number, or nothing when it is none. */
export function numberOf(word: string): number | bigint | ExactNumber | undefined {
  if (word.length > longestNumber) return undefined;
  const whole = integer.exec(word);
  if (whole !== null) return integerOf(whole);
  const parts = ratio.exec(word);
  if (parts !== null) return ratioOf(parts[1] ?? '', parts[2] ?? '');
  if (!floating.test(word)) return undefined;
  // A decimal keeps all of its digits, as in Clojure; without the letter it is the number alone.
  return /^-?\d+\.\d+M$/.test(word) ? new ExactNumber(word.slice(0, -1)) : decimalValue(word.replace(/M$/, ''));
}

/** The whole number that it is, else the decimal that `(/ a b)` gives. */
function ratioOf(top: string, bottom: string): number | bigint | ExactNumber | undefined {
  const [a, b] = [BigInt(top), BigInt(bottom)];
  if (b !== 0n && a % b === 0n) return decimalValue(String(a / b));
  const quotient = quotientOf({ digits: a, scale: 0 }, { digits: b, scale: 0 });
  return quotient === undefined ? undefined : decimalValue(ExactNumber.of(quotient).text);
}

function integerOf(match: RegExpExecArray): number | bigint | undefined {
  const [, sign, hex, octal, radix, digits, decimal] = match;
  const size = digits === undefined ? undefined : inRadix(digits, Number(radix));
  const value = hex ?? (octal === undefined ? decimal : `0o${octal.slice(1)}`);
  const found = size ?? (value === undefined ? undefined : BigInt(value));
  if (found === undefined) return undefined;
  const signed = sign === '-' ? -found : found;
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

function inRadix(digits: string, radix: number): bigint | undefined {
  if (radix < 2 || radix > 36) return undefined;
  let value = 0n;
  for (const digit of digits) {
    const each = Number.parseInt(digit, radix);
    if (Number.isNaN(each)) return undefined;
    value = value * BigInt(radix) + BigInt(each);
  }
  return value;
}

export function startsNumber(word: string): boolean {
  return /^[+-]?\d/.test(word);
}

/** A word that is no number: a keyword, a symbol, `nil`, `true` or `false`; nothing for a colon without a name. */
export function wordOf(word: string, span: Span): Atom | undefined {
  if (word === 'nil') return { kind: 'nil', span };
  if (word === 'true' || word === 'false') return { kind: 'boolean', value: word === 'true', span };
  if (!word.startsWith(':')) return { kind: 'symbol', name: word, span };
  const name = word.replace(/^::?/, '');
  return isKeywordText(name) ? { kind: 'keyword', name, span } : undefined;
}

/** `A.B/E.Attr`: at most one slash, names between the dots, and no sign that means something to the reader in front. */
export function isKeywordText(text: string): boolean {
  return /^[^\s,()[\]{}";@^`~\\:#'/.][^\s,()[\]{}";@^`~\\]*$/u.test(text) && !/\/.*\/|[./:]$|[./:][./:]/.test(text);
}
