// Columns that the caller of a statement may not see: in all of it, the name of their table means its rows without them. What is asked of the rows
// as they are stored finds them under another name.

import type { TableMask } from '../../plan/query/shape.ts';
import type { Column, Table } from '../../plan/rows/table.ts';
import { versionColumn } from '../../plan/rows/tables.ts';
import type { Dialect } from './dialect.ts';
import { columnOf, quote, wordColumn } from './names.ts';
import type { Assembly } from './parameters.ts';

export function maskOf(table: Table, { masks }: Pick<Assembly, 'masks'>): TableMask | undefined {
  return masks.length === 0 ? undefined : masks.find((each) => each.table === table.name);
}

/** What a table is called where it is selected from. */
export function tableName(table: Table, assembly: Assembly): string {
  return quote(assembly.isStored && maskOf(table, assembly) !== undefined ? storedName(table.name) : table.name);
}

/** No table and no column of a model is called so. */
export function storedName(name: string): string {
  return `${name}!`;
}

export function flagName(condition: number): string {
  return `?${condition}`;
}

/** What is known of the caller, whatever the row: one row. */
export const onceTable = '?';

export function onceName(index: number): string {
  return `?${index}`;
}

export function onceRows({ once }: Assembly): string {
  return [...once.values()].map((each, index) => `${each} AS ${quote(onceName(index))}`).join(', ');
}

/** Where the caller sees all columns of a row. */
export function allFlags({ conditions }: TableMask, alias: string): string {
  return conditions.map((_, index) => `${alias}.${quote(flagName(index))}`).join(' AND ');
}

/** Writes something that asks for rows as they are stored. */
export function ofStored<T>(assembly: Assembly, write: () => T): T {
  const before = assembly.isStored;
  assembly.isStored = true;
  const written = write();
  assembly.isStored = before;
  return written;
}

/** The rows of a table as a select from it, under the name of what is stored. */
export function storedRows(table: Table, { rowNumber, stored }: Dialect): string {
  return `SELECT ${[...rowNumber, '*'].join(', ')} FROM ${stored(quote(table.name))}`;
}

/** The rows as the caller sees them; `asked` writes a condition on the row that goes by an alias. */
export function maskedRows(
  table: Table,
  mask: TableMask,
  { dialect, supplied }: Assembly,
  asked: (condition: TableMask['conditions'][number], alias: string) => string,
): string {
  const flags = mask.conditions.map((each, index) => `(${asked(each, 's')}) AS ${quote(flagName(index))}`);
  const inner = `SELECT s.*, ${flags.join(', ')} FROM ${quote(storedName(table.name))} AS s`;
  const columns = table.columns.flatMap((column) => columnsOf(column, mask, dialect));
  const words = supplied.includes(table) ? [] : (table.search ?? []).map((name) => wordsOf(name, mask));
  const names = mask.conditions.map((_, index) => `m.${quote(flagName(index))}`);
  const rows = dialect.rowNumber.map((each) => `m.${each}`);
  return `SELECT ${[...rows, ...columns, ...words, ...names].join(', ')} FROM (${inner}) AS m`;
}

function columnsOf(column: Column, mask: TableMask, dialect: Dialect): readonly string[] {
  const names = dialect.physical(column).map(({ name }) => name);
  if (column.name === versionColumn) return names.map((name) => shownWhere(allFlags(mask, 'm'), name));
  const masked = mask.columns.find((each) => each.column === column.name);
  if (masked === undefined) return names.map((name) => `m.${quote(name)}`);
  const stored = dialect.physical({ ...column, name: storedName(column.name) }).map((each) => each.name);
  return names.flatMap((name, index) => [
    shownWhere(`m.${quote(flagName(masked.condition))}`, name),
    `m.${quote(name)} AS ${quote(stored[index] ?? '')}`,
  ]);
}

function wordsOf(name: string, mask: TableMask): string {
  const masked = mask.columns.find((each) => each.column === name);
  const words = wordColumn(name);
  return masked === undefined ? `m.${quote(words)}` : shownWhere(`m.${quote(flagName(masked.condition))}`, words);
}

function shownWhere(condition: string, name: string): string {
  return `CASE WHEN ${condition} THEN m.${quote(name)} END AS ${quote(name)}`;
}

/** What a column is called where the rows as they are stored are asked for, in a scope whose rows are those that the caller sees. */
export function storedColumn(table: Table, name: string, assembly: Assembly): string {
  const mask = assembly.isStored ? maskOf(table, assembly) : undefined;
  const isMasked = mask?.columns.some((each) => each.column === name) === true;
  return isMasked ? storedName(columnOf(table, name).name) : name;
}
