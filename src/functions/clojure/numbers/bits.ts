// Operations on the 64 bits of whole numbers: the interpreter's own look at 32 of them.

import { narrow } from '../../../values/arithmetic.ts';
import type { Core, NamedFunction } from '../interpreter.ts';
import { isNumber, numericOf } from './number-types.ts';

export function bitFunctions(core: Core): readonly NamedFunction[] {
  const given = (bits: bigint): unknown => core.number(narrow(BigInt.asIntN(64, bits)));
  const chained = (name: string, combine: (first: bigint, second: bigint) => bigint): NamedFunction => [
    name,
    (first, second, ...more) => given([second, ...more].reduce((bits: bigint, each) => combine(bits, bitsOf(each)), bitsOf(first))),
  ];
  // Only the last six bits of a count are looked at.
  const placed = (name: string, change: (bits: bigint, count: bigint) => bigint): NamedFunction => [
    name,
    (value, count) => given(change(bitsOf(value), BigInt.asUintN(6, bitsOf(count)))),
  ];
  return [
    chained('bit-and', (a, b) => a & b),
    chained('bit-or', (a, b) => a | b),
    chained('bit-xor', (a, b) => a ^ b),
    chained('bit-and-not', (a, b) => a & ~b),
    ['bit-not', (value) => given(~bitsOf(value))],
    placed('bit-shift-left', (bits, count) => bits << count),
    placed('bit-shift-right', (bits, count) => bits >> count),
    placed('unsigned-bit-shift-right', (bits, count) => BigInt.asUintN(64, bits) >> count),
    placed('bit-set', (bits, count) => bits | (1n << count)),
    placed('bit-clear', (bits, count) => bits & ~(1n << count)),
    placed('bit-flip', (bits, count) => bits ^ (1n << count)),
    ['bit-test', (value, count) => ((bitsOf(value) >> BigInt.asUintN(6, bitsOf(count))) & 1n) === 1n],
  ];
}

function bitsOf(value: unknown): bigint {
  const number = isNumber(value) ? numericOf(value) : undefined;
  const whole = typeof number === 'bigint' || Number.isInteger(number) ? BigInt(String(number)) : undefined;
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole) throw new TypeError('bit operations take whole numbers of 64 bits');
  return whole;
}
