// Which of the tables and columns that a model asks for are which of those that are stored: by name, by former name, by identity. Pure.

import type { Column, ForeignKey, Table } from '../../../plan/rows/table.ts';
import { keyColumn, pathColumn, storedName } from '../../../plan/rows/tables.ts';
import { isComputedNow } from './computed.ts';
import { addressingOf, endsOf, type RetiredColumn, type RetiredTable, type Schema, type StoredColumn, type StoredTable } from './schema.ts';

export interface Match {
  readonly pairs: readonly TablePair[];
  readonly gone: readonly StoredTable[];
  readonly unclear: readonly Unclear[];
}

/** Says that it was what is both stored and in the model: the values of that are whose? */
export interface Unclear {
  readonly table: Table;
  /** Absent where the whole table is meant. */
  readonly column: Column | undefined;
  readonly was: string;
}

/** Neither `before` nor `retired`: it is new. */
export interface TablePair {
  readonly wanted: Table;
  readonly before: StoredTable | undefined;
  readonly retired: RetiredTable | undefined;
  readonly columns: readonly ColumnPair[];
  readonly gone: readonly StoredColumn[];
}

export interface ColumnPair {
  readonly wanted: Column;
  readonly before: StoredColumn | undefined;
  readonly retired: RetiredColumn | undefined;
}

/** What a changed model means: names first, `@was` where nothing has the name, and what was retired under it comes back. */
export function matchByName(schema: Schema, asked: readonly Table[]): Match {
  const isAsked = new Set(asked.map((each) => each.name));
  const wanted = [...asked, ...schema.tables.filter((each) => each.system === true && !isAsked.has(each.name))];
  const names = new Set(wanted.map((each) => each.name));
  const stored = new Map(schema.tables.map((each) => [each.name, each]));
  const found = onlyOnce(wanted.map((table) => ({ table, ...tableByName(table, stored, names, comingBack(table, schema)) })));
  const becomes = new Map(
    found.flatMap(({ table, before, retired }) => {
      const old = before ?? retired?.table;
      return old === undefined ? [] : [[old.name, table.name] as const];
    }),
  );
  const pairs = found.map(({ table, before, retired }) => {
    const old = before ?? retired?.table;
    if (old === undefined || !isSameKind(old, table, becomes)) return newPair(table);
    return { wanted: table, before, retired, ...columnsByName(old, table, becomes, schema) };
  });
  return { pairs, gone: without(schema.tables, pairs), unclear: unclearIn(pairs, stored, names) };
}

/**
 * What may come back under the name of a table. Where a containment becomes a link, its places become the links: a link that was retired before there
 * was that containment keeps its own rows, for those who go back.
 */
function comingBack(table: Table, { tables, retired }: Schema): readonly RetiredTable[] {
  const isTurning = tables.some((each) => addressingOf(each).parents.some(({ relationship }) => storedName(relationship) === table.name));
  return isTurning && endsOf(table).length === 2 ? retired.filter((each) => each.turned === true) : retired;
}

/** Whether the parents in the column will be those that a link says which is stored now. */
function isPlacedByLink({ name }: Column, wanted: Table, { tables }: Schema, becomes: ReadonlyMap<string, string>): boolean {
  const parent = wanted.addressing?.parents.find((each) => each.column === name);
  const link = parent === undefined ? undefined : storedName(parent.relationship);
  return tables.some((each) => each.name === link && endsOf(each).length === 2 && !becomes.has(each.name));
}

interface TableFound {
  readonly table: Table;
  readonly before: StoredTable | undefined;
  readonly retired: RetiredTable | undefined;
}

/** Where two say that they were the same, the first of them was. */
function onlyOnce(found: readonly TableFound[]): readonly TableFound[] {
  const used = new Set(found.flatMap(({ table, before }) => (before?.name === table.name ? [before.id] : [])));
  return found.map((each) => {
    const id = each.before?.id ?? each.retired?.table.id;
    if (id === undefined || each.before?.name === each.table.name) return each;
    if (used.has(id)) return { table: each.table, before: undefined, retired: undefined };
    used.add(id);
    return each;
  });
}

/** For going back to what was: only identity counts. */
export function matchById(schema: Schema, wanted: readonly StoredTable[]): Match {
  const pairs = wanted.map((table): TablePair => {
    const before = schema.tables.find((each) => each.id === table.id);
    const retired = before === undefined ? schema.retired.find((each) => each.table.id === table.id) : undefined;
    const old = before ?? retired?.table;
    if (old === undefined) return newPair(table);
    const columns = table.columns.map((column): ColumnPair => {
      const known = old.columns.find((each) => each.id === column.id);
      const kept = old.retired.find((each) => each.column.id === column.id && !each.replaced);
      return { wanted: column, before: known, retired: known === undefined ? kept : undefined };
    });
    return { wanted: table, before, retired, columns, gone: goneFrom(old, columns) };
  });
  return { pairs, gone: without(schema.tables, pairs), unclear: [] };
}

/** What was renamed once says so for good, and is known by it. */
function unclearIn(pairs: readonly TablePair[], stored: ReadonlyMap<string, StoredTable>, names: ReadonlySet<string>): readonly Unclear[] {
  const isUnclear = (
    { wanted, before, retired }: TablePair | ColumnPair,
    isStored: (name: string) => boolean,
    isWanted: (name: string) => boolean,
  ) =>
    wanted.was !== undefined &&
    wanted.was !== wanted.name &&
    isStored(wanted.was) &&
    isWanted(wanted.was) &&
    retired === undefined &&
    (before === undefined || (before.name === wanted.name && before.was !== wanted.was));
  return pairs.flatMap((pair) => {
    const { wanted: table, before } = pair;
    const whole = isUnclear(
      pair,
      (name) => stored.has(name),
      (name) => names.has(name),
    )
      ? [{ table, column: undefined, was: table.was ?? '' }]
      : [];
    const isColumn = (columns: readonly Column[] | undefined) => (name: string) => columns?.some((each) => each.name === name) === true;
    const columns = pair.columns.filter((each) => isUnclear(each, isColumn(before?.columns), isColumn(table.columns)));
    return [...whole, ...columns.map(({ wanted: column }) => ({ table, column, was: column.was ?? '' }))];
  });
}

function tableByName(
  table: Table,
  stored: ReadonlyMap<string, StoredTable>,
  names: ReadonlySet<string>,
  retired: readonly RetiredTable[],
): { readonly before: StoredTable | undefined; readonly retired: RetiredTable | undefined } {
  const was = table.was !== undefined && !names.has(table.was) ? table.was : undefined;
  const before = stored.get(table.name) ?? (was === undefined ? undefined : stored.get(was));
  if (before !== undefined) return { before, retired: undefined };
  const kept = retired.findLast((each) => each.table.name === table.name) ?? retired.findLast((each) => each.table.name === was);
  return { before: undefined, retired: kept };
}

/** A link that ties other entities is another link, and an entity no link at all. */
function isSameKind(old: Table, wanted: Table, becomes: ReadonlyMap<string, string>): boolean {
  const before = endsOf(old).map((each) => becomes.get(each.table) ?? each.table);
  const after = endsOf(wanted).map((each) => each.table);
  return JSON.stringify([...before].sort()) === JSON.stringify([...after].sort());
}

function columnsByName(
  old: StoredTable,
  wanted: Table,
  becomes: ReadonlyMap<string, string>,
  schema: Schema,
): { readonly columns: readonly ColumnPair[]; readonly gone: readonly StoredColumn[] } {
  const names = new Set(wanted.columns.map((each) => each.name));
  const ends = formerEnds(old, wanted);
  const used = new Set<string>();
  const columns = wanted.columns.map((column): ColumnPair => {
    const isFree = (each: StoredColumn, keys: readonly ForeignKey[]) =>
      !used.has(each.id) && isSameParent(column, wanted, keys, becomes) && !isComputedNow(each, column);
    const byName = (name: string | undefined) =>
      name === undefined || (name !== column.name && names.has(name))
        ? undefined
        : old.columns.find((each) => each.name === name && isFree(each, keysOn(old, each.name)));
    const before = byName(column.name) ?? byName(column.was) ?? byName(ends.get(column.name));
    const isPlaced = isPlacedByLink(column, wanted, schema, becomes);
    const kept = (name: string | undefined) =>
      old.retired.findLast(
        (each) =>
          each.column.name === name && !each.replaced && (each.turned === true || !isPlaced) && isFree(each.column, each.foreignKeys),
      );
    const retired = before === undefined && !isDerived(column) ? (kept(column.name) ?? kept(column.was)) : undefined;
    used.add(before?.id ?? retired?.column.id ?? '');
    return { wanted: column, before, retired };
  });
  return { columns, gone: goneFrom(old, columns) };
}

/** The keys of other parents are other values, whatever the relationship is called. */
function isSameParent(column: Column, wanted: Table, keys: readonly ForeignKey[], becomes: ReadonlyMap<string, string>): boolean {
  const parent = wanted.addressing?.parents.find((each) => each.column === column.name);
  return parent === undefined || keys.some((each) => (becomes.get(each.table) ?? each.table) === parent.table);
}

function keysOn({ foreignKeys }: Table, column: string): readonly ForeignKey[] {
  return foreignKeys.filter((each) => each.columns[0] === column);
}

/** The ends of a link are named after entities or roles, and follow them by their place. */
function formerEnds(old: Table, wanted: Table): ReadonlyMap<string, string> {
  const before = endsOf(old);
  return new Map(
    endsOf(wanted).flatMap(({ columns: [name = ''] }, place) => {
      const former = before[place]?.columns[0];
      return former === undefined ? [] : [[name, former] as const];
    }),
  );
}

function goneFrom(old: StoredTable, columns: readonly ColumnPair[]): readonly StoredColumn[] {
  const kept = new Set(columns.flatMap((each) => each.before?.id ?? []));
  return old.columns.filter((each) => !kept.has(each.id) && !isDerived(each));
}

/** Keys and paths are made from identifiers, and can be made again. */
export function isDerived({ name }: Column): boolean {
  return name === keyColumn || name === pathColumn;
}

function newPair(table: Table): TablePair {
  const columns = table.columns.map((column): ColumnPair => ({ wanted: column, before: undefined, retired: undefined }));
  return { wanted: table, before: undefined, retired: undefined, columns, gone: [] };
}

function without(tables: readonly StoredTable[], pairs: readonly TablePair[]): readonly StoredTable[] {
  const kept = new Set(pairs.flatMap((each) => each.before?.id ?? []));
  return tables.filter((each) => !kept.has(each.id));
}
