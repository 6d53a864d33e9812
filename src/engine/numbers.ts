// Arithmetic on the numbers of expressions: doubles as doubles, whole numbers and decimals exactly.

import { ExactNumber } from '../exact-number.ts';
import type { Value } from '../model/types/attribute-type.ts';

/** A decimal travels as its text, so that none of its digits is lost. */
export type Numeric = number | bigint | ExactNumber;
export type ArithmeticOperator = '+' | '-' | '*' | '/';

export function isNumeric(value: Value): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber;
}

/** `null` where there is no result: a division by zero, a number too large. */
export function calculate(operator: ArithmeticOperator, first: Numeric, second: Numeric): Numeric | null {
  if (first instanceof ExactNumber || second instanceof ExactNumber)
    return bounded(calculateDecimals(operator, fixedOf(first), fixedOf(second)));
  const [a, b] = [Number(first), Number(second)];
  const result = { '+': a + b, '-': a - b, '*': a * b, '/': a / b }[operator];
  const isLarge = typeof first === 'bigint' || typeof second === 'bigint' || !Number.isSafeInteger(result);
  if (operator !== '/' && isLarge && isWhole(first) && isWhole(second)) {
    const whole = calculateWhole(operator, BigInt(first), BigInt(second));
    return tooManyDigits(whole) ? null : narrow(whole);
  }
  return Number.isFinite(result) ? result : null;
}

/** What a loop could make of a number would take longer and longer: so many digits are the most. */
const mostDigits = 100_000;
/** Of about as many digits. */
const largest = 1n << 332_193n;

export function tooManyDigits(whole: bigint): boolean {
  return whole > largest || whole < -largest;
}

function bounded(value: Numeric | null): Numeric | null {
  return value instanceof ExactNumber && value.text.length > mostDigits ? null : value;
}

export function compareNumbers(first: Numeric, second: Numeric): number {
  if (!(first instanceof ExactNumber) && !(second instanceof ExactNumber)) return first < second ? -1 : first > second ? 1 : 0;
  const isShort = first instanceof ExactNumber && second instanceof ExactNumber && isPlain(first.text) && isPlain(second.text);
  const [a, b] = isShort ? [Number(first.text), Number(second.text)] : aligned(fixedOf(first), fixedOf(second));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Exactly what adding one after the other gives, without a text in between: there may be hundreds of thousands. */
export function sumOfDecimals(texts: readonly string[]): Numeric | null {
  const [only] = texts;
  if (texts.length === 1 && only !== undefined) return new ExactNumber(only);
  const totals: bigint[] = [];
  const pending: number[] = [];
  const settle = (scale: number): void => {
    totals[scale] = (totals[scale] ?? 0n) + BigInt(pending[scale] ?? 0);
    pending[scale] = 0;
  };
  let others: Fixed = { digits: 0n, scale: 0 };
  for (const text of texts) {
    if (isPlain(text)) {
      const point = text.indexOf('.');
      const scale = point === -1 ? 0 : text.length - point - 1;
      pending[scale] = (pending[scale] ?? 0) + Number(point === -1 ? text : text.slice(0, point) + text.slice(point + 1));
      if (Math.abs(pending[scale]) > halfSafe) settle(scale);
    } else others = added(others, fixedOf(new ExactNumber(text)));
  }
  for (const scale of pending.keys()) if (pending[scale] !== undefined) settle(scale);
  return bounded(toExact(totals.reduce((sum, digits, scale) => added(sum, { digits, scale }), others)));
}

/** Of so few digits that a double tells it from all others, and holds them as a whole number. */
function isPlain(text: string): boolean {
  return text.length <= 16 && /^-?\d{1,15}(?:\.\d{0,14})?$/.test(text);
}

const halfSafe = Number.MAX_SAFE_INTEGER / 2;

function added(first: Fixed, second: Fixed): Fixed {
  const [a, b] = aligned(first, second);
  return { digits: a + b, scale: Math.max(first.scale, second.scale) };
}

export function negated(value: Numeric): Numeric {
  if (!(value instanceof ExactNumber)) return -value;
  const { digits, scale } = fixedOf(value);
  return toExact({ digits: -digits, scale });
}

/** The number as types other than Decimal know it. */
export function plainNumber(value: ExactNumber): number | bigint {
  const { digits, scale } = fixedOf(value);
  const unit = 10n ** BigInt(scale);
  return digits % unit === 0n ? narrow(digits / unit) : Number(value.text);
}

/** The one text of all decimals that are the same number. */
export function canonical(value: ExactNumber): string {
  return toExact(withoutZeros(fixedOf(value))).text;
}

/** `digits / 10^scale`. */
interface Fixed {
  readonly digits: bigint;
  readonly scale: number;
}

/** A quotient is rounded to so many digits behind the point. */
const quotientScale = 20;

function calculateDecimals(operator: ArithmeticOperator, first: Fixed, second: Fixed): Numeric | null {
  const [a, b] = aligned(first, second);
  switch (operator) {
    case '+':
      return toExact(added(first, second));
    case '-':
      return toExact({ digits: a - b, scale: Math.max(first.scale, second.scale) });
    case '*':
      return toExact({ digits: first.digits * second.digits, scale: first.scale + second.scale });
    default:
      return b === 0n ? null : toExact(withoutZeros({ digits: quotient(a * 10n ** BigInt(quotientScale), b), scale: quotientScale }));
  }
}

/** Rounded to the nearest, halves away from zero. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const [a, b] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const rounded = (2n * a + b) / (2n * b);
  return dividend < 0n === divisor < 0n ? rounded : -rounded;
}

function withoutZeros({ digits, scale }: Fixed): Fixed {
  let [left, places] = [digits, scale];
  while (places > 0 && left % 10n === 0n) [left, places] = [left / 10n, places - 1];
  return { digits: left, scale: places };
}

function aligned(first: Fixed, second: Fixed): readonly [bigint, bigint] {
  const scale = Math.max(first.scale, second.scale);
  return [first.digits * 10n ** BigInt(scale - first.scale), second.digits * 10n ** BigInt(scale - second.scale)];
}

function fixedOf(value: Numeric): Fixed {
  if (typeof value === 'bigint') return { digits: value, scale: 0 };
  const [mantissa = '', exponent = '0'] = (value instanceof ExactNumber ? value.text : String(value)).toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const [digits, scale] = [BigInt(`${whole}${fraction}`), fraction.length - Number(exponent)];
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function toExact({ digits, scale }: Fixed): ExactNumber {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const number = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  return new ExactNumber(digits < 0n ? `-${number}` : number);
}

function calculateWhole(operator: '+' | '-' | '*', first: bigint, second: bigint): bigint {
  if (operator === '+') return first + second;
  return operator === '-' ? first - second : first * second;
}

function isWhole(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** A number where one holds it exactly. */
export function narrow(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
