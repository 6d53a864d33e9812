// Expressions over the attributes of an instance: exact numbers, usual precedence, nothing thrown.

import { expect, test } from 'vitest';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { type Project, serve } from '../support/app.ts';
import { check } from '../support/table.ts';

/** With `i` 7, `big` 2^62, `f` 0.5, `d` "2.50", `s` "ab_c", `b` true, `none` absent, `m` {"a": [1, 2]}. */
const expressions: readonly (readonly [type: string, expression: string, value: string])[] = [
  ['Int', 'i + 1', '8'],
  ['Int', 'i - 10', '-3'],
  ['Int', '-i', '-7'],
  ['Int', '1 + 2 * 3', '7'],
  ['Int', '(1 + 2) * 3', '9'],
  ['Int', '10 - 2 - 3', '5'],
  ['Int', 'big + 1', '4611686018427387905'],
  ['Int', 'i * 1000000000000000007', '7000000000000000049'],
  ['Int', '94906267 * 94906267', '9007199515875289'],
  ['Float', 'f * i', '3.5'],
  ['Float', 'i / 2', '3.5'],
  ['Float', 'd * 2', '5'],
  ['Int', 'd * 2', '5'],
  ['Decimal', 'd * 3', '"7.50"'],
  ['Decimal', 'd + 0.1', '"2.60"'],
  ['Decimal', 'd - 3', '"-0.50"'],
  ['Decimal', 'd * d * d', '"15.625000"'],
  ['Decimal', 'd / 3', '"0.8333333333333333333333333333333333"'],
  ['Decimal', '-d / 4', '"-0.625"'],
  ['Decimal', 'big * d', '"11529215046068469760.00"'],
  ['Decimal', 'i', '"7"'],
  ['Boolean', 'd > 2 and d < 2.6', 'true'],
  ['Boolean', 'd == 2.5', 'true'],
  ['Boolean', 'i == 7', 'true'],
  ['Boolean', 'i + 1 > f', 'true'],
  ['Boolean', 'not (i in [1, 2])', 'true'],
  ['Boolean', 'i in [1, 7]', 'true'],
  ['Boolean', 'i between [7, 9]', 'true'],
  ['Boolean', 's like "a%"', 'true'],
  ['Boolean', 's like "A%"', 'false'],
  ['Boolean', 's like "ab\\\\_c"', 'true'],
  ['Boolean', 's like "a\\\\_%"', 'false'],
  ['Boolean', 'm == {"a": [1, 2]}', 'true'],
  ['Boolean', 'm.a == [1, 2]', 'true'],
  ['Boolean', 'none == i', 'false'],
  ['Boolean', 'none < i', 'false'],
  ['Boolean', 'b or none', 'true'],
  ['String', 's + "!"', '"ab_c!"'],
  ['String', 's + i', '"ab_c7"'],
  ['String', '"d " + d', '"d 2.50"'],
  ['String', 'none + "x"', 'null'],
  ['Int', 'none + 1', 'null'],
  ['Int', 'i / 0', 'null'],
  ['Decimal', 'd / 0', 'null'],
  ['Any', 'm.a', '[1,2]'],
  ['Any', 'm.nothing.at.all', 'null'],
  ['Any', 'm.constructor', 'null'],
  ['Any', '[i, s]', '[7,"ab_c"]'],
];

test('expressions give what they say', async () => {
  const attributes = expressions.map(([type, expression], at) => `x${at} ${type} @expr(${expression}) @optional`);
  const model: Project = `
module m
entity E {
  id Int @id, i Int, big Int, f Float, d Decimal, s String, b Boolean, none Int @optional, m Map,
  ${attributes.join(',\n  ')}
}`;
  const served = await serve(model);
  const text = '{"id":1,"i":7,"big":4611686018427387904,"f":0.5,"d":"2.50","s":"ab_c","b":true,"m":{"a":[1,2]}}';
  await check(served, [{ ask: 'POST /m/E', text, status: 201 }]);
  for (const answer of [await served.get('/m/E/1'), await served.put('/m/E/1', { none: null })]) {
    for (const [at, [type, expression, value]] of expressions.entries()) {
      const found = new RegExp(`"x${at}":(.*?)(?:,"x${at + 1}"|}$)`).exec(answer.text)?.[1];
      expect([type, expression, found]).toEqual([type, expression, value]);
    }
  }
});

test('a result that does not fit is 422 and names the attribute', async () => {
  const served = await serve('module m\nentity E { id Int @id, n Int @expr(id / 2), s String @expr("" + id) }');
  await check(served, [
    { ask: 'POST /m/E', body: { id: 4 }, status: 201, is: { id: 4, n: 2, s: '4' } },
    { ask: 'POST /m/E', body: { id: 5 }, status: 422, faults: ['n type'] },
  ]);
});

test('a text that is no number is refused where numbers are computed with', async () => {
  const served = await serve('module m\nentity E { id Int @id, s String, n Int @expr(s - 1) @optional, p Int @expr(s + id) @optional }');
  await check(served, [
    { ask: 'POST /m/E', body: { id: 2, s: '5' }, status: 201, is: { id: 2, s: '5', n: 4, p: 7 } },
    { ask: 'POST /m/E', body: { id: 3, s: 'x' }, status: 422, code: 'attributes-invalid' },
  ]);
});

test('a file holds any number of operators; only those that build on one another are limited', async () => {
  const chain = (length: number) => `w.a${' + 1'.repeat(length)}`;
  const many = Array.from({ length: 3000 }, (_, at) => `w.a + ${at}`).join(', ');
  const served = await serve(`module m\nworkflow w { [${many}]\n (${chain(900)}) * (${chain(900)}) }`);
  await check(served, [{ ask: 'POST /m/w', body: { a: 1 }, status: 200, is: 901 * 901 }]);
  const codes = (expression: string) => {
    const source = { file: 'core.al', text: `module m\nworkflow w { ${expression} }` };
    return currentFrontEnd.read(source).diagnostics.map((each) => each.code);
  };
  expect(codes(chain(1001))).toEqual(['nesting-too-deep']);
  expect(codes(`1 + (${chain(600)}) - ${chain(300)} * (${chain(600)})`)).toEqual([]);
  expect(codes(`1 + (${chain(600)} * (${chain(600)} * (${chain(999)})))`)).toEqual(['nesting-too-deep']);
});
