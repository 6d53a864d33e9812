import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { formatOf } from '../../src/model/format/format.ts';
import { isLarge } from '../support/form.ts';

const numRuns = isLarge ? 10_000 : 300;

const atoms = [
  ...['a', 'b', '-', '.', '\\d', '\\w', '\\W', '\\s', '[a-c]', '[^a]', '[\\w-]', '[]', '[^]', '\\.', '\\x61', '\\u0062', '\\n'],
  ...['ä', '😀', '\\b', '\\B', '^', '$', '\\0', '\\cJ', '\\/', '\\t'],
];
/** With the flag `u` alone, and without it alone. */
const strict = ['\\p{L}', '\\P{Lu}', '\\u{1f600}', '\\ud83d\\ude00', '[😀-😂]'];
const loose = ['\\-', '{', '}', ']', '\\u{3}', '\\a', '\\X61', '\\U0061'];

function expressions(more: readonly string[]): fc.Arbitrary<string> {
  return fc.letrec<{ all: string; part: string; single: string }>((tie) => ({
    single: fc.constantFrom(...atoms, ...more),
    part: fc.oneof(
      { weight: 4, arbitrary: tie('single') },
      fc.tuple(fc.constantFrom('(', '(?:'), tie('all')).map(([open, inner]) => `${open}${inner})`),
      fc
        .tuple(tie('single'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '{1,3}?'))
        .filter(([single]) => !['\\b', '\\B', '^', '$'].includes(single))
        .map(([single, times]) => single + times),
      fc.tuple(tie('all'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}')).map(([inner, times]) => `(?:${inner})${times}`),
    ),
    all: fc
      .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((all) => all.map((each) => each.join('')).join('|')),
  })).all;
}

const texts = fc.array(fc.constantFrom('a', 'b', 'A', '1', '-', '.', ' ', '\n', 'ä', '😀', '\ud83d', '{', '}', ']', 'u', 'X', '/', '\0'), {
  maxLength: 8,
});

test.each([
  ['with the flag u', strict, 'u'],
  ['of the older kind', loose, ''],
])('a format %s takes the texts that the expression matches', (_, more, flags) => {
  fc.assert(
    fc.property(expressions(more), fc.array(texts, { maxLength: 5 }), (expression, examples) => {
      const isStrict = isExpression(expression, 'u');
      fc.pre(isStrict === (flags === 'u') && isExpression(expression, flags));
      const expected = new RegExp(`^(?:${expression})$`, flags);
      const format = formatOf(expression);
      for (const each of examples) expect(format.fits(each.join(''))).toBe(expected.test(each.join('')));
    }),
    { numRuns },
  );
});

function isExpression(expression: string, flags: string): boolean {
  try {
    return new RegExp(expression, flags) !== undefined;
  } catch {
    return false;
  }
}

test.each(['(\\w|\\d)*!', '(a|a)*b', 'a*a*a*b', '(a+)+b', '([a-z]*b?)*!', '(.*)*!', '(a?){500}a{500}b'])(
  '%s looks once at each letter of texts that nearly match',
  (expression) => {
    const format = formatOf(expression);
    const looks = vi.spyOn(String.prototype, 'charCodeAt');
    onTestFinished(() => looks.mockRestore());
    for (let length = 981; length <= 1000; length += 1) {
      const text = 'a'.repeat(length);
      looks.mockClear();
      const [fits, count] = [format.fits(text), looks.mock.calls.length];
      expect([fits, count]).toEqual([false, length]);
    }
  },
);

test('a format whose states are without number forgets them and stays right', () => {
  const format = formatOf('[ab]*a[ab]{14}');
  const expected = /^(?:[ab]*a[ab]{14})$/;
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b'), { minLength: 500, maxLength: 990 }), (letters) => {
      expect(format.fits(letters.join(''))).toBe(expected.test(letters.join('')));
    }),
    { numRuns: numRuns / 10 },
  );
});

test.each([
  ['a(?=b)b', 'it looks ahead or behind'],
  ['(?<!a)b', 'it looks ahead or behind'],
  ['(a)\\1', 'it refers back to a group'],
  ['(?<x>a)\\k<x>', 'it refers back to a group'],
  ['[', 'it is not a regular expression'],
  ['((a{1,500}){1,500}){1,500}', 'its repetitions are too many, written out'],
  ['((){900}){900}', 'its repetitions are too many, written out'],
  ['a'.repeat(1001), 'it has more than 1000 characters'],
])('the format %s is refused', (expression, reason) => {
  expect(() => formatOf(expression)).toThrow(reason);
});

test('a text of more than 1,000 characters has no format', () => {
  expect([formatOf('a*').fits('a'.repeat(1000)), formatOf('a*').fits('a'.repeat(1001))]).toEqual([true, false]);
  expect(formatOf('a{0,5000}b{3}').fits(`${'a'.repeat(997)}bbb`)).toBe(true);
});
