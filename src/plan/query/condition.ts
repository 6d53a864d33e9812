// Where-clauses as data: what is asked of a row, whatever statement it stands in. A column is named by its scope, a value by where it comes from.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { Value } from '../../values/value.ts';
import type { Table } from '../rows/table.ts';
import type { AmbientName } from './ambient.ts';

export type Condition =
  | { readonly kind: 'all' }
  /** Without `value` it takes the next of the statement's values; `in` takes `count` of them, `between` two, `null` and `not-null` none. */
  | ({ readonly kind: 'compare'; readonly operator: Comparison; readonly count?: number; readonly value?: Operand } & ColumnOf)
  /** Two columns; neither is null where it holds, except that `eq` of one row and `ne` take null for a value. */
  | {
      readonly kind: 'columns';
      readonly left: ColumnOf;
      readonly operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';
      readonly right: ColumnOf;
    }
  /** The list in a column holds the next of the statement's values, as something of this kind; with `value`, one of those. */
  | ({ readonly kind: 'holds'; readonly item: ColumnKind; readonly value?: Constants } & ColumnOf)
  /** The row with the one key stands below the row with the other. Both are keys as contained instances have them. */
  | { readonly kind: 'below'; readonly key: ColumnOf; readonly above: ColumnOf }
  | Among
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  /** Asked of rows as they are stored, also where the statement hides columns of them from its caller. */
  | { readonly kind: 'stored'; readonly condition: Condition }
  | Exists
  | ({ readonly kind: 'search' } & Search)
  /** Of a join: the condition holds of the row of this table, by its number. */
  | { readonly kind: 'row'; readonly source: number; readonly condition: Condition }
  /** Rows behind a cursor: one parameter for each column of the order (two for one that may be null). */
  | { readonly kind: 'after'; readonly order: readonly OrderTerm[]; readonly nulls: readonly boolean[] };

/**
 * There is a row of another table for which `where` holds, in a scope of its own: there, columns are those of that row, and columns of the
 * rows around it are named with `outer`.
 */
export interface Exists {
  readonly kind: 'exists';
  readonly table: Table;
  /** A column of that row that holds what a column of the row around it holds, as keys and foreign keys do. */
  readonly on?: { readonly column: string; readonly is: ColumnOf };
  readonly where: Condition;
  /** The related rows are few, and found first: the rows that are asked for are then found by them. Otherwise each row is looked at. */
  readonly isSelective?: true;
}

/** The column holds one of these keys, which are few and found first: the rows that are asked for are then found by them. */
export interface Among {
  readonly kind: 'among';
  readonly column: string;
  readonly keys: readonly KeySource[];
}

/** Keys that the rows of a table hold in one of its columns. */
export interface KeySource {
  readonly table: Table;
  readonly column: string;
  /** Of a column that holds them as texts: what they are; `asText`: as texts, whatever they are. */
  readonly as?: KeyKind | 'asText';
  readonly where: Condition;
  /** Only where there is a row of this table, which does not depend on the others: nothing is read of them if there is none. */
  readonly given?: { readonly table: Table; readonly where: Condition; readonly above?: Above };
}

/** The `key` of the rows that are asked for stands below the key that the row given holds in `column`. */
export interface Above {
  readonly column: string;
  readonly key: string;
}

/** Keys that a store can read from a text. */
export type KeyKind = 'text' | 'uuid' | 'integer';

/** A value that does not come with the statement: one of the caller's, by its name, or what stands in the model. */
export type Operand = { readonly ambient: AmbientName } | Constants;

export interface Constants {
  readonly constants: readonly Value[];
}

/** A column of the row that is asked about: in a join of the table with this number, inside `exists` of a row around it. */
export interface ColumnOf {
  readonly column: string;
  readonly source?: number;
  /** How many scopes further out, none where it is absent. */
  readonly outer?: number;
  /** Where not the key that it holds is meant, but what that stands for. */
  readonly lookup?: Lookup | undefined;
  /** Where a value inside of the JSON is meant that it holds. */
  readonly inside?: Inside;
  /** Its value as a text, whatever its kind. */
  readonly asText?: true;
  /** Its text without regard to the case of Latin letters. */
  readonly inLower?: true;
}

/** In a record, by the names of attributes; in a map, by a key, which is the next of the statement's values: what stands there as a text. */
export type Inside =
  | { readonly kind: 'record'; readonly path: readonly string[]; readonly as: ColumnKind }
  | { readonly kind: 'map'; readonly path: readonly string[] };

/** What a column stands for that holds the key of a row of another table. */
export interface Lookup {
  readonly table: Table;
  readonly key: string;
  /** The first of these columns that has a value. */
  readonly outputs: readonly string[];
  /** Null where it does not hold of that row. */
  readonly where?: Condition;
}

export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'like' | 'ilike' | 'between' | 'null' | 'not-null';

export interface OrderTerm {
  /** Of the row, or of the last of those that `along` leads to; `rankColumn` is how well the row answers a search. */
  readonly column: string;
  readonly descending: boolean;
  /** Where a value inside of a record is meant. */
  readonly inside?: Extract<Inside, { kind: 'record' }>;
  /** From the row to another one; where there is none, the value is absent. */
  readonly along?: readonly Hop[];
}

/** From one row to at most one other: the one whose `column` holds what `is` holds in the row before, if `where` holds of it. */
export interface Hop {
  readonly table: Table;
  readonly column: string;
  readonly is: string;
  readonly where: Condition;
}

/** Whether it is a column of the row itself. */
export function isOwnColumn({ inside, along }: OrderTerm): boolean {
  return inside === undefined && along === undefined;
}

/** All words of a search stand in these columns together: one value, the words with spaces between them. */
export interface Search {
  readonly columns: readonly string[];
  /** Whether the table has an index of their words; otherwise each row is looked at. */
  readonly isIndexed: boolean;
}

/** What no column is called: how well a row answers the search that its statement asks for. */
export const rankColumn = '#rank';

/** What answers best comes first; the key makes the order total. */
export function rankedOrder(key: string): readonly OrderTerm[] {
  return [
    { column: rankColumn, descending: true },
    { column: key, descending: false },
  ];
}

export const everything: Condition = Object.freeze({ kind: 'all' });

export const nothing: Condition = Object.freeze({ kind: 'not', condition: everything });

export function equal(column: string): Condition {
  return { kind: 'compare', column, operator: 'eq' };
}

/** The same of what is stored; a condition that asks for nothing stays as it is. */
export function asStored(condition: Condition): Condition {
  return condition.kind === 'all' || condition === nothing || condition.kind === 'stored' ? condition : { kind: 'stored', condition };
}

/** Between two values, neither of them included: what stands below a key. */
export function inRange(column: string): Condition {
  return both({ kind: 'compare', column, operator: 'gt' }, { kind: 'compare', column, operator: 'lt' });
}

export function both(first: Condition, second: Condition): Condition {
  if (first.kind === 'all') return second;
  if (second.kind === 'all') return first;
  return { kind: 'and', conditions: [first, second] };
}

/** Whether the rows of a table, by its number, are joined by a column that must be equal to one of another. */
export function joinsByEquality(on: Condition, source: number): boolean {
  if (on.kind === 'and') return on.conditions.some((each) => joinsByEquality(each, source));
  if (on.kind !== 'columns' || on.operator !== 'eq') return false;
  const [one, other] = [on.left.source ?? 0, on.right.source ?? 0];
  return one !== other && (one === source || other === source);
}
