// What a list is sorted by: columns of its rows, values inside of records, and those of the one instance that relationships lead to. It becomes an
// order where the caller is known: a related instance that the caller may not read sorts like an absent one.

import type { EntityPlan, LinkPlan, LinkWay } from '../plan.ts';
import { both, everything, type Hop, type OrderTerm } from './condition.ts';
import { existsWith } from './exists.ts';
import type { RelatedWay } from './related.ts';
import { allRows, type RowsOf } from './rows-of.ts';

/** From a row to a related instance, or to the link that leads there. */
export type RelatedStep = { readonly kind: 'related'; readonly way: RelatedWay } | { readonly kind: 'link'; readonly way: LinkWay };

export interface SortTerm extends Omit<OrderTerm, 'along'> {
  /** As it was asked for, where that is more than a column of the row. */
  readonly name?: string;
  /** To the row that has the column; each leads to one at the most. */
  readonly steps?: readonly RelatedStep[];
}

export function orderOf(sort: readonly SortTerm[], plan: EntityPlan | LinkPlan, rows: RowsOf): readonly OrderTerm[] {
  if (sort.every(({ steps }) => steps === undefined)) return sort;
  return sort.map(({ steps, name: _, ...term }) => (steps === undefined ? term : { ...term, along: hopsAlong(steps, plan, rows) }));
}

function hopsAlong(steps: readonly RelatedStep[], plan: EntityPlan | LinkPlan, rows: RowsOf): readonly Hop[] {
  let { key } = plan;
  return steps.flatMap((step) => {
    const hops = hopsOf(step, key, rows);
    key = step.way.target.key;
    return hops;
  });
}

/** `key` is the column by which the row is found that the step begins at. */
function hopsOf({ kind, way }: RelatedStep, key: string, rows: RowsOf): readonly Hop[] {
  const { target } = way;
  if (way.kind === 'contains') throw new Error(`${target.type} may stand there more than once`);
  const there = (is: string): Hop => ({ table: target.table, column: target.key, is, where: rows(target) });
  if (way.kind === 'parent') return [there(way.contains.column)];
  const { link, from, to } = way;
  const ofLink: Hop = { table: link.table, column: from.column, is: key, where: rows(link) };
  if (kind === 'related') return [ofLink, there(to.column)];
  // A link to an instance that the caller may not read is none.
  const isThere = rows === allRows ? everything : existsWith(target.table, target.key, { column: to.column }, rows(target));
  return [{ ...ofLink, where: both(ofLink.where, isThere) }];
}
