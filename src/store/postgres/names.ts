// What the platform calls the keys and indexes of a table on a server: by these names they are found, renamed and told from those of others.

import type { ForeignKey, Table } from '../../plan/rows/table.ts';
import { storedName } from '../../plan/rows/tables.ts';
import type { Index } from '../sql/ddl.ts';
import { indexesFor } from '../sql/instant.ts';

/** The names of all that the platform itself has put on a table. */
export function ownNames(table: Table): readonly string[] {
  const { constraints, indexes } = namesOf(table);
  return [...constraints, ...indexes, ...(table.search === undefined ? [] : [searchName(table)])];
}

export interface Names {
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
}

export function namesOf(table: Table): Names {
  return {
    constraints: [primaryKeyName(table), ...table.foreignKeys.map((key) => foreignKeyName(table, key))],
    indexes: [
      ...table.uniques.flatMap((columns) => indexesFor(table, { columns, unique: true }).map((each) => indexName(table, each))),
      ...table.indexes.map((columns) => indexName(table, { columns, unique: false })),
    ],
  };
}

export function searchName(table: Table): string {
  return storedName(`${table.name}|search`);
}

export function primaryKeyName(table: Table): string {
  return storedName(`${table.name}|key`);
}

export function foreignKeyName(table: Table, key: ForeignKey): string {
  return storedName(`${table.name}|${key.columns.join('|')}|foreign`);
}

export function indexName(table: Table, { columns, unique, moment }: Index): string {
  return storedName(`${table.name}|${columns.join('|')}|${unique ? 'unique' : 'index'}${moment ? '|moment' : ''}`);
}

/** What a name that the server tells when it refuses a row stands for. */
export interface Constraint {
  readonly kind: 'unique' | 'foreign';
  readonly columns: readonly string[];
  /** The table that a foreign key points at. */
  readonly target?: string;
}

/** The constraints of tables by their names. */
export function constraintsOf(tables: readonly Table[]): ReadonlyMap<string, Constraint> {
  return new Map(
    tables.flatMap((table): readonly (readonly [string, Constraint])[] => [
      [primaryKeyName(table), { kind: 'unique', columns: table.primaryKey }],
      ...table.uniques.flatMap((columns) =>
        indexesFor(table, { columns, unique: true }).map((each) => [indexName(table, each), { kind: 'unique', columns }] as const),
      ),
      ...table.foreignKeys.map(
        (key) => [foreignKeyName(table, key), { kind: 'foreign', columns: key.columns, target: key.table }] as const,
      ),
    ]),
  );
}
