// Tables and shapes for the store's contract, as short as a test wants them.

import type { ColumnKind } from '../../src/model/types/attribute-type.ts';
import { type Condition, everything, type OrderTerm } from '../../src/plan/query/condition.ts';
import type { Insert, Output, Select, Update } from '../../src/plan/query/shape.ts';
import type { Column, Table } from '../../src/plan/rows/table.ts';

/** The first column is the key. */
export function table(name: string, columns: readonly Column[], more: Partial<Table> = {}): Table {
  return { name, columns, primaryKey: columns.slice(0, 1).map((each) => each.name), uniques: [], indexes: [], foreignKeys: [], ...more };
}

export function column(name: string, kind: ColumnKind, more: Partial<Column> = {}): Column {
  return { name, kind, required: false, ...more };
}

export function outputOf(from: Table, columns: readonly string[] = []): Output {
  return { fields: from.columns.map((each) => ({ kind: 'column', name: each.name, column: each.name })), columns };
}

export function insertInto(into: Table): Insert {
  return { kind: 'insert', table: into, columns: into.columns.map((each) => each.name), output: outputOf(into) };
}

interface Asked {
  readonly where?: Condition;
  readonly order?: readonly OrderTerm[];
  readonly limit?: boolean;
  readonly offset?: boolean;
  readonly output?: Output;
}

export function selectFrom(from: Table, { where = everything, order = [], limit = false, offset = false, output }: Asked = {}): Select {
  return { kind: 'select', table: from, output: output ?? outputOf(from), where, order, limit, offset };
}

export function updateOf(what: Table, columns: readonly string[], where: Condition, version?: string): Update {
  return { kind: 'update', table: what, columns, version, where, output: outputOf(what) };
}

export const ascending = (name: string): OrderTerm => ({ column: name, descending: false });
export const descending = (name: string): OrderTerm => ({ column: name, descending: true });

/** By code point, as every store sorts. */
export function byCodePoint(first: string, second: string): number {
  return Buffer.compare(Buffer.from(first), Buffer.from(second));
}
