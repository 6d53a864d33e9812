// Full-text search in the embedded store: an index of words where there is one, else a function of the service that looks at each text.

import type { Value } from '../../../values/value.ts';
import type { Dialect, SearchedRow } from '../../sql/dialect.ts';
import { quote } from '../../sql/names.ts';
import { matched } from '../like.ts';

export const search: Dialect['search'] = (row, words) => {
  if (!row.isIndexed) return `${rankOf(row, words(String, true))} > 0`;
  const index = quote(searchTable(row.table.name));
  return `${row.alias}._rowid_ IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ${words(quoted)})`;
};

export const rank: Dialect['rank'] = (row, words) => {
  if (!row.isIndexed) return rankOf(row, words(String, true));
  const text = `(${row.texts.map((each) => `coalesce(${each}, '')`).join(' || ')})`;
  const count = `(length(${text}) - length(replace(${text}, ' ' || value || ' ', ''))) / (length(value) + 2)`;
  return `(SELECT sum(${count}) FROM json_each(${words(listed)})) * 1000000 / (length(${text}) + 100)`;
};

/** The index of a table. What begins so is the store's own. */
export function searchTable(table: string): string {
  return `__search|${table}`;
}

/** 0 where a word is missing. */
function rankOf(row: SearchedRow, words: string): string {
  return `(${matched('words', textOf(row), words, row)})`;
}

function textOf({ texts }: SearchedRow): string {
  return texts.map((each) => `coalesce(${each}, '')`).join(' || char(10) || ');
}

/** Words hold letters and digits only; in quotes none of them means anything to the index. */
function quoted(words: Value): string {
  return String(words)
    .split(' ')
    .map((each) => `"${each}"`)
    .join(' ');
}

function listed(words: Value): string {
  return JSON.stringify(String(words).split(' '));
}
