// The scalars of transit: what `~`, a letter and a text mean, as values that JSON has too.

import { decimal } from '../../../model/types/number/decimal.ts';
import { uuid } from '../../../model/types/text/uuid.ts';
import { datetime } from '../../../model/types/time/datetime.ts';
import { parseJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';

/** The value of a text under its letter, `undefined` when the text does not fit the letter or nobody knows the letter. */
export function groundValue(letter: string, text: string): Value | undefined {
  return grounds.get(letter)?.(text);
}

/** What is well-formed and yet no value of any attribute; `undefined` for everything else. */
export function unfitGround(letter: string, text: string): string | undefined {
  if (letter === 'b') return 'binary data is not a value';
  if ((letter === 'z' || letter === 'd') && notFinite.has(text)) return 'only finite numbers are values';
  return undefined;
}

/** The letters whose text may also come as a number: `["~#m", 1700000000000]`. */
export const numericLetters = 'indfm';

/** The UUID whose two halves are these 64-bit integers. */
export function uuidOfHalves(high: bigint, low: bigint): string {
  const digits = [high, low].map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const grounds: ReadonlyMap<string, (text: string) => Value | undefined> = new Map([
  ['_', (text: string) => (text === '' ? null : undefined)],
  ['?', (text) => (text === 't' ? true : text === 'f' ? false : undefined)],
  ['i', integer],
  ['n', integer],
  ['d', float],
  ['f', decimal.parseText],
  ['c', (text) => ([...text].length === 1 ? text : undefined)],
  [':', (text) => text],
  ['$', (text) => text],
  ['r', (text) => text],
  ['u', uuid.parseText],
  ['m', moment],
  ['t', timestamp],
]);

const notFinite: ReadonlySet<string> = new Set(['NaN', 'INF', '-INF', 'Infinity', '-Infinity']);

const integerText = /^-?\d+$/;
const floatText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
// Longer ones are an attack, not a number: reading a bigint is quadratic.
const mostDigits = 1000;
const latestMoment = 8_640_000_000_000_000;

function integer(text: string): Value | undefined {
  if (text.length > mostDigits || !integerText.test(text)) return undefined;
  const value = BigInt(text);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function float(text: string): Value | undefined {
  return text.length <= mostDigits && floatText.test(text) ? parseJson(text, { depth: 0, keys: 0, items: 0 }) : undefined;
}

/** Milliseconds since 1970. */
function moment(text: string): Value | undefined {
  const milliseconds = integerText.test(text) ? Number(text) : Number.NaN;
  return Math.abs(milliseconds) <= latestMoment ? new Date(milliseconds).toISOString() : undefined;
}

/** A point in time: without a zone it would be none. */
function timestamp(text: string): Value | undefined {
  const value = datetime.parseText(text);
  return typeof value === 'string' && value.endsWith('Z') ? value : undefined;
}
