// The rows that a list is made of: which they are, in what order, and the statements that read some of them.

import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { both, type Condition, everything, isOwnColumn, type OrderTerm } from '../../plan/query/condition.ts';
import type { RowsOf } from '../../plan/query/rows-of.ts';
import { outputOf } from '../../plan/query/selection.ts';
import type { Select } from '../../plan/query/shape.ts';
import type { Value } from '../../values/value.ts';
import type { ListQuery } from '../operation.ts';
import { cacheShape } from '../shape-cache.ts';

export interface Range {
  readonly plan: EntityPlan | LinkPlan;
  readonly key: string;
  readonly where: Condition;
  readonly values: readonly Value[];
  /** Those of what it includes, behind all others. */
  readonly included: readonly Value[];
  readonly query: ListQuery;
  readonly order: readonly OrderTerm[];
  /** Which rows of other types stand in it. */
  readonly rows: RowsOf;
}

export function selectOf(range: Range, after: readonly Value[] | undefined, offset = false): Select {
  const key = shapeKey(range, after, offset);
  const cached = range.plan.cached.get(key);
  if (cached?.kind === 'select') return cached;
  const { plan, where, query, order, rows } = range;
  const behind: Condition = after === undefined ? everything : { kind: 'after', order, nulls: after.map((value) => value === null) };
  return cacheShape(plan, key, {
    kind: 'select',
    table: plan.table,
    output: {
      fields: outputOf(plan, query.selection, rows).fields,
      columns: placeColumns(order),
    },
    where: both(where, behind),
    order,
    limit: true,
    offset,
  });
}

/** What tells apart the selects that one list is read with. */
function shapeKey(range: Range, after: readonly Value[] | undefined, offset: boolean): string {
  return `${range.key} ${after === undefined ? '-' : after.map((value) => (value === null ? 0 : 1)).join('')}${offset ? '+' : ''}`;
}

export function parameters({ values }: Range, after: readonly Value[] | undefined): readonly Value[] {
  return after === undefined ? values : [...values, ...after];
}

/** What tells where a row stands in the order. */
export function placeColumns(order: readonly OrderTerm[]): Select['output']['columns'] {
  return order.map((term) => (isOwnColumn(term) ? term.column : term));
}

/** As a page, but nothing of the rows except their places. */
export function keysOf(range: Range, after: readonly Value[] | undefined, offset: boolean): Select {
  const key = `keys ${shapeKey(range, after, offset)}`;
  const cached = range.plan.cached.get(key);
  if (cached?.kind === 'select') return cached;
  const { output, ...select } = selectOf(range, after, offset);
  return cacheShape(range.plan, key, { ...select, output: { fields: [], columns: output.columns } });
}
