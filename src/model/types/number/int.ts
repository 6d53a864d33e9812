// The type Int: a 64-bit integer, exact.

import type { Value } from '../../../values/value.ts';
import type { AttributeType } from '../attribute-type.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

export const int: AttributeType = {
  name: 'Int',
  aliases: ['Int64', 'Integer'],
  column: 'integer',
  expected: 'an integer of at most 64 bits',
  parse: parseInteger,
  parseText: (text) => (/^(0|-?[1-9]\d{0,18})$/.test(text) ? parseInteger(BigInt(text)) : undefined),
  schema: { type: 'integer', format: 'int64' },
  example: 1,
  identifies: true,
};

/** A number where a number is exact, a bigint beyond. Numbers that are not safe integers may have been rounded on their way: refused. */
function parseInteger(input: Value): Value | undefined {
  if (typeof input === 'number') return Number.isSafeInteger(input) ? input + 0 : undefined;
  if (typeof input !== 'bigint' || !isInteger64(input)) return undefined;
  const number = Number(input);
  return Number.isSafeInteger(number) ? number : input;
}

export function isInteger64(value: bigint): boolean {
  return value >= smallest && value <= largest;
}
