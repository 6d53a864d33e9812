// What the service writes down about its tables in the database itself: format, schema, and the history of migrations.

import { createHash } from 'node:crypto';
import { equal } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { quote } from '../sql/names.ts';
import { type Awaitable, type Reader, StartRefused } from '../store.ts';
import { type Identifiable, identified, type RetiredTable, type Schema, type StoredTable } from './diff/schema.ts';

/** Grows when the layout that this runtime writes changes; an older runtime refuses a newer database. */
const format = 3;

/** Under this name the store remembers what each computed attribute was computed from. */
export const computedFrom = 'computed';

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

/** What is known of the tables, by key. */
export const state: Table = { name: '__platform', columns: [text('key'), text('value')], primaryKey: ['key'], ...noKeys };

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
  // What writes it writes the rest with it.
  if (written === undefined || !/^\d{1,9}$/.test(written)) throw damaged('it has no format');
  if (Number(written) > format) {
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
  const retired = await recall(session, 'retired');
  return identified(
    storedTables(await recall(session, 'tables')),
    retired === undefined ? [] : listOf(retired, isRetired, 'what is retired'),
  );
}

/** The tables as they were written down; what is written otherwise is refused. */
export function storedTables(json: string | undefined): readonly Identifiable[] {
  return json === undefined ? [] : listOf(json, isTable, 'the tables');
}

export async function writeSchema(session: SchemaSession, { tables, retired }: Schema, digest: string): Promise<void> {
  const written = { format: String(format), tables: JSON.stringify(tables), retired: JSON.stringify(retired), digest };
  for (const [key, value] of Object.entries(written)) await remember(session, key, value);
}

/** The newest last. */
export async function readHistory(session: SchemaSession): Promise<readonly HistoryEntry[]> {
  if (!(await exists(session, history))) return [];
  const names = history.columns.map((each) => quote(each.name)).join(', ');
  const rows = await own(() => session.executor.rows(`SELECT ${names} FROM ${quote(history.name)} ORDER BY "number"`));
  return rows.map((row) => ({
    number: Number(row['number']),
    time: String(row['time']),
    kind: kinds.find((each) => each === row['kind']) ?? 'start',
    version: String(row['version']),
    words: listOf(String(row['words']), (each) => typeof each === 'string', 'its history'),
    undone: row['undone'] === 'true',
    before: row['before'] === '' ? undefined : schemaIn(String(row['before'])),
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
  // What was undone, and the undoing itself, are none of those that can be.
  const latest = `SELECT "number" FROM ${quote(history.name)} WHERE "before" <> '' ORDER BY "number" DESC LIMIT ${undoable}`;
  await executor.run(`UPDATE ${quote(history.name)} SET "before" = '' WHERE "before" <> '' AND "number" NOT IN (${latest})`);
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
  const [kept, gone] = [await read('tables'), await read('retired')];
  const { tables, retired } = identified(storedTables(kept), gone === undefined ? [] : listOf(gone, isRetired, 'what is retired'));
  return [
    ...retired.map(({ table }) => table.name),
    ...tables.flatMap((table) => table.retired.map(({ column }) => `${table.name}.${column.name}`)),
  ];
}

async function exists({ executor, ddl }: SchemaSession, table: Table): Promise<boolean> {
  return (await executor.rows(ddl.tableExists, [table.name])).length > 0;
}

/** What was remembered under a name. */
export async function recall({ executor, ddl }: SchemaSession, key: string): Promise<string | undefined> {
  const [row] = await own(() =>
    executor.rows(`SELECT "value" AS v FROM ${quote(state.name)} WHERE "key" = ${ddl.dialect.parameter(1)}`, [key]),
  );
  if (row !== undefined && typeof row['v'] !== 'string') throw damaged('its values are no texts');
  return typeof row?.['v'] === 'string' ? row['v'] : undefined;
}

export async function remember({ executor, ddl: { dialect } }: SchemaSession, key: string, value: string): Promise<void> {
  const [first, second] = [dialect.parameter(1), dialect.parameter(2)];
  await executor.run(
    `INSERT INTO ${quote(state.name)} ("key", "value") VALUES (${first}, ${second}) ON CONFLICT ("key") DO UPDATE SET "value" = ${second}`,
    [key, value],
  );
}

/** Reads from a table of our own: where a column is missing, or is something else, it is not ours. */
async function own<T>(work: () => Awaitable<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw isOfColumns(thrown) ? damaged('its columns are others', thrown) : thrown;
  }
}

/** PostgreSQL has a code for each: no such column, no such comparison, another type, no value of it. SQLite says it in words. */
function isOfColumns(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = 'code' in thrown ? thrown.code : undefined;
  return ['42703', '42883', '42804', '22P02'].some((each) => each === code) || thrown.message.startsWith('no such column');
}

/** A list that this runtime, or one before it, wrote down. */
function listOf<T>(json: string, isEach: (value: unknown) => value is T, what: string): readonly T[] {
  const value = read(json, what);
  if (!Array.isArray(value) || !value.every(isEach)) throw damaged(`${what} cannot be read`);
  return value;
}

function schemaIn(json: string): Schema {
  const value = read(json, 'its history');
  if (!isRecord(value) || !Array.isArray(value['tables']) || !Array.isArray(value['retired'])) throw damaged('its history cannot be read');
  const { tables, retired } = value;
  if (!tables.every(isStoredTable) || !retired.every(isRetired)) throw damaged('its history cannot be read');
  return { tables, retired };
}

function read(json: string, what: string): unknown {
  try {
    return JSON.parse(json);
  } catch (thrown) {
    throw damaged(`${what} cannot be read`, thrown);
  }
}

/** Enough of it to tell what was written here from anything else. */
function isTable(value: unknown): value is Identifiable {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false;
  return ['columns', 'primaryKey', 'uniques', 'indexes', 'foreignKeys'].every((each) => Array.isArray(value[each]));
}

function isStoredTable(value: unknown): value is StoredTable {
  return isTable(value) && typeof value.id === 'string';
}

function isRetired(value: unknown): value is RetiredTable {
  return isRecord(value) && typeof value['stored'] === 'string' && isStoredTable(value['table']);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(how: string, cause?: unknown): StartRefused {
  const ways = 'restore a backup, or give the application a database of its own: store.dbname';
  return new StartRefused(`What the database says about its tables (${state.name}) is damaged, or from elsewhere: ${how}; ${ways}.`, cause);
}
