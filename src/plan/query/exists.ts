// Conditions about other rows: related ones along a relationship in either direction, and rows of tables that only share a value.

import type { LinkPlan } from '../plan.ts';
import type { Table } from '../rows/table.ts';
import { both, type ColumnOf, type Condition, type Exists, everything } from './condition.ts';
import type { RelatedWay } from './related.ts';

/** A row of `table` whose `column` holds what `is` holds in the row that is asked about. */
export function existsWith(table: Table, column: string, is: ColumnOf, where: Condition): Exists {
  return { kind: 'exists', table, on: { column, is }, where };
}

/** The same, where such rows are few and others are found by them. */
export function foundBy(table: Table, column: string, is: ColumnOf, where: Condition): Exists {
  return { kind: 'exists', table, on: { column, is }, where, isSelective: true };
}

/**
 * An instance that a way leads to, from a row that is found by `key`; `ofLink` is asked of the link between the two. `exists` decides how they
 * are found.
 */
export function existsAlong(
  way: RelatedWay,
  key: string,
  where: Condition,
  { exists = existsWith, ofLink = everything }: { readonly exists?: typeof existsWith; readonly ofLink?: Condition } = {},
): Exists {
  const { target } = way;
  switch (way.kind) {
    case 'parent':
      return exists(target.table, target.key, { column: way.contains.column }, where);
    case 'contains':
      return exists(target.table, way.contains.column, { column: key }, where);
    default: {
      const there = exists(target.table, target.key, { column: way.to.column }, where);
      return exists(way.link.table, way.from.column, { column: key }, both(ofLink, there));
    }
  }
}

/** Rows that links lead to from one row, whose key is the next of the statement's values; `ofLink` is asked of the links. */
export function linkedFrom(link: Pick<LinkPlan, 'table'>, from: string, to: string, key: string, ofLink = everything): Exists {
  return foundBy(link.table, to, { column: key }, both({ kind: 'compare', column: from, operator: 'eq' }, ofLink));
}
