// Sums, averages, the least and the greatest of values, exact in decimals.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { calculate, isNumeric, narrow, sumOfDecimals, toDouble } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';
import { order } from './comparison.ts';

/** Of numbers; the least and the greatest of anything that compares. */
export function aggregate(name: 'sum' | 'avg' | 'min' | 'max', values: readonly Value[]): Value {
  const [first, ...rest] = values;
  if (first === undefined) return null;
  if (name === 'min') return rest.reduce((best, each) => (order(each, best) < 0 ? each : best), first);
  if (name === 'max') return rest.reduce((best, each) => (order(each, best) > 0 ? each : best), first);
  const sum = areExact(values) ? sumOfDecimals(values.map(({ text }) => text)) : summedUp(first, rest);
  return name === 'sum' ? sum : meanOf(sum, values.length);
}

function meanOf(sum: Value, count: number): Value {
  return isNumeric(sum) ? calculate('/', sum, count) : sum;
}

function areExact(values: readonly Value[]): values is readonly ExactNumber[] {
  return values.every((each) => each instanceof ExactNumber);
}

function summedUp(first: Value, rest: readonly Value[]): Value {
  return rest.reduce<Value>((total, each) => (isNumeric(total) && isNumeric(each) ? calculate('+', total, each) : null), first);
}

/** Doubles as what they are written: in whatever order, their sum is the double next to it, and so is their mean. */
export function aggregateDoubles(name: 'sum' | 'avg', values: readonly Value[]): Value {
  if (values.length === 0) return null;
  const sum = sumOfDecimals(values.map((each) => (each instanceof Double ? String(each.value) : String(each))));
  if (!(sum instanceof ExactNumber)) return null;
  const exact = name === 'sum' ? sum : meanOf(sum, values.length);
  const result = isNumeric(exact) ? toDouble(exact) : Number.NaN;
  return Number.isFinite(result) ? new Double(result) : null;
}

/** What a store does not add up exactly comes as the list of its values, whole numbers as billions, what is left of them, and their number. */
export function sumOf(name: 'sum' | 'avg' | 'min' | 'max', kind: ColumnKind, values: readonly Value[]): Value {
  if (kind === 'real' && (name === 'sum' || name === 'avg')) return aggregateDoubles(name, values);
  if (kind === 'decimal') return aggregateDecimals(name, values.map(String));
  const [billions = null, rest = null, count = null] = values;
  if (!isWhole(billions) || !isWhole(rest)) return null;
  const sum = BigInt(billions) * 1_000_000_000n + BigInt(rest);
  return name === 'avg' ? meanOf(narrow(sum), Number(count)) : narrow(sum);
}

function aggregateDecimals(name: 'sum' | 'avg' | 'min' | 'max', texts: readonly string[]): Value {
  if (name === 'min' || name === 'max' || texts.length === 0) {
    return aggregate(
      name,
      texts.map((each) => new ExactNumber(each)),
    );
  }
  const sum = sumOfDecimals(texts);
  return name === 'sum' ? sum : meanOf(sum, texts.length);
}

function isWhole(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
