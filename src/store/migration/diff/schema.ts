// What a database holds: tables and columns with an identity that outlives their names, and what was retired. Pure.

import { type IdentifierForm, identifierForm } from '../../../plan/rows/keys.ts';
import type { Addressing, Column, ForeignKey, Table } from '../../../plan/rows/table.ts';
import { keyColumn, storedName } from '../../../plan/rows/tables.ts';

export interface Schema {
  readonly tables: readonly StoredTable[];
  readonly retired: readonly RetiredTable[];
}

export interface StoredTable extends Table {
  readonly id: string;
  readonly columns: readonly StoredColumn[];
  readonly retired: readonly RetiredColumn[];
}

export interface StoredColumn extends Column {
  readonly id: string;
}

/** Hidden and kept, under a name that no model can have. */
export interface RetiredColumn {
  readonly column: StoredColumn;
  readonly stored: string;
  readonly since: string;
  /** Whether the attribute is still there, with another type. */
  readonly replaced: boolean;
  /** What it pointed at. Where keys of that change, they change here too. */
  readonly foreignKeys: readonly ForeignKey[];
  readonly turned?: Turned;
}

export interface RetiredTable {
  readonly table: StoredTable;
  readonly stored: string;
  readonly since: string;
  readonly turned?: Turned;
}

/** Present where a contains relationship became a between relationship, or the other way round: the other one has held since who stands under whom. */
export type Turned = true;

/** A table that may have an identity already. */
export interface Identifiable extends Table {
  readonly id?: string;
  readonly columns: readonly (Column & { readonly id?: string })[];
  readonly retired?: readonly RetiredColumn[];
}

/** Gives an identity to what has none: what was written before there were identities, or is new. */
export function identified(tables: readonly Identifiable[], retired: readonly RetiredTable[] = []): Schema {
  const taken = new Set([...tables.flatMap((each) => each.id ?? []), ...retired.map((each) => each.table.id)]);
  return {
    tables: tables.map((table) => {
      const id = table.id ?? newId(table.name, taken);
      taken.add(id);
      return storedTable(table, id);
    }),
    retired,
  };
}

export function storedTable(table: Identifiable, id: string): StoredTable {
  const retired = table.retired ?? [];
  const { columns } = table;
  const taken = new Set([...columns.flatMap((each) => each.id ?? []), ...retired.map((each) => each.column.id)]);
  return {
    ...table,
    id,
    columns: columns.map((column) => {
      const own = column.id ?? newId(column.name, taken);
      taken.add(own);
      return { ...column, id: own };
    }),
    retired,
  };
}

/** The same for the same name on every database, unless something else had that name first. */
export function newId(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  for (let count = 0; ; count += 1) {
    const id = shortHash(count === 0 ? name : `${name}~${count}`);
    if (!taken.has(id)) return id;
  }
}

/** FNV-1a: a large model has ten thousand names, and nobody gains by two that are the same. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/** A name for what is retired or only there for a moment, that nothing has. To some databases names that differ in case are the same. */
export function freeName(base: string, taken: Iterable<string>): string {
  const names = new Set([...taken].map((each) => each.toLowerCase()));
  for (let count = 1; ; count += 1) {
    const name = storedName(`${base}~${count}`);
    if (!names.has(name.toLowerCase())) return name;
  }
}

/** All that the table has on disk. */
export function physicalTable(table: StoredTable): Table {
  return { ...table, columns: [...table.columns, ...table.retired.map(retiredColumn)] };
}

export function retiredColumn({ column, stored }: RetiredColumn): Column {
  return { name: stored, kind: column.kind, required: false };
}

/** The foreign keys that hold keys of instances (parents and ends of links), and follow them when they change. */
export function keyReferences(table: Pick<Table, 'foreignKeys'>): readonly ForeignKey[] {
  return table.foreignKeys.filter((each) => each.onUpdate === 'cascade');
}

/** The two that a link ties; empty for other tables. */
export function endsOf(table: Pick<Table, 'foreignKeys'>): readonly ForeignKey[] {
  const ends = keyReferences(table).filter((each) => each.columns.every((name) => !name.startsWith('__')));
  return ends.length === 2 ? ends : [];
}

export function isContained(table: Pick<Table, 'primaryKey'>): boolean {
  return table.primaryKey[0] === keyColumn;
}

/** What the identifiers of the rows are. */
export function formOf(table: Table): IdentifierForm {
  const identifier = isContained(table) ? addressingOf(table).identifier : table.primaryKey[0];
  return identifierForm(table.columns.find((each) => each.name === identifier)?.kind);
}

/** Where the parents of the rows stand. A table of an older format says it by its columns alone. */
export function addressingOf(table: Table): Addressing {
  if (table.addressing !== undefined) return table.addressing;
  const parents = table.foreignKeys
    .filter((each) => each.columns[0]?.startsWith('__parent_') === true)
    .map(({ columns: [column = ''], table: parent }) => ({
      column,
      relationship: column.slice('__parent_'.length).replace('$', '/'),
      table: parent,
    }));
  return { type: table.name, identifier: isContained(table) ? '' : (table.primaryKey[0] ?? ''), parents };
}
