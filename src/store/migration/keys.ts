// Gives instances their keys and paths anew, where names, parents or identifiers that these are made from have changed.

import { type Place, type Prefix, placeOfStored, prefixOf, type Subject, type Under } from '../../plan/rows/keys.ts';
import type { Column, ForeignKey, ParentColumn, Table } from '../../plan/rows/table.ts';
import { keyColumn, pathColumn } from '../../plan/rows/tables.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { columnOf, quote } from '../sql/names.ts';
import { identifierChanges, turnedLinks } from './diff/changes.ts';
import type { Match, TablePair } from './diff/match.ts';
import { listed, refused } from './diff/refusal.ts';
import { duplicatesWhere, encodedKey, findRows, scanRows } from './diff/rows.ts';
import {
  addressingOf,
  formOf,
  freeName,
  isContained,
  keyReferences,
  physicalTable,
  type RetiredTable,
  type StoredColumn,
  type StoredTable,
} from './diff/schema.ts';
import { followAssigned } from './owners.ts';
import { batchInto, rebuild, runAll, type TableChanges, tableOf } from './tables.ts';

/** A pair whose table stands, by its identity. */
export interface Standing extends TablePair {
  readonly id: string;
  /** As it was before the migration; absent where it is new. */
  readonly old: StoredTable | undefined;
}

/** The tables whose rows get other keys, parents before children. `moved` are those that get their parents in this migration. */
export function rekeyed(pairs: readonly Standing[], moved: ReadonlySet<string>): readonly Standing[] {
  const byName = new Map(pairs.map((each) => [each.wanted.name, each]));
  const verdicts = new Map<Standing, boolean>();
  const changes = (pair: Standing): boolean => {
    const known = verdicts.get(pair);
    if (known !== undefined) return known;
    // An entity may contain itself; what it answers for itself is found by the other reasons.
    verdicts.set(pair, false);
    const above = addressingOf(pair.wanted).parents.flatMap((each) => byName.get(each.table) ?? []);
    const verdict =
      pair.old !== undefined &&
      (moved.has(pair.id) ||
        keysChange(pair, pair.old) ||
        (isContained(pair.wanted) && above.some((each) => changes(each) || isCalledAnew(each))));
    verdicts.set(pair, verdict);
    return verdict;
  };
  const concerned = pairs.filter((pair) => pair.wanted.addressing !== undefined || pair.wanted.primaryKey.length === 1);
  return parentsFirst(concerned.filter(changes), byName);
}

/** The tables whose instances get their parents in this migration, by identity. */
export function movedIn(match: Match, pairs: readonly Standing[]): ReadonlySet<string> {
  const back = pairs.filter((each) => each.retired !== undefined && isContained(each.wanted)).map((each) => each.id);
  const placed = turnedLinks(match).flatMap(({ pair }) => pairs.find((each) => each.wanted === pair.wanted)?.id ?? []);
  return new Set([...back, ...placed]);
}

/** Makes the new keys, and every table that holds keys of these anew with them. */
export async function rekey(work: TableChanges, pairs: readonly Standing[], all: readonly Standing[]): Promise<void> {
  if (pairs.length === 0) return followAssigned(work, all, new Map());
  const maps = new Map<string, Table>();
  for (const pair of pairs) maps.set(pair.id, await makeMap(work, pair, maps, all));
  const names = new Map([...maps].map(([id, map]) => [tableOf(work, id).name, map]));
  for (const pair of all) {
    const pointing = pointers(pair.wanted, tableOf(work, pair.id)).filter((each) => names.has(each.table));
    // What is new holds no keys yet.
    if (pair.old !== undefined && (maps.has(pair.id) || pointing.length > 0)) await rebuildWithKeys(work, pair, maps.get(pair.id), names);
  }
  for (const each of work.retired.values()) await followKeys(work, each, names);
  await followAssigned(work, all, maps);
  for (const map of maps.values()) await runAll(work, work.session.ddl.dropTable(map.name));
}

function keysChange(pair: Standing, old: StoredTable): boolean {
  const { wanted } = pair;
  if (isContained(old) !== isContained(wanted) || identifierChanges(pair, old)) return true;
  const identifier = pair.columns.find((each) => each.wanted.name === addressingOf(wanted).identifier);
  if (identifier?.before !== undefined && identifier.before.kind !== identifier.wanted.kind) return true;
  if (!isContained(wanted)) return false;
  const before = addressingOf(old);
  const now = addressingOf(wanted);
  const left = before.parents.some((each) => !now.parents.some((other) => other.relationship === each.relationship));
  const back = pair.columns.some((each) => each.retired !== undefined && now.parents.some((parent) => parent.column === each.wanted.name));
  return left || back || before.type !== now.type;
}

/** The keys and paths of children begin with the name of a type that stands under none. */
function isCalledAnew({ wanted, old }: Standing): boolean {
  return old !== undefined && addressingOf(old).type !== addressingOf(wanted).type;
}

function parentsFirst(pairs: readonly Standing[], byName: ReadonlyMap<string, Standing>): readonly Standing[] {
  const done = new Set<Standing>();
  const visit = (pair: Standing): void => {
    if (done.has(pair)) return;
    for (const { table } of addressingOf(pair.wanted).parents) {
      const parent = byName.get(table);
      if (parent !== undefined && parent !== pair) visit(parent);
    }
    done.add(pair);
  };
  for (const pair of pairs) visit(pair);
  return [...done].filter((each) => pairs.includes(each));
}

const mapColumns = { old: 'old', now: 'now', path: 'path', text: 'text', base: 'base' } as const;

/** A table from old keys to new ones; `text` and `base` are what the keys and paths of children begin with. */
async function makeMap(work: TableChanges, pair: Standing, maps: ReadonlyMap<string, Table>, all: readonly Standing[]): Promise<Table> {
  const table = physicalTable(tableOf(work, pair.id));
  const { wanted } = pair;
  const { type, identifier, parents } = addressingOf(wanted);
  const key = columnOf(table, table.primaryKey[0] ?? '');
  const map = await createMap(work, pair.id, key, columnOf(wanted, wanted.primaryKey[0] ?? ''));
  work.note(`${map.name} is filled row by row: the new keys of ${wanted.name}`);
  const own = isContained(wanted) ? identifier : (wanted.primaryKey[0] ?? '');
  const places = isContained(wanted) ? parents.filter((each) => table.columns.some((column) => column.name === each.column)) : [];
  const columns = [own, ...places.map((each) => each.column)].map((name) => columnOf(table, name));
  const rootable = parents.some((each) => each.table === wanted.name);
  const lookAt = lastKept((place: ParentColumn, above: Value) => parentOf(work, place, above, { maps, all, self: pair, map }));
  const batch = batchInto(
    work,
    map.name,
    map.columns.map((each) => each.name),
  );
  for await (const { key: old, values } of scanRows(work.session, table, columns)) {
    const [id = null, ...above] = values;
    const at = above.findIndex((each) => each !== null);
    const place = places[at];
    const parent = place === undefined ? undefined : await lookAt(place, above[at] ?? null);
    const subject: Subject = { type, id, contained: isContained(wanted), form: formOf(wanted) };
    const now = placeOfStored(subject, old, rootable, parent);
    await batch.add(parametersOf(work, map, key, old, now, prefixOf(subject, now)));
    // Its own children may follow, and look for it.
    if (rootable) await batch.end();
  }
  await batch.end();
  await refuseSame(work, map, wanted);
  return map;
}

/** Children of one parent stand together. */
function lastKept<T>(look: (place: ParentColumn, key: Value) => Promise<T>): (place: ParentColumn, key: Value) => Promise<T> {
  let last: { readonly place: ParentColumn; readonly key: Value; readonly found: T } | undefined;
  return async (place, key) => {
    if (last?.place !== place || last.key !== key) last = { place, key, found: await look(place, key) };
    return last.found;
  };
}

interface Around {
  readonly maps: ReadonlyMap<string, Table>;
  readonly all: readonly Standing[];
  readonly self: Standing;
  readonly map: Table;
}

/** What the keys and paths below a parent begin with: from its new keys, or as it stands where these stay. */
async function parentOf(
  work: TableChanges,
  place: ParentColumn,
  key: Value,
  { maps, all, self, map: own }: Around,
): Promise<Under | undefined> {
  const { executor, ddl } = work.session;
  const pair = all.find((each) => each.wanted.name === place.table);
  if (pair === undefined) return undefined;
  const map = pair === self ? own : maps.get(pair.id);
  const { type, identifier } = addressingOf(pair.wanted);
  const { relationship } = place;
  const form = formOf(pair.wanted);
  if (map !== undefined) {
    const sql = `SELECT "text" AS t, "base" AS b FROM ${quote(map.name)} WHERE "old" = ${ddl.dialect.parameter(1)}`;
    const [row] = await executor.rows(sql, encodedKey(work.session, columnOf(map, mapColumns.old), key));
    return row === undefined ? undefined : { relationship, parent: { key: String(row['t']), path: String(row['b']) } };
  }
  if (!isContained(pair.wanted)) return { relationship, parent: prefixOf({ type, id: key, contained: false, form }, { key, path: null }) };
  const table = physicalTable(tableOf(work, pair.id));
  const columns = `${ddl.dialect.object([['id', ddl.dialect.json(columnOf(table, identifier).kind, quote(identifier))]])} AS j, ${quote(pathColumn)} AS p`;
  const [row] = await executor.rows(`SELECT ${columns} FROM ${quote(table.name)} WHERE ${quote(keyColumn)} = ${ddl.dialect.parameter(1)}`, [
    key,
  ]);
  if (row === undefined) return undefined;
  const path = typeof row['p'] === 'string' ? row['p'] : null;
  return {
    relationship,
    parent: prefixOf({ type, id: parseStored(String(row['j']))['id'] ?? null, contained: true, form }, { key, path }),
  };
}

async function createMap(work: TableChanges, id: string, old: Column, now: Column): Promise<Table> {
  const text = (name: string): Column => ({ name, kind: 'text', required: false });
  const map: Table = {
    name: `__keys_${id}`,
    columns: [
      { name: mapColumns.old, kind: old.kind, required: true },
      { name: mapColumns.now, kind: now.kind, required: false },
      text(mapColumns.path),
      text(mapColumns.text),
      text(mapColumns.base),
    ],
    primaryKey: [mapColumns.old],
    uniques: [],
    indexes: [],
    foreignKeys: [],
  };
  await runAll(work, work.session.ddl.createTable(map));
  return map;
}

function parametersOf({ session }: TableChanges, map: Table, key: Column, old: Value, now: Place, below: Prefix): readonly unknown[] {
  const keys = [...encodedKey(session, key, old), ...encodedKey(session, columnOf(map, mapColumns.now), now.key)];
  return [...keys, now.path, below.key, below.path];
}

async function refuseSame({ session }: TableChanges, map: Table, { name }: Table): Promise<void> {
  const same = await findRows(session, map, `${duplicatesWhere(session, map, [columnOf(map, mapColumns.now)])} OR "now" IS NULL`);
  if (same.count === 0) return;
  const what = `instances of ${name} would have the same key, or none: ${listed(same.count, same.first)}`;
  throw refused([{ what, ways: ['give them identifiers of their own first'] }]);
}

async function rebuildWithKeys(
  work: TableChanges,
  pair: Standing,
  map: Table | undefined,
  names: ReadonlyMap<string, Table>,
): Promise<void> {
  const before = tableOf(work, pair.id);
  const { wanted } = pair;
  const [oldKey = ''] = before.primaryKey;
  const expressions = new Map<string, string>();
  const kinds = new Map<string, Column['kind']>();
  for (const key of pointers(wanted, before)) {
    const target = names.get(key.table);
    const [column = ''] = key.columns;
    if (target === undefined) continue;
    expressions.set(column, lookUp(target, 'now', before.name, column));
    kinds.set(column, columnOf(target, mapColumns.now).kind);
  }
  if (map !== undefined && isContained(wanted)) {
    expressions.set(keyColumn, lookUp(map, 'now', before.name, oldKey));
    expressions.set(pathColumn, lookUp(map, 'path', before.name, oldKey));
  }
  const retired = before.retired.map((each) => ({
    ...each,
    column: { ...each.column, kind: kinds.get(each.stored) ?? each.column.kind },
  }));
  const columns = columnsAfter(before, wanted);
  const { primaryKey, foreignKeys } = wanted;
  await rebuild(work, pair.id, { ...before, columns, retired, primaryKey, foreignKeys }, expressions);
}

/** The columns that hold keys, those too that are retired. */
function pointers(wanted: Table, stored: StoredTable): readonly ForeignKey[] {
  return [...keyReferences(wanted), ...stored.retired.flatMap((each) => storedReferences(each.stored, each.foreignKeys))];
}

/** The columns of keys come and go with the containment, and are kept as what they point at is; all others stay as they are. */
function columnsAfter(before: StoredTable, wanted: Table): readonly StoredColumn[] {
  const keys = new Set(keyReferences(wanted).flatMap((each) => each.columns));
  const isOwn = (name: string): boolean => name === keyColumn || name === pathColumn;
  const names = new Set(wanted.columns.map((each) => each.name));
  const kept = before.columns.filter((each) => !isOwn(each.name) || names.has(each.name));
  const added = wanted.columns.filter((each) => isOwn(each.name) && !kept.some((other) => other.name === each.name));
  return [
    ...kept.map((each) => (keys.has(each.name) ? { ...each, kind: columnOf(wanted, each.name).kind } : each)),
    ...added.map((each): StoredColumn => ({ ...each, id: each.name })),
  ];
}

/** What is retired follows, as it may come back. */
async function followKeys(work: TableChanges, retired: RetiredTable, names: ReadonlyMap<string, Table>): Promise<void> {
  const { table, stored } = retired;
  const all = pointers(table, table);
  const kinds = new Map<string, Column['kind']>();
  for (const key of all) {
    const map = names.get(key.table);
    const [name = ''] = key.columns;
    if (map === undefined) continue;
    await followColumn(work, { ...physicalTable(table), name: stored, foreignKeys: [] }, name, map);
    kinds.set(name, columnOf(map, mapColumns.now).kind);
  }
  const changed = <C extends Column>(column: C, name: string): C => ({ ...column, kind: kinds.get(name) ?? column.kind });
  const columns = table.columns.map((each) => changed(each, each.name));
  const kept = table.retired.map((each) => ({ ...each, column: changed(each.column, each.stored) }));
  work.retired.set(table.id, { ...retired, table: { ...table, columns, retired: kept } });
}

/** Keys may be kept in another way than before: a new column takes the place of the old one. */
async function followColumn(work: TableChanges, table: Table, name: string, map: Table): Promise<void> {
  const { ddl, executor } = work.session;
  const names = table.columns.map((each) => each.name);
  const old = columnOf(table, name);
  const now: Column = { ...old, name: freeName(name, names), kind: columnOf(map, mapColumns.now).kind };
  await runAll(work, ddl.addColumn(table, now));
  await executor.run(`UPDATE ${quote(table.name)} SET ${quote(now.name)} = ${lookUp(map, 'now', table.name, name)}`);
  await runAll(work, ddl.dropColumn(table, old));
  await runAll(work, ddl.renameColumn({ ...table, columns: [...table.columns.filter((each) => each !== old), now] }, now, name));
}

function storedReferences(stored: string, foreignKeys: readonly ForeignKey[]): readonly ForeignKey[] {
  return keyReferences({ foreignKeys }).map((each) => ({ ...each, columns: [stored] }));
}

function lookUp(map: Table, column: string, table: string, key: string): string {
  return `(SELECT map.${quote(column)} FROM ${quote(map.name)} AS map WHERE map."old" = ${quote(table)}.${quote(key)})`;
}
