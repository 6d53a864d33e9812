// Operators: their usual precedence, and the same meaning in an expression and in a query.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const values: readonly (readonly [expression: string, value: unknown])[] = [
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 2 - 3', 5],
  ['12 / 2 / 3', 2],
  ['2 * 3 + 4 * 5', 26],
  ['-2 * 3', -6],
  ['5 -1', 4],
  ['-(2 + 3)', -5],
  ['5 + 1 > 3', true],
  ['3 > 5 + 1', false],
  ['1 + 1 == 2 and 2 + 2 == 4', true],
  ['true or false and false', true],
  ['(true or false) and false', false],
  ['not true or true', true],
  ['not (true or true)', false],
  ['not 1 == 2', true],
  ['not false and false', false],
  ['1 < 2 == true', true],
  ['2 in [1, 2, 3]', true],
  ['1 + 1 in [1, 2, 3] and true', true],
  ['4 in [1, 2, 3]', false],
  ['not 4 in [1, 2, 3]', true],
  ['not (2 in [1, 2, 3])', false],
  ['"a" in []', false],
  ['"abc" like "a%"', true],
  ['"abc" like "b%"', false],
  ['"abc" like "abc"', true],
  ['"abc" like "ab"', false],
  ['"a" + "bc" like "_b_"', true],
  ['not "abc" like "b%"', true],
  ['3 between [1, 3]', true],
  ['1 + 3 between [1, 3]', false],
  ['"a" + 1 + 2', 'a12'],
  ['1 + 2 + "a"', '3a'],
  ['1 <> 2', true],
  ['1 != 1', false],
  ['1 = 1', true],
  ['null == ev.none', true],
  ['ev.none + 1', null],
  ['ev.none > 1', false],
  ['not ev.none > 1', true],
  ['"b" > "a"', true],
  ['"Z" < "a"', true],
  ['0.1 + 0.2 > 0.3', false],
  ['0.1 + 0.2 == 0.3', true],
  ['9007199254740993 + 0 == 9007199254740993', true],
];

test('operators have their usual precedence', async () => {
  const served = await serve(`module m\nworkflow ev {\n[${values.map(([each]) => each).join(',\n')}]\n}`);
  const { body } = await served.post('/m/ev', {});
  expect(Array.isArray(body) ? values.map(([each], at) => [each, body[at]]) : body).toEqual(values);
});

/** Whole numbers with operators in between, and what any calculator makes of them. */
const sum = fc.array(fc.tuple(fc.constantFrom('+', '-', '*'), fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 8 });

function calculated(first: number, rest: readonly (readonly [string, number])[]): number {
  const terms = [first];
  for (const [operator, number] of rest) {
    const last = terms.pop() ?? 0;
    if (operator === '*') terms.push(last * number);
    else terms.push(last, operator === '+' ? number : -number);
  }
  return terms.reduce((total, each) => total + each, 0);
}

test('sums and products are calculated as everybody does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), sum), { minLength: 1, maxLength: 40 }), async (sums) => {
      const texts = sums.map(([first, rest]) => `${first} ${rest.map(([operator, number]) => `${operator} ${number}`).join(' ')}`);
      const served = await serve(`module m\nworkflow ev {\n[${texts.join(',\n')}]\n}`);
      const { body } = await served.post('/m/ev', {});
      expect(body).toEqual(sums.map(([first, rest]) => calculated(first, rest)));
    }),
    { numRuns: 5 },
  );
});

const texts = ['', 'a', 'A', 'ab', 'a%', '_', 'é', 'z', '\u{1F600}', '\uffee', 'a\\b'];
const rows = texts.map((s, at) => ({
  id: at,
  s: at % 4 === 3 ? null : s,
  n: at % 3 === 2 ? null : at - 4,
  d: at % 5 === 4 ? null : `${at - 3}.${at}0`,
  b: at % 3 === 0 ? null : at % 2 === 0,
}));

const quoted = (text: string) => JSON.stringify(text);
const text = fc.constantFrom(...texts.map(quoted), 'null', 'ev.s');
const whole = fc.constantFrom('-3', '0', '2', '5', 'null', 'ev.n', '1.5');
const decimal = fc.constantFrom('-2.1', '0', '1.40', '3', 'null');
const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
const pattern = fc.constantFrom(...['%', 'a%', '_', '%b', '%\\\\%%', 'A_', '', '__'].map((each) => `"${each}"`), 'ev.s');
const list = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`);
const pair = (item: fc.Arbitrary<string>) => fc.tuple(item, item).map(([low, high]) => `[${low}, ${high}]`);

const comparison = fc.oneof(
  fc.tuple(operator, text).map(([sign, value]) => `T.s ${sign} ${value}`),
  fc.tuple(operator, whole).map(([sign, value]) => `T.n ${sign} ${value}`),
  fc.tuple(operator, whole).map(([sign, value]) => `${value} ${sign} T.n`),
  fc.tuple(operator, decimal).map(([sign, value]) => `T.d ${sign} ${value}`),
  fc.tuple(fc.constantFrom('==', '!='), fc.constantFrom('true', 'false', 'null')).map(([sign, value]) => `T.b ${sign} ${value}`),
  fc.tuple(operator, fc.constantFrom('T.n', 'T.id')).map(([sign, value]) => `T.n ${sign} ${value}`),
  fc.tuple(operator, whole).map(([sign, value]) => `T.n + 1 ${sign} ${value}`),
  pattern.map((value) => `T.s like ${value}`),
  fc.tuple(fc.constantFrom('T.n', 'T.d', 'T.b'), pattern).map(([column, value]) => `${column} like ${value}`),
  list(text).map((value) => `T.s in ${value}`),
  list(whole).map((value) => `T.n in ${value}`),
  pair(text).map((value) => `T.s between ${value}`),
  pair(whole).map((value) => `T.n between ${value}`),
  pair(decimal).map((value) => `T.d between ${value}`),
);

const condition: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    comparison,
    tie('any').map((inner) => `not (${inner})`),
    fc.tuple(tie('any'), fc.constantFrom('and', 'or'), tie('any')).map(([left, word, right]) => `(${left}) ${word} (${right})`),
  ),
})).any;

describe('a condition means the same in an expression and in a query', () => {
  test('for every row, whatever is absent in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(condition, { minLength: 1, maxLength: 40 }), async (conditions) => {
        const flows = conditions.map(
          (each, at) => `workflow asked${at} { {ev {}, @from asked${at}} @as ev {T? {}, @where(${each})} @as found for t in found { t.id } }
workflow told${at} { {ev {}, @from told${at}} @as ev for t in {T? {}} { if (${each.replaceAll('T.', 't.')}) { t.id } else { null } } }`,
        );
        const served = await serve(`module m
entity T { id Int @id, s String @optional, n Int @optional, d Decimal @optional, b Boolean @optional }
event ev { s String @optional, n Int @optional }
workflow fill { for x in fill.rows { {T {}, @from x} } }
${flows.join('\n')}`);
        await check(served, [{ ask: 'POST /m/fill', body: { rows }, status: 200 }]);
        for (const [at, each] of conditions.entries()) {
          const given = at % 2 === 0 ? { s: 'a%', n: 2 } : {};
          const asked = await served.post(`/m/asked${at}`, given);
          const told = await served.post(`/m/told${at}`, given);
          const holds = Array.isArray(told.body) ? told.body.filter((id) => id !== null) : told.body;
          expect({ condition: each, given, found: asked.body }).toEqual({ condition: each, given, found: holds });
        }
      }),
      { numRuns: 12 },
    );
  });
});
