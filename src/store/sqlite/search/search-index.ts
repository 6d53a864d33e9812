// The index of the words of a table in the embedded store: FTS5, kept true by triggers, whoever writes or removes a row.

import type { SearchedTable } from '../../sql/ddl.ts';
import { quote, wordColumn } from '../../sql/names.ts';
import { searchTable } from './search.ts';

/**
 * It holds no texts, only which rows hold a word. Words come as they are to be found: its tokenizer takes everything but ASCII signs for letters,
 * and so parts them at spaces alone.
 */
export function createSearch(table: SearchedTable): readonly string[] {
  const [name, index] = [quote(table.name), quote(searchTable(table.name))];
  const add = (row: string): string => `INSERT INTO ${index} (rowid, words) VALUES (${row}._rowid_, ${wordsOf(table, `${row}.`)});`;
  const remove = `DELETE FROM ${index} WHERE rowid = old._rowid_;`;
  const changed = table.search.map((each) => quote(wordColumn(each))).join(', ');
  const trigger = (event: string, when: string, work: string): string =>
    `CREATE TRIGGER ${quote(triggerName(table, event))} AFTER ${when} ON ${name} BEGIN ${work} END`;
  return [
    `CREATE VIRTUAL TABLE ${index} USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
    `INSERT INTO ${index} (rowid, words) SELECT _rowid_, ${wordsOf(table, '')} FROM ${name}`,
    trigger('insert', 'INSERT', add('new')),
    trigger('update', `UPDATE OF ${changed}`, `${remove} ${add('new')}`),
    trigger('delete', 'DELETE', remove),
  ];
}

export function dropSearch(table: SearchedTable): readonly string[] {
  return [
    ...events.map((event) => `DROP TRIGGER ${quote(triggerName(table, event))}`),
    `DROP TABLE ${quote(searchTable(table.name))}`,
    ...table.search.map((each) => `ALTER TABLE ${quote(table.name)} DROP COLUMN ${quote(wordColumn(each))}`),
  ];
}

/** Whether a trigger is one of these. */
export function isOfSearch(trigger: string, table: string): boolean {
  return events.some((event) => trigger === triggerName({ name: table }, event));
}

const events = ['insert', 'update', 'delete'] as const;

function triggerName({ name }: { readonly name: string }, event: string): string {
  return `${name}|search|${event}`;
}

function wordsOf({ search }: SearchedTable, row: string): string {
  return search.map((each) => `coalesce(${row}${quote(wordColumn(each))}, '')`).join(' || ');
}
