// Tells which statements may look at many more rows than they give: those that others must not wait for.

import { type Condition, isOwnColumn } from '../../../plan/query/condition.ts';
import type { JoinQuery, Select, Shape } from '../../../plan/query/shape.ts';
import type { Table } from '../../../plan/rows/table.ts';
import { isMomentKind } from '../../../plan/rows/tables.ts';

/** Everything that is read but rows that are found by their key, and a page in the order of the key, without what is related to them. */
export function mayTakeLong(shape: Shape, isCount: boolean): boolean {
  if (shape.kind === 'report') return true;
  if (shape.kind !== 'select') return false;
  if (!isCount && shape.output.fields.some((each) => each.kind === 'related')) return true;
  return !findsByKey(shape.where, shape.table) && (isCount || !isPageByKey(shape));
}

/** SQLite counts all rows of a table faster than it could look at the time meanwhile. */
export function countsAll({ joins, where, outputs, groupBy }: JoinQuery): boolean {
  const isCount = outputs.every((each) => each.kind === 'aggregate' && each.of === undefined);
  return joins.length === 0 && where.kind === 'all' && groupBy.length === 0 && isCount;
}

function isPageByKey({ table, where, order, limit, offset }: Select): boolean {
  const [term, ...further] = order;
  if (term === undefined || further.length > 0 || !limit || offset) return false;
  return isOwnColumn(term) && isKey(term.column, table) && sortsAsStored(term.column, table) && isRangeOf(term.column, where);
}

function findsByKey(where: Condition, table: Table): boolean {
  if (where.kind === 'and') return where.conditions.some((each) => findsByKey(each, table));
  return where.kind === 'compare' && where.operator === 'eq' && (isKey(where.column, table) || isUnique(where.column, table));
}

function isKey(column: string, { primaryKey }: Table): boolean {
  return primaryKey.length === 1 && primaryKey[0] === column;
}

function isUnique(column: string, { uniques }: Table): boolean {
  return uniques.some((each) => each.length === 1 && each[0] === column);
}

/** Of these, what is sorted by is worked out for each row. */
function sortsAsStored(column: string, { columns }: Table): boolean {
  const kind = columns.find((each) => each.name === column)?.kind;
  return kind !== undefined && !isMomentKind(kind) && kind !== 'decimal';
}

function isRangeOf(column: string, where: Condition): boolean {
  switch (where.kind) {
    case 'all':
      return true;
    case 'and':
      return where.conditions.every((each) => isRangeOf(column, each));
    case 'compare':
      return where.column === column && ['eq', 'lt', 'lte', 'gt', 'gte', 'between'].includes(where.operator);
    case 'after':
      return where.order.every((each) => isOwnColumn(each) && each.column === column);
    default:
      return false;
  }
}
