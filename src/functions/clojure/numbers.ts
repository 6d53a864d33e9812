// Arithmetic that Clojure functions are given in place of the interpreter's own: whole numbers and decimals stay exact.

import { callNumber, numberIn } from '../../engine/eval/number-functions.ts';
import { numberFunctions as builtinFunctions } from '../../model/number-functions.ts';
import {
  type ArithmeticOperator,
  calculate,
  compareNumbers,
  digitsOf,
  isNumeric,
  type Numeric,
  narrow,
  negated,
  toDouble,
} from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';
import type { Callable, Core } from './interpreter.ts';

/** A decimal inside of Clojure. Functions that do not know it take it for the nearest double, or for its text. */
export class Decimal {
  readonly exact: ExactNumber;

  constructor(exact: ExactNumber) {
    this.exact = exact;
  }

  toString(): string {
    return this.exact.text;
  }

  valueOf(): number {
    return Number(this.exact.text);
  }
}

/** A value of a `Float` attribute inside of Clojure: what is computed with it is a double too. */
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

/** By their names in Clojure. */
export function numberFunctions(core: Core): ReadonlyMap<string, Callable> {
  return new Map<string, Callable>([
    ...arithmetic(),
    ...comparisons(core),
    ...predicates(),
    ...conversions(),
    [
      'format',
      (template, ...values) =>
        core.format(template, ...values.map((each) => (each instanceof Decimal || each instanceof Floating ? each.valueOf() : each))),
    ],
  ]);
}

function arithmetic(): readonly (readonly [string, Callable])[] {
  const one = (value: unknown, operator: ArithmeticOperator, by: number): unknown => given(combined(operator, numberOf(value), by));
  return [
    ['+', (...values) => given(values.map(numberOf).reduce((sum, each) => combined('+', sum, each), 0))],
    ['*', (...values) => given(values.map(numberOf).reduce((product, each) => combined('*', product, each), 1))],
    ['-', (first, ...rest) => given(folded('-', numberOf(first), rest.map(numberOf), negated))],
    ['/', (first, ...rest) => given(folded('/', numberOf(first), rest.map(numberOf), (each) => combined('/', 1, each)))],
    ['inc', (value) => one(value, '+', 1)],
    ['dec', (value) => one(value, '-', 1)],
    ...[...builtinFunctions.keys()].map((name) => [name, (...values: readonly unknown[]) => builtin(name, values.map(numberOf))] as const),
    ['quot', (first, second) => given(truncated(numberOf(first), numberOf(second)))],
    ['rem', (first, second) => given(remainder(numberOf(first), numberOf(second)))],
    ['mod', (first, second) => given(modulo(numberOf(first), numberOf(second)))],
  ];
}

function comparisons(core: Core): readonly (readonly [string, Callable])[] {
  const ordered = (holds: (order: number) => boolean): Callable => {
    return (...values) => {
      const numbers = values.map(numberOf);
      return numbers.every((each, index) => index === 0 || holds(compareNumbers(numbers[index - 1] ?? each, each)));
    };
  };
  const equal: Callable = (...values) => (values.every(isNumber) ? ordered((order) => order === 0)(...values) : core.equals(...values));
  return [
    ['<', ordered((order) => order < 0)],
    ['<=', ordered((order) => order <= 0)],
    ['>', ordered((order) => order > 0)],
    ['>=', ordered((order) => order >= 0)],
    ['==', ordered((order) => order === 0)],
    ['=', equal],
    ['not=', (...values) => equal(...values) !== true],
    ...orders(core),
  ];
}

/** What sorts, with numbers by their values. */
function orders(core: Core): readonly (readonly [string, Callable])[] {
  const compare: Callable = (first, second) =>
    isNumber(first) && isNumber(second) ? compareNumbers(numberOf(first), numberOf(second)) : core.compare(first, second);
  return [
    ['compare', compare],
    ['sort', (...given) => (given.length === 1 ? core.sort(compare, ...given) : core.sort(...given))],
    ['sort-by', (...given) => (given.length === 2 ? core.sortBy(given[0], compare, given[1]) : core.sortBy(...given))],
  ];
}

function predicates(): readonly (readonly [string, Callable])[] {
  const isWhole = (value: unknown): boolean => typeof value === 'bigint' || Number.isInteger(value);
  const isEven = (value: unknown): boolean => compareNumbers(remainder(numberOf(value), 2), 0) === 0;
  return [
    ['zero?', (value) => compareNumbers(numberOf(value), 0) === 0],
    ['pos?', (value) => compareNumbers(numberOf(value), 0) > 0],
    ['neg?', (value) => isBelowZero(numberOf(value))],
    ['even?', isEven],
    ['odd?', (value) => !isEven(value)],
    ['number?', isNumber],
    ['integer?', isWhole],
    ['int?', isWhole],
    ['decimal?', (value) => value instanceof Decimal],
    ['float?', isFloating],
    ['double?', isFloating],
  ];
}

function conversions(): readonly (readonly [string, Callable])[] {
  const whole: Callable = (value) => given(wholePart(numberOf(value)));
  const double: Callable = (value) => new Floating(new Double(toDouble(numberOf(value))));
  return [
    ['int', whole],
    ['long', whole],
    ['bigint', whole],
    ['biginteger', whole],
    ['double', double],
    ['float', double],
    ['bigdec', (value) => new Decimal(new ExactNumber(typeof value === 'string' ? decimalText(value) : String(value)))],
  ];
}

/** A number as it stands in a text of Clojure: `1500M`, `10N`, `12345678901234567890`. */
export function literalNumber(text: string): unknown {
  if (text.endsWith('M')) return new Decimal(new ExactNumber(decimalText(text.slice(0, -1))));
  if (/[.eE]/.test(text)) return new Decimal(new ExactNumber(decimalText(text)));
  return given(narrow(BigInt(text.endsWith('N') ? text.slice(0, -1) : text)));
}

function decimalText(text: string): string {
  const trimmed = text.trim();
  if (!/^[+-]?\d{1,1000}(?:\.\d{1,1000})?(?:[eE][+-]?\d{1,3})?$/.test(trimmed)) throw new TypeError(`${text} is no decimal number`);
  return trimmed.replace(/^\+/, '');
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal || value instanceof Floating;
}

function isFloating(value: unknown): boolean {
  return value instanceof Floating || (typeof value === 'number' && !Number.isInteger(value));
}

function numberOf(value: unknown): Numeric {
  if (value instanceof Decimal) return value.exact;
  if (value instanceof Floating) return value.double;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') return numberIn(value);
  throw new TypeError(`${value === null || value === undefined ? 'nil' : typeof value} is not a number`);
}

function builtin(name: string, numbers: readonly Numeric[]): unknown {
  const [least, most] = builtinFunctions.get(name) ?? [1, 1];
  if (numbers.length < least || numbers.length > most) throw new TypeError(`Wrong number of args (${numbers.length}) passed to: ${name}`);
  const result: Value = callNumber(name, numbers);
  return isNumeric(result) ? given(result) : result;
}

function given(value: Numeric): unknown {
  if (value instanceof Double) return new Floating(value);
  return value instanceof ExactNumber ? new Decimal(value) : value;
}

function combined(operator: ArithmeticOperator, first: Numeric, second: Numeric): Numeric {
  const result = calculate(operator, first, second);
  if (result === null) throw new RangeError(operator === '/' ? 'Divide by zero' : 'the number is too large');
  return result;
}

function folded(operator: ArithmeticOperator, first: Numeric, rest: readonly Numeric[], alone: (value: Numeric) => Numeric): Numeric {
  return rest.length === 0 ? alone(first) : rest.reduce((result, each) => combined(operator, result, each), first);
}

function isBelowZero(value: Numeric): boolean {
  return compareNumbers(value, 0) < 0;
}

/** Without its fraction; of a double, the whole number that it stands for. */
function wholePart(value: Numeric): Numeric {
  return value instanceof Double ? truncated(new ExactNumber(String(value.value)), 1) : truncated(value, 1);
}

/** The whole part of a quotient. */
function truncated(first: Numeric, second: Numeric): Numeric {
  if (isInteger(first) && isInteger(second)) {
    if (BigInt(second) === 0n) throw new RangeError('Divide by zero');
    return narrow(BigInt(first) / BigInt(second));
  }
  if (first instanceof Double || second instanceof Double) return new Double(Math.trunc(toDouble(combined('/', first, second))));
  const [a, b] = [digitsOf(first), digitsOf(second)];
  if (b.digits === 0n) throw new RangeError('Divide by zero');
  return narrow((a.digits * 10n ** BigInt(b.scale)) / (b.digits * 10n ** BigInt(a.scale)));
}

function remainder(first: Numeric, second: Numeric): Numeric {
  return combined('-', first, combined('*', truncated(first, second), second));
}

/** Of the sign of the divisor. */
function modulo(first: Numeric, second: Numeric): Numeric {
  const rest = remainder(first, second);
  const differs = compareNumbers(rest, 0) !== 0 && isBelowZero(rest) !== isBelowZero(second);
  return differs ? combined('+', rest, second) : rest;
}

function isInteger(value: Numeric): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}
