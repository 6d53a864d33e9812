// The type Decimal: an exact number of any size up to 1,000 digits, kept and answered as text.

import { ExactNumber } from '../../../values/exact-number.ts';
import type { Value } from '../../../values/value.ts';
import type { AttributeType } from '../attribute-type.ts';

const mostDigits = 1000;
const decimalText = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

export const decimal: AttributeType = {
  name: 'Decimal',
  column: 'decimal',
  expected: 'a decimal number of at most 1,000 digits, as a number or a text',
  parse: parseDecimal,
  parseText: canonical,
  schema: { type: 'string', format: 'decimal' },
  form: 'An exact number, as a text.',
  example: '12.5',
  requestSchema: { oneOf: [{ type: 'number' }, { type: 'string', format: 'decimal' }] },
  identifies: false,
};

function parseDecimal(input: Value): Value | undefined {
  if (typeof input === 'string') return canonical(input);
  if (input instanceof ExactNumber) return canonical(input.text);
  if (typeof input === 'bigint') return canonical(input.toString());
  return typeof input === 'number' && Number.isFinite(input) ? canonical(String(input)) : undefined;
}

/** No exponent, no superfluous leading zeros, no negative zero; the digits of the fraction stay as sent (`1.50`). */
function canonical(text: string): string | undefined {
  if (text.length > 2 * mostDigits) return undefined;
  const match = decimalText.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const [integral, rest] = shift(whole, fraction, Number(exponent));
  const digits = integral.replace(/^0+(?=\d)/, '');
  if (digits.length + rest.length > mostDigits) return undefined;
  const number = rest === '' ? digits : `${digits}.${rest}`;
  return sign === '-' && /[1-9]/.test(number) ? `-${number}` : number;
}

/** Moves the decimal point by the exponent. */
function shift(whole: string, fraction: string, exponent: number): [string, string] {
  if (exponent === 0) return [whole, fraction];
  if (exponent > 0) {
    const padded = fraction.padEnd(exponent, '0');
    return [whole + padded.slice(0, exponent), padded.slice(exponent)];
  }
  const padded = whole.padStart(1 - exponent, '0');
  return [padded.slice(0, exponent), padded.slice(exponent) + fraction];
}
