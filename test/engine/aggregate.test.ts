// Sums of many decimals: at once what adding one after the other gives.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aggregate, sumOf } from '../../src/engine/eval/aggregate.ts';
import { calculate, isNumeric } from '../../src/values/arithmetic.ts';
import { Double, ExactNumber } from '../../src/values/exact-number.ts';
import type { Value } from '../../src/values/value.ts';

const decimals = fc.oneof(
  fc.stringMatching(/^-?[0-9]{1,15}(\.[0-9]{1,6})?$/),
  fc.stringMatching(/^-?[0-9]{14,24}\.[0-9]{1,20}$/),
  fc.stringMatching(/^-?[1-9](\.[0-9]{1,3})?e-?[0-9]$/),
);

function oneAfterTheOther(texts: readonly string[]): Value {
  return texts
    .map((text): Value => new ExactNumber(text))
    .reduce((total, each) => (isNumeric(total) && isNumeric(each) ? calculate('+', total, each) : null));
}

test('sums of decimals are exact, however many there are', () => {
  fc.assert(
    fc.property(fc.array(decimals, { minLength: 1, maxLength: 40 }), (texts) => {
      expect(sumOf('sum', 'decimal', texts)).toEqual(oneAfterTheOther(texts));
    }),
  );
  expect(
    sumOf(
      'sum',
      'decimal',
      Array.from({ length: 50_000 }, () => '999999999999.99'),
    ),
  ).toEqual(new ExactNumber('49999999999999500.00'));
  expect(sumOf('avg', 'decimal', ['1.10', '2.30'])).toEqual(new ExactNumber('1.7'));
  expect(sumOf('sum', 'decimal', [])).toBeNull();
});

test('the mean of doubles is the double next to it, as their sum is', () => {
  expect(sumOf('sum', 'real', [0.1, 0.2, 0.3])).toEqual(new Double(0.6));
  expect(sumOf('avg', 'real', [0.1, 0.2, 0.3])).toEqual(new Double(0.2));
  expect(sumOf('avg', 'real', [1, 2])).toEqual(new Double(1.5));
  expect(sumOf('avg', 'real', [1e308, 1e308])).toEqual(new Double(1e308));
  expect(sumOf('avg', 'real', [1, 1, 2])).toEqual(new Double(4 / 3));
});

test('the least and the greatest of decimals are those by value', () => {
  fc.assert(
    fc.property(fc.array(decimals, { minLength: 2, maxLength: 10 }), (texts) => {
      const values = texts.map((text) => new ExactNumber(text));
      const [least, greatest] = [aggregate('min', values), aggregate('max', values)];
      for (const each of values) {
        expect(sign(each, least)).toBeGreaterThanOrEqual(0);
        expect(sign(each, greatest)).toBeLessThanOrEqual(0);
      }
    }),
  );
});

function sign(first: ExactNumber, second: Value): number {
  const difference = isNumeric(second) ? calculate('-', first, second) : null;
  const text = difference instanceof ExactNumber ? difference.text : '';
  return text.startsWith('-') ? -1 : Number(/[1-9]/.test(text));
}
