// The text of model.lock.json: the identity of everything that is stored, readable and sorted, for review beside the model.

import type { SchemaSession } from '../sql/ddl.ts';
import type { RetiredTable, Schema, StoredColumn, StoredTable } from './diff/schema.ts';
import { readSchema, storedDigest } from './state.ts';

/** Nothing where what `known` names is what is stored. */
export async function lockText(session: SchemaSession, known: string | undefined): Promise<string | undefined> {
  const digest = await storedDigest(session);
  if (digest === undefined || digest === known) return undefined;
  return lockOf(await readSchema(session), digest);
}

function lockOf({ tables, retired }: Schema, digest: string): string {
  const named = [...tables].filter((each) => !each.name.startsWith('__')).sort(byName);
  const lock = {
    about: 'Made by platform: which stored data is which part of the model. Commit it; do not edit it.',
    digest,
    stored: Object.fromEntries(named.map((table) => [table.name, described(table)])),
    retired: Object.fromEntries(
      [...named.flatMap(retiredColumns), ...retired.map(retiredTable)].sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

function described(table: StoredTable): { readonly id: string; readonly columns: Readonly<Record<string, string>> } {
  const columns = table.columns.filter((each) => !each.name.startsWith('__')).sort(byName);
  const text = (column: StoredColumn) => `${column.id} ${column.type ?? column.kind}${column.required ? '' : ' optional'}`;
  return { id: table.id, columns: Object.fromEntries(columns.map((each) => [each.name, text(each)])) };
}

function retiredColumns(table: StoredTable): readonly (readonly [string, string])[] {
  return table.retired.map(({ column, stored, since }) => [
    `${table.name}.${stored}`,
    `${column.id} ${column.type ?? column.kind} since ${since}`,
  ]);
}

function retiredTable({ table, stored, since }: RetiredTable): readonly [string, string] {
  return [stored, `${table.id} since ${since}`];
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
