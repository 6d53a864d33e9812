// JSON values inside the types Map and Any: what may stand in them.

import { Double, ExactNumber } from '../../values/exact-number.ts';
import { objectOf } from '../../values/json/json.ts';
import { doubleWritten } from '../../values/json/number.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value, Values } from '../../values/value.ts';
import { isInteger64 } from './number/int.ts';
import { isCleanText, textRefusal } from './text/text.ts';

/** Deeper values are refused; requests are limited more strictly before they get here. */
const mostLevels = 100;

/** The value as every store gives it back; nothing where there is none. */
export function storable(value: Value): Value | undefined {
  if (isStorable(value)) return value;
  const doubles = withDoubles(value);
  return isStorable(doubles) ? doubles : undefined;
}

/** Numbers that a double holds may have been written with more digits than it needs. */
function withDoubles(value: Value, level = 0): Value {
  if (value instanceof ExactNumber) return doubleWritten(value) ?? value;
  if (typeof value !== 'object' || value === null || isNumberObject(value) || level >= mostLevels) return value;
  if (Array.isArray(value)) return value.map((each) => withDoubles(each, level + 1));
  return objectOf(entriesOf(value).map(([key, each]) => [key, withDoubles(each, level + 1)]));
}

/** What keeps a JSON value from being stored: the first that is found. */
export function refusalInside(value: Value, level = 0): string | undefined {
  if (isStorable(value, level) || storable(value) !== undefined) return undefined;
  if (typeof value === 'string') return textRefusal;
  if (typeof value !== 'object' || value === null || isNumberObject(value))
    return 'hold no number that a double or 64 bits do not hold exactly';
  if (level >= mostLevels) return `be at most ${mostLevels} levels deep`;
  if (Array.isArray(value)) return firstRefusal(value, level + 1);
  if (Object.hasOwn(value, '__proto__')) return 'have no key `__proto__`';
  return Object.keys(value).every(isCleanText) ? firstRefusal(Object.values(value), level + 1) : textRefusal;
}

function firstRefusal(values: readonly Value[], level: number): string | undefined {
  for (const each of values) {
    const found = refusalInside(each, level);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isStorable(value: Value, level = 0): boolean {
  switch (typeof value) {
    case 'string':
      return isCleanText(value);
    case 'number':
      return Number.isFinite(value);
    case 'bigint':
      return isInteger64(value);
    case 'object':
      // A number that no double holds could not be read by most callers.
      return value === null || (!isNumberObject(value) && level < mostLevels && isStorableInside(value, level + 1));
    default:
      return typeof value === 'boolean';
  }
}

/** Such numbers only exist inside the service. */
function isNumberObject(value: Value): boolean {
  return value instanceof ExactNumber || value instanceof Double;
}

export function isMap(value: Value): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumberObject(value);
}

function isStorableInside(value: Values | readonly Value[], level: number): boolean {
  if (Array.isArray(value)) return value.every((each) => isStorable(each, level));
  // A key `__proto__` changes what an object is, somewhere down the line, as soon as someone assigns it.
  return Object.entries(value).every(([key, each]) => key !== '__proto__' && isCleanText(key) && isStorable(each, level));
}
