// The tables while a migration changes them: each operation runs its statements and keeps the picture of the tables in step.

import { type Column, type ForeignKey, loweredColumn, renamedPart, type Table } from '../../plan/rows/table.ts';
import type { KeysInPlace, SchemaSession, SearchedTable } from '../sql/ddl.ts';
import { quote } from '../sql/names.ts';
import {
  freeName,
  newId,
  physicalTable,
  type RetiredColumn,
  type RetiredTable,
  type Schema,
  type StoredColumn,
  type StoredTable,
  storedTable,
} from './diff/schema.ts';

export interface TableChanges {
  readonly session: SchemaSession;
  /** By identity, as they are at this moment. */
  readonly tables: Map<string, StoredTable>;
  readonly retired: Map<string, RetiredTable>;
  readonly since: string;
  /** For what is done row by row, and so has no statement to show. */
  note(text: string): void;
}

export function beginWork(session: SchemaSession, { tables, retired }: Schema, note: (text: string) => void): TableChanges {
  return {
    session,
    tables: new Map(tables.map((each) => [each.id, each])),
    retired: new Map(retired.map((each) => [each.table.id, each])),
    since: session.clock.now().toISOString(),
    note,
  };
}

export function tableOf(work: TableChanges, id: string): StoredTable {
  const found = work.tables.get(id);
  if (found === undefined) throw new Error(`no table ${id}`);
  return found;
}

export async function runAll({ session: { executor } }: TableChanges, statements: readonly string[]): Promise<void> {
  for (const each of statements) await executor.run(each);
}

export async function createTable(work: TableChanges, table: Table): Promise<StoredTable> {
  const { ddl } = work.session;
  await runAll(work, ddl.createTable(table));
  // Together with its table: the more tables there are, the longer an index takes SQLite.
  for (const columns of table.uniques) await runAll(work, ddl.createIndex(table, { columns, unique: true }));
  for (const columns of table.indexes) await runAll(work, ddl.createIndex(table, { columns, unique: false }));
  if (isSearched(table)) await runAll(work, ddl.createSearch(table));
  const id = newId(table.name, { has: (each) => work.tables.has(each) || work.retired.has(each) });
  const created = { ...storedTable(table, id), foreignKeys: ddl.foreignKeysApart ? [] : table.foreignKeys };
  work.tables.set(id, created);
  return created;
}

export async function renameTable(work: TableChanges, id: string, to: string): Promise<void> {
  if (tableOf(work, id).name === to) return;
  await dropSearch(work, id);
  const table = tableOf(work, id);
  await runAll(work, work.session.ddl.renameTable(physicalTable(table), to));
  work.tables.set(id, { ...table, name: to });
  pointElsewhere(work, (key) => (key.table === table.name ? { ...key, table: to } : key));
}

export async function renameColumn(work: TableChanges, id: string, from: string, to: string): Promise<void> {
  if (from === to) return;
  await dropSearch(work, id);
  const table = tableOf(work, id);
  const physical = physicalTable(table);
  const column = physical.columns.find((each) => each.name === from);
  if (column === undefined) throw new Error(`no column ${table.name}.${from}`);
  await runAll(work, work.session.ddl.renameColumn(physical, column, to));
  const named = (name: string): string => (name === from ? to : name);
  work.tables.set(id, {
    ...table,
    columns: table.columns.map((each) => ({ ...each, name: named(each.name) })),
    retired: table.retired.map((each) => ({ ...each, stored: named(each.stored) })),
    primaryKey: table.primaryKey.map(named),
    uniques: table.uniques.map((each) => each.map(named)),
    indexes: table.indexes.map((each) => each.map((part) => renamedPart(part, named))),
    foreignKeys: table.foreignKeys.map((each) => ({ ...each, columns: each.columns.map(named) })),
  });
  pointElsewhere(work, (key) => (key.table === table.name ? { ...key, references: key.references.map(named) } : key));
}

export async function addColumn(work: TableChanges, id: string, column: Column, foreignKey?: ForeignKey): Promise<StoredColumn> {
  const table = tableOf(work, id);
  const { ddl } = work.session;
  await runAll(work, ddl.addColumn(physicalTable(table), column, foreignKey));
  const taken = new Set([...table.columns.map((each) => each.id), ...table.retired.map((each) => each.column.id)]);
  const added: StoredColumn = { ...column, id: newId(column.name, taken) };
  const foreignKeys = foreignKey === undefined || ddl.foreignKeysApart ? table.foreignKeys : [...table.foreignKeys, foreignKey];
  work.tables.set(id, { ...table, columns: [...table.columns, added], foreignKeys });
  return added;
}

/** Out of the model's sight, under a name that no model can have. Nothing finds it, and it points at nothing. */
export async function retireColumn(
  work: TableChanges,
  id: string,
  name: string,
  more: Pick<RetiredColumn, 'replaced' | 'foreignKeys' | 'turned'>,
): Promise<void> {
  await dropIndexes(work, id, (parts) => parts.some((each) => (loweredColumn(each) ?? each) === name));
  const before = physicalTable(tableOf(work, id));
  const known = before.columns.find((each) => each.name === name);
  if (known !== undefined && known.fill !== undefined) await runAll(work, work.session.ddl.dropDefault(before, known));
  await work.session.ddl.additions.release(work.session.executor, before, name);
  const stored = freeColumnName(tableOf(work, id), name);
  await renameColumn(work, id, name, stored);
  const table = tableOf(work, id);
  const column = table.columns.find((each) => each.name === stored);
  if (column === undefined) throw new Error(`no column ${table.name}.${stored}`);
  const retired: RetiredColumn = { column: { ...column, name }, stored, since: work.since, ...more };
  work.tables.set(id, { ...table, columns: table.columns.filter((each) => each !== column), retired: [...table.retired, retired] });
}

export async function restoreColumn(work: TableChanges, id: string, retired: RetiredColumn, to: string): Promise<void> {
  await renameColumn(work, id, retired.stored, to);
  const table = tableOf(work, id);
  work.tables.set(id, {
    ...table,
    columns: [...table.columns, { ...retired.column, name: to }],
    retired: table.retired.filter((each) => each.column !== retired.column),
  });
}

export async function retireTable(
  work: TableChanges,
  id: string,
  more: Pick<RetiredTable, 'turned'> & { readonly foreignKeys: readonly ForeignKey[] },
): Promise<void> {
  await dropSearch(work, id);
  await dropIndexes(work, id, () => true);
  if (tableOf(work, id).foreignKeys.length > 0) await rebuild(work, id, { ...tableOf(work, id), foreignKeys: [] });
  const table = tableOf(work, id);
  const stored = freeName(table.name, tableNames(work));
  await runAll(work, work.session.ddl.renameTable(physicalTable(table), stored));
  work.tables.delete(id);
  const { foreignKeys, ...rest } = more;
  work.retired.set(id, { table: { ...table, foreignKeys }, stored, since: work.since, ...rest });
}

export async function restoreTable(work: TableChanges, { table, stored }: RetiredTable, to: string): Promise<void> {
  const bare = { ...table, name: stored, foreignKeys: [] };
  await runAll(work, work.session.ddl.renameTable(physicalTable(bare), to));
  work.retired.delete(table.id);
  work.tables.set(table.id, { ...bare, name: to });
}

/** It is made again when everything else is done: of names and values that are still to change nothing is kept true. */
export async function dropSearch(work: TableChanges, id: string): Promise<void> {
  const { search, ...table } = tableOf(work, id);
  if (search === undefined) return;
  await runAll(work, work.session.ddl.dropSearch({ ...physicalTable(table), search }));
  work.tables.set(id, table);
}

export function isSearched(table: Table): table is SearchedTable {
  return table.search !== undefined;
}

export async function dropIndexes(
  work: TableChanges,
  id: string,
  which: (columns: readonly string[], unique: boolean) => boolean,
): Promise<void> {
  const table = tableOf(work, id);
  const physical = physicalTable(table);
  for (const unique of [true, false]) {
    for (const columns of (unique ? table.uniques : table.indexes).filter((each) => which(each, unique)))
      await runAll(work, work.session.ddl.dropIndex(physical, { columns, unique }));
  }
  const left = (unique: boolean) => (each: readonly string[]) => !which(each, unique);
  work.tables.set(id, { ...table, uniques: table.uniques.filter(left(true)), indexes: table.indexes.filter(left(false)) });
}

/**
 * Makes the table be as `after`, with the rows it holds; `expressions` say what a column holds that is not copied as it is. Its indexes are
 * gone. Where a database can change every column of a table that stands, that is done, and all that others have put on it stays.
 */
export async function rebuild(
  work: TableChanges,
  id: string,
  after: StoredTable,
  expressions: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const { ddl, executor } = work.session;
  await dropSearch(work, id);
  const { search: _, ...unsearched } = after;
  if (ddl.inPlace !== undefined) return changeInPlace(work, id, unsearched, expressions, ddl.inPlace);
  const { name } = tableOf(work, id);
  const bare: StoredTable = { ...unsearched, name, uniques: [], indexes: [] };
  const temporary: Table = { ...physicalTable(bare), name: freeName(name, tableNames(work)) };
  const columns = temporary.columns.flatMap((column) => ddl.dialect.physical(column).map((each) => each.name));
  const values = columns.map((each) => expressions.get(each) ?? `${quote(name)}.${quote(each)}`);
  await ddl.additions.remaking(executor, physicalTable(tableOf(work, id)), async () => {
    await runAll(work, ddl.createTable(temporary));
    await executor.run(
      `INSERT INTO ${quote(temporary.name)} (${columns.map(quote).join(', ')}) SELECT ${values.join(', ')} FROM ${quote(name)}`,
    );
    await runAll(work, [...ddl.dropTable(name), ...ddl.renameTable(temporary, name)]);
  });
  work.tables.set(id, bare);
}

async function changeInPlace(
  work: TableChanges,
  id: string,
  after: StoredTable,
  expressions: ReadonlyMap<string, string>,
  inPlace: KeysInPlace,
): Promise<void> {
  await dropIndexes(work, id, () => true);
  const { ddl, executor } = work.session;
  const before = physicalTable(tableOf(work, id));
  const now: Table = { ...physicalTable(after), name: before.name, uniques: [], indexes: [], foreignKeys: [] };
  const known = new Map(before.columns.map((each) => [each.name, each]));
  const wanted = new Set(now.columns.map((each) => each.name));
  const taken = [...known.keys(), ...wanted];
  await runAll(work, inPlace.dropPrimaryKey(before));
  for (const column of now.columns) if (!known.has(column.name)) await runAll(work, ddl.addColumn(before, column));
  const retyped = now.columns
    .filter(({ name, kind }) => known.has(name) && known.get(name)?.kind !== kind)
    .map((column) => ({ column, beside: { ...column, name: freeName(column.name, taken) } }));
  for (const { beside } of retyped) await runAll(work, ddl.addColumn(before, beside));
  const setColumn = (name: string): string => retyped.find(({ column }) => column.name === name)?.beside.name ?? name;
  const set = [...expressions].map(([name, expression]) => `${quote(setColumn(name))} = ${expression}`);
  if (set.length > 0) {
    const update = `UPDATE ${quote(before.name)} SET ${set.join(', ')}`;
    await ddl.additions.quietly(executor, before, async () => void (await executor.run(update)));
  }
  for (const { column, beside } of retyped)
    await runAll(work, [...inPlace.retypeColumn(now, column, beside.name), ...ddl.dropColumn(before, beside)]);
  for (const column of before.columns) if (!wanted.has(column.name)) await runAll(work, ddl.dropColumn(before, column));
  await runAll(work, inPlace.addPrimaryKey(now));
  work.tables.set(id, { ...after, name: before.name, uniques: [], indexes: [], foreignKeys: [] });
}

/** A table for a moment, filled in batches: `add` takes the parameters of a row. */
export interface Batch {
  add(values: readonly unknown[]): Promise<void>;
  /** What is still held back is written. */
  end(): Promise<void>;
}

const together = 100;

export function batchInto({ session: { executor, ddl } }: TableChanges, table: string, columns: readonly string[]): Batch {
  let held: unknown[] = [];
  const write = async (): Promise<void> => {
    if (held.length === 0) return;
    const marks = held.map((_, index) => ddl.dialect.parameter(index + 1));
    const rows = Array.from({ length: held.length / columns.length }, (_, row) =>
      marks.slice(row * columns.length, (row + 1) * columns.length),
    );
    const values = rows.map((row) => `(${row.join(', ')})`).join(', ');
    const parameters = held;
    held = [];
    await executor.run(`INSERT INTO ${quote(table)} (${columns.map(quote).join(', ')}) VALUES ${values}`, parameters);
  };
  return {
    async add(values) {
      held.push(...values);
      if (held.length >= together * columns.length) await write();
    },
    end: write,
  };
}

export function tableNames(work: TableChanges): readonly string[] {
  return [...[...work.tables.values()].map((each) => each.name), ...[...work.retired.values()].map((each) => each.stored)];
}

export function freeColumnName(table: StoredTable, name: string): string {
  const names = physicalTable(table).columns.map((each) => each.name);
  return freeName(name, names);
}

/** What is retired points on, too: it may come back. */
function pointElsewhere(work: TableChanges, change: (key: ForeignKey) => ForeignKey): void {
  const changed = (table: StoredTable): StoredTable => ({
    ...table,
    foreignKeys: table.foreignKeys.map(change),
    retired: table.retired.map((each) => ({ ...each, foreignKeys: each.foreignKeys.map(change) })),
  });
  for (const [id, table] of work.tables) work.tables.set(id, changed(table));
  for (const [id, each] of work.retired) work.retired.set(id, { ...each, table: changed(each.table) });
}
