// What a store is asked for where a column is compared with a value: the value as the declared type of the column, if it can be read as that.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { decimal } from '../../model/types/number/decimal.ts';
import { isInteger64 } from '../../model/types/number/int.ts';
import { scalar } from '../../model/types/scalar.ts';
import { isCleanText } from '../../model/types/text/text.ts';
import { uuid } from '../../model/types/text/uuid.ts';
import { isDate, momentKey } from '../../model/types/time/calendar.ts';
import { momentIn } from '../../model/types/time/datetime.ts';
import { time } from '../../model/types/time/time.ts';
import { compareNumbers, type Numeric } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';
import { numberIn } from './comparison.ts';

export type ValueComparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';

/** `none`: it holds for no value; `all`: for every one that is there. */
export type QueryValue = { readonly value: Value } | 'none' | 'all';

/** `ne` is asked as `eq`: what is equal to nothing differs from everything. */
export function queryValue(operator: ValueComparison, kind: ColumnKind, value: Value): QueryValue {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && isCleanText(value) ? { value } : 'none';
    case 'boolean':
      return typeof value === 'boolean' ? { value } : 'none';
    case 'uuid':
    case 'time': {
      const read = { uuid, time }[kind].parse(value);
      return read === undefined ? 'none' : { value: read };
    }
    case 'date':
    case 'datetime':
      return queryInstant(operator, kind, value) ?? 'none';
    case 'scalar': {
      const read = scalar.parse(value instanceof Double ? value.value : value);
      return read === undefined ? 'none' : { value: read };
    }
    case 'json':
      return 'none';
    default: {
      const number = numberIn(value);
      return number === undefined ? 'none' : askedNumber(operator, kind, number);
    }
  }
}

/** Of a date and of a moment: a date is its midnight in UTC. Nothing where the value is neither. */
export function queryInstant(operator: ValueComparison, kind: 'date' | 'datetime', value: Value): QueryValue | undefined {
  const moment = momentIn(value);
  if (moment === undefined) return undefined;
  if (kind === 'datetime') return { value: moment };
  const day = moment.slice(0, 10);
  if (momentKey(moment) === momentKey(`${day}T00:00:00`)) return { value: day };
  // It lies between two dates.
  if (operator === 'eq' || operator === 'ne') return 'none';
  if (operator === 'lte' || operator === 'gt') return { value: day };
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  if (isDate(next)) return { value: next };
  return operator === 'lt' ? 'all' : 'none';
}

function askedNumber(operator: ValueComparison, kind: 'integer' | 'real' | 'decimal', number: Numeric): QueryValue {
  if (kind === 'decimal') return askedDecimal(operator, number);
  if (typeof number === 'number' && (kind === 'real' || Number.isSafeInteger(number))) return { value: number };
  const nearest = kind === 'integer' ? wholeBelow(number) : doubleNear(number);
  if (nearest === undefined) return beyond(operator, isNegative(number));
  const difference = compareNumbers(nearest, number);
  if (difference === 0) return { value: nearest };
  // It lies between two values of the column: the next one on the side that the operator looks to takes its place.
  if (operator === 'eq' || operator === 'ne') return 'none';
  const wantsAbove = operator === 'lt' || operator === 'gte';
  if (wantsAbove === difference > 0) return { value: nearest };
  const [below, above] = neighbours(nearest);
  return { value: wantsAbove ? above : below };
}

/** What is larger than every value of the column, or smaller. */
function beyond(operator: ValueComparison, negative: boolean): QueryValue {
  const looksUp = operator === 'gt' || operator === 'gte';
  return operator !== 'eq' && operator !== 'ne' && looksUp === negative ? 'all' : 'none';
}

function askedDecimal(operator: ValueComparison, number: Numeric): QueryValue {
  const text = decimal.parse(number);
  if (text !== undefined) return { value: text };
  const written = textOf(number);
  // No decimal that is kept has so many digits; with an exponent it is larger than all of them, or as good as zero.
  if (operator === 'eq' || operator === 'ne') return 'none';
  const exponent = Number(/[eE]([+-]?\d+)$/.exec(written)?.[1] ?? 0);
  if (exponent > 0) return beyond(operator, isNegative(number));
  if (exponent === 0) return { value: written };
  const looksUp = operator === 'gt' || operator === 'gte';
  return { value: looksUp === isNegative(number) ? '0' : nextToZero(isNegative(number)) };
}

/** Smaller than every decimal that is kept. */
function nextToZero(negative: boolean): string {
  return `${negative ? '-' : ''}0.${'0'.repeat(1000)}1`;
}

/** Nothing where it has more than 64 bits. */
function wholeBelow(number: Numeric): Numeric | undefined {
  const text = plainText(number);
  if (text === undefined) return undefined;
  const [whole = '0', fraction = ''] = text.split('.');
  const isBelow = text.startsWith('-') && /[1-9]/.test(fraction);
  const found = BigInt(whole) - (isBelow ? 1n : 0n);
  return isInteger64(found) ? found : undefined;
}

/** Digits alone; nothing where they are too many to be those of a whole number that is kept. */
function plainText(number: Numeric): string | undefined {
  const text = decimal.parse(number);
  if (typeof text === 'string') return text;
  const written = textOf(number);
  if (!/[eE]/.test(written)) return written;
  return /[eE]-/.test(written) ? `${isNegative(number) ? '-' : ''}0.1` : undefined;
}

function doubleNear(number: Numeric): number | undefined {
  const double = Number(textOf(number));
  return Number.isFinite(double) ? double : undefined;
}

function neighbours(value: Numeric): readonly [below: Value, above: Value] {
  if (typeof value === 'bigint') return [value - 1n, value + 1n];
  const double = Number(textOf(value));
  return [-nextUp(-double), nextUp(double)];
}

const bytes = new DataView(new ArrayBuffer(8));

/** The next larger double. */
function nextUp(double: number): number {
  if (double === 0) return Number.MIN_VALUE;
  bytes.setFloat64(0, double);
  bytes.setBigInt64(0, bytes.getBigInt64(0) + (double > 0 ? 1n : -1n));
  return bytes.getFloat64(0);
}

function isNegative(number: Numeric): boolean {
  return textOf(number).startsWith('-');
}

function textOf(number: Numeric): string {
  return number instanceof ExactNumber ? number.text : String(number);
}
