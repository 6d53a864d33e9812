// Full-text search as SQL: whether the words stand in a row, and how well it answers them.

import type { Search } from '../../plan/query/condition.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { SearchedRow } from './dialect.ts';
import { maskOf } from './masks.ts';
import { quote, wordColumn } from './names.ts';
import { type Assembly, givenAt } from './parameters.ts';

/** The words are the next of the statement's values; its order may ask for them again. */
export function searchSql(search: Search, table: Table, alias: string, assembly: Assembly): string {
  const source = assembly.given;
  assembly.given += 1;
  assembly.search = { source, search };
  const found = assembly.dialect.search(rowOf(search, table, alias, assembly), givenAt(source, assembly));
  if (!search.isIndexed || !isMasked(search, table, assembly)) return found;
  // The index has all words of the row: those that the caller sees are looked for among what it finds.
  return `(${found} AND ${assembly.dialect.search(rowOf({ ...search, isIndexed: false }, table, alias, assembly), givenAt(source, assembly))})`;
}

/** Whether some callers may not see all of what is searched. */
function isMasked({ columns }: Search, table: Table, assembly: Assembly): boolean {
  return maskOf(table, assembly)?.columns.some(({ column }) => columns.includes(column)) === true;
}

/** Behind the condition that asks for the words. */
export function rankSql(table: Table, alias: string, assembly: Assembly): string {
  if (assembly.search === undefined) throw new Error('rows are ranked by a search, and the statement has none');
  const { source, search } = assembly.search;
  return assembly.dialect.rank(rowOf(search, table, alias, assembly), givenAt(source, assembly));
}

function rowOf({ columns, isIndexed }: Search, table: Table, alias: string, assembly: Assembly): SearchedRow {
  const texts = columns.map((name) => `${alias}.${quote(isIndexed ? wordColumn(name) : name)}`);
  return { table, alias, texts, isIndexed, isSupplied: assembly.supplied.includes(table) || maskOf(table, assembly) !== undefined };
}
