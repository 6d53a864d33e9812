// In charge of the values that `@enum` allows: each in the one form in which it is compared, whatever way it was written.

import { ExactNumber } from '../values/exact-number.ts';
import type { Value } from '../values/value.ts';
import type { TypeReference } from './model.ts';
import { decimal } from './types/number/decimal.ts';

/** Of a decimal the text without zeros at its end: `1.50` and `1.5` are the same number. */
export function choiceOf(value: Value, type: TypeReference): Value {
  if (type.kind !== 'plain' || type.type !== decimal) return value instanceof ExactNumber ? Number(value.text) : value;
  const text = decimal.parse(value);
  return typeof text === 'string' && text.includes('.') ? text.replace(/\.?0+$/, '') : (text ?? value);
}
