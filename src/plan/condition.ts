// Where-clauses as data. Values are not in them: a condition is a shape, its values come as parameters in the order of the shape.

import type { Table } from './table.ts';

export type Condition =
  | { readonly kind: 'all' }
  /** One parameter; `in` takes `count` of them, `between` two, `null` and `not-null` none. */
  | ({ readonly kind: 'compare'; readonly operator: Comparison; readonly count?: number } & ColumnOf)
  /** The column holds the key of a row of another table, one of whose columns has one of `count` values: the parameters, column by column. */
  | ({ readonly kind: 'points-at'; readonly by: readonly { readonly column: string; readonly count: number }[] } & Target & ColumnOf)
  /** Two columns; neither is null where it holds, except that `eq` of one row and `ne` take null for a value. */
  | {
      readonly kind: 'columns';
      readonly left: ColumnOf;
      readonly operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';
      readonly right: ColumnOf;
    }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  /** Rows behind a cursor: one parameter for each column of the order (two for one that may be null). */
  | { readonly kind: 'after'; readonly order: readonly OrderTerm[]; readonly nulls: readonly boolean[] }
  /** Rows that another table links to this one: `link.to = this.key and link.from = ?`. */
  | { readonly kind: 'linked'; readonly table: string; readonly from: string; readonly to: string; readonly key: string }
  /** Rows whose keys together are in a list: one parameter, the JSON array of the marks of a report (`plan/shape.ts`). */
  | { readonly kind: 'marked'; readonly keys: readonly ColumnOf[] };

type Target = Pick<Lookup, 'table' | 'key'>;

/** Of the table with this number, where there are several. */
export interface ColumnOf {
  readonly column: string;
  readonly source?: number;
  /** Where not the key that it holds is meant, but what that stands for. */
  readonly lookup?: Lookup | undefined;
}

/** What a column stands for that holds the key of a row of another table. */
export interface Lookup {
  readonly table: Table;
  readonly key: string;
  /** The first of these columns that has a value. */
  readonly outputs: readonly string[];
}

export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'like' | 'between' | 'null' | 'not-null';

export interface OrderTerm {
  readonly column: string;
  readonly descending: boolean;
}

export const everything: Condition = Object.freeze({ kind: 'all' });

export const nothing: Condition = Object.freeze({ kind: 'not', condition: everything });

export function equal(column: string): Condition {
  return { kind: 'compare', column, operator: 'eq' };
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
