// Finds rows whose key or `__path__` is not the one that follows from their parents: one statement for each contained table, which the
// database answers alone; only rows for which it is not certain are computed again here.

import { detachedStart, type Place, placeOfStored, prefixOf, rootStart, segment, separator, type Under } from '../../plan/rows/keys.ts';
import type { Column, ParentColumn, Table } from '../../plan/rows/table.ts';
import { isMomentKind, keyColumn, pathColumn } from '../../plan/rows/tables.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { momentOf } from '../sql/instant.ts';
import { columnOf, quote, quoteText } from '../sql/names.ts';
import { addressingOf, formOf, isContained } from './diff/schema.ts';

export interface WrongPath {
  readonly stored: { readonly key: string; readonly path: string | null };
  readonly right: Place;
}

/** Contained tables, parents before children. Those of an older format do not say what their keys are made from. */
export function containedTables(tables: readonly Table[]): readonly Table[] {
  const byName = new Map(tables.map((each) => [each.name, each]));
  const done = new Set<Table>();
  const visit = (table: Table): void => {
    if (done.has(table)) return;
    for (const each of addressingOf(table).parents) {
      const parent = byName.get(each.table);
      if (parent !== undefined && parent !== table) visit(parent);
    }
    done.add(table);
  };
  for (const each of tables) visit(each);
  return [...done].filter((each) => isContained(each) && addressingOf(each).identifier !== '');
}

const pageSize = 500;

/** In pages, so that whoever mends them has the rows of one page written before the next is asked for. */
export async function* misplacedIn(session: SchemaSession, table: Table, tables: readonly Table[]): AsyncGenerator<readonly WrongPath[]> {
  const { executor } = session;
  const sql = doubtful(session, table, parentsOf(table, tables));
  let after = '';
  for (;;) {
    const rows = await executor.rows(sql, [after]);
    const found = rows.map((row) => parseStored(String(row['j'])));
    const wrong = found.flatMap((row) => misplacedRow(table, tables, row) ?? []);
    if (wrong.length > 0) yield wrong;
    if (rows.length < pageSize) return;
    after = String(found.at(-1)?.['key'] ?? '');
  }
}

interface ParentTable {
  readonly place: ParentColumn;
  readonly table: Table;
  /** The name of the parent's row in the statement. */
  readonly alias: string;
}

function parentsOf(table: Table, tables: readonly Table[]): readonly ParentTable[] {
  return addressingOf(table).parents.flatMap((place, index) => {
    const parent = tables.find((each) => each.name === place.table);
    return parent === undefined ? [] : [{ place, table: parent, alias: `p${index}` }];
  });
}

/** The rows behind a key, its one parameter, for which the database does not find the key and the path that they should have. */
function doubtful({ ddl: { dialect } }: SchemaSession, table: Table, parents: readonly ParentTable[]): string {
  const { type, identifier } = addressingOf(table);
  const text = new Texts(dialect);
  const id = columnOf(table, identifier);
  const json = (alias: string, column: Column): string => dialect.json(column.kind, `${alias}.${quote(column.name)}`);
  const above = parents.filter(({ table: parent }) => isContained(parent));
  const pairs = [
    ['key', json('c', columnOf(table, keyColumn))],
    ['path', json('c', columnOf(table, pathColumn))],
    ['id', json('c', id)],
    ...parents.map(({ place, alias }) => [`${alias}key`, json('c', columnOf(table, place.column))] as const),
    ...above.flatMap(({ table: parent, alias }) => [
      [`${alias}id`, json(alias, columnOf(parent, addressingOf(parent).identifier))] as const,
      [`${alias}path`, json(alias, columnOf(parent, pathColumn))] as const,
    ]),
  ] as const;
  const joins = above.map(
    ({ table: parent, alias, place }) =>
      `LEFT JOIN ${quote(parent.name)} AS ${alias} ON ${alias}.${quote(keyColumn)} = c.${quote(place.column)}`,
  );
  const [key, path] = [`c.${quote(keyColumn)}`, `c.${quote(pathColumn)}`];
  const own = { key: text.sortable(id, 'c'), path: text.encoded(id, 'c') };
  const cases = parents.map(({ place, table: parent, alias }) => {
    const prefix = text.prefix(place, parent, alias);
    const step = quoteText(`/${segment(place.relationship)}/${segment(type)}/`);
    return {
      when: `c.${quote(place.column)} IS NOT NULL`,
      key: `${prefix.key} || ${quoteText(`${separator}${place.relationship}${separator}`)} || ${own.key}`,
      path: `${prefix.path} || ${step} || ${own.path}`,
    };
  });
  const root = isRootable(table) ? `${quoteText(`${type}${separator}`)} || ${own.key}` : 'NULL';
  const free = `substr(${key}, 1, ${detachedStart.length}) = ${quoteText(detachedStart)}`;
  const chosen = (part: 'key' | 'path', otherwise: string): string =>
    `CASE ${cases.map((each) => `WHEN ${each.when} THEN ${each[part]}`).join(' ')} ELSE ${otherwise} END`;
  const wrongKey = dialect.distinct(key, chosen('key', `CASE WHEN ${free} THEN ${key} ELSE ${root} END`));
  const wrongPath = dialect.distinct(path, chosen('path', 'NULL'));
  const from = [`${quote(table.name)} AS c`, ...joins].join(' ');
  return `SELECT ${dialect.object(pairs)} AS j FROM ${from} WHERE ${key} > ${dialect.parameter(1)} AND (${wrongPath} OR ${wrongKey}) ORDER BY ${key} LIMIT ${pageSize}`;
}

/** Parts of keys and paths as SQL. What the database spells otherwise than `placeOf` is looked at again by that. */
class Texts {
  readonly #dialect: SchemaSession['ddl']['dialect'];

  constructor(dialect: SchemaSession['ddl']['dialect']) {
    this.#dialect = dialect;
  }

  prefix(place: ParentColumn, parent: Table, alias: string): { readonly key: string; readonly path: string } {
    const { type, identifier } = addressingOf(parent);
    const start = quoteText(rootStart(type));
    const held = `c.${quote(place.column)}`;
    const id = columnOf(parent, identifier);
    if (!isContained(parent)) {
      const of = { ...id, name: place.column };
      return { key: `${quoteText(`${type}${separator}`)} || ${this.sortable(of, 'c')}`, path: `${start} || ${this.encoded(of, 'c')}` };
    }
    return { key: held, path: `coalesce(${alias}.${quote(pathColumn)}, ${start} || ${this.encoded(id, alias)})` };
  }

  sortable({ name, kind }: Column, alias: string): string {
    const column = `${alias}.${quote(name)}`;
    if (kind === 'integer') return this.#dialect.hexadecimal(column);
    if (isMomentKind(kind)) return momentOf(column);
    const escaped = (text: string, from: string, to: string): string => `replace(${text}, ${quoteText(from)}, ${quoteText(to)})`;
    return escaped(escaped(textOf(kind, column), '\u0002', '\u0002\u0004'), '\u0001', '\u0002\u0003');
  }

  encoded({ name, kind }: Column, alias: string): string {
    // In quotes or without: each is looked at again.
    if (kind === 'scalar') return 'NULL';
    const text = textOf(kind, `${alias}.${quote(name)}`);
    if (kind === 'integer') return text;
    const encoded = reserved.reduce((inner, each) => `replace(${inner}, ${quoteText(each)}, ${quoteText(encodeURIComponent(each))})`, text);
    return `CASE WHEN ${this.#dialect.plain(text)} THEN ${text} ELSE ${encoded} END`;
  }
}

/** Printable characters that are encoded in a path, the one that encodes first. Others are left to `placeOf`. */
const reserved = [...'%"#$&+,/:;<=>?@[\\]^`{|} '];

function textOf(kind: Column['kind'], column: string): string {
  return kind === 'text' ? column : `CAST(${column} AS TEXT)`;
}

function isRootable(table: Table): boolean {
  return addressingOf(table).parents.some((each) => each.table === table.name);
}

function misplacedRow(table: Table, tables: readonly Table[], row: Readonly<Record<string, Value>>): WrongPath | undefined {
  const stored = { key: String(row['key']), path: typeof row['path'] === 'string' ? row['path'] : null };
  const subject = { type: addressingOf(table).type, id: row['id'] ?? null, contained: true, form: formOf(table) };
  const right = placeOfStored(subject, stored.key, isRootable(table), underOf(table, tables, row));
  return right.key === stored.key && right.path === stored.path ? undefined : { stored, right };
}

function underOf(table: Table, tables: readonly Table[], row: Readonly<Record<string, Value>>): Under | undefined {
  for (const { place, table: parent, alias } of parentsOf(table, tables)) {
    const key = row[`${alias}key`] ?? null;
    if (key === null) continue;
    const { type } = addressingOf(parent);
    const contained = isContained(parent);
    const path = row[`${alias}path`];
    const id = contained ? (row[`${alias}id`] ?? null) : key;
    const parentPrefix = prefixOf({ type, id, contained, form: formOf(parent) }, { key, path: typeof path === 'string' ? path : null });
    return { parent: parentPrefix, relationship: place.relationship };
  }
  return undefined;
}
