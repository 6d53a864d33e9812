// What the service writes down about its tables in the database itself: format, schema, and the history of migrations.

import { createHash } from 'node:crypto';
import { equal } from '../plan/condition.ts';
import type { Select } from '../plan/shape.ts';
import type { Table } from '../plan/table.ts';
import type { SchemaSession } from './ddl.ts';
import { identified, type Schema } from './schema.ts';
import { quote } from './statements.ts';
import { type Reader, StartRefused } from './store.ts';

/** Grows when the layout that this runtime writes changes; an older runtime refuses a newer database. */
const format = 2;

/** So many migrations can be undone, one after the other. */
const undoable = 5;

export interface HistoryEntry {
  readonly number: number;
  readonly time: string;
  readonly kind: HistoryKind;
  /** The version of the application whose model asked for it. */
  readonly version: string;
  readonly words: readonly string[];
  readonly undone: boolean;
  /** The schema before it; absent where it can no longer be undone. */
  readonly before: Schema | undefined;
}

export type HistoryKind = 'start' | 'apply' | 'undo' | 'purge';

const text = (name: string) => ({ name, kind: 'text', required: true }) as const;
const noKeys = { uniques: [], indexes: [], foreignKeys: [] } as const;

const state: Table = { name: '__platform', columns: [text('key'), text('value')], primaryKey: ['key'], ...noKeys };

const history: Table = {
  name: '__platform_history',
  columns: [{ name: 'number', kind: 'integer', required: true }, ...['time', 'kind', 'version', 'words', 'undone', 'before'].map(text)],
  primaryKey: ['number'],
  ...noKeys,
};

export function digestOf(tables: readonly Table[]): string {
  return createHash('sha256').update(JSON.stringify(tables)).digest('hex');
}

/** The digest of the model that the tables were made for; nothing in a database without tables. Refuses one that a newer runtime wrote. */
export async function storedDigest(session: SchemaSession): Promise<string | undefined> {
  if (!(await exists(session, state))) return undefined;
  const written = await recall(session, 'format');
  if (written !== undefined && Number(written) > format) {
    throw new StartRefused(`The database was written by a newer version of the platform (format ${written}, this one knows ${format}).`);
  }
  return recall(session, 'digest');
}

/** Made at the first migration of a database. */
export async function ensureState(session: SchemaSession): Promise<void> {
  for (const table of [state, history]) {
    if (!(await exists(session, table))) for (const each of session.ddl.createTable(table)) await session.executor.run(each);
  }
}

export async function readSchema(session: SchemaSession): Promise<Schema> {
  if (!(await exists(session, state))) return identified([]);
  return identified(parsed(await recall(session, 'tables')), parsed(await recall(session, 'retired')));
}

export async function writeSchema(session: SchemaSession, { tables, retired }: Schema, digest: string): Promise<void> {
  const written = { format: String(format), tables: JSON.stringify(tables), retired: JSON.stringify(retired), digest };
  for (const [key, value] of Object.entries(written)) await remember(session, key, value);
}

/** The newest last. */
export async function readHistory(session: SchemaSession): Promise<readonly HistoryEntry[]> {
  if (!(await exists(session, history))) return [];
  const rows = await session.executor.rows(`SELECT * FROM ${quote(history.name)} ORDER BY "number"`);
  return rows.map((row) => ({
    number: Number(row['number']),
    time: String(row['time']),
    kind: kinds.find((each) => each === row['kind']) ?? 'start',
    version: String(row['version']),
    words: JSON.parse(String(row['words'])),
    undone: row['undone'] === 'true',
    before: row['before'] === '' ? undefined : JSON.parse(String(row['before'])),
  }));
}

const kinds: readonly HistoryKind[] = ['start', 'apply', 'undo', 'purge'];

export async function addHistory(session: SchemaSession, entry: Omit<HistoryEntry, 'number' | 'time' | 'undone'>): Promise<void> {
  const { executor, ddl, clock } = session;
  const before = entry.before === undefined ? '' : JSON.stringify(entry.before);
  const values = [clock.now().toISOString(), entry.kind, entry.version, JSON.stringify(entry.words), 'false', before];
  const marks = values.map((_, index) => `CAST(${ddl.dialect.parameter(index + 1)} AS TEXT)`);
  const names = history.columns.map((each) => quote(each.name)).join(', ');
  const next = 'coalesce(max("number"), 0) + 1';
  await executor.run(
    `INSERT INTO ${quote(history.name)} (${names}) SELECT ${[next, ...marks].join(', ')} FROM ${quote(history.name)}`,
    values,
  );
  await executor.run(
    `UPDATE ${quote(history.name)} SET "before" = '' WHERE "before" <> '' AND "number" <= (SELECT max("number") - ${undoable} FROM ${quote(history.name)})`,
  );
}

export async function markUndone({ executor, ddl }: SchemaSession, number: number): Promise<void> {
  await executor.run(`UPDATE ${quote(history.name)} SET "undone" = 'true', "before" = '' WHERE "number" = ${ddl.dialect.parameter(1)}`, [
    number,
  ]);
}

/** No migration so far can be undone any more. */
export async function forgetBefore({ executor }: SchemaSession): Promise<void> {
  await executor.run(`UPDATE ${quote(history.name)} SET "before" = '' WHERE "before" <> ''`);
}

/** The names of what is retired, read beside whoever has the database. */
export async function retiredNames(reader: Reader): Promise<readonly string[]> {
  const output = { fields: [], columns: ['value'] };
  const select: Select = { kind: 'select', table: state, output, where: equal('key'), order: [], limit: false, offset: false };
  const read = async (key: string): Promise<string | undefined> => {
    const value = (await reader.one(select, [key]))?.columns[0];
    return typeof value === 'string' ? value : undefined;
  };
  const { tables, retired } = identified(parsed(await read('tables')), parsed(await read('retired')));
  return [
    ...retired.map(({ table }) => table.name),
    ...tables.flatMap((table) => table.retired.map(({ column }) => `${table.name}.${column.name}`)),
  ];
}

async function exists({ executor, ddl }: SchemaSession, table: Table): Promise<boolean> {
  return (await executor.rows(ddl.tableExists, [table.name])).length > 0;
}

async function recall({ executor, ddl }: SchemaSession, key: string): Promise<string | undefined> {
  const [row] = await executor.rows(`SELECT "value" AS v FROM ${quote(state.name)} WHERE "key" = ${ddl.dialect.parameter(1)}`, [key]);
  return typeof row?.['v'] === 'string' ? row['v'] : undefined;
}

async function remember({ executor, ddl: { dialect } }: SchemaSession, key: string, value: string): Promise<void> {
  const [first, second] = [dialect.parameter(1), dialect.parameter(2)];
  await executor.run(
    `INSERT INTO ${quote(state.name)} ("key", "value") VALUES (${first}, ${second}) ON CONFLICT ("key") DO UPDATE SET "value" = ${second}`,
    [key, value],
  );
}

function parsed<T>(json: string | undefined): readonly T[] {
  return json === undefined ? [] : JSON.parse(json);
}
