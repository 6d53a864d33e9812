// What the mutation tool changes in a source, and what it leaves alone.

import { expect, test } from 'vitest';
import { applied, mutationsOf } from './operators.ts';
import { regionAround, regionsOf, withCounters } from './regions.ts';

const changed: readonly (readonly [source: string, results: readonly string[]])[] = [
  ['if (a) b = c;', ['if (!(a)) b = c;', 'if (a) ;']],
  ['if (a) throw b;', ['if (!(a)) throw b;', ';']],
  ['f(a && b);', [';', 'f(((a) || (b)));']],
  ['f(a || b);', [';', 'f(((a) && (b)));']],
  ['const x = a ?? b;', ['const x = a;']],
  ['const x = a === b;', ['const x = (a !== b);']],
  ['const x = a <= b;', ['const x = (a < b);']],
  ['const x = !a;', ['const x = a;']],
  ['const x = n - m;', ['const x = (n + m);']],
  ['const x = 1;', ['const x = 0;']],
  ['const x = 0;', ['const x = 1;']],
  ['const x = 5000;', ['const x = 500;']],
  [`const x = 'a';`, [`const x = '';`]],
  [`const x = '';`, [`const x = '~';`]],
  ['const x = true;', ['const x = false;']],
  ['await f();', [';']],
  ['const x = all.some(f);', ['const x = all.every(f);']],
  ['function f() { return a; }', ['function f() { return undefined; }']],
  ['const f = () => a;', ['const f = () => undefined;']],
];

test.each(changed)('%s becomes %j', (source, results) => {
  expect(mutationsOf('a.ts', source).map((each) => applied(source, each))).toEqual(results);
});

const left = [
  `import { a } from 'b';`,
  `export { a } from 'b';`,
  `type A = 'a' | { b: 1 };`,
  `const a: 'b' = c;`,
  `const a = f<'b'>;`,
  `const a = { 'b': c };`,
  `const a = 'words for people';`,
  `log.info('started');`,
  `class A extends B { constructor() { super(); } }`,
  'function f() { switch (a) { default: return unreachable(a); } }',
  'function f() { return undefined; }',
];

test.each(left)('%s stays as it is', (source) => {
  expect(mutationsOf('a.ts', source)).toEqual([]);
});

test('a mutation says where it is', () => {
  expect(mutationsOf('a.ts', '\n\nconst x = 1;')).toMatchObject([{ file: 'a.ts', line: 3, before: '1', after: '0', operator: 'number' }]);
});

const counted: readonly (readonly [source: string, written: string])[] = [
  ['function f() { a(); }', 'function f() { <0>;  a(); }'],
  ['const f = () => ({ a });', 'const f = () => (<0>, ({ a }));'],
  ['if (a) b(); else c();', 'if (a) { <0>; b(); } else { <1>; c(); }'],
  ['const x = a ? b : c && d;', 'const x = a ? (<0>, b) : (<1>, c && (<2>, d));'],
  ['switch (a) { case 1: b(); break; }', 'switch (a) { case 1:  <0>; b(); break; }'],
];

test.each(counted)('%s has counters where it parts', (source, written) => {
  const text = withCounters(source, regionsOf('a.ts', source), 0);
  expect(text.replace(/globalThis\.__entered\?\.\((\d+)\)/g, '<$1>')).toBe(written);
});

test('a change belongs to the innermost region around it', () => {
  const source = 'const f = () => { if (a) return 1; };\nconst x = 2;';
  const regions = regionsOf('a.ts', source);
  const found = mutationsOf('a.ts', source).map((each) => [each.operator, regionAround(regions, each)]);
  expect(found).toEqual([
    ['negate', 0],
    ['guard', 0],
    ['nothing', 1],
    ['number', 1],
    ['number', undefined],
  ]);
});
