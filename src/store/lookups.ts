// What a column stands for that holds the key of another table's row, as SQL; pure.

import type { Lookup } from '../plan/condition.ts';
import type { Column } from '../plan/table.ts';
import type { Dialect } from './dialect.ts';
import { columnOf, quote } from './sql-names.ts';

/** A column, and what it is called in the statement. */
export interface PlacedColumn {
  readonly column: Column;
  readonly quoted: string;
  /** As a JSON value, where that is more than the column itself. */
  readonly json?: string;
}

/** `key` is the column that holds the key, as it is called in the statement. */
export function lookupJson({ table, key: target, outputs }: Lookup, key: string, dialect: Dialect): string {
  const columns = outputs.map((name) => [columnOf(table, name).kind, `l.${quote(name)}`] as const);
  return dialect.lookup(columns, `FROM ${quote(table.name)} AS l WHERE l.${quote(target)} = ${key}`);
}

/** As something that is compared and sorted by: a text, unless it is a number that is never anything else. */
export function lookupPlace(lookup: Lookup, key: string, dialect: Dialect): PlacedColumn {
  const { table, key: target, outputs } = lookup;
  const columns = outputs.map((name) => columnOf(table, name));
  const isNumber = columns.every(({ kind }) => kind === 'integer');
  const values = columns.map(({ name, kind }) => (isNumber || kind === 'text' ? `l.${quote(name)}` : `CAST(l.${quote(name)} AS TEXT)`));
  const value = values.length === 1 ? values.join() : `coalesce(${values.join(', ')})`;
  return {
    column: { name: target, kind: isNumber ? 'integer' : 'text', required: false },
    quoted: `(SELECT ${value} FROM ${quote(table.name)} AS l WHERE l.${quote(target)} = ${key})`,
    json: lookupJson(lookup, key, dialect),
  };
}
