// Names, texts and terms of an order as SQL spells them, and columns by their name; pure.

import type { Column, Table } from '../../plan/rows/table.ts';
import { storedName } from '../../plan/rows/tables.ts';

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The column that holds the words of another one, where those are indexed. */
export function wordColumn(name: string): string {
  return storedName(`${name}#words`);
}

export function columnOf(table: Table, name: string): Column {
  const found = table.columns.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${table.name} has no column ${name}`);
  return found;
}

/** One term of an order: absent values first when ascending. */
export function directed(expression: string, descending: boolean, nullsFirst: boolean): string {
  return `${expression}${descending ? ' DESC' : ''}${nullsFirst ? '' : descending ? ' NULLS LAST' : ' NULLS FIRST'}`;
}
