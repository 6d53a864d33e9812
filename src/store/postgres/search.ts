// Full-text search on a server: an index of words where there is one, else regular expressions that know what counts as the same character.

import type { Value } from '../../values/value.ts';
import { wordExpressions } from '../../values/words.ts';
import type { Dialect, SearchedRow } from '../sql/dialect.ts';

export const search: Dialect['search'] = (row, words) => {
  if (row.isIndexed) return `${vectorOf(row.texts)} @@ ${words(asQuery)}::tsquery`;
  return `NOT EXISTS (SELECT 1 FROM json_array_elements_text(${words(asExpressions)}::json) AS w(v) WHERE ${composed(row)} !~ w.v)`;
};

export const rank: Dialect['rank'] = (row, words) => {
  const text = row.isIndexed ? wordsOf(row.texts) : textOf(row);
  const count = row.isIndexed
    ? `(length(${text}) - length(replace(${text}, ' ' || w.v || ' ', ''))) / (length(w.v) + 2)`
    : `(SELECT count(*) FROM regexp_matches(${composed(row)}, w.v, 'g'))`;
  const list = `json_array_elements_text(${words(row.isIndexed ? asList : asExpressions)}::json) AS w(v)`;
  return `((SELECT sum(${count}) FROM ${list})::bigint * 1000000 / (length(${text}) + 100))`;
};

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

function asExpressions(words: Value): string {
  return JSON.stringify(wordExpressions(split(words)));
}

function split(words: Value): readonly string[] {
  return String(words).split(' ');
}
