// Exact arithmetic for oracles: fractions of two BigInts, written apart from the service's own.

export class Fraction {
  readonly top: bigint;
  /** Always positive. */
  readonly bottom: bigint;

  private constructor(top: bigint, bottom: bigint) {
    this.top = top;
    this.bottom = bottom;
  }

  static of(value: string | number | bigint | Fraction): Fraction {
    if (value instanceof Fraction) return value;
    const [mantissa = '', exponent = '0'] = String(value).toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    const shift = Number(exponent) - fraction.length;
    const digits = BigInt(`${whole}${fraction}`);
    return shift >= 0 ? new Fraction(digits * 10n ** BigInt(shift), 1n) : new Fraction(digits, 10n ** BigInt(-shift));
  }

  plus(other: string | number | bigint | Fraction): Fraction {
    const { top, bottom } = Fraction.of(other);
    return new Fraction(this.top * bottom + top * this.bottom, this.bottom * bottom);
  }

  minus(other: string | number | bigint | Fraction): Fraction {
    return this.plus(Fraction.of(other).times(-1n));
  }

  times(other: string | number | bigint | Fraction): Fraction {
    const { top, bottom } = Fraction.of(other);
    return new Fraction(this.top * top, this.bottom * bottom);
  }

  over(other: string | number | bigint | Fraction): Fraction {
    const { top, bottom } = Fraction.of(other);
    if (top === 0n) throw new Error('division by zero');
    return top < 0n ? new Fraction(-this.top * bottom, this.bottom * -top) : new Fraction(this.top * bottom, this.bottom * top);
  }

  compare(other: string | number | bigint | Fraction): number {
    const { top, bottom } = Fraction.of(other);
    const [left, right] = [this.top * bottom, top * this.bottom];
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** Halves away from zero. */
  round(places: number): Fraction {
    const scaled = this.times(10n ** BigInt(places));
    const [top, isNegative] = [scaled.top < 0n ? -scaled.top : scaled.top, scaled.top < 0n];
    const nearest = (2n * top + scaled.bottom) / (2n * scaled.bottom);
    return new Fraction(isNegative ? -nearest : nearest, 10n ** BigInt(places));
  }

  /** As a client sends it. */
  toJSON(): string {
    return this.text();
  }

  /** Of so many digits that count, halves to the even one. */
  significant(digits: number): Fraction {
    if (this.top === 0n) return this;
    let places = 0;
    const [least, most] = [10n ** BigInt(digits - 1), 10n ** BigInt(digits)];
    const scaled = (): Fraction => (places >= 0 ? this.times(10n ** BigInt(places)) : this.over(10n ** BigInt(-places)));
    const whole = ({ top, bottom }: Fraction): bigint => (top < 0n ? -top : top) / bottom;
    while (whole(scaled()) < least) places += 1;
    while (whole(scaled()) >= most) places -= 1;
    const { top, bottom } = scaled();
    const [size, down] = [top < 0n ? -top : top, whole(scaled())];
    const twice = 2n * (size - down * bottom);
    const nearest = twice > bottom || (twice === bottom && down % 2n === 1n) ? down + 1n : down;
    const rounded = Fraction.of(top < 0n ? -nearest : nearest);
    return places >= 0 ? rounded.over(10n ** BigInt(places)) : rounded.times(10n ** BigInt(-places));
  }

  /** Without zeros at the end: two that are the same number have the same text. Only for what ends. */
  text(): string {
    let [bottom, places] = [this.bottom, 0];
    let top = this.top;
    while (top % bottom !== 0n) {
      top *= 10n;
      places += 1;
      if (places > 400) throw new Error('a fraction that does not end');
    }
    const digits = String((top < 0n ? -top : top) / bottom).padStart(places + 1, '0');
    bottom = 1n;
    const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
    return top < 0n ? `-${text}` : text;
  }
}

export function sum(values: Iterable<string | number | bigint | Fraction>): Fraction {
  let total = Fraction.of(0);
  for (const value of values) total = total.plus(value);
  return total;
}
