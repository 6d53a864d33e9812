// How two values compare in expressions: whether they are the same, which comes first, and how a store would sort them.

import { unreachable } from '../errors.ts';
import { writeJson } from '../model/json.ts';
import type { ComparisonOperator } from '../model/pattern.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { isLike } from './like.ts';
import { compareNumbers, isNumeric } from './numbers.ts';

export function holds(operator: ComparisonOperator, first: Value, second: Value): boolean {
  switch (operator) {
    case '==':
      return same(first, second);
    case '!=':
      return !same(first, second);
    case 'in':
      return Array.isArray(second) && second.some((each) => same(first, each));
    case 'like':
      return typeof first === 'string' && typeof second === 'string' && isLike(first, second);
    case 'between':
      return (
        Array.isArray(second) &&
        compares(second[0] ?? null, first, (order) => order <= 0) &&
        compares(first, second[1] ?? null, (order) => order <= 0)
      );
    case '<':
      return compares(first, second, (order) => order < 0);
    case '<=':
      return compares(first, second, (order) => order <= 0);
    case '>':
      return compares(first, second, (order) => order > 0);
    case '>=':
      return compares(first, second, (order) => order >= 0);
    default:
      return unreachable(operator);
  }
}

export function same(first: Value, second: Value): boolean {
  if (isNumeric(first) && isNumeric(second)) return compareNumbers(first, second) === 0;
  if (typeof first === 'object' && typeof second === 'object') return writeJson(first) === writeJson(second);
  return first === second;
}

/** Numbers by value, texts by code point; anything else does not compare. */
function compares(first: Value, second: Value, isRight: (order: number) => boolean): boolean {
  if (isNumeric(first) && isNumeric(second)) return isRight(compareNumbers(first, second));
  if (typeof first !== 'string' || typeof second !== 'string') return false;
  return isRight(Buffer.compare(Buffer.from(first), Buffer.from(second)));
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
