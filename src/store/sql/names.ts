// Names, texts and terms of an order as SQL spells them, and columns by their name; pure.

import type { OrderTerm } from '../../plan/query/condition.ts';
import type { Column, Table } from '../../plan/rows/table.ts';
import type { Dialect } from './dialect.ts';

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
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

export function orderBy(order: readonly OrderTerm[], table: Table, dialect: Dialect, alias: string): string {
  return order
    .map(({ column, descending }) => {
      const { expression } = dialect.ordering(columnOf(table, column), `${alias}.${quote(column)}`);
      // A key is never absent, and its index is read in either direction only where the order does not ask for more.
      return directed(expression, descending, dialect.nullsFirst || table.primaryKey.includes(column));
    })
    .join(', ');
}
