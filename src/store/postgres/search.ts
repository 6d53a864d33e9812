// Full-text search on a server: an index of words where there is one, else regular expressions that know what counts as the same character.

import type { Value } from '../../values/value.ts';
import { WordExpressions } from '../../values/words.ts';
import type { Dialect, SearchedRow } from '../sql/dialect.ts';

/** Statements without a store are explained, and not run. */
export const unboundSearch: Pick<Dialect, 'search' | 'rank'> = {
  search: (row, words) => searchWith(new WordExpressions()).search(row, words),
  rank: (row, words) => searchWith(new WordExpressions()).rank(row, words),
};

export function searchWith(expressions: WordExpressions): Pick<Dialect, 'search' | 'rank'> {
  const asExpressions = (words: Value): string => JSON.stringify(expressions.of(split(words)));
  return { search: (row, words) => searched(row, words, asExpressions), rank: (row, words) => ranked(row, words, asExpressions) };
}

type Words = Parameters<Dialect['search']>[1];
type Encode = (words: Value) => string;

function searched(row: SearchedRow, words: Words, asExpressions: Encode): string {
  if (row.isIndexed) return `${vectorOf(row.texts)} @@ ${words(asQuery)}::tsquery`;
  return `NOT EXISTS (SELECT 1 FROM json_array_elements_text(${words(asExpressions)}::json) AS w(v) WHERE ${composed(row)} !~ w.v)`;
}

function ranked(row: SearchedRow, words: Words, asExpressions: Encode): string {
  const text = row.isIndexed ? wordsOf(row.texts) : textOf(row);
  const count = row.isIndexed
    ? `(length(${text}) - length(replace(${text}, ' ' || w.v || ' ', ''))) / (length(w.v) + 2)`
    : `(SELECT count(*) FROM regexp_matches(${composed(row)}, w.v, 'g'))`;
  const list = `json_array_elements_text(${words(row.isIndexed ? asList : asExpressions)}::json) AS w(v)`;
  return `((SELECT sum(${count}) FROM ${list})::bigint * 1000000 / (length(${text}) + 100))`;
}

/** What the index is on: the words themselves, as the parser of the server has other rules. */
export function vectorOf(texts: readonly string[]): string {
  return `array_to_tsvector(string_to_array(btrim(${wordsOf(texts)}), '  '))`;
}

function wordsOf(texts: readonly string[]): string {
  return `(${texts.map((each) => `coalesce(${each}, '')`).join(' || ')})`;
}

function textOf({ texts }: SearchedRow): string {
  return `(${texts.map((each) => `coalesce(${each}, '')`).join(' || chr(10) || ')})`;
}

function composed(row: SearchedRow): string {
  return `(normalize(${textOf(row)}, NFC) COLLATE "C")`;
}

/** Words hold letters and digits only; in quotes none of them means anything to the server. */
function asQuery(words: Value): string {
  return split(words)
    .map((each) => `'${each}'`)
    .join(' & ');
}

function asList(words: Value): string {
  return JSON.stringify(split(words));
}

function split(words: Value): readonly string[] {
  return String(words).split(' ');
}
