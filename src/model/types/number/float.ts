// The type Float (also Number): a finite double.

import { ExactNumber } from '../../../values/exact-number.ts';
import { doubleWritten } from '../../../values/json/number.ts';
import type { Value } from '../../../values/value.ts';
import type { AttributeType } from '../attribute-type.ts';

const numberText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,4})?$/;

export const float: AttributeType = {
  name: 'Float',
  aliases: ['Number', 'Double'],
  column: 'real',
  expected: 'a number',
  parse: parseFloating,
  parseText: (text) => (text.length <= 400 && numberText.test(text) ? parseFloating(Number(text)) : undefined),
  schema: { type: 'number', format: 'double' },
  example: 2.5,
  identifies: false,
};

function parseFloating(input: Value): Value | undefined {
  // Adding zero turns -0, which JSON and the stores do not all keep, into 0.
  if (typeof input === 'number') return Number.isFinite(input) ? input + 0 : undefined;
  if (input instanceof ExactNumber) return doubleWritten(input);
  if (typeof input !== 'bigint') return undefined;
  const number = Number(input);
  // Many digits of a double are written with zeros behind them: what was answered may be sent back.
  return Number.isFinite(number) && (BigInt(number) === input || String(number) === String(input)) ? number : undefined;
}
