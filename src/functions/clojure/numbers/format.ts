// `format`: decimals and large whole numbers with their own digits, everything else as the interpreter writes it.

import { callNumber } from '../../../engine/eval/number-functions.ts';
import { digitsOf } from '../../../values/arithmetic.ts';
import { type Digits, ExactNumber } from '../../../values/exact-number.ts';
import type { Core } from '../interpreter.ts';
import { Decimal, isNumberObject, Whole } from './number-types.ts';

const directive = /%([-+0 ]*)(\d*)(?:\.(\d{1,3}))?([a-zA-Z%])/g;

export function formatted(template: string, values: readonly unknown[], core: Core): unknown {
  const given = values.map((each) => (isNumberObject(each) ? each.valueOf() : each));
  let index = 0;
  const changed = template.replace(directive, (whole, flags: string, width: string, places: string | undefined, letter: string) => {
    if (letter === '%') return whole;
    const text = digitsFor(values[index], letter, places);
    if (text !== undefined) given[index] = padded(text, flags, Math.min(Number(width), 1000));
    index += 1;
    return text === undefined ? whole : '%s';
  });
  return core.format(changed, ...given);
}

/** The text of a number that the interpreter would take for a double. */
function digitsFor(value: unknown, letter: string, places = '6'): string | undefined {
  if (letter === 's' && (value instanceof Decimal || value instanceof Whole)) return String(value);
  if (letter === 'd' && value instanceof Whole) return String(value);
  if (letter !== 'f') return undefined;
  const number = value instanceof Decimal ? value.exact : value instanceof Whole ? value.value : undefined;
  if (number === undefined) return undefined;
  const rounded = callNumber('round', [number, Number(places)]);
  return rounded instanceof ExactNumber || typeof rounded === 'number' || typeof rounded === 'bigint'
    ? withPlaces(digitsOf(rounded), Number(places))
    : undefined;
}

function withPlaces({ digits, scale }: Digits, places: number): string {
  const scaled = scale > places ? digits / 10n ** BigInt(scale - places) : digits * 10n ** BigInt(places - scale);
  return ExactNumber.of({ digits: scaled, scale: places }).text;
}

function padded(text: string, flags: string, width: number): string {
  const isNegative = text.startsWith('-');
  const sign = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const digits = isNegative ? text.slice(1) : text;
  if (flags.includes('-')) return (sign + digits).padEnd(width);
  return flags.includes('0') ? sign + digits.padStart(width - sign.length, '0') : (sign + digits).padStart(width);
}
