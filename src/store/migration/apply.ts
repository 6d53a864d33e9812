// Carries out a migration inside its transaction: retire, rename, restore, make, convert, key anew, index, point.

import type { Column, Fill, ForeignKey, Table } from '../../plan/rows/table.ts';
import { versionColumn } from '../../plan/rows/tables.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { columnOf, quote } from '../sql/names.ts';
import { convertColumn, fillColumn, isConverted } from './columns.ts';
import { includes, isByText, isKey, isNew, turnedLinks, turnedParent } from './diff/changes.ts';
import { isDerived, type Match, type TablePair } from './diff/match.ts';
import { counted, listed, refused } from './diff/refusal.ts';
import { duplicatesWhere, encodedKey, findRows, orphansWhere, scanRows } from './diff/rows.ts';
import { addressingOf, endsOf, freeName, physicalTable, type Schema, type StoredTable, type Turned } from './diff/schema.ts';
import { movedIn, rekey, rekeyed, type Standing } from './keys.ts';
import { searchAs } from './search.ts';
import {
  addColumn,
  beginWork,
  createTable,
  dropIndexes,
  freeColumnName,
  rebuild,
  renameColumn,
  renameTable,
  restoreColumn,
  restoreTable,
  retireColumn,
  retireTable,
  runAll,
  type TableChanges,
  tableNames,
  tableOf,
} from './tables.ts';

/** The schema as it is then. `note` hears of what has no statement to show. */
export async function carryOut(session: SchemaSession, schema: Schema, match: Match, note: (text: string) => void): Promise<Schema> {
  const work = beginWork(session, schema, note);
  if (session.ddl.foreignKeysApart) await dropForeignKeys(work, match);
  await retire(work, match);
  await rename(work, match.pairs);
  const pairs: Standing[] = [];
  for (const pair of match.pairs) pairs.push(await standing(work, pair));
  for (const pair of pairs) if (pair.old !== undefined) await changeColumns(work, pair, pair.old);
  await placeByLinks(work, match, pairs);
  await rekey(work, rekeyed(pairs, movedIn(match, pairs)), pairs);
  await linkByPlaces(work, match, pairs);
  for (const pair of pairs) await finish(work, pair);
  if (session.ddl.foreignKeysApart) for (const pair of pairs) await addForeignKeys(work, pair);
  return { tables: pairs.map((pair) => asStored(work, pair)), retired: [...work.retired.values()] };
}

/** Where they are apart from their tables, they would be in the way of every table they come from or lead to. */
async function dropForeignKeys(work: TableChanges, match: Match): Promise<void> {
  const touched = new Set(
    [...match.gone, ...match.pairs.flatMap((pair) => (isTouched(pair) ? (pair.before ?? []) : []))].map((each) => each.name),
  );
  const all = touched.size > 0 && match.pairs.some((pair) => pair.wanted.addressing !== undefined && isTouched(pair));
  for (const [id, table] of work.tables) {
    const isDropped = (key: ForeignKey): boolean => all || touched.has(table.name) || touched.has(key.table);
    for (const key of table.foreignKeys.filter(isDropped)) await runAll(work, work.session.ddl.dropForeignKey(physicalTable(table), key));
    work.tables.set(id, { ...table, foreignKeys: table.foreignKeys.filter((key) => !isDropped(key)) });
  }
}

/** Whether more happens to a table than that columns and indexes are added. */
function isTouched({ wanted, before, columns, gone }: TablePair): boolean {
  if (before === undefined) return false;
  return (
    gone.length > 0 ||
    before.name !== wanted.name ||
    JSON.stringify(before.primaryKey) !== JSON.stringify(wanted.primaryKey) ||
    columns.some((each) => each.retired !== undefined || (each.before !== undefined && each.before.kind !== each.wanted.kind)) ||
    before.uniques.some((each) => !includes(wanted.uniques, each) || isByText(each, columns)) ||
    JSON.stringify(before.addressing) !== JSON.stringify(wanted.addressing)
  );
}

async function retire(work: TableChanges, match: Match): Promise<void> {
  const links = new Set(turnedLinks(match).map((each) => each.link.id));
  for (const { id, foreignKeys } of match.gone) await retireTable(work, id, { foreignKeys, ...turned(links.has(id)) });
  for (const { before, gone } of match.pairs) {
    if (before === undefined) continue;
    for (const column of gone) {
      const foreignKeys = before.foreignKeys.filter((each) => each.columns.includes(column.name));
      const isTurned = turnedParent(column, before, match) !== undefined;
      await retireColumn(work, before.id, column.name, { replaced: false, foreignKeys, ...turned(isTurned) });
    }
  }
}

function turned(is: boolean): { readonly turned?: Turned } {
  return is ? { turned: true } : {};
}

async function rename(work: TableChanges, pairs: readonly TablePair[]): Promise<void> {
  for (const { before, wanted } of pairs) {
    if (before === undefined || before.name === wanted.name) continue;
    // Two may swap their names.
    const holder = [...work.tables.values()].find((each) => each.name === wanted.name);
    if (holder !== undefined && holder.id !== before.id) await renameTable(work, holder.id, freeName(holder.name, tableNames(work)));
    await renameTable(work, before.id, wanted.name);
  }
}

/** The table of a pair is there from now on, under its name. */
async function standing(work: TableChanges, pair: TablePair): Promise<Standing> {
  const { wanted, before, retired } = pair;
  if (before !== undefined) return { ...pair, id: before.id, old: before };
  if (retired !== undefined) {
    await restoreTable(work, work.retired.get(retired.table.id) ?? retired, wanted.name);
    return { ...pair, id: retired.table.id, old: retired.table };
  }
  return { ...pair, id: (await createTable(work, wanted)).id, old: undefined };
}

async function changeColumns(work: TableChanges, pair: Standing, old: StoredTable): Promise<void> {
  const { id, wanted } = pair;
  const { ddl } = work.session;
  if (pair.retired !== undefined) {
    for (const { name } of pair.gone)
      await retireColumn(work, id, name, { replaced: false, foreignKeys: old.foreignKeys.filter((each) => each.columns.includes(name)) });
  }
  for (const { before, wanted: column } of pair.columns) if (before !== undefined) await renameIn(work, id, before.id, column.name);
  if (pair.retired !== undefined) for (const { column } of addressingOf(wanted).parents) await forgetParents(work, id, column, wanted);
  for (const { retired, wanted: column } of pair.columns) {
    if (retired === undefined) continue;
    await restoreColumn(work, id, retired, column.name);
    if (isParent(wanted, column)) await forgetParents(work, id, column.name, wanted);
  }
  for (const each of pair.columns.filter((other) => isNew(other) && !isDerived(other.wanted))) {
    await addColumn(work, id, each.wanted, singleKey(wanted, each.wanted));
    await fillColumn(work, id, each.wanted);
    await runAll(work, ddl.setDefault(physicalTable(tableOf(work, id)), each.wanted));
  }
  for (const { before, retired, wanted: column } of pair.columns) {
    const known = before ?? retired?.column;
    if (known !== undefined && isConverted(tableOf(work, id), known, column) && !isKey(wanted, column))
      await convertColumn(work, id, known, column);
    if (retired !== undefined) {
      await fillColumn(work, id, column);
      await runAll(work, ddl.setDefault(physicalTable(tableOf(work, id)), column));
    } else if (known !== undefined && isGiven(column.fill)) {
      await fillColumn(work, id, column);
    } else if (known?.fill !== undefined && column.fill === undefined) {
      await runAll(work, ddl.dropDefault(physicalTable(tableOf(work, id)), column));
    }
  }
}

function isGiven(fill: Fill | undefined): boolean {
  return fill !== undefined && 'given' in fill;
}

/** By identity: one that has the name that another wants gets it out of the way first. */
async function renameIn(work: TableChanges, id: string, columnId: string, to: string): Promise<void> {
  const { columns } = tableOf(work, id);
  const own = columns.find((each) => each.id === columnId);
  const holder = columns.find((each) => each.name === to);
  if (own === undefined || own === holder) return;
  if (holder !== undefined) await renameColumn(work, id, to, freeColumnName(tableOf(work, id), to));
  await renameColumn(work, id, own.name, to);
}

function isParent(table: Table, { name }: Column): boolean {
  return addressingOf(table).parents.some((each) => each.column === name);
}

/** A parent that was deleted while the relationship was retired is nobody's parent any more. */
async function forgetParents(work: TableChanges, id: string, column: string, wanted: Table): Promise<void> {
  const key = singleKey(wanted, columnOf(wanted, column));
  const target = [...work.tables.values()].find((each) => each.name === key?.table);
  const table = tableOf(work, id);
  if (key === undefined || target === undefined || table.columns.every((each) => each.name !== column)) return;
  const where = orphansWhere(work.session, table, column, target.name, target.primaryKey[0] ?? '');
  await updateRows(work, table, `${quote(column)} = NULL WHERE ${where}`);
}

/** Where a between relationship became a contains relationship, its links say who stands under whom. */
async function placeByLinks(work: TableChanges, match: Match, pairs: readonly Standing[]): Promise<void> {
  for (const { link, pair, column } of turnedLinks(match)) {
    const child = pairs.find((each) => each.wanted === pair.wanted);
    const stored = work.retired.get(link.id);
    if (child === undefined || stored === undefined) continue;
    const table = tableOf(work, child.id);
    const [own, parent] = endsInOrder(link, child.old?.name ?? '');
    const found = `(SELECT ${quote(parent)} FROM ${quote(stored.stored)} AS link WHERE link.${quote(own)} = ${quote(table.name)}.${quote(table.primaryKey[0] ?? '')})`;
    await updateRows(work, table, `${quote(column)} = ${found}`);
  }
}

async function updateRows({ session: { executor, ddl } }: TableChanges, table: StoredTable, how: string): Promise<void> {
  const update = `UPDATE ${quote(table.name)} SET ${how}`;
  await ddl.additions.quietly(executor, physicalTable(table), async () => void (await executor.run(update)));
}

/** The columns of a link: that of the table, and the other. */
function endsInOrder(link: Table, table: string): readonly [own: string, other: string] {
  const ends = endsOf(link);
  const own = ends.findLast((each) => each.table === table) ?? ends[1];
  return [own?.columns[0] ?? '', ends.find((each) => each !== own)?.columns[0] ?? ''];
}

/** Where a contains relationship became a between relationship, each child is linked to what it stood under, and to nothing else. */
async function linkByPlaces(work: TableChanges, match: Match, pairs: readonly Standing[]): Promise<void> {
  for (const pair of pairs) {
    for (const gone of pair.old === undefined ? [] : pair.gone) {
      const link = pair.old === undefined ? undefined : turnedParent(gone, pair.old, match);
      const stored = tableOf(work, pair.id).retired.find((each) => each.column.id === gone.id && !each.replaced);
      if (link !== undefined && stored !== undefined) await linkChildren(work, pair, stored.stored, link);
    }
  }
}

async function linkChildren(work: TableChanges, { id, wanted }: Standing, parentColumn: string, link: Table): Promise<void> {
  const { session } = work;
  const table = physicalTable(tableOf(work, id));
  const [own, other] = endsInOrder(link, wanted.name);
  const key = columnOf(table, table.primaryKey[0] ?? '');
  const parent = columnOf(table, parentColumn);
  const names = [own, other, link.primaryKey[0] ?? '', versionColumn];
  const mark = (position: number): string => session.ddl.dialect.parameter(position);
  const insert = `INSERT INTO ${quote(link.name)} (${names.map(quote).join(', ')}) VALUES (${names.map((_, index) => mark(index + 1)).join(', ')})`;
  const known = `SELECT 1 AS n FROM ${quote(link.name)} WHERE ${quote(own)} = ${mark(1)} AND ${quote(other)} = ${mark(2)}`;
  await session.executor.run(
    `DELETE FROM ${quote(link.name)} WHERE NOT EXISTS (SELECT 1 FROM ${quote(table.name)} AS child WHERE child.${quote(key.name)} = ${quote(link.name)}.${quote(own)} AND child.${quote(parent.name)} = ${quote(link.name)}.${quote(other)})`,
  );
  work.note(`${link.name} is filled row by row: a link for each child`);
  for await (const { key: child, values } of scanRows(session, table, [parent])) {
    const [held = null] = values;
    const ends = [...encodedKey(session, key, child), ...encodedKey(session, parent, held)];
    if (held === null || (await session.executor.rows(known, ends)).length > 0) continue;
    await session.executor.run(insert, [...ends, session.clock.uuid(), session.clock.now().getTime()]);
  }
}

/** Keys, foreign keys and indexes as the model wants them. */
async function finish(work: TableChanges, { id, wanted, old, columns: pairs }: Standing): Promise<void> {
  // What is new was made as the model wants it.
  if (old === undefined) return;
  const { ddl } = work.session;
  const before = tableOf(work, id);
  if (
    !ddl.foreignKeysApart &&
    (!isSameSet(before.foreignKeys, wanted.foreignKeys) || JSON.stringify(before.primaryKey) !== JSON.stringify(wanted.primaryKey))
  ) {
    await refuseOrphans(work, id, wanted, before.foreignKeys);
    await rebuild(work, id, { ...before, primaryKey: wanted.primaryKey, foreignKeys: wanted.foreignKeys });
  }
  const isUnwanted = (columns: readonly string[], unique: boolean) => !includes(unique ? wanted.uniques : wanted.indexes, columns);
  await dropIndexes(work, id, (columns, unique) => isUnwanted(columns, unique) || isByText(columns, pairs));
  const table = tableOf(work, id);
  for (const unique of [true, false]) {
    const missing = (unique ? wanted.uniques : wanted.indexes).filter((each) => !includes(unique ? table.uniques : table.indexes, each));
    for (const columns of missing) {
      if (unique) await refuseDuplicates(work, physicalTable(table), columns);
      await runAll(work, ddl.createIndex(physicalTable(table), { columns, unique }));
    }
  }
  work.tables.set(id, { ...table, uniques: wanted.uniques, indexes: wanted.indexes });
  await searchAs(work, id, wanted);
}

async function refuseDuplicates({ session }: TableChanges, table: Table, columns: readonly string[]): Promise<void> {
  const same = await findRows(
    session,
    table,
    duplicatesWhere(
      session,
      table,
      columns.map((each) => columnOf(table, each)),
    ),
  );
  if (same.count === 0) return;
  const what = `${table.name} would hold instances with the same ${columns.join(', ')}, which would have to be unique: ${listed(same.count, same.first)}`;
  throw refused([{ what, ways: ['give them different values first'] }]);
}

async function addForeignKeys(work: TableChanges, { id, wanted, old }: Standing): Promise<void> {
  const table = tableOf(work, id);
  const missing = wanted.foreignKeys.filter((key) => !table.foreignKeys.some((each) => isSame(each, key)));
  const unwanted = table.foreignKeys.filter((key) => !wanted.foreignKeys.some((each) => isSame(each, key)));
  for (const key of unwanted) await runAll(work, work.session.ddl.dropForeignKey(physicalTable(table), key));
  if (old !== undefined) await refuseOrphans(work, id, wanted, table.foreignKeys);
  for (const key of missing) await runAll(work, work.session.ddl.addForeignKey(physicalTable(table), key));
  work.tables.set(id, { ...table, foreignKeys: wanted.foreignKeys });
}

async function refuseOrphans({ session, tables }: TableChanges, id: string, wanted: Table, known: readonly ForeignKey[]): Promise<void> {
  const table = tables.get(id);
  if (table === undefined) return;
  for (const key of wanted.foreignKeys.filter((each) => !known.some((other) => isSame(other, each)))) {
    const [column = ''] = key.columns;
    const found = await findRows(session, physicalTable(table), orphansWhere(session, table, column, key.table, key.references[0] ?? ''));
    if (found.count === 0) continue;
    const what = `${counted(found.count)} of ${wanted.name} would point by ${column} at what ${key.table} does not hold: ${listed(found.count, found.first)}`;
    throw refused([{ what, ways: ['make what they point at', 'or remove what was retired for good with platform migrate purge'] }]);
  }
}

function asStored(work: TableChanges, { id, wanted }: Standing): StoredTable {
  const table = tableOf(work, id);
  const ids = new Map(table.columns.map((each) => [each.name, each.id]));
  const columns = wanted.columns.map((column) => ({ ...column, id: ids.get(column.name) ?? column.name }));
  return { ...wanted, id, columns, retired: table.retired };
}

function singleKey(table: Table, column: Column): ForeignKey | undefined {
  return table.foreignKeys.find((key) => key.columns.length === 1 && key.columns[0] === column.name);
}

function isSameSet(one: readonly ForeignKey[], other: readonly ForeignKey[]): boolean {
  return one.length === other.length && one.every((key) => other.some((each) => isSame(each, key)));
}

function isSame(one: ForeignKey, other: ForeignKey): boolean {
  const fixed = ({ columns, table, references, onDelete, onUpdate }: ForeignKey) =>
    JSON.stringify([columns, table, references, onDelete, onUpdate]);
  return fixed(one) === fixed(other);
}
