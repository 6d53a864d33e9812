// What groups are sorted by in the embedded store where that is a sum or an average: SQLite would add up doubles, and take nothing for 0.

import { calculate, canonical, narrow, sumOfDecimals } from '../../values/arithmetic.ts';
import { ExactNumber } from '../../values/exact-number.ts';

/** A function that every connection has on which statements with conditions run. */
export const sumFunction = '__sum';

/**
 * The text of the exact sum or average, without an exponent; null where there is nothing to add up. `list` is the JSON that stands for an aggregate
 * in an answer: texts of numbers, or of whole numbers the billions, what is left of them, and how many there are.
 */
export function exactSum(name: unknown, list: unknown): string | null {
  const values: unknown = JSON.parse(String(list));
  if (!Array.isArray(values)) return null;
  const { sum, count } = values.every((each) => typeof each === 'string') ? ofTexts(values) : ofParts(values);
  if (sum === null || count === 0) return null;
  const result = name === 'avg' ? calculate('/', sum, count) : sum;
  return result === null ? null : canonical(result instanceof ExactNumber ? result : new ExactNumber(String(result)));
}

interface Total {
  readonly sum: ExactNumber | number | bigint | null;
  readonly count: number;
}

function ofTexts(texts: readonly string[]): Total {
  return { sum: sumOfDecimals(texts), count: texts.length };
}

function ofParts([billions, rest, count]: readonly unknown[]): Total {
  if (typeof billions !== 'number' || typeof rest !== 'number') return { sum: null, count: 0 };
  return { sum: narrow(BigInt(billions) * 1_000_000_000n + BigInt(rest)), count: Number(count) };
}
