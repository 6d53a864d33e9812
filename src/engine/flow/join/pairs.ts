// Refuses a join that must compare more pairs of rows than an event has time for, before everybody waits for it.

import { error } from '../../../errors.ts';
import { type ColumnOf, type Condition, everything } from '../../../plan/query/condition.ts';
import type { JoinQuery, Select } from '../../../plan/query/shape.ts';
import type { Table } from '../../../plan/rows/table.ts';
import type { Run } from '../state.ts';

/** Pairs in a second: about as many as the embedded store was seen to compare. */
const fastest = 30_000_000;

/** What only may be too much is tried, and ended when its time is over. */
export async function refuseTooManyPairs(shape: JoinQuery, { reading }: Run): Promise<void> {
  if (!comparesAll(shape)) return;
  const most = reading.limits.flow.time * fastest;
  const counts: number[] = [];
  for (const table of tablesOf(shape)) counts.push(await reading.tx.count(allOf(table), []));
  // In whatever order a store joins them, two of them are compared in full.
  const [fewest = 0, next = 0] = counts.toSorted((one, other) => one - other);
  const pairs = fewest * next;
  if (pairs <= most) return;
  const detail = `It would compare ${pairs} pairs of rows, and ${reading.limits.flow.time} seconds are enough for ${most} at the most.`;
  throw error('dataflow-limit', { detail });
}

/** Whether there is no way around looking at every pair: nothing leaves rows out, no index finds them, and the first ones are not enough. */
function comparesAll(shape: JoinQuery): boolean {
  const { joins, where, outputs, groupBy, order, distinct } = shape;
  const isSorted = order.some((each) => each.exact !== true);
  const needsAll = distinct || groupBy.length > 0 || isSorted || outputs.some((each) => each.kind === 'aggregate');
  const tables = tablesOf(shape);
  return joins.length > 0 && where.kind === 'all' && needsAll && joins.every(({ on }) => isPairwise(on, tables));
}

function tablesOf({ table, joins }: JoinQuery): readonly Table[] {
  return [table, ...joins.map((each) => each.table)];
}

function isPairwise(on: Condition, tables: readonly Table[]): boolean {
  if (on.kind === 'all') return true;
  if (on.kind === 'and') return on.conditions.every((each) => isPairwise(each, tables));
  if (on.kind !== 'columns' || on.operator === 'eq' || (on.left.source ?? 0) === (on.right.source ?? 0)) return false;
  return on.operator === 'ne' || ![on.left, on.right].some((each) => isIndexed(each, tables));
}

function isIndexed({ column, source = 0 }: ColumnOf, tables: readonly Table[]): boolean {
  const table = tables[source];
  if (table === undefined) return false;
  return [table.primaryKey, ...table.uniques, ...table.indexes].some(([first]) => first === column);
}

function allOf(table: Table): Select {
  return { kind: 'select', table, output: { fields: [], columns: [] }, where: everything, order: [], limit: false, offset: false };
}
