// How a statement finds its rows: known from its shape, before anybody asks it. What may look at many more than it gives, others must not wait for.

import { type ColumnOf, type Comparison, type Condition, isOwnColumn } from '../../../plan/query/condition.ts';
import { includesOthers, type JoinQuery, type Select, type Shape, type Supplied, type TableMask } from '../../../plan/query/shape.ts';
import type { Table } from '../../../plan/rows/table.ts';
import { isMomentKind } from '../../../plan/rows/tables.ts';

/** A read that may look at more rows than it gives. */
export interface Reach {
  /** Tables of which it may look at all rows, each paired with each; none where an index answers it. */
  readonly scanned: readonly string[];
}

/** `undefined` for rows by their key, and a page in the order of the key. `isCount` where the rows of a select are counted. */
export function reachOf(shape: Shape, isCount: boolean): Reach | undefined {
  switch (shape.kind) {
    case 'select': {
      const table = withSeenIndexes(shape.table, shape.masks);
      const isPage = shape.limit && !isCount;
      const isByKey = findsByKey(shape.where, table) || (isPage && !shape.offset && followsKey(shape, table));
      if (isByKey) return isCount || !includesOthers(shape) ? undefined : indexed;
      // What an offset leaves out is looked at as well, by the index.
      if (findsByIndex(shape.where, table) || (isPage && (followsKey(shape, table) || followsIndex(shape, table)))) return indexed;
      return { scanned: shape.isOverlaid ? [shape.table.name] : stored([shape.table], shape.supplied) };
    }
    case 'report':
      if (shape.joins.length === 0 && findsByIndex(shape.where, withSeenIndexes(shape.table, shape.masks))) return indexed;
      return { scanned: stored([shape.table, ...shape.joins.map((each) => each.table)], shape.supplied) };
    default:
      return undefined;
  }
}

/** No index answers what is asked of a column that may be absent for the caller. */
function withSeenIndexes(table: Table, masks: readonly TableMask[] = []): Table {
  const mask = masks.find((each) => each.table === table.name);
  if (mask === undefined) return table;
  const isSeen = (columns: readonly string[]): boolean => !mask.columns.some(({ column }) => columns.includes(column));
  return { ...table, uniques: table.uniques.filter(isSeen), indexes: table.indexes.filter(isSeen) };
}

const indexed: Reach = { scanned: [] };

function stored(tables: readonly Table[], supplied: Supplied = []): readonly string[] {
  return tables.filter((each) => !supplied.includes(each)).map(({ name }) => name);
}

/** SQLite counts all rows of a table faster than it could look at the time meanwhile. */
export function countsAll({ joins, where, outputs, groupBy }: JoinQuery): boolean {
  const isCount = outputs.every((each) => each.kind === 'aggregate' && each.of === undefined);
  return joins.length === 0 && where.kind === 'all' && groupBy.length === 0 && isCount;
}

function followsKey({ where, order }: Select, table: Table): boolean {
  const [term, ...further] = order;
  if (term === undefined || further.length > 0) return false;
  return isOwnColumn(term) && isKey(term.column, table) && sortsAsStored(term.column, table) && isRangeOf(term.column, where);
}

function followsIndex({ where, order: [term] }: Select, table: Table): boolean {
  return term !== undefined && where.kind === 'all' && isOwnColumn(term) && beginsIndex(term.column, table);
}

function findsByKey(where: Condition, table: Table): boolean {
  if (where.kind === 'and') return where.conditions.some((each) => findsByKey(each, table));
  if (where.kind === 'stored') return findsByKey(where.condition, table);
  return (
    where.kind === 'compare' &&
    where.operator === 'eq' &&
    isOfColumn(where) &&
    (isKey(where.column, table) || isUnique(where.column, table))
  );
}

/** One of what must hold is answered by an index, or by rows that are few and found first. */
function findsByIndex(where: Condition, table: Table): boolean {
  switch (where.kind) {
    case 'and':
      return where.conditions.some((each) => findsByIndex(each, table));
    case 'compare':
      return (where.operator === 'in' || isRange(where.operator)) && isOfColumn(where) && beginsIndex(where.column, table);
    case 'among':
      return true;
    case 'stored':
      return findsByIndex(where.condition, table);
    case 'exists':
      return where.isSelective === true;
    default:
      return false;
  }
}

function isRange(operator: Comparison): boolean {
  return ['eq', 'lt', 'lte', 'gt', 'gte', 'between'].includes(operator);
}

/** What stands in the column itself, and not what is worked out from it. */
function isOfColumn({ inside, lookup, asText, inLower }: ColumnOf): boolean {
  return inside === undefined && lookup === undefined && asText !== true && inLower !== true;
}

function beginsIndex(column: string, { primaryKey, uniques, indexes }: Table): boolean {
  return [primaryKey, ...uniques, ...indexes].some(([first]) => first === column);
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
      return where.column === column && isRange(where.operator);
    case 'after':
      return where.order.every((each) => isOwnColumn(each) && each.column === column);
    default:
      return false;
  }
}
