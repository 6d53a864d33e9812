// What rows are sorted by → SQL: columns of the row, values inside of its records, and those of the row that relationships lead to.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { type Condition, type Hop, isOwnColumn, type OrderTerm, rankColumn } from '../../plan/query/condition.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { Parameter } from './dialect.ts';
import { tableName } from './masks.ts';
import { columnOf, directed, quote } from './names.ts';
import { type Assembly, nextAlias, nextGiven } from './parameters.ts';
import { rankSql } from './search.ts';

/** The rows that are sorted. */
export interface Sorting {
  readonly table: Table;
  /** What the table is called in the statement. */
  readonly alias: string;
  readonly assembly: Assembly;
  /** A condition on the row of a table that goes by an alias. */
  asked(where: Condition, table: Table, alias: string): string;
}

export function orderBy(order: readonly OrderTerm[], sorting: Sorting): string {
  const { table, assembly } = sorting;
  return order
    .map((term) => {
      // A key is never absent, and its index is read in either direction only where the order does not ask for more.
      const isPresent = isOwnColumn(term) && table.primaryKey.includes(term.column);
      return directed(comparedBy(term, sorting).expression, term.descending, assembly.dialect.nullsFirst || isPresent);
    })
    .join(', ');
}

/** A further column of a row, or of all rows of a page: one of its own, or what it is sorted by. */
export function furtherColumn(column: string | OrderTerm, as: 'further' | 'place', sorting: Sorting): string {
  const { dialect } = sorting.assembly;
  const kind = furtherKind(column, sorting);
  if (isRank(column)) return dialect[as](kind, rankSql(sorting.table, sorting.alias, sorting.assembly));
  if (typeof column === 'string') return dialect[as](kind, quote(column));
  const { inside, along = [] } = column;
  return reached(along, sorting, (_, alias) => {
    const quoted = `${alias}.${quote(column.column)}`;
    if (inside === undefined) return dialect[as](kind, quoted);
    const inner = dialect.field(quoted, inside.path, inside.as);
    return as === 'place' && inner.place !== undefined ? inner.place : dialect.further(kind, inner.quoted);
  });
}

export function furtherKind(column: string | OrderTerm, { table, assembly }: Pick<Sorting, 'table' | 'assembly'>): ColumnKind {
  if (isRank(column)) return 'integer';
  if (typeof column === 'string') return columnOf(table, column).kind;
  const { inside, along = [] } = column;
  if (inside !== undefined) return assembly.dialect.field('', inside.path, inside.as).kind;
  return columnOf(along.at(-1)?.table ?? table, column.column).kind;
}

/** `(a, b, c)` behind a cursor: `a > ? or (a = ? and (b > ? or ...))`, with absent values first when ascending. */
export function afterSql(order: readonly OrderTerm[], nulls: readonly boolean[], sorting: Sorting): string {
  const terms = order.map((term, index) => {
    const { expression, encode } = comparedBy(term, sorting);
    const isNull = nulls[index] === true;
    const next = nextGiven(sorting.assembly);
    return { expression, parameter: isNull ? '' : next(encode), isNull, descending: term.descending };
  });
  return terms.reduceRight((rest, term) => {
    const { expression, parameter, isNull, descending } = term;
    const same = isNull ? `${expression} IS NULL` : `${expression} = ${parameter}`;
    const ahead = isNull
      ? descending
        ? '1 = 0'
        : `${expression} IS NOT NULL`
      : descending
        ? `(${expression} < ${parameter} OR ${expression} IS NULL)`
        : `${expression} > ${parameter}`;
    return rest === '' ? ahead : `(${ahead} OR (${same} AND ${rest}))`;
  }, '');
}

/** What is compared, and how a value that it is compared with is written. */
function comparedBy(
  { column, inside, along = [] }: OrderTerm,
  sorting: Sorting,
): { readonly expression: string; readonly encode: Parameter['encode'] } {
  const { dialect } = sorting.assembly;
  if (column === rankColumn) return { expression: rankSql(sorting.table, sorting.alias, sorting.assembly), encode: undefined };
  let encode: Parameter['encode'];
  const expression = reached(along, sorting, (table, alias) => {
    const quoted = `${alias}.${quote(column)}`;
    const inner = inside && dialect.field(quoted, inside.path, inside.as);
    const compared =
      inner === undefined
        ? dialect.ordering(columnOf(table, column), quoted)
        : (inner.compared ?? dialect.ordering({ name: column, kind: inner.kind, required: false }, inner.quoted));
    encode = compared.encode;
    return compared.expression;
  });
  return { expression, encode };
}

function isRank(column: string | OrderTerm): boolean {
  return (typeof column === 'string' ? column : column.column) === rankColumn;
}

/** Something of the row that hops lead to, null where there is none. */
function reached(hops: readonly Hop[], sorting: Sorting, of: (table: Table, alias: string) => string): string {
  const [hop, ...further] = hops;
  if (hop === undefined) return of(sorting.table, sorting.alias);
  const { table, column, is, where } = hop;
  const alias = nextAlias(sorting.assembly);
  const found = `${alias}.${quote(column)} = ${sorting.alias}.${quote(is)}`;
  const asked = where.kind === 'all' ? found : `${found} AND ${sorting.asked(where, table, alias)}`;
  return `(SELECT ${reached(further, { ...sorting, table, alias }, of)} FROM ${tableName(table, sorting.assembly)} AS ${alias} WHERE ${asked})`;
}
