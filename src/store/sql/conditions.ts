// Conditions → SQL: each scope goes by an alias of its own, values become parameters wherever the condition stands.

import { unreachable } from '../../errors.ts';
import { isAmbientList } from '../../plan/query/ambient.ts';
import { askedColumns } from '../../plan/query/asked-columns.ts';
import type { Among, ColumnOf, Comparison, Condition, Exists, Inside, KeySource, Lookup } from '../../plan/query/condition.ts';
import { conditionKey } from '../../plan/query/condition-key.ts';
import { below, separator } from '../../plan/rows/keys.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { Inner } from './dialect.ts';
import type { Spelling } from './join-terms.ts';
import { type LookupSql, lookupColumn, lookupPlace, type PlacedColumn } from './lookups.ts';
import { maskOf, ofStored, onceName, onceTable, storedColumn, tableName } from './masks.ts';
import { columnOf, quote } from './names.ts';
import { afterSql, type Sorting } from './order.ts';
import { type Assembly, nextAlias, nextGiven, valuesOf } from './parameters.ts';
import { searchSql } from './search.ts';

/** The rows whose columns can be named at a place: those of the tables of a statement or a subquery, and those of the scope around it. */
export interface Scope {
  readonly sources: readonly Source[];
  readonly around: Scope | undefined;
}

interface Source {
  readonly table: Table;
  readonly alias: string;
  /** Whether its columns go without the alias where nothing else has columns. */
  readonly isAlone: boolean;
  /** Whether its rows are those that are stored, whatever of them the caller may see. */
  readonly isStored?: boolean;
}

/** Of one table, by its own name. */
export function scopeOf(table: Table): Scope {
  return { sources: [{ table, alias: quote(table.name), isAlone: true }], around: undefined };
}

export function aliasedScope(table: Table, alias: string, around?: Scope): Scope {
  return { sources: [{ table, alias, isAlone: false }], around };
}

/** Of a table that is asked for inside of a condition. */
function scopeIn(table: Table, alias: string, assembly: Assembly, around?: Scope): Scope {
  return { sources: [{ table, alias, isAlone: false, isStored: assembly.isStored }], around };
}

/** Of the tables of a join, each by its number. */
export function joinScope(tables: readonly Table[]): Scope {
  return { sources: tables.map((table, index) => ({ table, alias: `t${index}`, isAlone: false })), around: undefined };
}

export function conditionSql(condition: Condition, scope: Scope, assembly: Assembly): string {
  const inside = (each: Condition): string => conditionSql(each, scope, assembly);
  switch (condition.kind) {
    case 'all':
      return '1 = 1';
    case 'compare':
      return compareSql(condition, scope, assembly);
    case 'columns':
      return columnsSql(condition.left, condition.operator, condition.right, scope, assembly);
    case 'holds':
      return holdsSql(condition, scope, assembly);
    case 'and':
    case 'or':
      return `(${condition.conditions.map(inside).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      // What is absent does not hold, and so its opposite does: the same as in an expression.
      return `(${inside(condition.condition)}) IS NOT TRUE`;
    case 'stored':
      return ofStored(assembly, () => inside(condition.condition));
    case 'exists':
      return assembly.isHiding && askedColumns(condition).length === 0
        ? askedOnce(condition, scope, assembly)
        : existsSql(condition, scope, assembly);
    case 'below':
      return belowSql(condition.key, condition.above, scope, assembly);
    case 'among':
      return amongSql(condition, scope, assembly);
    case 'search': {
      const { table, alias } = sourceAt(0, scope);
      return searchSql(condition, table, alias, assembly);
    }
    case 'row':
      return conditionSql(condition.condition, { ...scope, sources: [sourceAt(condition.source, scope)] }, assembly);
    case 'after':
      return afterSql(condition.order, condition.nulls, sortingIn(sourceAt(0, scope), assembly));
    default:
      return unreachable(condition);
  }
}

/** A column as it is called at a place. */
export function place(asked: ColumnOf, scope: Scope, assembly: Assembly): PlacedColumn {
  const { column: name, source = 0, outer = 0, lookup, inside } = asked;
  let named = scope;
  for (let level = 0; level < outer; level += 1) {
    if (named.around === undefined) throw new Error(`${name} is a column of no row around`);
    named = named.around;
  }
  const at = sourceAt(source, named);
  const { table, alias, isAlone } = at;
  const written = columnName(at, name, assembly);
  // Inside a look-up, the column of another table may have the same name.
  const quoted = isAlone && outer === 0 && lookup === undefined ? written : `${alias}.${written}`;
  const row = { table, alias, isSupplied: assembly.supplied.includes(table) || maskOf(table, assembly) !== undefined };
  if (asked.asText === true)
    return { column: { name, kind: 'text', required: false }, quoted: assembly.dialect.text(`${alias}.${written}`), row };
  if (asked.inLower === true) return { column: { name, kind: 'text', required: false }, quoted: `lower(${alias}.${written})`, row };
  if (inside?.kind === 'map') return mapPlace(name, quoted, inside, assembly);
  if (inside !== undefined) return { ...asColumn(name, assembly.dialect.field(quoted, inside.path, inside.as)), row };
  if (lookup === undefined) return { column: columnOf(table, name), quoted, row };
  return lookupPlace(lookedUp(lookup, assembly), quoted, assembly.dialect);
}

function columnName({ table, isStored }: Source, name: string, assembly: Assembly): string {
  return quote(isStored === true ? name : storedColumn(table, name, assembly));
}

function mapPlace(name: string, quoted: string, { path }: Inside, assembly: Assembly): PlacedColumn {
  const value = assembly.dialect.member(quoted, path, nextGiven(assembly)(undefined));
  return { column: { name, kind: 'text', required: false }, quoted: value };
}

function asColumn(name: string, { kind, quoted, compared }: Inner): PlacedColumn {
  const column = { name, kind, required: false };
  return compared === undefined ? { column, quoted } : { column, quoted, compared };
}

export function lookedUp(lookup: Lookup, assembly: Assembly): LookupSql {
  const alias = nextAlias(assembly);
  const where = lookup.where === undefined ? '' : conditionSql(lookup.where, scopeIn(lookup.table, alias, assembly), assembly);
  return { lookup, alias, where, from: tableName(lookup.table, assembly) };
}

export function spellingIn(scope: Scope, assembly: Assembly): Spelling {
  return {
    dialect: assembly.dialect,
    place: (column) => place(column, scope, assembly),
    kindOf: ({ column, source = 0, lookup }) =>
      lookup === undefined ? columnOf(sourceAt(source, scope).table, column).kind : lookupColumn(lookup).kind,
  };
}

/** The rows of a table as something that is sorted. */
export function sortingIn({ table, alias }: Pick<Source, 'table' | 'alias'>, assembly: Assembly): Sorting {
  return { table, alias, assembly, asked: (where, related, its) => conditionSql(where, aliasedScope(related, its), assembly) };
}

function sourceAt(source: number, { sources }: Scope): Source {
  const found = sources[source] ?? sources[0];
  if (found === undefined) throw new Error('a scope has a table');
  return found;
}

function askedOnce(condition: Exists, scope: Scope, assembly: Assembly): string {
  const key = conditionKey(condition);
  if (!assembly.once.has(key)) assembly.once.set(key, existsSql(condition, scope, assembly));
  return `(SELECT ${quote(onceName([...assembly.once.keys()].indexOf(key)))} FROM ${quote(onceTable)})`;
}

/** As an own list of keys where those are few, else as a question about each row. */
function existsSql({ table, on, where, isSelective }: Exists, scope: Scope, assembly: Assembly): string {
  const alias = nextAlias(assembly);
  const outside = on === undefined ? undefined : place(on.is, scope, assembly);
  const asked = where.kind === 'all' ? [] : [conditionSql(where, scopeIn(table, alias, assembly, scope), assembly)];
  const from = `FROM ${tableName(table, assembly)} AS ${alias}`;
  const filtered = (all: readonly string[]): string => (all.length === 0 ? from : `${from} WHERE ${all.join(' AND ')}`);
  if (on === undefined || outside === undefined) return existing(filtered(asked));
  const inner = `${alias}.${quote(on.column)}`;
  const [one, other] = assembly.dialect.alike(
    [columnOf(table, on.column).kind, inner],
    [outside.column.kind, named(outside, on.is, scope, assembly)],
  );
  if (isSelective === true) return `${other} IN (SELECT ${one} ${filtered(asked)})`;
  return existing(filtered([`${one} = ${other}`, ...asked]));
}

/** One list of keys, however many tables they come from: a choice between several lists would be asked of each row. */
function amongSql({ column, keys }: Among, scope: Scope, assembly: Assembly): string {
  const found = place({ column }, scope, assembly);
  const lists = keys.map((each) => keysSql(each, scope, assembly));
  return lists.length === 0 ? '1 = 0' : `${named(found, { column }, scope, assembly)} IN (${lists.join(' UNION ALL ')})`;
}

function keysSql({ table, column, as, where, given }: KeySource, scope: Scope, assembly: Assembly): string {
  const alias = nextAlias(assembly);
  const other = given === undefined ? undefined : { alias: nextAlias(assembly), ...given };
  const asked = [...(other === undefined ? [] : [{ in: other.table, alias: other.alias, where: other.where }]), { in: table, alias, where }]
    .filter((each) => each.where.kind !== 'all')
    .map((each) => conditionSql(each.where, scopeIn(each.in, each.alias, assembly, scope), assembly));
  if (other?.above !== undefined)
    asked.push(rangeSql(`${alias}.${quote(other.above.key)}`, `${other.alias}.${quote(other.above.column)}`, assembly));
  const tables = [...(other === undefined ? [] : [other]), { table, alias }].map(
    (each) => `${tableName(each.table, assembly)} AS ${each.alias}`,
  );
  const key = `${alias}.${quote(column)}`;
  const selected = as === undefined ? key : as === 'asText' ? assembly.dialect.text(key) : assembly.dialect.key(as, key);
  return `SELECT ${selected} FROM ${tables.join(' CROSS JOIN ')}${asked.length === 0 ? '' : ` WHERE ${asked.join(' AND ')}`}`;
}

/** What `below` asks, as a range that an index answers. */
function rangeSql(key: string, above: string, assembly: Assembly): string {
  const { from, to } = below('');
  const next = valuesOf({ constants: [from, to] }, assembly);
  return `${key} > ${above} || ${next()(undefined)} AND ${key} < ${above} || ${next()(undefined)}`;
}

function belowSql(key: ColumnOf, above: ColumnOf, scope: Scope, assembly: Assembly): string {
  const [one, other] = [place(key, scope, assembly), place(above, scope, assembly)];
  const next = valuesOf({ constants: [separator] }, assembly)();
  return `substr(${one.quoted}, 1, length(${other.quoted}) + 1) = ${other.quoted} || ${next(undefined)}`;
}

/** With a limit, as SQLite otherwise makes a join of it, of which OFFSET counts several rows where there are several others. */
function existing(from: string): string {
  return `EXISTS (SELECT 1 ${from} LIMIT 1)`;
}

/** From inside of a subquery. */
function named(
  { quoted }: PlacedColumn,
  { column, source = 0, outer = 0, lookup, asText }: ColumnOf,
  scope: Scope,
  assembly: Assembly,
): string {
  if (outer > 0 || lookup !== undefined || asText === true) return quoted;
  const at = sourceAt(source, scope);
  return `${at.alias}.${columnName(at, column, assembly)}`;
}

const comparisons: Partial<Record<Comparison, string>> = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

type Compare = Extract<Condition, { kind: 'compare' }>;

function compareSql(condition: Compare, scope: Scope, assembly: Assembly): string {
  const { operator, value } = condition;
  const { dialect } = assembly;
  const tellsApart = operator === 'eq' || operator === 'ne' || operator === 'in';
  const { column, quoted, compared, row } = place(condition, scope, assembly);
  const { expression, encode } = compared ?? dialect[tellsApart ? 'equality' : 'ordering'](column, quoted, operator);
  const next = valuesOf(value, assembly);
  switch (operator) {
    case 'null':
      return `${quoted} IS NULL`;
    case 'not-null':
      return `${quoted} IS NOT NULL`;
    case 'in': {
      if (value !== undefined && 'ambient' in value) return inAmbient(value.ambient, expression, next()(undefined), assembly);
      const count = value === undefined ? (condition.count ?? 1) : value.constants.length;
      // A list of nothing holds for no row; not every database can be asked for it.
      return count === 0 ? '1 = 0' : `${expression} IN (${Array.from({ length: count }, () => next()(encode)).join(', ')})`;
    }
    case 'between': {
      // Each bound is written as what it is: the lowest value, and the highest.
      const [low, high] = (['gte', 'lte'] as const).map((side) => next()((compared ?? dialect.ordering(column, quoted, side)).encode));
      return `${expression} BETWEEN ${low} AND ${high}`;
    }
    case 'like':
    case 'ilike':
      return dialect[operator](quoted, next(), row);
    case 'ne':
      return dialect.distinct(expression, next()(encode));
    default:
      return `${expression} ${comparisons[operator]} ${next()(encode)}`;
  }
}

function holdsSql(condition: Extract<Condition, { kind: 'holds' }>, scope: Scope, assembly: Assembly): string {
  const { dialect } = assembly;
  const list = place(condition, scope, assembly);
  const { from, element } = dialect.elements(list.quoted, nextAlias(assembly), condition.item);
  const { column, quoted, compared } = asColumn(condition.column, element);
  const { expression, encode } = compared ?? dialect.equality(column, quoted);
  if (condition.value === undefined) return existing(`FROM ${from} WHERE ${expression} = ${nextGiven(assembly)(encode)}`);
  const next = valuesOf(condition.value, assembly);
  const values = condition.value.constants.map(() => next()(encode));
  return existing(`FROM ${from} WHERE ${expression} IN (${values.join(', ')})`);
}

function inAmbient(name: Parameters<typeof isAmbientList>[0], expression: string, parameter: string, { dialect }: Assembly): string {
  if (!isAmbientList(name)) throw new Error(`${name} is no list`);
  return dialect.among(expression, parameter);
}

function columnsSql(
  left: ColumnOf,
  operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte',
  right: ColumnOf,
  scope: Scope,
  assembly: Assembly,
): string {
  const { dialect } = assembly;
  const places = [place(left, scope, assembly), place(right, scope, assembly)] as const;
  const tellsApart = operator === 'eq' || operator === 'ne';
  const [one, other] = places.map(({ column, quoted }) => dialect[tellsApart ? 'equality' : 'ordering'](column, quoted).expression);
  const [first, second] = dialect.alike([places[0].column.kind, one ?? ''], [places[1].column.kind, other ?? '']);
  if (operator === 'ne') return dialect.distinct(first, second);
  // In one row two absent values are the same, as in an expression; no row is joined to another by what both lack.
  const isOneRow = left.source === right.source && (left.outer ?? 0) === (right.outer ?? 0);
  if (operator === 'eq' && isOneRow) return `NOT (${dialect.distinct(first, second)})`;
  return `${first} ${comparisons[operator]} ${second}`;
}
