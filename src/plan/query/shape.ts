// Statements as data: what an operation asks of a store. A shape is made once; its values come as parameters: those of the columns that are
// written, then those of conditions (of joins, then of `where`), then limit and offset, then those of conditions inside an output.

import type { Table } from '../rows/table.ts';
import type { ColumnOf, Condition, Lookup, OrderTerm } from './condition.ts';

export type Shape = Select | Insert | Update | Delete | JoinQuery;

export interface Select {
  readonly kind: 'select';
  readonly table: Table;
  readonly output: SortedOutput;
  readonly where: Condition;
  readonly order: readonly OrderTerm[];
  readonly limit: boolean;
  readonly offset: boolean;
  /** Not of a stored row, but of one that may come to be stored: the values of these columns come before all others. */
  readonly proposed?: readonly string[];
  /** Rows that are going to be changed, or to go: until the transaction ends nobody else changes them, or points at them where they go. */
  readonly lock?: RowLock;
  readonly supplied?: Supplied;
  /** What of the rows that it names its caller may not see. */
  readonly masks?: readonly TableMask[];
  /** The supplied rows stand in the place of those that the store has under the same keys; one with the number 0 only takes that away. */
  readonly isOverlaid?: true;
}

/** Tables whose rows come with the statement, as the ambient values with these numbers, and are not those that the store has. */
export type Supplied = readonly Table[];

/** Columns of a table that are absent in rows where a condition does not hold, in whatever part of a statement they are named. */
export interface TableMask {
  /** Under this name its rows are in the statement. */
  readonly table: string;
  readonly of: Table;
  /** What the columns depend on: each is asked once for a row. */
  readonly conditions: readonly Condition[];
  readonly columns: readonly MaskedColumn[];
  /** All that an answer shows of a row: what the version is made of for who does not see all columns. */
  readonly fields: readonly Field[];
}

export interface MaskedColumn {
  readonly column: string;
  /** By its position among the conditions. */
  readonly condition: number;
}

/** `free`: to be changed, unless somebody else has locked them, who is not waited for: then they are none of the rows. */
export type RowLock = 'change' | 'remove' | 'free';

export interface Insert {
  readonly kind: 'insert';
  readonly table: Table;
  readonly columns: readonly string[];
  /** How many rows at once, one where it is absent: their values come one row after the other. */
  readonly rows?: number;
  /** It comes from another store, and is taken as it is, however long. */
  readonly moved?: boolean;
  /** A row that is in its way stays, and it does nothing. */
  readonly orNothing?: true;
  readonly output: Output;
}

export interface Update {
  readonly kind: 'update';
  readonly table: Table;
  /** Without any, the row stays as it is, its version too, and counts as changed by this transaction. */
  readonly columns: readonly string[];
  /** A column that only grows: set to the greater of its parameter and its value + 1. */
  readonly version: string | undefined;
  /** Texts of which the beginning becomes another one. Two parameters for each, behind those of `columns`: that one, and where what stays begins, in characters from 1. */
  readonly beginnings?: readonly string[];
  readonly where: Condition;
  readonly output: Output;
  /** By this column: several rows are locked in its order, so that two who lock the same rows wait for each other instead of crossing. */
  readonly inOrder?: string;
}

export interface Delete {
  readonly kind: 'delete';
  readonly table: Table;
  readonly where: Condition;
}

/** Rows made of the columns of several tables: the first, and those joined to it, which go by their number. */
export interface JoinQuery {
  readonly kind: 'report';
  readonly table: Table;
  readonly joins: readonly { readonly side: 'inner' | 'left' | 'right' | 'full'; readonly table: Table; readonly on: Condition }[];
  readonly outputs: readonly JoinOutput[];
  readonly where: Condition;
  readonly groupBy: readonly JoinTerm[];
  /** `exact` where a term, a key or what rows are grouped by, only brings rows that are alike in all else into the same order everywhere. */
  readonly order: readonly (JoinTerm & { readonly descending: boolean; readonly exact?: boolean })[];
  readonly distinct: boolean;
  readonly limit: boolean;
  readonly offset: boolean;
  readonly supplied?: Supplied;
  readonly masks?: readonly TableMask[];
}

export type JoinOutput =
  | ({ readonly kind: 'column'; readonly name: string } & SourceColumn)
  | {
      readonly kind: 'aggregate';
      readonly name: string;
      readonly function: 'count' | 'sum' | 'avg' | 'min' | 'max';
      /** Absent where rows are counted. */
      readonly of: SourceColumn | undefined;
    };

type SourceColumn = ColumnOf & { readonly source: number };

export type JoinTerm =
  | { readonly kind: 'column'; readonly source: number; readonly column: string }
  | { readonly kind: 'output'; readonly name: string };

/** What comes back of a row: a JSON object of `fields`, and further columns as values. */
export interface Output {
  readonly fields: readonly Field[];
  readonly columns: readonly string[];
}

/** The same, where what the rows are sorted by may come back too. */
export interface SortedOutput {
  readonly fields: readonly Field[];
  readonly columns: readonly (string | OrderTerm)[];
}

/** Whether nothing comes back of a row but that there is one. */
export function isEmptyOutput({ fields, columns }: SortedOutput): boolean {
  return fields.length + columns.length === 0;
}

/** Whether related rows stand in what comes back of a row. */
export function includesOthers(shape: Shape): boolean {
  return shape.kind === 'select' && shape.output.fields.some((each) => each.kind === 'related');
}

export type Field =
  /** Where its caller may not see it, there is no such member; with `isNull` it is null. */
  | { readonly kind: 'column'; readonly name: string; readonly column: string; readonly isNull?: true }
  /** The names of those of these columns that the caller may not see of the row, as a JSON array. */
  | { readonly kind: 'hidden'; readonly name: string; readonly columns: readonly { readonly name: string; readonly column: string }[] }
  | { readonly kind: 'constant'; readonly name: string; readonly value: string }
  /** A column of another table's row that this row points at: `(select outputs from table where key = this.column)`. */
  | ({ readonly kind: 'lookup'; readonly name: string; readonly column: string } & Lookup)
  /** Related rows as a JSON array; where there is at most one, that one or null. */
  | { readonly kind: 'related'; readonly name: string; readonly related: Related }
  | LinkField
  /** What the caller may do with the row, as a JSON array of the names of operations. */
  | { readonly kind: 'rights'; readonly name: string; readonly rights: readonly RowRight[] };

/** An operation, and what a row must fulfil for it to be allowed. */
export interface RowRight {
  readonly operation: string;
  readonly condition: Condition;
}

/**
 * What the link of a row holds that was reached from another row: as an object. Inside `Related` that row is the one around it, else its key is
 * the first parameter.
 */
export interface LinkField {
  readonly kind: 'link';
  readonly name: string;
  readonly table: Table;
  readonly fields: readonly Field[];
  /** The link's column of the other row, that of this row, and the column of this row that it holds. */
  readonly from: string;
  readonly to: string;
  readonly key: string;
  /** Asked of the link; where it does not hold, there is null. */
  readonly where?: Condition;
}

export interface Related {
  readonly table: Table;
  readonly output: Output;
  /** Rows whose `column` is this row's `key`, directly or through a table of links. */
  readonly column: string;
  readonly key: string;
  readonly through: { readonly table: Table; readonly from: string; readonly to: string; readonly where?: Condition } | undefined;
  /** Asked of the related rows. */
  readonly where?: Condition;
  readonly order: readonly OrderTerm[];
  /** Whether there is at most one. */
  readonly single: boolean;
  /** Only so many of them, behind so many others: two values, behind those of `where`. */
  readonly paged?: true;
}
