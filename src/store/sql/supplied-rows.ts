// Rows that come with a statement: one parameter, a JSON array of arrays, as a table of the columns that the store would have.

import { firstSuppliedSlot } from '../../plan/query/ambient.ts';
import type { Table } from '../../plan/rows/table.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { Dialect } from './dialect.ts';
import { quote } from './names.ts';
import { type Assembly, ambientParameter } from './parameters.ts';

/** A select of the rows of the table with this number. */
export function suppliedRows(table: Table, index: number, assembly: Assembly): string {
  const { dialect } = assembly;
  const parameter = ambientParameter(firstSuppliedSlot + index, (rows) => encodeRows(rows, table, dialect), assembly);
  const columns = table.columns.flatMap((column) => dialect.physical(column));
  return dialect.supplied(
    columns.map(({ name, type }) => ({ quoted: quote(name), type })),
    parameter,
  );
}

/**
 * The rows that the table has, but for those whose key one of the given rows has, and these. Each has a number behind its columns: where it is 0,
 * there is no such row.
 */
export function overlaidRows(table: Table, index: number, assembly: Assembly): string {
  const { dialect } = assembly;
  const physical = table.columns.flatMap((column) => dialect.physical(column));
  const [number] = dialect.physical({ name: numberColumn, kind: 'integer', required: true });
  const parameter = ambientParameter(firstSuppliedSlot + index, undefined, assembly);
  const given = dialect.supplied(
    [...physical, ...(number === undefined ? [] : [number])].map(({ name, type }) => ({ quoted: quote(name), type })),
    parameter,
  );
  const columns = [...dialect.rowNumber, ...physical.map(({ name }) => quote(name))].join(', ');
  // A list of keys that is made once: asked of each row, the given ones would be read again for each that is stored.
  const keys = table.primaryKey.map((each) => `g.${quote(each)}`);
  const own = table.primaryKey.map((each) => `t.${quote(each)}`).join(', ');
  const replaced = `SELECT ${keys.join(', ')} FROM (${given}) AS g WHERE ${keys.map((key) => `${key} IS NOT NULL`).join(' AND ')}`;
  return `SELECT ${columns} FROM ${dialect.stored(quote(table.name))} AS t WHERE (${own}) NOT IN (${replaced}) UNION ALL SELECT ${columns} FROM (${given}) AS g WHERE g.${quote(numberColumn)} <> 0`;
}

/** The number of a row among those that come with a statement. */
export const numberColumn = '#n';

/** Whether its rows come with every statement, each with its number: no such table is stored. */
export function isNumbered({ primaryKey }: Table): boolean {
  return primaryKey[0] === numberColumn;
}

/** Each row has a value for each column of the table; what a column becomes in the store stands side by side. */
function encodeRows(rows: Value, table: Table, dialect: Dialect): string {
  // Written already, as a trigger has written them.
  if (typeof rows === 'string') return rows;
  const physical = table.columns.map((column) => dialect.physical(column));
  const encoded = (Array.isArray(rows) ? rows : []).map((row): Value => {
    const values = Array.isArray(row) ? row : [];
    return physical.flatMap((all, index) =>
      all.map(({ encode }) => plain(encode === undefined ? (values[index] ?? null) : encode(values[index] ?? null))),
    );
  });
  return writeJson(encoded);
}

/** What stores write is a text, a number, a boolean or nothing. */
function plain(value: unknown): Value {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      return value === null || value === undefined ? null : String(value);
  }
}
