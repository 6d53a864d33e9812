// Full-text search as SQL: whether the words stand in a row, and how well it answers them.

import type { Search } from '../../plan/query/condition.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { SearchedRow } from './dialect.ts';
import { quote, wordColumn } from './names.ts';
import { type Assembly, givenAt } from './parameters.ts';

/** The words are the next of the statement's values; its order may ask for them again. */
export function searchSql(search: Search, table: Table, alias: string, assembly: Assembly): string {
  const source = assembly.given;
  assembly.given += 1;
  assembly.search = { source, search };
  return assembly.dialect.search(rowOf(search, table, alias, assembly), givenAt(source, assembly));
}

/** Behind the condition that asks for the words. */
export function rankSql(table: Table, alias: string, assembly: Assembly): string {
  if (assembly.search === undefined) throw new Error('rows are ranked by a search, and the statement has none');
  const { source, search } = assembly.search;
  return assembly.dialect.rank(rowOf(search, table, alias, assembly), givenAt(source, assembly));
}

function rowOf({ columns, isIndexed }: Search, table: Table, alias: string, { supplied }: Assembly): SearchedRow {
  const texts = columns.map((name) => `${alias}.${quote(isIndexed ? wordColumn(name) : name)}`);
  return { table, alias, texts, isIndexed, isSupplied: supplied.includes(table) };
}
