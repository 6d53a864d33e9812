// What databases spell differently: everything that a statement asks of a dialect.

import type { ColumnKind, Value } from '../model/types/attribute-type.ts';
import type { Comparison } from '../plan/condition.ts';
import type { Column } from '../plan/table.ts';

/** The statement and, for each of its parameters, which value of the caller's it is and how it is written. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** Kinds of the further columns that come back. */
  readonly columns: readonly ColumnKind[];
}

export interface Parameter {
  readonly source: number;
  readonly encode: ((value: Value) => unknown) | undefined;
}

export interface Dialect {
  parameter(position: number): string;
  /** The physical columns of one column, with how a value is written to each. */
  physical(column: Column): readonly { readonly name: string; readonly encode: Parameter['encode'] }[];
  /** What is compared and sorted by, and how a value that is compared with it by this operator is written. */
  ordering(
    column: Column,
    quotedColumn: string,
    operator?: Comparison,
  ): { readonly expression: string; readonly encode: Parameter['encode'] };
  /** What tells values apart: two that sort alike need not be the same. */
  equality(column: Column, quotedColumn: string): { readonly expression: string; readonly encode: Parameter['encode'] };
  /** Expressions of columns of two kinds, so that they can be compared. */
  alike(first: readonly [ColumnKind, string], second: readonly [ColumnKind, string]): readonly [first: string, second: string];
  /** A further column that comes back; it sorts as the column does. */
  further(kind: ColumnKind, quotedColumn: string): string;
  /** A column as a JSON value. */
  json(kind: ColumnKind, quotedColumn: string): string;
  /** A text that stands in the shape, as a JSON value. */
  constant(text: string): string;
  /** The first of some columns of another row that has a value, as a JSON value; `from` finds the row. */
  lookup(columns: readonly (readonly [kind: ColumnKind, quotedColumn: string])[], from: string): string;
  object(pairs: readonly (readonly [name: string, value: string])[]): string;
  /** A JSON array of the objects that a subquery gives in its column `j`. */
  array(subquery: string): string;
  /** As a JSON value, or as what is sorted by. Decimals come as the list of their values, which no store adds up exactly. */
  aggregate(name: 'count' | 'sum' | 'avg' | 'min' | 'max', column: Column, quotedColumn: string, sorts: boolean): string;
  /** One of the values that an expression has among rows that are put together; JSON where no kind is given. */
  anyOf(expression: string, kind?: ColumnKind): string;
  reportRows(parts: ReportParts): string;
  concatenated(): string;
  like(expression: string, parameter: string): string;
  encodeLike(pattern: Value): unknown;
  distinct(expression: string, parameter: string): string;
  greatest(first: string, second: string): string;
  /** A parameter that is a number of rows. */
  rowCount(parameter: string): string;
  /** The condition of a join, so that the statement can be ended while it compares the rows of these two aliases. */
  watched(on: string, side: 'inner' | 'left' | 'right' | 'full', aliases: readonly [one: string, other: string]): string;
  /** The end of a select that keeps others from changing its rows, or from pointing at them too, until the transaction ends. */
  lock(kind: 'change' | 'remove', quotedTable: string): string;
  nullsFirst: boolean;
}

/** What a select of a report is put together from; what limits it comes behind. */
export interface ReportParts {
  readonly object: string;
  readonly from: string;
  readonly order: readonly { readonly expression: string; readonly descending: boolean }[];
  readonly distinct: boolean;
}
