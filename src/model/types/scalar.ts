// The type Any where instances are told apart by it (`@id`, and what refers to such an identifier): a text, a number or a boolean. The number 1
// and the text "1" are two identifiers, 1.0 and 1 are one.

import { ExactNumber } from '../../values/exact-number.ts';
import { decimalValue, doubleWritten } from '../../values/json/number.ts';
import type { Value } from '../../values/value.ts';
import type { AttributeType } from './attribute-type.ts';
import { isInteger64 } from './number/int.ts';
import { isCleanText } from './text/text.ts';

export const scalar: AttributeType = {
  name: 'Any',
  column: 'scalar',
  expected: 'a text, a number or a boolean',
  parse: parseScalar,
  parseText: parseSegment,
  schema: { type: ['string', 'number', 'boolean'] },
  identifies: true,
};

function parseScalar(input: Value): Value | undefined {
  switch (typeof input) {
    case 'string':
      return isCleanText(input) ? input : undefined;
    case 'boolean':
      return input;
    case 'number':
      return Number.isFinite(input) ? kept(input) : undefined;
    case 'bigint':
      return kept(input);
    default:
      return input instanceof ExactNumber ? parseNumber(input.text) : undefined;
  }
}

/** A number that no double holds could not be read by most callers. */
function parseNumber(text: string): Value | undefined {
  const read = decimalValue(text);
  const number = read instanceof ExactNumber ? doubleWritten(read) : read;
  return number === undefined ? undefined : kept(number);
}

/** Whole numbers have 64 bits and one form, whether they were written with a point or an exponent or not. */
function kept(number: number | bigint): number | bigint | undefined {
  if (typeof number === 'number' && !Number.isInteger(number)) return number;
  const whole = BigInt(number);
  if (!isInteger64(whole)) return undefined;
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}

/** As a store keeps it. */
export function encodeScalar(value: Value): string | null {
  return value === null ? null : scalarJson(value);
}

/** The JSON text, one for each value. */
export function scalarJson(value: Value): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

export function readScalar(json: string): Value {
  if (json.startsWith('"')) return String(JSON.parse(json));
  if (json === 'true' || json === 'false') return json === 'true';
  return kept(/^-?\d+$/.test(json) ? BigInt(json) : Number(json)) ?? null;
}

/** How it stands in a path and a query string: as it is, and in quotes where a text would be read as something else. */
export function scalarSegment(value: Value): string {
  if (typeof value !== 'string') return scalarJson(value);
  return readsAsOther(value) ? scalarJson(value) : value;
}

/** The text that a segment may be meant as too, where it reads as a number or a boolean. */
export function segmentAsText(text: string): string | undefined {
  return readsAsOther(text) && !text.startsWith('"') ? text : undefined;
}

function readsAsOther(text: string): boolean {
  return text.startsWith('"') || text === 'true' || text === 'false' || jsonNumber.test(text);
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const jsonText = /^"([^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$/;
const mostDigits = 400;

function parseSegment(text: string): Value | undefined {
  if (!readsAsOther(text)) return parseScalar(text);
  if (text.startsWith('"')) return quotedText(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return text.length > mostDigits ? undefined : parseNumber(text);
}

function quotedText(text: string): Value | undefined {
  return [...text].every((each) => each >= ' ') && jsonText.test(text) ? parseScalar(String(JSON.parse(text))) : undefined;
}
