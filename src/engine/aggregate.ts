// Sums, averages, the least and the greatest of values, exact in decimals; and the order in which a store sorts.

import { ExactNumber } from '../exact-number.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { calculate, compareNumbers, isNumeric } from './numbers.ts';

/** Of numbers; the least and the greatest of anything that compares. */
export function aggregate(name: 'sum' | 'avg' | 'min' | 'max', values: readonly Value[]): Value {
  const [first, ...rest] = values;
  if (first === undefined) return null;
  if (name === 'min' || name === 'max')
    return textOf(rest.reduce((best, each) => (order(each, best) < 0 === (name === 'min') ? each : best), first));
  const sum = rest.reduce<Value>((total, each) => (isNumeric(total) && isNumeric(each) ? calculate('+', total, each) : null), first);
  return textOf(name === 'sum' || !isNumeric(sum) ? sum : calculate('/', sum, values.length));
}

function textOf(value: Value): Value {
  return value instanceof ExactNumber ? value.text : value;
}

/** As the store sorts: what is absent first, numbers by value, texts by code point. */
export function order(first: Value, second: Value): number {
  if (first === null || second === null) return Number(first !== null) - Number(second !== null);
  if (isNumeric(first) && isNumeric(second)) return compareNumbers(first, second);
  return Buffer.compare(Buffer.from(String(first)), Buffer.from(String(second)));
}
