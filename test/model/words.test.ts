// Words: what full-text search takes a text apart into, and the expressions that find them in a database that has other rules.

import { describe, expect, test } from 'vitest';
import { rankOf, searchWords, WordExpressions, wordsOf, wordText } from '../../src/values/words.ts';

const cases: readonly (readonly [text: string, words: readonly string[]])[] = [
  ['', []],
  ['The quick, brown FOX!', ['the', 'quick', 'brown', 'fox']],
  ['Crème brûlée', ['creme', 'brulee']],
  ['Cre\u0300me', ['creme']],
  ["don't e-mail snake_case 3.14", ['don', 't', 'e', 'mail', 'snake', 'case', '3', '14']],
  ['ΣΑΣ σας', ['σασ', 'σασ']],
  ['İstanbul ＡＢＣ x²', ['istanbul', 'abc', 'x2']],
  ['한국 \u1112\u1161\u11ab\u1100\u116e\u11a8', ['한국', '한국']],
  ['हिन्दी', ['हिन्दी']],
  ['co\u00adoperate', ['cooperate']],
  ['👍 ❤️ …', []],
  ['Straße', ['straße']],
];

test.each(cases)('%j has the words %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('a word counts by its first 64 characters', () => {
  expect(wordsOf('é'.repeat(70))).toEqual(['e'.repeat(64)]);
});

test('words are kept between spaces of their own', () => {
  expect(wordText('a B, a')).toBe(' a  b  a ');
});

test('a search has at least one word, and at most 16 words and 1,000 characters', () => {
  expect(searchWords('a A á b')).toEqual({ words: ['a', 'b'] });
  expect(searchWords(' ?! ')).toMatchObject({ isLong: false });
  expect(searchWords(Array.from({ length: 17 }, (_, at) => at).join(' '))).toMatchObject({ isLong: true });
  expect(searchWords('a'.repeat(1001))).toMatchObject({ isLong: true });
});

test('a text ranks by how often the words stand in it, and how much else does', () => {
  expect(rankOf('a b', ['a', 'c'])).toBe(0);
  expect(rankOf('a b a', ['a'])).toBeGreaterThan(rankOf('a b c', ['a']));
  expect(rankOf('a b', ['a'])).toBeGreaterThan(rankOf('a b c d', ['a']));
});

describe('expressions', () => {
  test.each(cases)('find in %j the words %j', (text, words) => {
    const all = [...new Set([...words, 'fox', 'creme', 'cafe'])];
    const expressions = new WordExpressions().of(all).map((each) => new RegExp(each, 'gu'));
    const counts = all.map((_, at) => text.normalize('NFC').match(expressions[at] ?? /^/)?.length ?? 0);
    expect(counts).toEqual(all.map((word) => words.filter((each) => each === word).length));
  });

  test('find every character that counts as another one', () => {
    const folds = new Map<string, string[]>();
    for (let code = 0x80; code < 0x20000; code += 1) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code).normalize('NFC');
      const [word, ...more] = wordsOf(character);
      if (word !== undefined && more.length === 0 && word !== character) folds.set(word, [...(folds.get(word) ?? []), character]);
    }
    expect(folds.size).toBeGreaterThan(1000);
    const words = [...folds.keys()];
    const expressions = new WordExpressions().of(words);
    const missed = words.flatMap((word, at) =>
      (folds.get(word) ?? []).filter((each) => !new RegExp(expressions[at] ?? '', 'u').test(each)),
    );
    expect(missed).toEqual([]);
  });
});
