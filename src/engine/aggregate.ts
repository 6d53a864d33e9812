// Sums, averages, the least and the greatest of values, exact in decimals; and the order in which a store sorts.

import { ExactNumber } from '../exact-number.ts';
import { writeJson } from '../model/json.ts';
import type { ColumnKind, Value } from '../model/types/attribute-type.ts';
import { calculate, compareNumbers, isNumeric, narrow } from './numbers.ts';

/** Of numbers; the least and the greatest of anything that compares. */
export function aggregate(name: 'sum' | 'avg' | 'min' | 'max', values: readonly Value[]): Value {
  const [first, ...rest] = values;
  if (first === undefined) return null;
  if (name === 'min') return rest.reduce((best, each) => (order(each, best) < 0 ? each : best), first);
  if (name === 'max') return rest.reduce((best, each) => (order(each, best) > 0 ? each : best), first);
  const sum = rest.reduce<Value>((total, each) => (isNumeric(total) && isNumeric(each) ? calculate('+', total, each) : null), first);
  return name === 'sum' || !isNumeric(sum) ? sum : calculate('/', sum, values.length);
}

/** Doubles as what they are written: in whatever order, their sum is the double next to it. */
export function aggregateDoubles(name: 'sum' | 'avg', values: readonly Value[]): Value {
  const sum = aggregate(
    'sum',
    values.map((each) => new ExactNumber(String(each))),
  );
  if (!(sum instanceof ExactNumber)) return null;
  const result = name === 'sum' ? Number(sum.text) : Number(sum.text) / values.length;
  return Number.isFinite(result) ? result : null;
}

/** What a store does not add up exactly comes as the list of its values, whole numbers as billions, what is left of them, and their number. */
export function sumOf(name: 'sum' | 'avg' | 'min' | 'max', kind: ColumnKind, values: readonly Value[]): Value {
  if (kind === 'real' && (name === 'sum' || name === 'avg')) return aggregateDoubles(name, values);
  if (kind === 'decimal') {
    return aggregate(
      name,
      values.map((each) => new ExactNumber(String(each))),
    );
  }
  const [billions = null, rest = null, count = null] = values;
  if (!isWhole(billions) || !isWhole(rest)) return null;
  const sum = BigInt(billions) * 1_000_000_000n + BigInt(rest);
  return name === 'avg' ? Number(sum) / Number(count) : narrow(sum);
}

function isWhole(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** As the store sorts: what is absent first, numbers by value, texts by code point. */
export function order(first: Value, second: Value): number {
  if (first === null || second === null) return Number(first !== null) - Number(second !== null);
  if (isNumeric(first) && isNumeric(second)) return compareNumbers(first, second);
  return Buffer.compare(Buffer.from(textOf(first)), Buffer.from(textOf(second)));
}

function textOf(value: Value): string {
  return typeof value === 'object' ? writeJson(value) : String(value);
}
