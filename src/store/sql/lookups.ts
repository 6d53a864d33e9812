// What a column stands for that holds the key of another table's row, as SQL; pure.

import type { Lookup } from '../../plan/query/condition.ts';
import type { Column } from '../../plan/rows/table.ts';
import type { Dialect, Parameter, RowOfText } from './dialect.ts';
import { columnOf, quote } from './names.ts';

/** A column, and what it is called in the statement. */
export interface PlacedColumn {
  readonly column: Column;
  readonly quoted: string;
  /** The row that it is a column of, where that is all that it needs. */
  readonly row?: RowOfText;
  /** As a JSON value, where that is more than the column itself. */
  readonly json?: string;
  /** What is compared, and how values for it are written, where the dialect does not know it from the kind of the column. */
  readonly compared?: { readonly expression: string; readonly encode: Parameter['encode'] };
}

/** The row that is looked up, and what is asked of it besides: its `where`, empty for none. */
export interface LookupSql {
  readonly lookup: Lookup;
  readonly alias: string;
  readonly where: string;
  /** What its table is called there. */
  readonly from: string;
}

/** `key` is the column that holds the key, as it is called in the statement. */
export function lookupJson(looked: LookupSql, key: string, dialect: Dialect): string {
  const { lookup, alias } = looked;
  const columns = lookup.outputs.map((name) => [columnOf(lookup.table, name).kind, `${alias}.${quote(name)}`] as const);
  return dialect.lookup(columns, fromRow(looked, key));
}

function fromRow({ lookup: { key: target }, alias, where, from }: LookupSql, key: string): string {
  return `FROM ${from} AS ${alias} WHERE ${alias}.${quote(target)} = ${key}${where === '' ? '' : ` AND ${where}`}`;
}

/** As something that is compared and sorted by: a text, unless it is a number or a JSON text that is never anything else. */
export function lookupColumn({ table, key, outputs }: Lookup): Column {
  const [kind, ...others] = new Set(outputs.map((name) => columnOf(table, name).kind));
  const isOwn = others.length === 0 && (kind === 'integer' || kind === 'scalar');
  return { name: key, kind: isOwn ? kind : 'text', required: false };
}

export function lookupPlace(looked: LookupSql, key: string, dialect: Dialect): PlacedColumn {
  const { lookup, alias } = looked;
  const column = lookupColumn(lookup);
  const values = lookup.outputs.map((name) => {
    const quoted = `${alias}.${quote(name)}`;
    return column.kind !== 'text' || columnOf(lookup.table, name).kind === 'text' ? quoted : `CAST(${quoted} AS TEXT)`;
  });
  const value = values.length === 1 ? values.join() : `coalesce(${values.join(', ')})`;
  return {
    column,
    quoted: `(SELECT ${value} ${fromRow(looked, key)})`,
    json: lookupJson(looked, key, dialect),
  };
}
