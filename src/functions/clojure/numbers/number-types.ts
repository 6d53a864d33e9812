// Numbers inside of Clojure that a number of JavaScript does not hold: decimals, large whole numbers, doubles that are known to be doubles.

import { numberIn } from '../../../engine/eval/number-functions.ts';
import { readableNumber } from '../../../engine/eval/value-text.ts';
import { canonical, compareNumbers, type Numeric } from '../../../values/arithmetic.ts';
import type { Double, ExactNumber } from '../../../values/exact-number.ts';

/** A decimal. Functions that do not know it take it for the nearest double, or for its text. */
export class Decimal {
  readonly exact: ExactNumber;
  /** Where it came in as a number of JSON or of the model's text, that number: as which it goes out again. */
  readonly plain: number | undefined;

  constructor(exact: ExactNumber, plain?: number) {
    this.exact = exact;
    this.plain = plain;
  }

  toString(): string {
    return this.exact.text;
  }

  valueOf(): number {
    return Number(this.exact.text);
  }
}

/** A value of a `Float` attribute: what is computed with it is a double too. */
export class Floating {
  readonly double: Double;

  constructor(double: Double) {
    this.double = double;
  }

  toString(): string {
    return String(this.double.value);
  }

  valueOf(): number {
    return this.double.value;
  }
}

/** A whole number beyond those that a double holds. A bigint of JavaScript could not be a key of a map. */
export class Whole {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }

  toString(): string {
    return String(this.value);
  }

  valueOf(): number {
    return Number(this.value);
  }
}

export type NumberObject = Decimal | Floating | Whole;

/** What the interpreter is told of such a number, so that its collections, its order and its printer know it. */
export interface NumberProtocols {
  equals(first: NumberObject, second: unknown): boolean;
  /** The same for all that are equal. */
  identity(number: NumberObject): string;
  compare(first: NumberObject, second: unknown): number;
  written(number: NumberObject): string;
}

export const numberProtocols: NumberProtocols = {
  // As keys numbers of two kinds are two, as they are in Clojure: the interpreter's own numbers know nothing of these.
  equals: (first, second) =>
    isNumberObject(second) && kindOf(first) === kindOf(second) && compareNumbers(numericOf(first), numericOf(second)) === 0,
  identity: (number) => (number instanceof Decimal ? canonical(number.exact) : String(number)),
  compare(first, second) {
    if (!isNumber(second)) throw new TypeError(`Cannot compare ${String(first)} to ${String(second)}`);
    return compareNumbers(numericOf(first), numericOf(second));
  },
  written: (number) => readableNumber(number instanceof Decimal ? (number.plain ?? number.exact) : numericOf(number)),
};

function kindOf(number: NumberObject): 'decimal' | 'double' | 'whole' {
  if (number instanceof Decimal) return 'decimal';
  return number instanceof Floating ? 'double' : 'whole';
}

export function isNumberObject(value: unknown): value is NumberObject {
  return value instanceof Decimal || value instanceof Floating || value instanceof Whole;
}

/** A number as the interpreter has it. */
export type ClojureNumber = number | bigint | NumberObject;

export function isNumber(value: unknown): value is ClojureNumber {
  return typeof value === 'number' || typeof value === 'bigint' || isNumberObject(value);
}

/** The number as the service knows it. */
export function numericOf(value: ClojureNumber): Numeric {
  if (value instanceof Decimal) return value.exact;
  if (value instanceof Floating) return value.double;
  return value instanceof Whole ? value.value : value;
}

/** In arithmetic a text counts as the number that it reads as. */
export function numberOf(value: unknown): Numeric {
  if (isNumber(value)) return numericOf(value);
  if (typeof value === 'string') return numberIn(value);
  throw new TypeError(`${value === null || value === undefined ? 'nil' : typeof value} is not a number`);
}
