// The values of columns that are new, or change their type: filled from defaults, converted row by row, nothing lost.

import { isDeepStrictEqual } from 'node:util';
import { localTime, timeAs } from '../../clock.ts';
import type { Column, Fill, Table } from '../../plan/rows/table.ts';
import { parseJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { columnOf, quote } from '../sql/names.ts';
import { conversion, isKeptOtherwise } from './diff/convert.ts';
import { listed, refused } from './diff/refusal.ts';
import { encoded, encodedKey, scanRows } from './diff/rows.ts';
import { physicalTable, type RetiredColumn, retiredColumn, type StoredColumn, type StoredTable } from './diff/schema.ts';
import { addColumn, batchInto, retireColumn, type TableChanges, tableOf } from './tables.ts';

/** Rows without a value get the default of a column that wants one. */
export async function fillColumn(work: TableChanges, id: string, column: Column): Promise<void> {
  const { fill } = column;
  const { session } = work;
  const table = physicalTable(tableOf(work, id));
  if (fill === undefined) return;
  if (fill.kind !== 'uuid' && fill.kind !== 'count') {
    await setAll(work, table, column, sameForAll(fill, column, session), `${quote(column.name)} IS NULL`);
    return;
  }
  const what = `a new ${fill.kind === 'uuid' ? 'UUID' : 'number'} for each row of ${table.name} without a value of ${column.name}`;
  await setEach(work, id, column, what, async (set) => {
    let last = 0n;
    for await (const { values } of scanRows(session, table, [column])) last = greater(last, values[0] ?? null);
    for await (const { key, values } of scanRows(session, table, [column])) {
      if (values[0] !== null) continue;
      last += 1n;
      await set(key, fill.kind === 'uuid' ? session.clock.uuid() : last);
    }
  });
}

function sameForAll(
  fill: Exclude<Fill, { readonly kind: 'uuid' } | { readonly kind: 'count' }>,
  { kind }: Column,
  { clock }: SchemaSession,
): Value {
  if (fill.kind === 'value') return fill.value;
  if (fill.kind === 'json') return parseJson(fill.text, { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY });
  const now = clock.now();
  return timeAs(kind, fill.kind === 'now' ? now.toISOString() : localTime(now));
}

function greater(last: bigint, value: Value): bigint {
  const number = typeof value === 'number' ? BigInt(value) : value;
  return typeof number === 'bigint' && number > last ? number : last;
}

/** Whether values become others, or what they were before they had the type that they lose again. */
export function isConverted(table: StoredTable, old: StoredColumn, column: Column): boolean {
  if (isKeptOtherwise(old, column)) return true;
  return old.type !== column.type && keptAs(table, old, column) !== undefined;
}

/** Expand, copy, check, switch: the new column takes the name, the old one is retired with what it held. */
export async function convertColumn(work: TableChanges, id: string, old: StoredColumn, column: Column): Promise<void> {
  const { executor, ddl } = work.session;
  const before = physicalTable(tableOf(work, id));
  await ddl.additions.replacing(executor, before, column.name, () => replaceColumn(work, id, old, column));
}

async function replaceColumn(work: TableChanges, id: string, old: StoredColumn, column: Column): Promise<void> {
  const { session } = work;
  const convert = conversion(old, column);
  const kept = keptAs(tableOf(work, id), old, column);
  await retireColumn(work, id, column.name, { replaced: true, foreignKeys: [] });
  await addColumn(work, id, column);
  withId(work, id, column.name, old.id);
  const table = physicalTable(tableOf(work, id));
  const from = retiredColumn(latest(tableOf(work, id).retired, old.id));
  const misfits: string[] = [];
  await setEach(work, id, column, `the values of ${table.name}.${column.name}, converted`, async (set) => {
    for await (const { key, label, values } of scanRows(session, table, [from, ...(kept === undefined ? [] : [retiredColumn(kept)])])) {
      const [value = null, former = null] = values;
      if (value === null) continue;
      const converted = keptValue(former, value, column, old) ?? convert?.(value);
      if (converted === undefined) misfits.push(label);
      else await set(key, converted);
    }
  });
  if (misfits.length > 0) {
    const what = `${misfits.length} values of ${table.name}.${column.name} do not fit ${column.type ?? column.kind}: ${listed(misfits.length, misfits.slice(0, 5))}`;
    throw refused([{ what, ways: ['change those values first'] }]);
  }
}

function keptAs({ retired }: StoredTable, old: StoredColumn, column: Column): RetiredColumn | undefined {
  return retired.findLast((each) => each.replaced && each.column.id === old.id && isLike(each.column, column));
}

/** What the attribute held before it had the type it now loses again, unless it has changed since. */
function keptValue(former: Value, value: Value, column: Column, old: Column): Value | undefined {
  if (former === null) return undefined;
  const again = conversion(column, old)?.(former);
  return again !== undefined && isDeepStrictEqual(again, value) ? former : undefined;
}

async function setAll({ session }: TableChanges, table: Table, column: Column, value: Value, where: string): Promise<void> {
  const { dialect } = session.ddl;
  const set = dialect.physical(column).map((each, index) => `${quote(each.name)} = ${dialect.parameter(index + 1)}`);
  const update = `UPDATE ${quote(table.name)} SET ${set.join(', ')} WHERE ${where}`;
  await session.ddl.additions.quietly(session.executor, table, async () => {
    await session.executor.run(update, encoded(session, column, value));
  });
}

/** A value for each key: collected in a table of its own, and set by one statement. */
export async function setEach(
  work: TableChanges,
  id: string,
  column: Column,
  what: string,
  give: (set: (key: Value, value: Value) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { session } = work;
  const { ddl, executor } = session;
  const table = physicalTable(tableOf(work, id));
  const key = columnOf(table, table.primaryKey[0] ?? '');
  const [keyName, value] = [
    { ...key, name: '__row' },
    { ...column, name: '__value' },
  ];
  const name = `__values_${id}`;
  const given: Table = { name, columns: [keyName, value], primaryKey: ['__row'], uniques: [], indexes: [], foreignKeys: [] };
  for (const each of ddl.createTable(given)) await executor.run(each);
  work.note(`${name} is filled row by row: ${what}`);
  const physical = ddl.dialect.physical(value).map((each) => each.name);
  const batch = batchInto(work, name, ['__row', ...physical]);
  await give((row, each) => batch.add([...encodedKey(session, keyName, row), ...encoded(session, value, each)]));
  await batch.end();
  const own = `${quote(table.name)}.${quote(key.name)}`;
  const set = ddl.dialect.physical(column).map((each, index) => {
    return `${quote(each.name)} = (SELECT given.${quote(physical[index] ?? '')} FROM ${quote(name)} AS given WHERE given."__row" = ${own})`;
  });
  const update = `UPDATE ${quote(table.name)} SET ${set.join(', ')} WHERE EXISTS (SELECT 1 FROM ${quote(name)} AS given WHERE given."__row" = ${own})`;
  await ddl.additions.quietly(executor, table, async () => void (await executor.run(update)));
  for (const each of ddl.dropTable(name)) await executor.run(each);
}

function isLike(one: Column, other: Column): boolean {
  return one.kind === other.kind && one.type === other.type;
}

function latest(retired: readonly RetiredColumn[], id: string): RetiredColumn {
  const found = retired.findLast((each) => each.column.id === id);
  if (found === undefined) throw new Error(`no retired column ${id}`);
  return found;
}

/** The attribute is the same one, whatever its type. */
function withId(work: TableChanges, tableId: string, name: string, id: string): void {
  const table = tableOf(work, tableId);
  work.tables.set(tableId, { ...table, columns: table.columns.map((each) => (each.name === name ? { ...each, id } : each)) });
}
