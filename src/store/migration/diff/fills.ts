// What stored rows get for an attribute that is new or becomes required: in words, and what stands in its way.

import type { Column, Fill, Table } from '../../../plan/rows/table.ts';
import type { SchemaSession } from '../../sql/ddl.ts';
import { quote } from '../../sql/names.ts';
import { newlyComputed } from './computed.ts';
import { counted, listed } from './refusal.ts';
import { type Found, findRows } from './rows.ts';
import { addressingOf, physicalTable, type StoredTable } from './schema.ts';

interface ColumnChange {
  readonly table: Table;
  readonly before: StoredTable;
  readonly column: Column;
}

interface Judgement {
  readonly words: string;
  readonly blocked?: string;
  readonly ways?: readonly string[];
}

export async function newColumn({ table, before, column }: ColumnChange, session: SchemaSession): Promise<Judgement> {
  const name = `${table.name}.${column.name}`;
  const parent = addressingOf(table).parents.find((each) => each.column === column.name);
  if (parent !== undefined) return { words: `${table.name} can stand under ${parent.table}, by ${parent.relationship}` };
  const found = await findRows(session, physicalTable(before));
  if (found.count === 0) return { words: `${name} is new` };
  if (typeof column.computed === 'string') return { words: newlyComputed(name, found.count) };
  if (column.fill !== undefined) return filled(table, column, `${name} is new; ${gets(found, column.fill)}`, session);
  if (!column.required) return { words: `${name} is new; ${counted(found.count)} have no value of it` };
  return {
    words: `${name} is new and required`,
    blocked: `${name} is required and has no default, but ${before.name} already holds ${withFirst(found)}`,
    ways: [
      setWay(name),
      'or give it a @default (:default) that is a value, which new instances get as well',
      'or make it @optional (:optional true), give the instances a value, and require it then',
    ],
  };
}

function setWay(name: string): string {
  return `platform migrate apply --set ${name}=<value> gives them one value`;
}

function gets({ count }: Found, fill: Fill): string {
  return `${counted(count)} ${count === 1 ? 'gets' : 'get'} ${fillText(fill)}`;
}

/** A value that refers to an instance which is not there would lead nowhere. */
async function filled(table: Table, column: Column, words: string, { executor, ddl }: SchemaSession): Promise<Judgement> {
  const key = table.foreignKeys.find((each) => each.columns.length === 1 && each.columns[0] === column.name);
  if (key === undefined || column.fill?.kind !== 'value') return { words };
  const target = quote(key.references[0] ?? '');
  const isThere = (await executor.rows(ddl.tableExists, [key.table])).length > 0;
  const where = `${target} = ${ddl.dialect.parameter(1)}`;
  const found = isThere ? await executor.rows(`SELECT 1 AS n FROM ${quote(key.table)} WHERE ${where}`, [column.fill.value]) : [];
  if (found.length > 0) return { words };
  const blocked = `${words}, but there is no ${key.table} with this ${key.references[0] ?? ''}`;
  return { words, blocked, ways: ['make the instance that it refers to first', 'or give another value'] };
}

export async function required(change: ColumnChange & { readonly old: Column }, session: SchemaSession): Promise<Judgement> {
  const { before, column, old } = change;
  const words = `${named(change)} is required from now on`;
  const isBack = before.retired.some((each) => each.stored === old.name);
  // What was made while it was retired gets the default, as with a new attribute.
  if ((isBack && column.fill !== undefined) || typeof column.computed === 'string') return { words };
  const found = await findRows(session, physicalTable(before), `${quote(old.name)} IS NULL`);
  if (found.count === 0) return { words };
  if (column.fill !== undefined && 'given' in column.fill)
    return filled(change.table, column, `${words}; ${gets(found, column.fill)}`, session);
  return {
    words,
    blocked: `${named(change)} would be required, but ${found.count} stored ${found.count === 1 ? 'instance has' : 'instances have'} no value: ${listed(found.count, found.first)}`,
    ways: [setWay(named(change)), 'or give them a value first', 'or leave it @optional (:optional true)'],
  };
}

function fillText(fill: Fill): string {
  if (fill.kind === 'value' || fill.kind === 'json') return fill.kind === 'json' ? fill.text : JSON.stringify(fill.value);
  return { uuid: 'a new UUID each', count: 'a number each', now: 'the present time', 'local-now': 'the present time' }[fill.kind];
}

/** The column of a parent is the relationship. */
export function named({ table, column }: { readonly table: Table; readonly column: Column }): string {
  return addressingOf(table).parents.find((each) => each.column === column.name)?.relationship ?? `${table.name}.${column.name}`;
}

export function withFirst({ count, first }: Found): string {
  return `${counted(count)}: ${listed(count, first)}`;
}
