// Asks stored rows what a migration must know: how many there are, which ones stand in the way, what values they hold.

import type { Column, Table } from '../../../plan/rows/table.ts';
import { isMomentKind, pathColumn } from '../../../plan/rows/tables.ts';
import { parseStored } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import type { SchemaSession } from '../../sql/ddl.ts';
import { columnOf, quote, quoteText } from '../../sql/names.ts';
import { isContained } from './schema.ts';

/** How many, and the identifiers of the first. */
export interface Found {
  readonly count: number;
  readonly first: readonly string[];
}

const shown = 5;
const pageSize = 500;

export async function countRows({ executor }: SchemaSession, table: string, where = '1 = 1'): Promise<number> {
  const [row] = await executor.rows(`SELECT count(*) AS n FROM ${quote(table)} WHERE ${where}`);
  return Number(row?.['n'] ?? 0);
}

/** `table` is as it stands on disk; `where` speaks of it by its name. */
export async function findRows(session: SchemaSession, table: Table, where = '1 = 1'): Promise<Found> {
  const count = await countRows(session, table.name, where);
  if (count === 0) return { count, first: [] };
  const key = quote(table.primaryKey[0] ?? '');
  const sql = `SELECT ${label(session, table)} AS j FROM ${quote(table.name)} WHERE ${where} ORDER BY ${key} LIMIT ${shown}`;
  const rows = await session.executor.rows(sql);
  return { count, first: rows.map((row) => labelText(readObject(row['j']))) };
}

/** Rows in the order of their key, in pages: `values` are those of the columns asked for. */
export async function* scanRows(
  session: SchemaSession,
  table: Table,
  columns: readonly Column[],
): AsyncGenerator<{ readonly key: Value; readonly label: string; readonly values: readonly Value[] }> {
  const { dialect } = session.ddl;
  const key = columnOf(table, table.primaryKey[0] ?? '');
  const pairs = [key, ...columns].map((each, index) => [`c${index}`, dialect.json(each.kind, quote(each.name))] as const);
  const select = `SELECT ${dialect.object(pairs)} AS j, ${label(session, table)} AS l FROM ${quote(table.name)}`;
  const order = `ORDER BY ${quote(key.name)} LIMIT ${pageSize}`;
  let after: Value | undefined;
  for (;;) {
    const rows: readonly Readonly<Record<string, unknown>>[] =
      after === undefined
        ? await session.executor.rows(`${select} ${order}`)
        : await session.executor.rows(
            `${select} WHERE ${quote(key.name)} > ${dialect.parameter(1)} ${order}`,
            encodedKey(session, key, after),
          );
    for (const row of rows) {
      const values = readObject(row['j']);
      after = values['c0'] ?? null;
      yield { key: after, label: labelText(readObject(row['l'])), values: columns.map((_, index) => values[`c${index + 1}`] ?? null) };
    }
    if (rows.length < pageSize) return;
  }
}

/** The rows with a value of this column that does not fit, where only this process can tell. */
export async function findValues(session: SchemaSession, table: Table, column: string, fits: (value: Value) => boolean): Promise<Found> {
  const first: string[] = [];
  let count = 0;
  for await (const { label: name, values } of scanRows(session, table, [columnOf(table, column)])) {
    const [value = null] = values;
    if (value === null || fits(value)) continue;
    count += 1;
    if (first.length < shown) first.push(name);
  }
  return { count, first };
}

/** The value as parameters, one for each physical column. */
export function encoded({ ddl }: SchemaSession, column: Column, value: Value): readonly unknown[] {
  return ddl.dialect.physical(column).map(({ encode }) => (encode === undefined ? value : encode(value)));
}

export function encodedKey(session: SchemaSession, column: Column, value: Value): readonly unknown[] {
  return encoded(session, column, value).slice(0, 1);
}

/** Where several rows have the same values of these columns. */
export function duplicatesWhere({ ddl }: SchemaSession, table: Table, columns: readonly Column[]): string {
  const expressions = columns.map((each) =>
    each.kind === 'decimal' || each.kind === 'json' || isMomentKind(each.kind)
      ? ddl.dialect.equality(each, quote(each.name)).expression
      : quote(each.name),
  );
  const present = columns.map((each) => `${quote(each.name)} IS NOT NULL`).join(' AND ');
  const group = expressions.join(', ');
  const left = expressions.length === 1 ? group : `(${group})`;
  return `${present} AND ${left} IN (SELECT ${group} FROM ${quote(table.name)} WHERE ${present} GROUP BY ${group} HAVING count(*) > 1)`;
}

export function valuesWhere(column: Column, values: readonly string[]): string {
  return `${quote(column.name)} NOT IN (${values.map(quoteText).join(', ')})`;
}

/** Where a column points at nothing. Decimals go by their value, as the foreign key does. */
export function orphansWhere({ ddl }: SchemaSession, table: Table, name: string, target: string, reference: string): string {
  const column = columnOf(table, name);
  const place = (quoted: string): string => (column.kind === 'decimal' ? ddl.dialect.ordering(column, quoted).expression : quoted);
  const [own, other] = [`${quote(table.name)}.${quote(name)}`, `target.${quote(reference)}`];
  return `${own} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${quote(target)} AS target WHERE ${place(other)} = ${place(own)})`;
}

function label({ ddl: { dialect } }: SchemaSession, table: Table): string {
  const has = (name: string): boolean => table.columns.some((each) => each.name === name);
  const identifier = table.addressing?.identifier ?? '';
  const name = has(identifier) ? identifier : (table.primaryKey[0] ?? '');
  const path = isContained(table) && has(pathColumn) ? ([['path', dialect.json('text', quote(pathColumn))]] as const) : [];
  return dialect.object([['id', dialect.json(columnOf(table, name).kind, quote(name))], ...path]);
}

function labelText({ id, path }: Readonly<Record<string, Value>>): string {
  return String(path ?? id ?? '');
}

function readObject(json: unknown): Readonly<Record<string, Value>> {
  return parseStored(String(json));
}
