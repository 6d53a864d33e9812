// Where-clauses as data. Values are not in them: a condition is a shape, its values come as parameters in the order of the shape.

export type Condition =
  | { readonly kind: 'all' }
  /** One parameter; `in` takes `count` of them, `between` two, `null` and `not-null` none. */
  | { readonly kind: 'compare'; readonly column: string; readonly operator: Comparison; readonly count?: number; readonly source?: number }
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

/** Of the table with this number, where there are several. */
export interface ColumnOf {
  readonly column: string;
  readonly source?: number;
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
