// Arithmetic that Clojure functions are given in place of the interpreter's own: whole numbers and decimals stay exact.

import { callNumber } from '../../../engine/eval/number-functions.ts';
import { numberFunctions as builtinFunctions } from '../../../model/number-functions.ts';
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
} from '../../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../../values/exact-number.ts';
import type { Value } from '../../../values/value.ts';
import type { Callable, Core, NamedFunction } from '../interpreter.ts';
import { bitFunctions } from './bits.ts';
import { comparisons } from './comparisons.ts';
import { formatted } from './format.ts';
import { Decimal, Floating, isNumber, numberOf, Whole } from './number-types.ts';

export function numberFunctions(core: Core): ReadonlyMap<string, Callable> {
  return new Map<string, Callable>([
    ...arithmetic(core),
    ...comparisons(core),
    ...predicates(),
    ...conversions(core),
    ...bitFunctions(core),
    ['range', (...values) => range(values, core)],
    ['format', (template, ...values) => formatted(String(template), values, core)],
  ]);
}

function arithmetic(core: Core): readonly NamedFunction[] {
  const given = (value: Numeric): unknown => core.number(value);
  const one = (value: unknown, operator: ArithmeticOperator, by: number): unknown => given(combined(operator, numberOf(value), by));
  const add: Callable = (...values) => given(values.map(numberOf).reduce((sum, each) => combined('+', sum, each), 0));
  const multiply: Callable = (...values) => given(values.map(numberOf).reduce((product, each) => combined('*', product, each), 1));
  const negate: Callable = (value) => {
    const made = negated(numberOf(value));
    // What came in as a number of JSON goes out as one, as where the service itself negates it.
    const isPlain = value instanceof Decimal && value.plain !== undefined && made instanceof ExactNumber;
    return isPlain ? new Decimal(made, -value.plain) : given(made);
  };
  const subtract: Callable = (first, ...rest) =>
    rest.length === 0 ? negate(first) : given(folded('-', numberOf(first), rest.map(numberOf), negated));
  const increment: Callable = (value) => one(value, '+', 1);
  const decrement: Callable = (value) => one(value, '-', 1);
  return [
    // Whole numbers have no limit here that could be passed over, so that all spellings mean the same.
    ...['+', "+'", 'unchecked-add', 'unchecked-add-int'].map((name) => [name, add] as const),
    ...['*', "*'", 'unchecked-multiply', 'unchecked-multiply-int'].map((name) => [name, multiply] as const),
    ...['-', "-'", 'unchecked-subtract', 'unchecked-subtract-int'].map((name) => [name, subtract] as const),
    ...['inc', "inc'", 'unchecked-inc', 'unchecked-inc-int'].map((name) => [name, increment] as const),
    ...['dec', "dec'", 'unchecked-dec', 'unchecked-dec-int'].map((name) => [name, decrement] as const),
    ...['unchecked-negate', 'unchecked-negate-int'].map((name) => [name, negate] as const),
    ['/', (first, ...rest) => given(folded('/', numberOf(first), rest.map(numberOf), (each) => combined('/', 1, each)))],
    ...[...builtinFunctions.keys()].map((name): NamedFunction => [name, (...values) => builtin(name, values.map(numberOf), core)]),
    ['quot', (first, second) => given(truncated(numberOf(first), numberOf(second)))],
    ['rem', (first, second) => given(remainder(numberOf(first), numberOf(second)))],
    ['mod', (first, second) => given(modulo(numberOf(first), numberOf(second)))],
  ];
}

function predicates(): readonly NamedFunction[] {
  const isWhole = (value: unknown): boolean => typeof value === 'bigint' || value instanceof Whole || Number.isInteger(value);
  const isEven = (value: unknown): boolean => compareNumbers(remainder(numberOf(value), 2), 0) === 0;
  const isFloating = (value: unknown): boolean => value instanceof Floating || (typeof value === 'number' && !Number.isInteger(value));
  const sign = (value: unknown): number => compareNumbers(numberOf(value), 0);
  return [
    ['zero?', (value) => sign(value) === 0],
    ['pos?', (value) => sign(value) > 0],
    ['neg?', (value) => sign(value) < 0],
    ['even?', isEven],
    ['odd?', (value) => !isEven(value)],
    ['number?', isNumber],
    ['integer?', isWhole],
    ['int?', isWhole],
    ['pos-int?', (value) => isWhole(value) && sign(value) > 0],
    ['neg-int?', (value) => isWhole(value) && sign(value) < 0],
    ['nat-int?', (value) => isWhole(value) && sign(value) >= 0],
    ['decimal?', (value) => value instanceof Decimal],
    ['float?', isFloating],
    ['double?', isFloating],
  ];
}

function conversions(core: Core): readonly NamedFunction[] {
  const whole: Callable = (value) => core.number(wholePart(numberOf(value)));
  const double: Callable = (value) => core.number(new Double(toDouble(numberOf(value))));
  return [
    ['int', whole],
    ['long', whole],
    ['bigint', whole],
    ['biginteger', whole],
    ['double', double],
    ['float', double],
    ['bigdec', (value) => core.number(new ExactNumber(decimalText(typeof value === 'string' ? value : String(value))))],
    ['parse-long', (text) => parsedLong(text, core)],
  ];
}

/** Nothing where it is no whole number of 64 bits. */
function parsedLong(text: unknown, core: Core): unknown {
  if (typeof text !== 'string') throw new TypeError('parse-long takes a text');
  const value = /^[+-]?\d{1,100}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  return value === undefined || BigInt.asIntN(64, value) !== value ? null : core.number(narrow(value));
}

/** The interpreter counts in doubles: it is asked only where each of the numbers is a whole one that a double holds. */
function range(values: readonly unknown[], core: Core): unknown {
  if (values.length === 0 || values.length > 3 || values.every(isSmall)) return core.range(...values);
  const [first, second, third] = values.map(numberOf);
  const [start, end, step] = second === undefined ? [0, first ?? 0, 1] : [first ?? 0, second, third ?? 1];
  const direction = compareNumbers(step, 0);
  const isInside = (each: unknown): boolean => {
    const order = compareNumbers(numberOf(each), end);
    return direction === 0 ? order !== 0 : order * direction < 0;
  };
  return core.takeWhile(
    isInside,
    core.iterate((each: unknown) => core.number(combined('+', numberOf(each), step)), core.number(start)),
  );
}

function isSmall(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 52;
}

/** A number as it stands in a text of Clojure: `1500M`, `10N`, `12345678901234567890`, `1.5`. */
export function literalNumber(text: string, core: Core): unknown {
  if (text.endsWith('M')) return core.number(new ExactNumber(decimalText(text.slice(0, -1))));
  if (!/[.eE]/.test(text)) return core.number(narrow(BigInt(text.endsWith('N') ? text.slice(0, -1) : text)));
  const double = Number(text);
  const isHeld = compareNumbers(double, new ExactNumber(decimalText(text))) === 0;
  return core.number(isHeld ? double : new ExactNumber(decimalText(text)));
}

function decimalText(text: string): string {
  const trimmed = text.trim();
  if (!/^[+-]?\d{1,1000}(?:\.\d{1,1000})?(?:[eE][+-]?\d{1,3})?$/.test(trimmed)) throw new TypeError(`${text} is no decimal number`);
  return trimmed.replace(/^\+/, '');
}

function builtin(name: string, numbers: readonly Numeric[], core: Core): unknown {
  const [least, most] = builtinFunctions.get(name) ?? [1, 1];
  if (numbers.length < least || numbers.length > most) throw new TypeError(`Wrong number of args (${numbers.length}) passed to: ${name}`);
  const result: Value = callNumber(name, numbers);
  return isNumeric(result) ? core.number(result) : result;
}

function combined(operator: ArithmeticOperator, first: Numeric, second: Numeric): Numeric {
  const result = calculate(operator, first, second);
  if (result === null) throw new RangeError(operator === '/' ? 'Divide by zero' : 'the number is too large');
  return result;
}

function folded(operator: ArithmeticOperator, first: Numeric, rest: readonly Numeric[], alone: (value: Numeric) => Numeric): Numeric {
  return rest.length === 0 ? alone(first) : rest.reduce((result, each) => combined(operator, result, each), first);
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
  const differs = compareNumbers(rest, 0) !== 0 && compareNumbers(rest, 0) < 0 !== compareNumbers(second, 0) < 0;
  return differs ? combined('+', rest, second) : rest;
}

function isInteger(value: Numeric): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}
