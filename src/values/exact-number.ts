// Numbers that are more than a plain number: decimals with all of their digits, and doubles that take part in an expression.

/** A decimal of a request, a model or an expression: its text, kept for the types that can keep it exactly. A type that does not know it refuses it. */
export class ExactNumber {
  // The index signature makes it a `Value`, so that the types in between need not know it.
  readonly [key: string]: string;
  /** In the form of JSON: `-12.345678901234567890`, `1e400`. */
  readonly text: string;
  #digits: Digits | undefined;

  constructor(text: string) {
    this.text = text;
    Object.freeze(this);
  }

  /** As a whole number and a power of ten; read from the text once. */
  static digitsOf(number: ExactNumber): Digits {
    number.#digits ??= readDigits(number.text);
    return number.#digits;
  }

  static of(value: Digits): ExactNumber {
    const made = new ExactNumber(writeDigits(value));
    made.#digits = value;
    return made;
  }
}

/** A value of a `Float` attribute inside an expression: whatever is computed with it is a double too. */
export class Double {
  readonly [key: string]: number;
  readonly value: number;

  constructor(value: number) {
    this.value = value;
    Object.freeze(this);
  }
}

/** `digits / 10^scale`; the scale is never below zero. */
export interface Digits {
  readonly digits: bigint;
  readonly scale: number;
}

/** Of the text of a number: `-12.50`, `1e+21`. */
export function readDigits(text: string): Digits {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const point = mantissa.indexOf('.');
  const digits = BigInt(point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1));
  const scale = (point === -1 ? 0 : mantissa.length - point - 1) - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function writeDigits({ digits, scale }: Digits): string {
  if (scale === 0) return String(digits);
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const number = `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  return digits < 0n ? `-${number}` : number;
}

/** A quotient has so many significant digits at most. */
const quotientDigits = 34;

/** Rounded to the nearest, halves to the even digit; nothing where the second is zero. */
export function quotientOf(first: Digits, second: Digits): Digits | undefined {
  if (second.digits === 0n) return undefined;
  const [a, b] = [magnitude(first.digits), magnitude(second.digits)];
  // Such a power of ten that the whole part of the quotient has all significant digits, and at least one more.
  const power = quotientDigits + 1 + digitCount(b) - digitCount(a);
  const [dividend, divisor] = power >= 0 ? [a * 10n ** BigInt(power), b] : [a, b * 10n ** BigInt(-power)];
  const whole = dividend / divisor;
  const rounded = withFewerDigits(whole, dividend % divisor !== 0n, digitCount(whole) - quotientDigits);
  const sign = first.digits < 0n === second.digits < 0n ? 1n : -1n;
  const scale = first.scale - second.scale + power;
  return withoutZeros(scale >= 0 ? { digits: sign * rounded, scale } : { digits: sign * rounded * 10n ** BigInt(-scale), scale: 0 });
}

/** The last digits become zeros; `more` says whether there were others behind them. */
function withFewerDigits(whole: bigint, more: boolean, count: number): bigint {
  if (count <= 0) return whole;
  const unit = 10n ** BigInt(count);
  const [kept, rest] = [whole / unit, whole % unit];
  const half = unit / 2n;
  const isUp = rest > half || (rest === half && (more || kept % 2n === 1n));
  return (isUp ? kept + 1n : kept) * unit;
}

export function magnitude(digits: bigint): bigint {
  return digits < 0n ? -digits : digits;
}

function digitCount(whole: bigint): number {
  return whole === 0n ? 0 : String(whole).length;
}

export function withoutZeros({ digits, scale }: Digits): Digits {
  let [left, places] = [digits, scale];
  while (places > 0 && left % 10n === 0n) [left, places] = [left / 10n, places - 1];
  return { digits: left, scale: places };
}
