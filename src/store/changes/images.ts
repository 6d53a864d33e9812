// Rows as they were at some time, which come along with a statement.

import type { Column, Table } from '../../plan/rows/table.ts';
import { numberColumn } from '../sql/supplied-rows.ts';

/** Rows of a table as they were at some time, under a name of their own: a statement selects from them as it would from the table. */
export function imageTable(table: Table): Table {
  const number: Column = { name: numberColumn, kind: 'integer', required: true };
  return { ...table, name: `#${table.name}`, columns: [...table.columns, number], primaryKey: [numberColumn] };
}

/** Of a table of images: that of the table which they are images of. */
export function imageName(name: string): string | undefined {
  return name.startsWith('#') ? name.slice(1) : undefined;
}

/** Users with their numbers, which come along with a statement. */
export const usersTable: Table = {
  name: '#users',
  columns: [
    { name: 'user', kind: 'text', required: true },
    { name: numberColumn, kind: 'integer', required: true },
  ],
  primaryKey: [numberColumn],
  uniques: [],
  indexes: [],
  foreignKeys: [],
};

/** Images with their numbers, as they come with a statement. */
export function imagesText(images: readonly string[], numberOf: (index: number) => number): string {
  return `[${images.map((each, index) => `${each.slice(0, -1)},${numberOf(index)}]`).join(',')}]`;
}
