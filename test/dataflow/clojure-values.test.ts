// What holds for every value that crosses between the service and Clojure, and for the arithmetic in between.

import fc, { type Arbitrary } from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Functions } from '../../src/engine/eval/functions.ts';
import { loadFunctions } from '../../src/functions/functions.ts';
import { calculate, type Numeric } from '../../src/values/arithmetic.ts';
import { ExactNumber } from '../../src/values/exact-number.ts';
import type { Value } from '../../src/values/value.ts';
import { modelOf } from '../support/app.ts';
import { counted } from '../support/form.ts';

const operators = ['+', '-', '*', '/', '<', '=', 'quot', 'rem', 'mod'] as const;
const text = `(component :M)
(defn same [x] x)
(defn through [x] (first (vals (assoc {} :a [x]))))
${operators.map((name, index) => `(defn f${index} [a b] (${name} a b))`).join('\n')}
(dataflow :Ev [:eval '(same 1)] [:eval '(through 1)] ${operators.map((_, index) => `[:eval '(f${index} 1 1)]`).join(' ')})`;

const loaded: { functions?: Functions } = {};

beforeAll(async () => {
  loaded.functions = await loadFunctions(modelOf({ 'core.platform': text }), {
    folder: '/',
    clock: systemClock(),
    limit: 10_000,
    loaded: new Map(),
    failed: () => {},
    logged: () => {},
  });
});

function call(name: string, ...values: readonly Value[]): unknown {
  return loaded.functions?.call({ file: '/model/src/core.platform', function: name, language: 'clojure' }, values, { called: false });
}

const whole: Arbitrary<Numeric> = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).map((each) => (Number.isSafeInteger(Number(each)) ? Number(each) : each)),
);
const decimal: Arbitrary<ExactNumber> = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat({ max: 999_999 }))
  .map(([digits, fraction]) => new ExactNumber(`${digits}.${String(fraction).padStart(6, '0')}`));
const key = fc.string({ minLength: 1 }).filter((each) => each !== '__proto__');

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    whole,
    decimal,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('values', () => {
  test('go in and come back as they were', () => {
    fc.assert(
      fc.property(value, (each) => {
        expect(call('same', each)).toEqual(each);
      }),
      { numRuns: counted({ long: 10_000, short: 330 }) },
    );
  });

  test('come back as they were from inside of collections', () => {
    fc.assert(
      fc.property(value, (each) => {
        expect(call('through', each)).toEqual([each]);
      }),
      { numRuns: counted({ long: 5000, short: 170 }) },
    );
  });
});

describe('arithmetic', () => {
  const number = fc.oneof(whole, decimal);

  test('is that of the service', () => {
    fc.assert(
      fc.property(number, number, fc.constantFrom(0, 1, 2), (first, second, index) => {
        const operator = (['+', '-', '*'] as const)[index] ?? '+';
        expect(call(`f${index}`, first, second)).toEqual(calculate(operator, first, second));
      }),
      { numRuns: counted({ long: 10_000, short: 330 }) },
    );
  });

  test('of whole numbers is that of whole numbers of any size', () => {
    const nonZero = fc.bigInt({ min: 1n, max: 2n ** 90n });
    const any = fc.bigInt({ min: -(2n ** 120n), max: 2n ** 120n });
    fc.assert(
      fc.property(any, nonZero, (a, b) => {
        const [quot, rem, mod] = [6, 7, 8].map((index) => BigInt(String(call(`f${index}`, a, b))));
        expect([quot, rem, mod]).toEqual([a / b, a % b, ((a % b) + b) % b]);
        expect([call('f4', a, b), call('f5', a, b), call('f5', a, a)]).toEqual([a < b, a === b, true]);
      }),
      { numRuns: counted({ long: 10_000, short: 330 }) },
    );
  });
});
