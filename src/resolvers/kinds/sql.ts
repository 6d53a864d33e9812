// A resolver whose instances are the rows of a table in another database: conditions, order and limit stand in its statements, values are parameters.

import { columnKind } from '../../model/model.ts';
import type { AttributePlan, EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { type JsonObject, objectOf, parseJson, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { mostInstances, type Resolver } from '../resolver.ts';
import { fileDatabase, isOfValues, refusalOf, type SqlDatabase, type SqlRow, serverDatabase } from './sql-database.ts';

interface SqlTable {
  readonly database: SqlDatabase;
  /** Quoted. */
  readonly name: string;
  /** Attribute → column of the other side. */
  readonly map: ReadonlyMap<string, string>;
  /** Quoted column → its type; none on SQLite, whose columns hold whatever is written. */
  readonly types: ReadonlyMap<string, string>;
}

export function sqlResolver(config: Value, planOf: (type: string) => EntityPlan, folder: string): Pick<Resolver, 'handlers' | 'close'> {
  const table = readConfig(config, folder);
  return { handlers: handlersOf(table, planOf), close: () => table.database.close() };
}

function handlersOf(untyped: SqlTable, planOf: (type: string) => EntityPlan): Resolver['handlers'] {
  const known = new Map<string, SqlTable>();
  /** Asked once for each type. */
  const typed = async (plan: EntityPlan): Promise<SqlTable> => {
    const table = known.get(plan.type) ?? { ...untyped, types: await typesOf(plan, untyped) };
    known.set(plan.type, table);
    return table;
  };
  return {
    async query(argument, { type }) {
      const plan = planOf(type);
      const table = await typed(plan);
      const rows = await selected(plan, table, Array.isArray(argument) ? (argument[1] ?? null) : null);
      return rows.map((row) => instanceFrom(plan, row));
    },
    async create(instance, { type }) {
      const plan = planOf(type);
      const table = untyped;
      const statement = new Statement(table);
      const columns = plan.attributes.map((each) => columnOf(each.name, table)).join(', ');
      const values = plan.attributes.map((each) => statement.add(valueFor(instance, each))).join(', ');
      const sql = `INSERT INTO ${table.name} (${columns}) VALUES (${values}) ON CONFLICT DO NOTHING RETURNING ${columnsOf(plan, table)}`;
      const [made] = await written(table, sql, statement.values);
      if (made === undefined) throw Object.assign(new Error('There is already an instance with this value.'), { status: 409 });
      return asStored(instance, plan, made);
    },
    async update(instance, { type }) {
      const plan = planOf(type);
      const table = await typed(plan);
      const statement = new Statement(table);
      const sets = plan.attributes
        .filter((each) => each !== plan.identifier)
        .map((each) => `${columnOf(each.name, table)} = ${statement.add(valueFor(instance, each))}`);
      if (sets.length === 0) return instance;
      const changed = `UPDATE ${table.name} SET ${sets.join(', ')} ${byKey(plan, instance, table, statement)}`;
      const [made] = await written(table, `${changed} RETURNING ${columnsOf(plan, table)}`, statement.values);
      if (made === undefined) throw Object.assign(new Error('There is no such instance any more.'), { status: 404 });
      return asStored(instance, plan, made);
    },
    async delete(instance, { type }) {
      const plan = planOf(type);
      const table = await typed(plan);
      const statement = new Statement(table);
      await written(table, `DELETE FROM ${table.name} ${byKey(plan, instance, table, statement)}`, statement.values);
      return instance;
    },
  };
}

async function written({ database }: SqlTable, sql: string, values: readonly unknown[]): Promise<readonly SqlRow[]> {
  try {
    return await database.rows(sql, values);
  } catch (thrown) {
    throw refusalOf(thrown);
  }
}

/** A value that its columns cannot be compared with, such as a number that is too large for them, is asked of what comes back. */
async function selected(plan: EntityPlan, table: SqlTable, question: Value): Promise<readonly SqlRow[]> {
  const { sql, values } = selectOf(plan, table, question);
  try {
    return await table.database.rows(sql, values);
  } catch (thrown) {
    if (!isOfValues(thrown)) throw thrown;
    const all = selectOf(plan, table, null);
    return table.database.rows(all.sql, all.values);
  }
}

function readConfig(config: Value, folder: string): SqlTable {
  const given = isObject(config) ? config : {};
  const text = (name: string): string | undefined => (typeof given[name] === 'string' ? given[name] : undefined);
  const url = text('url');
  return {
    database: url === undefined ? fileDatabase(text('file') ?? '', folder) : serverDatabase(url),
    // `schema.table` are two names.
    name: (text('table') ?? '').split('.').map(quoted).join('.'),
    types: new Map(),
    map: new Map(Object.entries(isObject(given['map']) ? given['map'] : {}).map(([key, value]) => [key, String(value)])),
  };
}

/** Of a domain, the type that it is of. */
async function typesOf({ attributes }: EntityPlan, table: SqlTable): Promise<ReadonlyMap<string, string>> {
  if (table.database.kind === 'sqlite') return table.types;
  const columns = [...new Set(attributes.map((each) => columnOf(each.name, table)))];
  const types = columns.map(
    (each) =>
      `(SELECT coalesce(nullif(typbasetype, 0), oid)::regtype::text FROM pg_catalog.pg_type WHERE oid = pg_typeof(it.${each})::oid) AS ${each}`,
  );
  const [row = {}] = await table.database.rows(
    `SELECT ${types.join(', ')} FROM (SELECT 1) AS one LEFT JOIN ${table.name} AS it ON false`,
    [],
  );
  return new Map(Object.entries(row).map(([name, type]) => [quoted(name), String(type)]));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function columnOf(attribute: string, { map }: SqlTable): string {
  return quoted(map.get(attribute) ?? attribute);
}

/** Each by the name of its attribute. */
function columnsOf(plan: EntityPlan, table: SqlTable): string {
  return plan.attributes.map((each) => `${columnOf(each.name, table)} AS ${quoted(each.name)}`).join(', ');
}

/** Collects values, and gives the places that they have in the text. */
class Statement {
  readonly values: unknown[] = [];
  readonly #table: SqlTable;

  constructor(table: SqlTable) {
    this.#table = table;
  }

  add(value: unknown): string {
    this.values.push(value);
    return this.#table.database.kind === 'postgres' ? `$${this.values.length}` : '?';
  }
}

function byKey(plan: EntityPlan, instance: Value, table: SqlTable, statement: Statement): string {
  const { identifier } = plan;
  const [column, kind, value] = [columnOf(identifier.name, table), comparableKind(identifier), valueFor(instance, identifier)];
  return `WHERE ${kind === undefined ? `${column} = ${statement.add(value)}` : equalTo(column, kind, [value], { plan, statement, table })}`;
}

/** What is no scalar is kept as JSON. */
function valueFor(instance: Value, { name }: AttributePlan): unknown {
  const value = (isObject(instance) ? instance[name] : undefined) ?? null;
  return typeof value === 'object' && value !== null ? writeJson(value) : value;
}

function selectOf(plan: EntityPlan, table: SqlTable, question: Value): { readonly sql: string; readonly values: readonly unknown[] } {
  const { where = null, orderBy = null, limit } = isObject(question) ? question : {};
  const statement = new Statement(table);
  const asking: Asking = { plan, table, statement, isPartial: false };
  const condition = where === null ? undefined : conditionOf(where, asking);
  const order = (Array.isArray(orderBy) ? orderBy : []).map((each) => orderTerm(each, asking));
  // Fewer rows than there are would be wrong where the service has still to choose among them.
  const isWhole = !asking.isPartial && order.every((each) => each !== undefined);
  const most = isWhole && typeof limit === 'number' ? Math.min(limit, mostInstances + 1) : mostInstances + 1;
  const parts = [
    `SELECT ${columnsOf(plan, table)} FROM ${table.name}`,
    ...(condition === undefined ? [] : [`WHERE ${condition}`]),
    ...(isWhole && order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
    `LIMIT ${most}`,
  ];
  return { sql: parts.join(' '), values: statement.values };
}

interface Asking {
  readonly plan: EntityPlan;
  readonly table: SqlTable;
  readonly statement: Statement;
  /** Whether something is not asked of the database: the service asks it of what comes back. */
  isPartial: boolean;
}

const operators: ReadonlySet<Value> = new Set<Value>(['=', '<', '<=', '>', '>=']);

/** Only what means the same there as here; nothing where it does not. */
function conditionOf(term: Value, asking: Asking): string | undefined {
  if (!Array.isArray(term)) return partial(asking);
  const [operator = null, name = null, value = null] = term;
  if (operator === 'and')
    return joined(
      term.slice(1).flatMap((each) => conditionOf(each, asking) ?? []),
      'AND',
    );
  if (operator === 'or') {
    const before = asking.statement.values.length;
    const all = term.slice(1).map((each) => conditionOf(each, asking));
    if (all.every((each) => each !== undefined)) return joined(all, 'OR');
    asking.statement.values.length = before;
    return partial(asking);
  }
  const attribute = asking.plan.attributes.find((each) => each.name === name);
  const kind = attribute === undefined ? undefined : comparableKind(attribute);
  if (attribute === undefined || kind === undefined) return partial(asking);
  const column = columnOf(attribute.name, asking.table);
  if (operator === 'null') return `${column} IS ${value === true ? '' : 'NOT '}NULL`;
  if (operator === 'in' && Array.isArray(value) && value.length > 0) return equalTo(column, kind, value, asking);
  if (operator === 'between' && Array.isArray(value)) {
    const [low, high] = value.map((each) => asking.statement.add(each));
    const sorted = sortable(column, kind, asking.table);
    return `(${sorted} >= ${low} AND ${sorted} <= ${high})`;
  }
  if (!operators.has(operator) || typeof value === 'object') return partial(asking);
  if (operator === '=') return equalTo(column, kind, [value], asking);
  return `${sortable(column, kind, asking.table)} ${String(operator)} ${asking.statement.add(value)}`;
}

/**
 * The column as it is, so that its index is used; besides, texts as they are sorted: where it takes `A` and `a` for the same, the limit would count
 * rows that the service leaves out.
 */
function equalTo(
  column: string,
  kind: ComparableKind,
  values: readonly unknown[],
  { plan, statement, table }: Pick<Asking, 'plan' | 'statement' | 'table'>,
): string {
  const among = (each: string, all: readonly unknown[]): string => `${each} IN (${all.map((value) => statement.add(value)).join(', ')})`;
  if (kind === 'integer') return among(column, values);
  if (kind === 'text') return `(${among(column, values)} AND ${among(sortable(column, kind, table), values)})`;
  if (table.types.get(column) === 'uuid') return among(column, values);
  // A column of texts may have them in any case: of what identifies one row, its index is asked first for the usual ones.
  const anyCase = sortable(column, kind, table);
  if (values.length !== 1 || column !== columnOf(plan.identifier.name, table)) return among(anyCase, values);
  const usual = among(column, [...values, ...values.map((each) => String(each).toUpperCase())]);
  const first = (condition: string): string => `(SELECT ${column} FROM ${table.name} WHERE ${condition} LIMIT 1)`;
  return `${column} = coalesce(${first(usual)}, ${first(among(anyCase, values))})`;
}

function partial(asking: Asking): undefined {
  asking.isPartial = true;
}

function joined(parts: readonly string[], word: string): string | undefined {
  return parts.length === 0 ? undefined : `(${parts.join(` ${word} `)})`;
}

type ComparableKind = 'text' | 'integer' | 'uuid';

/** Whose order and equality databases agree about. */
function comparableKind({ attribute }: AttributePlan): ComparableKind | undefined {
  const kind = columnKind(attribute);
  return !attribute.list && (kind === 'text' || kind === 'integer' || kind === 'uuid') ? kind : undefined;
}

/** Texts are sorted by their characters, whatever the language of the database. */
function sortable(column: string, kind: ComparableKind, { database, types }: SqlTable): string {
  if (kind === 'integer') return column;
  // The cast would take the spaces away that such a column fills its values up with.
  const asText = types.get(column) === 'character' ? `(to_jsonb(${column}) #>> '{}')` : `(${column})::text`;
  const text = database.kind === 'postgres' ? asText : column;
  return `${kind === 'uuid' ? `lower(${text})` : text} COLLATE ${database.kind === 'postgres' ? '"C"' : 'BINARY'}`;
}

/** Where null stands is told by no database as by the next: what may be null is sorted here. */
function orderTerm(term: Value, { plan, table }: Asking): string | undefined {
  const [name, direction] = Array.isArray(term) ? term : [];
  const attribute = plan.attributes.find((each) => each.name === name);
  const kind = attribute === undefined || attribute.attribute.optional ? undefined : comparableKind(attribute);
  if (attribute === undefined || kind === undefined) return undefined;
  return `${sortable(columnOf(attribute.name, table), kind, table)}${direction === 'desc' ? ' DESC' : ''}`;
}

const unlimited = { depth: 100, keys: 1_000_000, items: 1_000_000 };

/** Values as the model has them; what does not fit it is found when the answer is checked. */
function instanceFrom(plan: EntityPlan, row: SqlRow): JsonObject {
  return objectOf(plan.attributes.map((each): [string, Value] => [each.name, valueFrom(each, row[each.name])]));
}

/** Columns may round what they are given, and triggers change it: what is stored is what counts. */
function asStored(instance: Value, plan: EntityPlan, row: SqlRow): Value {
  const stored = instanceFrom(plan, row);
  const others = Object.entries(isObject(instance) ? instance : {}).filter(([name]) => !Object.hasOwn(stored, name));
  return objectOf([...Object.entries(stored), ...others]);
}

function valueFrom({ attribute }: AttributePlan, given: unknown): Value {
  if (given === null || given === undefined) return null;
  const kind = columnKind(attribute);
  if (kind === 'boolean' && (given === 0 || given === 1)) return given === 1;
  if (kind === 'json' && typeof given === 'string') return parseJson(given, unlimited);
  if (kind === 'datetime' && typeof given === 'string') return isoTime(given);
  // PostgreSQL gives what is no whole number as a text.
  if (kind === 'real' && typeof given === 'string' && Number.isFinite(Number(given || 'none'))) return Number(given);
  if (typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' || typeof given === 'bigint') return given;
  return String(given);
}

/** Databases write `2026-01-31 09:30:00+00`; what is in no such form stays as it is. */
function isoTime(text: string): string {
  const [, day, time, sign = '', hours = '', minutes = '00'] =
    /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:([+-])(\d{2})(?::?(\d{2}))?)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  return `${day}T${time}${sign === '' ? '' : `${sign}${hours}:${minutes}`}`;
}
