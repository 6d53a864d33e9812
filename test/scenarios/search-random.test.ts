// Full-text search finds the same instances on every store: random texts and searches against an oracle in plain code.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { counted, seed } from '../support/form.ts';

const model = `module m
entity Plain { id Int @id, round Int @indexed, title String, body String @optional }
entity Indexed { id Int @id, round Int @indexed, title String @fulltext, body String @optional @fulltext }
`;

const rounds = counted({ long: 150, short: 15, postgres: 6 });
const perRound = 20;

/** Pieces that make few words, so that they are found: accents, both forms of them, case, scripts, digits, signs, and what indexes have words of their own for. */
const pieces = [
  ...[
    'cafe',
    'Café',
    'CAFE\u0301',
    'caf',
    'cafés',
    'naïve',
    'NAI\u0308VE',
    'Ünïcödé',
    'unicode',
    "don't",
    'don',
    't',
    'a',
    'A',
    'Å',
    'A\u030a',
  ],
  ...['ΣΑΣ', 'σας', 'σασ', 'άλφα', 'ΑΛΦΑ', 'ёлка', 'елка', 'ЁЛКА', 'Việt', 'viet', 'Straße', 'straße', 'İstanbul', 'istanbul'],
  ...['한국', '\u1112\u1161\u11ab\u1100\u116e\u11a8', 'हिन्दी', 'हिन्दू', '東京', 'がく', 'か\u3099く', 'עִבְרִית', 'עברית'],
  ...['42', '４２', 'x²', 'x2', '3.14', '3', '14', 'e-mail', 'email', 'snake_case', 'snake', 'co\u00adop', 'coop', 'ﾊ', 'ＡＢＣ', 'abc'],
  ...[
    'AND',
    'OR',
    'NOT',
    'NEAR',
    'NEAR/2',
    '"',
    "'",
    '*',
    '-',
    '^',
    '(',
    ')',
    ':',
    '&',
    '|',
    '!',
    '<->',
    '\\',
    '%',
    '_',
    '`',
    ';',
    '--',
    '/*',
    '{',
    '}',
    '[',
    ']',
    '.*',
    '^a',
    'a$',
  ],
  ...['👍', '👩‍👩‍👧', '❤️', '\u0301', '\u200d', '\u00a0', '\u3000', '\n', '\t', '…', '—'],
  ...['w'.repeat(63), 'w'.repeat(64), 'w'.repeat(65), 'w'.repeat(90)],
] as const;

const text = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(' ', ' ', ' ', '', '-', ', ')), { maxLength: 12 })
  .map((parts) => parts.flat().join(''));
const search = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));

/** The words of a text, said once more. */
function oracleWords(of: string): readonly string[] {
  const bare = of.normalize('NFKD').replace(/[\u0300-\u036f\u0591-\u05c7]|\u3099|\u309a|\u00ad|\u200d|\ufe0f/g, '');
  const words =
    bare
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.map((each) => [...each.normalize('NFC')].slice(0, 64).join(''));
}

interface Row {
  readonly id: number;
  readonly title: string;
  readonly body: string | null;
}

/** The rows in which all words stand: by how often they do, and how much else stands there. */
function oracle(rows: readonly Row[], words: readonly string[], lengthOf: (row: Row) => number): readonly number[] {
  const ranked = rows.flatMap((row) => {
    const own = [...oracleWords(row.title), ...oracleWords(row.body ?? '')];
    if (!words.every((each) => own.includes(each))) return [];
    const count = own.filter((each) => words.includes(each)).length;
    return [{ id: row.id, rank: Math.floor((count * 1_000_000) / (lengthOf(row) + 100)) }];
  });
  return ranked.sort((one, other) => other.rank - one.rank || one.id - other.id).map(({ id }) => id);
}

const lengths = {
  Plain: ({ title, body }: Row) => [...`${title}\n${body ?? ''}`].length,
  Indexed: ({ title, body }: Row) =>
    [...oracleWords(title), ...oracleWords(body ?? '')].reduce((sum, each) => sum + [...each].length + 2, 0),
} as const;

test('random searches in random texts give what the oracle gives, with an index and without', async () => {
  const app = await serve(model);
  const titles = fc.sample(text, { numRuns: rounds * perRound, seed: seed + 13 });
  const bodies = fc.sample(fc.option(text), { numRuns: rounds * perRound, seed: seed + 14 });
  const searches = fc.sample(search, { numRuns: rounds * perRound, seed: seed + 15 });
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const rows = Array.from({ length: perRound }, (_, at): Row => {
      const id = round * perRound + at;
      return { id, title: titles[id] ?? '', body: bodies[id] ?? null };
    });
    for (const type of ['Plain', 'Indexed'] as const) {
      const made = await app.post(
        `/m/${type}`,
        rows.map((row) => ({ ...row, round })),
      );
      expect(made.status, made.text.slice(0, 300)).toBe(201);
      for (let at = 0; at < perRound; at += 1) {
        const asked = searches[round * perRound + at] ?? '';
        const words = [...new Set(oracleWords(asked))];
        const answer = await app.get(`/m/${type}?round=${round}&@select=id&@search=${encodeURIComponent(asked)}`);
        const expected = words.length === 0 ? 422 : oracle(rows, words, lengths[type]);
        const given = answer.status === 200 && Array.isArray(answer.body) ? answer.body.map((each) => Object(each).id) : answer.status;
        expect([type, asked, given]).toEqual([type, asked, expected]);
        if (Array.isArray(expected)) found += expected.length;
      }
    }
  }
  expect(found).toBeGreaterThan(10 * rounds);
});
