// Arithmetic on the numbers of expressions: whole numbers and decimals exactly, doubles as doubles.

import { type Digits, Double, ExactNumber, quotientOf, readDigits, withoutZeros } from './exact-number.ts';
import type { Value } from './value.ts';

/** A plain number with a fraction counts as the decimal that it is written as; only a `Double` is computed with as a double. */
export type Numeric = number | bigint | ExactNumber | Double;
export type ArithmeticOperator = '+' | '-' | '*' | '/';

export function isNumeric(value: Value): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber || value instanceof Double;
}

/** `null` where there is no result: a division by zero, a number too large. A quotient of whole numbers is one where it can be, else a decimal. */
export function calculate(operator: ArithmeticOperator, first: Numeric, second: Numeric): Numeric | null {
  if (first instanceof Double || second instanceof Double) return calculateDoubles(operator, toDouble(first), toDouble(second));
  if (operator === '/') return wholeQuotient(first, second) ?? divided(digitsOf(first), digitsOf(second));
  if (!isWhole(first) || !isWhole(second)) return bounded(calculateDecimals(operator, digitsOf(first), digitsOf(second)));
  if (typeof first === 'number' && typeof second === 'number') {
    const result = operator === '+' ? first + second : operator === '-' ? first - second : first * second;
    // Adding zero makes -0 the only zero that there is among whole numbers.
    if (Number.isSafeInteger(result)) return result + 0;
  }
  const whole = calculateWhole(operator, BigInt(first), BigInt(second));
  return tooManyDigits(whole) ? null : narrow(whole);
}

/** What a loop could make of a number would take longer and longer: so many digits are the most. */
const mostDigits = 100_000;
/** Of about as many digits. */
const largest = 1n << 332_193n;

export function tooManyDigits(whole: bigint): boolean {
  return whole > largest || whole < -largest;
}

function bounded(value: Digits): ExactNumber | null {
  return value.scale > mostDigits || tooManyDigits(value.digits) ? null : ExactNumber.of(value);
}

export function compareNumbers(first: Numeric, second: Numeric): number {
  const [one, other] = [plain(first), plain(second)];
  if (!(one instanceof ExactNumber) && !(other instanceof ExactNumber)) return one < other ? -1 : one > other ? 1 : 0;
  const isShort = one instanceof ExactNumber && other instanceof ExactNumber && isPlain(one.text) && isPlain(other.text);
  const [a, b] = isShort ? [Number(one.text), Number(other.text)] : aligned(digitsOf(one), digitsOf(other));
  return a < b ? -1 : a > b ? 1 : 0;
}

function plain(value: Numeric): number | bigint | ExactNumber {
  return value instanceof Double ? value.value : value;
}

/** Exactly what adding one after the other gives, without a text in between: there may be hundreds of thousands. */
export function sumOfDecimals(texts: readonly string[]): ExactNumber | null {
  const [only] = texts;
  if (texts.length === 1 && only !== undefined) return new ExactNumber(only);
  const totals: bigint[] = [];
  const pending: number[] = [];
  const settle = (scale: number): void => {
    totals[scale] = (totals[scale] ?? 0n) + BigInt(pending[scale] ?? 0);
    pending[scale] = 0;
  };
  let others: Digits = { digits: 0n, scale: 0 };
  for (const text of texts) {
    if (isPlain(text)) {
      const point = text.indexOf('.');
      const scale = point === -1 ? 0 : text.length - point - 1;
      pending[scale] = (pending[scale] ?? 0) + Number(point === -1 ? text : text.slice(0, point) + text.slice(point + 1));
      if (Math.abs(pending[scale]) > halfSafe) settle(scale);
    } else others = added(others, readDigits(text));
  }
  for (const scale of pending.keys()) if (pending[scale] !== undefined) settle(scale);
  return bounded(totals.reduce((sum, digits, scale) => added(sum, { digits, scale }), others));
}

/** Of so few digits that a double tells it from all others, and holds them as a whole number. */
function isPlain(text: string): boolean {
  return text.length <= 16 && /^-?\d{1,15}(?:\.\d{0,14})?$/.test(text);
}

const halfSafe = Number.MAX_SAFE_INTEGER / 2;

function added(first: Digits, second: Digits): Digits {
  const [a, b] = aligned(first, second);
  return { digits: a + b, scale: Math.max(first.scale, second.scale) };
}

export function negated(value: Numeric): Numeric {
  if (value instanceof Double) return new Double(-value.value);
  if (!(value instanceof ExactNumber)) return typeof value === 'bigint' ? narrow(-value) : -value + 0;
  const { digits, scale } = ExactNumber.digitsOf(value);
  return ExactNumber.of({ digits: -digits, scale });
}

/** The whole number that it is; `undefined` where it has a fraction. */
export function wholeNumber(value: Numeric): number | bigint | undefined {
  if (isWhole(value)) return value;
  if (value instanceof Double) return Number.isSafeInteger(value.value) ? value.value : undefined;
  const { digits, scale } = digitsOf(value);
  const unit = 10n ** BigInt(scale);
  return digits % unit === 0n ? narrow(digits / unit) : undefined;
}

/** The number as types other than Decimal know it. */
export function plainNumber(value: ExactNumber | Double): number | bigint {
  return wholeNumber(value) ?? toDouble(value);
}

/** The double next to it; infinite where there is none. */
export function toDouble(value: Numeric): number {
  if (value instanceof Double) return value.value;
  return value instanceof ExactNumber ? Number(value.text) : Number(value);
}

/** As JSON without types holds it: a number where the double next to it is written with the same digits, else the text of all digits. */
export function jsonNumber(value: number | bigint | ExactNumber | Double): number | bigint | string {
  if (value instanceof Double) return value.value;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : String(value);
  const double = Number(value.text);
  if (!Number.isFinite(double)) return plainText(value);
  const [a, b] = aligned(ExactNumber.digitsOf(value), readDigits(String(double)));
  return a === b ? double + 0 : plainText(value);
}

/** Without an exponent, as decimals are answered. */
function plainText(value: ExactNumber): string {
  return /e/i.test(value.text) ? ExactNumber.of(ExactNumber.digitsOf(value)).text : value.text;
}

/** The one text of all decimals that are the same number. */
export function canonical(value: ExactNumber): string {
  return ExactNumber.of(withoutZeros(ExactNumber.digitsOf(value))).text;
}

function calculateDoubles(operator: ArithmeticOperator, a: number, b: number): Double | null {
  const result = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b;
  return Number.isFinite(result) ? new Double(result) : null;
}

function calculateDecimals(operator: '+' | '-' | '*', first: Digits, second: Digits): Digits {
  if (operator === '+') return added(first, second);
  if (operator === '-') return added(first, { digits: -second.digits, scale: second.scale });
  return { digits: first.digits * second.digits, scale: first.scale + second.scale };
}

function divided(first: Digits, second: Digits): ExactNumber | null {
  const quotient = quotientOf(first, second);
  return quotient === undefined ? null : bounded(quotient);
}

function wholeQuotient(first: Numeric, second: Numeric): number | bigint | undefined {
  if (!isWhole(first) || !isWhole(second)) return undefined;
  if (typeof first === 'number' && typeof second === 'number') return first % second === 0 ? first / second + 0 : undefined;
  const [a, b] = [BigInt(first), BigInt(second)];
  return b !== 0n && a % b === 0n ? narrow(a / b) : undefined;
}

function aligned(first: Digits, second: Digits): readonly [bigint, bigint] {
  if (first.scale === second.scale) return [first.digits, second.digits];
  const scale = Math.max(first.scale, second.scale);
  return [first.digits * 10n ** BigInt(scale - first.scale), second.digits * 10n ** BigInt(scale - second.scale)];
}

export function digitsOf(value: number | bigint | ExactNumber): Digits {
  if (typeof value === 'bigint') return { digits: value, scale: 0 };
  if (value instanceof ExactNumber) return ExactNumber.digitsOf(value);
  return Number.isSafeInteger(value) ? { digits: BigInt(value), scale: 0 } : readDigits(String(value));
}

function calculateWhole(operator: '+' | '-' | '*', first: bigint, second: bigint): bigint {
  if (operator === '+') return first + second;
  return operator === '-' ? first - second : first * second;
}

export function isWhole(value: Numeric): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
}

/** A number where one holds it exactly. */
export function narrow(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
