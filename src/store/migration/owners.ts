// Owners and grants of instances whose types, keys or paths become others: they go on being about the same instances.

import type { KeyKind } from '../../plan/query/condition.ts';
import { targetColumn } from '../../plan/rows/assignments.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { columnOf, quote } from '../sql/names.ts';
import { addressingOf, isContained, type Schema, type StoredTable } from './diff/schema.ts';
import type { TableChanges } from './tables.ts';

/** A table of instances, as it was and as it is. */
export interface Followed {
  readonly id: string;
  readonly old: StoredTable | undefined;
  readonly wanted: Table;
}

const [resource, resourceId, target] = ['resource', 'resourceId', targetColumn].map(quote);

/** `maps` are tables from old keys to new ones, by the identity of the tables of the instances. */
export async function followAssigned(work: TableChanges, all: readonly Followed[], maps: ReadonlyMap<string, Table>): Promise<void> {
  for (const each of all) {
    const { id, old, wanted } = each;
    if (old === undefined || wanted.addressing === undefined || (!maps.has(id) && typeOf(old) === typeOf(wanted))) continue;
    for (const { name } of assignmentTables([...work.tables.values()])) await follow(work, name, old, wanted, maps.get(id));
  }
}

async function follow({ session }: TableChanges, name: string, old: StoredTable, wanted: Table, map: Table | undefined): Promise<void> {
  const [first, second] = [1, 2].map((each) => `CAST(${session.ddl.dialect.parameter(each)} AS TEXT)`);
  const others =
    map === undefined
      ? [`${target} = ${first} || substr(${target}, ${Array.from(typeOf(old)).length + 1})`]
      : mapped(map, name, old, wanted, session);
  const sql = `UPDATE ${quote(name)} SET ${[`${resource} = ${first}`, ...others].join(', ')} WHERE ${resource} = ${second}`;
  await session.executor.run(sql, [typeOf(wanted), typeOf(old)]);
}

function mapped(map: Table, name: string, old: StoredTable, wanted: Table, { ddl: { dialect } }: SchemaSession): readonly string[] {
  const { kind } = columnOf(map, 'old');
  const given = `${quote(name)}.${resourceId}`;
  const isId = isKeyKind(kind) ? `map."old" = ${dialect.key(kind, given)}` : `${dialect.text('map."old"')} = ${given}`;
  const isIt = isContained(old) ? `map."old" = ${quote(name)}.${target}` : isId;
  const found = (column: string): string => `(SELECT ${column} FROM ${quote(map.name)} AS map WHERE ${isIt})`;
  const shown = isContained(wanted) ? 'map."path"' : dialect.text('map."now"');
  return [`${resourceId} = coalesce(${found(shown)}, ${resourceId})`, `${target} = coalesce(${found('map."text"')}, ${target})`];
}

function isKeyKind(kind: string): kind is KeyKind {
  return kind === 'text' || kind === 'uuid' || kind === 'integer';
}

/** Of what is removed for good: whatever is called so later is something else. */
export async function forgetAssigned({ executor, ddl }: SchemaSession, { tables, retired }: Schema): Promise<void> {
  const standing = new Set(tables.map(typeOf));
  const gone = retired.map(({ table }) => typeOf(table)).filter((type) => !standing.has(type));
  for (const { name } of assignmentTables(tables))
    for (const type of gone) await executor.run(`DELETE FROM ${quote(name)} WHERE ${resource} = ${ddl.dialect.parameter(1)}`, [type]);
}

function assignmentTables(tables: readonly StoredTable[]): readonly StoredTable[] {
  return tables.filter(({ columns }) => columns.some((each) => each.name === targetColumn));
}

function typeOf(table: Table): string {
  return addressingOf(table).type;
}
