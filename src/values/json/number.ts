// JSON number tokens → exact values: a number where a double holds it, a bigint or an ExactNumber where it does not.

import { ExactNumber } from '../exact-number.ts';
import { type JsonReader, tooLarge, unexpected } from './reader.ts';

/** Reads the number at the reader's position; anything that is not one is refused. */
export function readNumber(reader: JsonReader): number | bigint | ExactNumber {
  const { text } = reader;
  const start = reader.at;
  const negative = text.charCodeAt(start) === minus;
  const digits = negative ? start + 1 : start;
  const end = afterInteger(reader, digits);
  const next = text.charCodeAt(end);
  if (next === point || next === upperE || next === lowerE) return readFraction(reader, start, end);
  reader.at = end;
  if (end - digits > 15) return bigInteger(reader, start, end);
  let value = 0;
  for (let at = digits; at < end; at += 1) value = value * 10 + text.charCodeAt(at) - zero;
  // -0 is 0: there is no other integer zero.
  return negative && value !== 0 ? -value : value;
}

const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const upperE = 0x45;
const lowerE = 0x65;

// Longer ones are an attack, not a number: writing a bigint out is quadratic.
const mostDigits = 1000;
const highestExponent = 1000;

function afterInteger(reader: JsonReader, start: number): number {
  if (reader.text.charCodeAt(start) === zero) return start + 1;
  return afterDigits(reader, start);
}

/** The offset behind one or more digits. */
function afterDigits(reader: JsonReader, start: number): number {
  const { text } = reader;
  let at = start;
  for (let code = text.charCodeAt(at); code >= zero && code <= nine; code = text.charCodeAt(at)) at += 1;
  if (at > start) return at;
  reader.at = start;
  throw unexpected(reader);
}

function bigInteger(reader: JsonReader, start: number, end: number): number | bigint {
  if (end - start > mostDigits) throw tooLarge('A number with too many digits ends', reader);
  const token = reader.text.slice(start, end);
  const value = Number(token);
  return Number.isSafeInteger(value) ? value : BigInt(token);
}

function readFraction(reader: JsonReader, start: number, integerEnd: number): number | ExactNumber {
  const { text } = reader;
  let end = integerEnd;
  if (text.charCodeAt(end) === point) end = afterDigits(reader, end + 1);
  const mantissaEnd = end;
  const mark = text.charCodeAt(end);
  if (mark === upperE || mark === lowerE) {
    const sign = text.charCodeAt(end + 1);
    end = afterDigits(reader, sign === plus || sign === minus ? end + 2 : end + 1);
  }
  reader.at = end;
  if (end - start > mostDigits) throw tooLarge('A number with too many digits ends', reader);
  const token = text.slice(start, end);
  const value = Number(token);
  // Up to 15 digits always survive the way through a double.
  if (end === mantissaEnd && end - start <= 16) return value === 0 ? 0 : value;
  if (mantissaEnd < end && Math.abs(Number(text.slice(mantissaEnd + 1, end))) > highestExponent) {
    throw tooLarge('A number with too large an exponent ends', reader);
  }
  if (!Number.isFinite(value) || canonical(token) !== canonical(String(value))) return new ExactNumber(token);
  return value === 0 ? 0 : value;
}

/**
 * A decimal as a model writes it (`.5`, `1.`, `+007.50`): a double where that holds it, a bigint where it is written as a whole number,
 * else all of its digits; `undefined` where it has too many of them.
 */
export function decimalValue(written: string): number | bigint | ExactNumber | undefined {
  const token = decimalText(written);
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  if (token.length > mostDigits || Math.abs(Number(exponent)) > highestExponent) return undefined;
  const value = Number(token);
  if (Number.isFinite(value) && canonical(token) === canonical(String(value))) return value;
  return mantissa === token && !token.includes('.') ? BigInt(token) : new ExactNumber(token);
}

/** In the form of JSON: `0.5` for `.5`, `1` for `1.`, `7.50` for `+007.50`. */
export function decimalText(written: string): string {
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/.exec(written) ?? [];
  const number = digits.replace(/\.(?=$|[eE])/, '').replace(/^0+(?=\d)/, '');
  return `${sign === '-' ? '-' : ''}${number.startsWith('.') ? '0' : ''}${number}`;
}

/** The double whose digits these are, not its shortest ones but as many as were written: other languages write `0.10000000000000001` for 0.1. */
export function doubleWritten({ text }: ExactNumber): number | undefined {
  const [value, token] = [Number(text), canonical(text)];
  const digits = token.indexOf('e');
  return digits >= 1 && digits <= 17 && token === canonical(value.toPrecision(digits)) ? value : undefined;
}

/** One spelling for each decimal value: its digits without zeros at either end, and the power of ten of the last one. */
function canonical(token: string): string {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = integer + fraction;
  let first = 0;
  while (all.charCodeAt(first) === zero) first += 1;
  let last = all.length;
  while (last > first && all.charCodeAt(last - 1) === zero) last -= 1;
  if (first === last) return '0';
  return `${all.slice(first, last)}e${Number(exponent) - fraction.length + all.length - last}`;
}
