// The type BigInteger: a whole number of up to 1,000 digits, exact, kept and answered as text like Decimal.

import type { Value } from '../../../values/value.ts';
import type { AttributeType } from '../attribute-type.ts';
import { decimal } from './decimal.ts';

export const bigInteger: AttributeType = {
  name: 'BigInteger',
  column: 'decimal',
  expected: 'a whole number of at most 1,000 digits, as a number or a text',
  parse: (input) => wholeOnly(decimal.parse(input)),
  parseText: (text) => wholeOnly(decimal.parseText(text)),
  schema: { type: 'string', pattern: '^-?[0-9]+$' },
  example: '12',
  requestSchema: { oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' }] },
  identifies: false,
};

function wholeOnly(value: Value | undefined): Value | undefined {
  return typeof value === 'string' && !value.includes('.') ? value : undefined;
}
