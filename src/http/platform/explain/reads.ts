// How a statement gets at the rows of each of its tables, in words: by which index, or by reading every row. Known from the plan alone.

import { type Comparison, type Condition, type Exists, isOwnColumn, joinsByEquality } from '../../../plan/query/condition.ts';
import type { Delete, JoinQuery, Select, Update } from '../../../plan/query/shape.ts';
import type { Table } from '../../../plan/rows/table.ts';

/** `isCut` where only the first rows are wanted. */
export function readsOf(shape: Select | Update | Delete | JoinQuery, isCut: boolean): readonly string[] {
  const { table, where } = shape;
  if (shape.kind !== 'report') {
    const order = shape.kind === 'select' ? shape.order : [];
    return [firstLine(table, where, isCut && isInOrder(table, order)), ...relatedLines(where), ...sortLines(order)];
  }
  const { joins, order, groupBy, outputs, distinct } = shape;
  const isWhole = groupBy.length > 0 || distinct || joins.length > 0 || outputs.some((each) => each.kind === 'aggregate');
  const keepsRight = joins.some(({ side }) => side === 'right' || side === 'full');
  const isFirst = isCut && !isWhole && order.every((each) => each.exact === true);
  // Where rows may stand without one of the first table, it is read whole: what is asked of it decides on the rows.
  const first = keepsRight ? everyRow(table, []) : firstLine(table, where, isFirst);
  return [first, ...joins.map((each, index) => joinLine(each, where, index + 1))];
}

function firstLine(table: Table, where: Condition, isInOrderOfKey: boolean): string {
  const served = servedBy(where, table, 0);
  if (served !== undefined) return served.join(', ');
  if (where.kind === 'all' && isInOrderOfKey) return `reads the first rows of ${table.name}, in the order of its key`;
  return everyRow(table, comparedIn(where, 0));
}

function joinLine({ side, table, on }: JoinQuery['joins'][number], where: Condition, source: number): string {
  const served = servedBy(on, table, source);
  const isLeft = side === 'inner' || side === 'left';
  if (served !== undefined && isLeft) return `${served.join(', ')}, once for each row before it`;
  const narrowed = side === 'inner' ? servedBy(where, table, source) : undefined;
  const start = narrowed?.join(', ') ?? everyRow(table, []);
  if (joinsByEquality(on, source)) return `${start}, and matches equal values`;
  return on.kind === 'all' || !comparesColumns(on)
    ? `${start}, beside each row before it`
    : `${start}, and compares it with each row before it`;
}

function everyRow(table: Table, compared: readonly string[]): string {
  const columns = [...new Set(compared)];
  const list = columns.join(' or ');
  // Also where each of them has one: a list of alternatives is served only as a whole, which is told by those that have none.
  const lacking = columns.filter((column) => !indexesOf(table).some((index) => index.columns[0] === column));
  const why = lacking.length > 0 ? `: no index begins with ${list}` : `: no index serves how ${list} is asked for`;
  return `reads every row of ${table.name}${columns.length === 0 ? '' : why}`;
}

function isInOrder(table: Table, order: Select['order']): boolean {
  const [first] = order;
  return first !== undefined && isOwnColumn(first) && indexesOf(table).some(({ columns: [column] }) => column === first.column);
}

/** One comparison that an index may serve. */
interface Asked {
  readonly column: string;
  readonly how: 'equal' | 'range';
}

interface Index {
  readonly columns: readonly string[];
  readonly kind: 'key' | 'unique' | 'index';
}

/** The indexes by which the rows are found, or nothing where there is none. */
function servedBy(condition: Condition, table: Table, source: number): readonly string[] | undefined {
  if (condition.kind === 'or') {
    const branches = condition.conditions.map((each) => servedBy(each, table, source));
    return branches.every((each) => each !== undefined) ? [...new Set(branches.flat())] : undefined;
  }
  const parts = partsOf(condition);
  const asked = parts.flatMap((each) => askedBy(each, source));
  const [best] = indexesOf(table)
    .map((index) => ({ index, service: serviceOf(index, asked) }))
    .filter(({ service }) => service > 0)
    .toSorted((one, other) => other.service - one.service);
  if (best !== undefined) return [`uses ${named(best.index)} of ${table.name}`];
  const words = parts.find((each) => each.kind === 'search' && each.isIndexed);
  if (words?.kind === 'search') return [`uses the index of the words of ${words.columns.join(', ')} of ${table.name}`];
  const through = parts.flatMap((each) => (each.kind === 'exists' ? foundThrough(each, table, source) : []));
  if (through.length > 0) return through;
  return parts.filter((each) => each.kind === 'or').flatMap((each) => [servedBy(each, table, source)])[0];
}

/** By the rows of another table that are found first. */
function foundThrough({ on, table: other, isSelective }: Exists, table: Table, source: number): readonly string[] {
  if (on === undefined || isSelective !== true || (on.is.source ?? 0) !== source) return [];
  const [best] = indexesOf(table).filter(({ columns: [first] }) => first === on.is.column);
  return best === undefined ? [] : [`uses ${best.kind === 'key' ? 'the key' : named(best)} of ${table.name}, found through ${other.name}`];
}

/** How the rows of other tables are found that conditions ask about. */
function relatedLines(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(relatedLines);
    case 'not':
      return relatedLines(condition.condition);
    case 'exists': {
      const { table, on, where, isSelective } = condition;
      const isFirst = isSelective === true || on === undefined;
      const found = isFirst ? firstLine(table, where, false) : `${foundBy(table, on.column)}, for each row that may be asked for`;
      return [found, ...relatedLines(where)];
    }
    default:
      return [];
  }
}

function sortLines(order: Select['order']): readonly string[] {
  return order.flatMap(({ along = [] }) => along.map(({ table, column }) => `${foundBy(table, column)}, for each row that is sorted`));
}

/** A row of which one column is known. */
function foundBy(table: Table, column: string): string {
  const [best] = indexesOf(table).filter(({ columns: [first] }) => first === column);
  return best === undefined ? everyRow(table, [column]) : `uses ${named(best)} of ${table.name}`;
}

function partsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(partsOf) : [condition];
}

const served: Partial<Record<Comparison, Asked['how']>> = {
  eq: 'equal',
  in: 'equal',
  null: 'equal',
  lt: 'range',
  lte: 'range',
  gt: 'range',
  gte: 'range',
  between: 'range',
};

function askedBy(condition: Condition, source: number): readonly Asked[] {
  if (condition.kind === 'compare') {
    const how = served[condition.operator];
    return how === undefined || (condition.source ?? 0) !== source ? [] : [{ column: condition.column, how }];
  }
  if (condition.kind !== 'columns' || condition.operator === 'ne') return [];
  const { left, right, operator } = condition;
  const [one, other] = [left.source ?? 0, right.source ?? 0];
  const how = operator === 'eq' ? 'equal' : 'range';
  if (one === source && other < source) return [{ column: left.column, how }];
  return other === source && one < source ? [{ column: right.column, how }] : [];
}

/** How well an index serves: by each column that is asked for, and less by the last one where that is asked for a range. */
function serviceOf(index: Index, asked: readonly Asked[]): number {
  let service = 0;
  for (const column of index.columns) {
    const found = asked.filter((each) => each.column === column);
    if (found.length === 0) break;
    const isRange = found.every((each) => each.how === 'range');
    service += isRange ? 1 : 2;
    if (isRange) break;
  }
  return service;
}

function indexesOf(table: Table): readonly Index[] {
  return [
    { columns: table.primaryKey, kind: 'key' },
    ...table.uniques.map((columns) => ({ columns, kind: 'unique' as const })),
    ...table.indexes.map((columns) => ({ columns, kind: 'index' as const })),
  ];
}

function named({ columns, kind }: Index): string {
  const list = columns.join(', ');
  if (kind === 'key') return `the key ${list}`;
  return kind === 'unique' ? `the unique index ${list}` : `index ${list}`;
}

function comparedIn(condition: Condition, source: number): readonly string[] {
  switch (condition.kind) {
    case 'compare':
      return (condition.source ?? 0) === source ? [condition.column] : [];
    case 'and':
    case 'or':
      return condition.conditions.flatMap((each) => comparedIn(each, source));
    case 'not':
      return comparedIn(condition.condition, source);
    default:
      return [];
  }
}

function comparesColumns(condition: Condition): boolean {
  return partsOf(condition).some((each) => each.kind !== 'compare');
}
