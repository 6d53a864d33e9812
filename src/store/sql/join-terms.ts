// What a report shows of a row or a group, and what it is sorted and grouped by, as SQL; pure, and without values.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { ColumnOf } from '../../plan/query/condition.ts';
import type { JoinOutput, JoinQuery, JoinTerm } from '../../plan/query/shape.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import type { Dialect, JoinSqlParts } from './dialect.ts';
import type { PlacedColumn } from './lookups.ts';

export interface Spelling {
  readonly dialect: Dialect;
  /** Each time it is called, the statement gets the parameters of a look-up: what it gives is then part of the text. */
  place(column: ColumnOf): PlacedColumn;
  kindOf(column: ColumnOf): ColumnKind;
}

export function reportObject(shape: JoinQuery, spelling: Spelling): string {
  const isGrouped = putsTogether(shape);
  return spelling.dialect.object(shape.outputs.map((each) => [each.name, outputOf(each, shape, isGrouped, spelling)] as const));
}

export function reportGroups(shape: JoinQuery, { dialect, place }: Spelling): string {
  const groups = groupedColumns(shape).map(({ column, source = 0 }) => place({ column, source }));
  return groups.map(({ column, quoted }) => dialect.equality(column, quoted).expression).join(', ');
}

/** Values that are the same may be written differently; where none can be, rows are told apart by what they show. */
export function reportIdentity(shape: JoinQuery, spelling: Spelling): JoinSqlParts['distinct'] {
  if (!shape.distinct) return undefined;
  const isWrittenDifferently = shape.outputs.some((each) => {
    const kind = each.kind === 'column' ? spelling.kindOf(each) : 'text';
    return kind === 'decimal' || isMomentKind(kind);
  });
  if (!isWrittenDifferently) return 'shown';
  const isGrouped = putsTogether(shape);
  return shape.outputs.map((each) =>
    each.kind === 'column' ? termOf(each, shape, isGrouped, true, spelling) : outputOf(each, shape, isGrouped, spelling),
  );
}

export function reportOrder(shape: JoinQuery, spelling: Spelling): JoinSqlParts['order'] {
  const isGrouped = putsTogether(shape);
  return shape.order.map((term) => {
    const { descending, exact = false } = term;
    const isPresent = exact && shape.joins.length === 0 && !isGrouped;
    return { expression: termOf(term, shape, isGrouped, exact, spelling), descending, isPresent };
  });
}

/** Whether nobody asked for an order of the rows of a join, which then are counted before they are sorted: too many of them are not wanted at all. */
export function isSortedLast(shape: JoinQuery): boolean {
  const { joins, order, distinct, offset } = shape;
  return joins.length > 0 && order.length > 0 && order.every((each) => each.exact === true) && !distinct && !offset && !putsTogether(shape);
}

/** Whether a row stands for several. */
function putsTogether({ groupBy, outputs }: JoinQuery): boolean {
  return groupBy.length > 0 || outputs.some((each) => each.kind === 'aggregate');
}

function outputOf(output: JoinOutput, shape: JoinQuery, isGrouped: boolean, { dialect, place }: Spelling): string {
  if (output.kind === 'column') {
    const { column, quoted, json } = place(output);
    // Decimals and times of one group may be written differently.
    const isSame = !isGrouped || (column.kind !== 'decimal' && !isMomentKind(column.kind) && isGroup(output, shape));
    return isSame ? (json ?? dialect.json(column.kind, quoted)) : dialect.least(column, quoted);
  }
  if (output.of === undefined) return 'count(*)';
  const { column, quoted } = place(output.of);
  return dialect.aggregate(output.function, column, quoted, false);
}

function isGroup({ source, column }: ColumnOf, shape: JoinQuery): boolean {
  return groupedColumns(shape).some((each) => each.source === source && each.column === column);
}

function termOf(term: JoinTerm, shape: JoinQuery, isGrouped: boolean, exact: boolean, spelling: Spelling): string {
  const { dialect, place } = spelling;
  const output = term.kind === 'output' ? shape.outputs.find((each) => each.name === term.name) : term;
  if (output === undefined || (output.kind === 'aggregate' && output.of === undefined)) return 'count(*)';
  if (output.kind === 'aggregate') {
    const { column, quoted } = place(output.of ?? { column: '' });
    return dialect.aggregate(output.function, column, quoted, true);
  }
  // What stands for the key of another row sorts as that key does: by the parents, then by the identifiers.
  const { column, quoted } = place({ column: output.column, source: output.source });
  const { expression } = dialect[exact ? 'equality' : 'ordering'](column, quoted);
  return isGrouped && !isGroup(output, shape) ? dialect.leastOf(expression, column.kind) : expression;
}

/** Columns, whatever they are called in it. */
function groupedColumns({ groupBy, outputs }: JoinQuery): readonly ColumnOf[] {
  return groupBy.map((term) => {
    const found = term.kind === 'output' ? outputs.find((each) => each.name === term.name) : term;
    if (found?.kind !== 'column') throw new Error('rows are grouped by columns');
    return found;
  });
}
