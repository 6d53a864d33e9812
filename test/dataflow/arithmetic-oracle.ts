// What expressions over numbers must give, worked out with fractions of whole numbers and nothing of the service.

/** `p / q`, with `q` above zero; `double` where a `Float` took part. */
export type Num =
  | { readonly kind: 'int' | 'dec'; readonly p: bigint; readonly q: bigint }
  | { readonly kind: 'double'; readonly value: number };
export type Outcome = Num | null | 'refused';

export type Tree =
  | { readonly kind: 'leaf'; readonly name: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'negation'; readonly of: Tree }
  | { readonly kind: 'binary'; readonly operator: '+' | '-' | '*' | '/'; readonly left: Tree; readonly right: Tree }
  | {
      readonly kind: 'call';
      readonly name: 'round' | 'floor' | 'ceil' | 'abs' | 'min' | 'max';
      readonly of: readonly Tree[];
      readonly places?: number;
    };

export function exact(kind: 'int' | 'dec', text: string): Num {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return power >= 0 ? { kind, p: digits * 10n ** BigInt(power), q: 1n } : { kind, p: digits, q: 10n ** BigInt(-power) };
}

/** A text is one of numbers where it reads as one, else refused. */
export function evaluated(tree: Tree, leaf: (name: string) => Num | string | null): Outcome {
  switch (tree.kind) {
    case 'leaf': {
      const found = leaf(tree.name);
      if (typeof found !== 'string') return found;
      return /^-?\d+(\.\d+)?$/.test(found) ? exact(found.includes('.') ? 'dec' : 'int', found) : 'refused';
    }
    case 'literal':
      return exact(tree.text.includes('.') ? 'dec' : 'int', tree.text);
    case 'negation': {
      const found = evaluated(tree.of, leaf);
      if (found === null || found === 'refused') return found;
      return found.kind === 'double' ? { ...found, value: -found.value } : { ...found, p: -found.p };
    }
    case 'binary': {
      const [left, right] = [evaluated(tree.left, leaf), evaluated(tree.right, leaf)];
      if (left === 'refused' || right === 'refused') return 'refused';
      return left === null || right === null ? null : combined(tree.operator, left, right);
    }
    case 'call': {
      const found = tree.of.map((each) => evaluated(each, leaf));
      if (found.includes('refused')) return 'refused';
      const numbers = found.flatMap((each) => (each === null || each === 'refused' ? [] : [each]));
      return numbers.length < found.length ? null : called(tree.name, numbers, tree.places);
    }
  }
}

function combined(operator: '+' | '-' | '*' | '/', left: Num, right: Num): Num | null {
  if (left.kind === 'double' || right.kind === 'double') {
    const [a, b] = [toDouble(left), toDouble(right)];
    const value = { '+': a + b, '-': a - b, '*': a * b, '/': a / b }[operator];
    return Number.isFinite(value) ? { kind: 'double', value } : null;
  }
  const kind = left.kind === 'int' && right.kind === 'int' ? 'int' : 'dec';
  if (operator === '*') return { kind, p: left.p * right.p, q: left.q * right.q };
  if (operator === '/') return right.p === 0n ? null : quotient(kind, left.p * right.q, left.q * right.p);
  return { kind, p: left.p * right.q + (operator === '+' ? 1n : -1n) * right.p * left.q, q: left.q * right.q };
}

function quotient(kind: 'int' | 'dec', dividend: bigint, divisor: bigint): Num {
  const [p, q] = divisor < 0n ? [-dividend, -divisor] : [dividend, divisor];
  if (kind === 'int' && p % q === 0n) return { kind, p: p / q, q: 1n };
  const size = p < 0n ? -p : p;
  if (size === 0n) return { kind: 'dec', p, q: 1n };
  // The power of ten that leaves 34 digits before the point.
  let scale = 34 - (String(size).length - String(q).length);
  const least = 10n ** 33n;
  const scaled = (by: number): readonly [bigint, bigint] => (by >= 0 ? [size * 10n ** BigInt(by), q] : [size, q * 10n ** BigInt(-by)]);
  while (scaled(scale)[0] / scaled(scale)[1] >= least * 10n) scale -= 1;
  while (scaled(scale)[0] / scaled(scale)[1] < least) scale += 1;
  const [a, b] = scaled(scale);
  const [whole, rest] = [a / b, a % b];
  const up = 2n * rest > b || (2n * rest === b && whole % 2n === 1n);
  const digits = (p < 0n ? -1n : 1n) * (up ? whole + 1n : whole);
  return scale >= 0 ? { kind: 'dec', p: digits, q: 10n ** BigInt(scale) } : { kind: 'dec', p: digits * 10n ** BigInt(-scale), q: 1n };
}

function called(name: string, [first, ...rest]: readonly Num[], places: number | undefined): Num | null {
  if (first === undefined) return null;
  switch (name) {
    case 'round':
      return rounded(first, places);
    case 'floor':
      return first.kind === 'double'
        ? { kind: 'double', value: Math.floor(first.value) }
        : { kind: 'int', p: floor(first.p, first.q), q: 1n };
    case 'ceil':
      return first.kind === 'double'
        ? { kind: 'double', value: Math.ceil(first.value) }
        : { kind: 'int', p: -floor(-first.p, first.q), q: 1n };
    case 'abs':
      return compared(first, exact('int', '0')) < 0 ? negative(first) : first;
    default:
      return rest.reduce((best, each) => (compared(each, best) * (name === 'min' ? 1 : -1) < 0 ? each : best), first);
  }
}

function negative(value: Num): Num {
  return value.kind === 'double' ? { ...value, value: -value.value } : { ...value, p: -value.p };
}

function rounded(value: Num, places: number | undefined): Num {
  const { p, q } = written(value);
  const unit = 10n ** BigInt(Math.abs(places ?? 0));
  // In units of the last place that is kept.
  const [a, b] = (places ?? 0) >= 0 ? [p * unit, q] : [p, q * unit];
  const size = floor(2n * (a < 0n ? -a : a) + b, 2n * b) * (a < 0n ? -1n : 1n);
  const found = (places ?? 0) >= 0 ? { p: size, q: unit } : { p: size * unit, q: 1n };
  if (value.kind === 'double') return { kind: 'double', value: Number(decimalText(found.p, found.q)) };
  return { kind: value.kind === 'int' || places === undefined ? 'int' : 'dec', ...found };
}

function floor(p: bigint, q: bigint): bigint {
  return p / q - (p < 0n && p % q !== 0n ? 1n : 0n);
}

/** A double counts as the digits that it is written with. */
export function written(value: Num): { readonly p: bigint; readonly q: bigint } {
  if (value.kind !== 'double') return value;
  const found = exact('dec', String(value.value));
  return found.kind === 'double' ? { p: 0n, q: 1n } : found;
}

export function compared(first: Num, second: Num): number {
  const [a, b] = [written(first), written(second)];
  const difference = a.p * b.q - b.p * a.q;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function toDouble(value: Num): number {
  return value.kind === 'double' ? value.value : Number(decimalText(value.p, value.q));
}

/** All digits; the fractions here always have an end. */
export function decimalText(p: bigint, q: bigint): string {
  const size = p < 0n ? -p : p;
  let [rest, text] = [size % q, `${p < 0n ? '-' : ''}${size / q}`];
  if (rest !== 0n) text += '.';
  for (; rest !== 0n; rest = (rest * 10n) % q) text += String((rest * 10n) / q);
  return text;
}
