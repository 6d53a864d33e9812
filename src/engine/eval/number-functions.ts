// `round`, `floor`, `ceil`, `abs`, `min`, `max`: exact on whole numbers and decimals, doubles on doubles.

import { error, invalid, PlatformError } from '../../errors.ts';
import { decimal } from '../../model/types/number/decimal.ts';
import { compareNumbers, digitsOf, isNumeric, isWhole, type Numeric, narrow, negated, wholeNumber } from '../../values/arithmetic.ts';
import { type Digits, Double, ExactNumber, magnitude, readDigits } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';

/** What has no value gives nothing. */
export function callNumber(name: string, values: readonly Value[]): Value {
  const numbers = operandsOf(values);
  const [first, second] = numbers ?? [];
  if (numbers === undefined || first === undefined) return null;
  switch (name) {
    case 'round':
      return rounded(first, second);
    case 'floor':
      return wholeBelow(first);
    case 'ceil':
      return negated(wholeBelow(negated(first)));
    case 'abs':
      return compareNumbers(first, 0) < 0 ? negated(first) : first;
    case 'min':
      return numbers.reduce((least, each) => (compareNumbers(each, least) < 0 ? each : least));
    case 'max':
      return numbers.reduce((most, each) => (compareNumbers(each, most) > 0 ? each : most));
    default:
      throw new Error(`${name} has no behaviour in this version`);
  }
}

/** The arguments, or the items of the one list among them; none where one of them is absent, or no number at all. */
function operandsOf(values: readonly Value[]): readonly Numeric[] | undefined {
  const [only] = values;
  const items = values.length === 1 && Array.isArray(only) ? only : values;
  const numbers = items.map((each) => exact(asNumber(each))).filter(isNumeric);
  return numbers.length === items.length ? numbers : undefined;
}

/** What a function gives is a decimal, also where it was given one as it is written in the model or in JSON. */
function exact(value: Value): Value {
  return typeof value === 'number' && !isWhole(value) ? ExactNumber.of(readDigits(String(value))) : value;
}

/** Where only numbers make sense, a text counts as the number that it reads as; another is refused. */
export function asNumber(value: Value): Value {
  return typeof value === 'string' ? numberIn(value) : value;
}

export function numberIn(text: string): Numeric {
  const found = numberText(text);
  if (found === undefined) throw new NumberNeeded();
  return found;
}

class NumberNeeded extends PlatformError {
  constructor() {
    super('dataflow-failed', { detail: 'A number is needed here, and a text was given that is none.' });
  }
}

/** The value of an attribute: what it cannot be computed from is a fault of that attribute. */
export function computedFor<T>(attribute: string, compute: () => T): T {
  try {
    return compute();
  } catch (thrown) {
    if (!(thrown instanceof NumberNeeded)) throw thrown;
    throw invalid([{ attribute, code: 'type', message: 'must be computed from numbers, and a text was given that is none' }]);
  }
}

function numberText(text: string): Numeric | undefined {
  const found = decimal.parseText(text.trim());
  if (typeof found !== 'string') return undefined;
  return found.includes('.') ? new ExactNumber(found) : narrow(BigInt(found));
}

/** More places than any number has. */
const mostPlaces = 1000;

/** Halves go away from zero. Without a number of places a decimal becomes a whole number, with one it has that many. */
function rounded(value: Numeric, given: Numeric | undefined): Numeric {
  const places = given === undefined ? 0 : Number(wholeNumber(given) ?? Number.NaN);
  if (!(Math.abs(places) <= mostPlaces))
    throw error('dataflow-failed', { detail: `A number is rounded to a whole number of places, at most ${mostPlaces}.` });
  if (value instanceof Double) return new Double(Number(ExactNumber.of(roundedTo(readDigits(String(value.value)), places)).text));
  const found = roundedTo(digitsOf(value), places);
  if (isWhole(value) || given === undefined) return narrow(found.digits / 10n ** BigInt(found.scale));
  return ExactNumber.of(found);
}

function roundedTo({ digits, scale }: Digits, places: number): Digits {
  if (places >= scale) return { digits: digits * 10n ** BigInt(places - scale), scale: places };
  const unit = 10n ** BigInt(scale - places);
  const size = (magnitude(digits) * 2n + unit) / (unit * 2n);
  const rounded = digits < 0n ? -size : size;
  return places >= 0 ? { digits: rounded, scale: places } : { digits: rounded * 10n ** BigInt(-places), scale: 0 };
}

function wholeBelow(value: Numeric): Numeric {
  if (value instanceof Double) return new Double(Math.floor(value.value));
  if (isWhole(value)) return value;
  const { digits, scale } = digitsOf(value);
  const unit = 10n ** BigInt(scale);
  const whole = digits / unit;
  return narrow(digits < 0n && digits % unit !== 0n ? whole - 1n : whole);
}
