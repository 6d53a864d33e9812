// How SQLite makes and changes tables. What ALTER TABLE cannot do there (keys, foreign keys) is done by making the table anew.

import { type Column, type ForeignKey, loweredColumn, renamedPart, type Table } from '../../plan/rows/table.ts';
import type { Ddl, Index } from '../sql/ddl.ts';
import type { Executor } from '../sql/executor.ts';
import { indexesFor } from '../sql/instant.ts';
import { columnOf, quote, wordColumn } from '../sql/names.ts';
import { sqliteChanges } from './changes.ts';
import { physicalColumns, sqliteDialect } from './dialect.ts';
import type { Database } from './driver.ts';
import { sqliteForeignObjects } from './foreign-objects.ts';
import { createSearch, dropSearch } from './search/search-index.ts';

export const sqliteDdl: Ddl = {
  dialect: sqliteDialect,
  additions: sqliteForeignObjects,
  changes: sqliteChanges,
  // A table that is made anew is dropped in between, and what points at it must not notice; SQLite takes the switch only outside a transaction.
  begin: ['PRAGMA foreign_keys = OFF', 'BEGIN IMMEDIATE'],
  commit: ['COMMIT', 'PRAGMA foreign_keys = ON'],
  rollback: ['ROLLBACK', 'PRAGMA foreign_keys = ON'],
  tableExists: `SELECT 1 AS n FROM sqlite_schema WHERE type = 'table' AND name = ?1`,
  foreignKeysApart: false,
  broken: 'PRAGMA foreign_key_check',
  announce: [],
  keepWritersOff: [],
  lockTables: () => [],
  createTable,
  dropTable: (name) => [`DROP TABLE ${quote(name)}`],
  renameTable: (table, to) => [...renamedTable(table.name, to), ...renamedIndexes(table, { ...table, name: to }, () => true)],
  addColumn: (table, column, foreignKey) =>
    physicalColumns(column).map(({ name, type }) => {
      const references = foreignKey === undefined || name !== comparedColumn(column) ? '' : ` ${referencesOf(foreignKey, column)}`;
      return `ALTER TABLE ${quote(table.name)} ADD COLUMN ${quote(name)} ${type}${references}`;
    }),
  setDefault: () => [],
  dropDefault: () => [],
  dropColumn: (table, column) => physicalColumns(column).map(({ name }) => `ALTER TABLE ${quote(table.name)} DROP COLUMN ${quote(name)}`),
  renameColumn,
  createSearch,
  dropSearch,
  createIndex,
  dropIndex,
  addForeignKey: () => [],
  dropForeignKey: () => [],
  inPlace: undefined,
};

/** The connection that writes, with nobody else at it. */
export function sqliteExecutor(database: Database): Executor {
  return {
    run(sql, parameters = []) {
      if (parameters.length > 0) return Number(database.prepare(sql).run(...parameters).changes);
      database.exec(sql);
      return 0;
    },
    rows(sql, parameters = []) {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all(...parameters);
    },
  };
}

function createTable(table: Table): readonly string[] {
  const columns = table.columns.flatMap((column) =>
    physicalColumns(column).map(({ name, type }) => `${quote(name)} ${type}${table.primaryKey.includes(name) ? ' NOT NULL' : ''}`),
  );
  const foreign = table.foreignKeys.map((key) => {
    const column = columnOf(table, key.columns[0] ?? '');
    return `FOREIGN KEY (${quote(comparedColumn(column))}) ${referencesOf(key, column)}`;
  });
  const words = (table.search ?? []).map((name) => `${quote(wordColumn(name))} TEXT`);
  const parts = [...columns, ...words, `PRIMARY KEY (${table.primaryKey.map(quote).join(', ')})`, ...foreign];
  return [`CREATE TABLE ${quote(table.name)} (${parts.join(', ')}) STRICT`];
}

/** Decimals that are the same number may be written differently: references go by the text that is the same for all of them. */
function comparedColumn({ name, kind }: Pick<Column, 'name' | 'kind'>): string {
  return kind === 'decimal' ? `${name}#` : name;
}

/** What is pointed at has the type of the column that points. */
function referencesOf({ table, references, onDelete, onUpdate }: ForeignKey, { kind }: Column): string {
  const target = comparedColumn({ name: references[0] ?? '', kind });
  return `REFERENCES ${quote(table)} (${quote(target)}) ON DELETE ${onDelete.toUpperCase()} ON UPDATE ${onUpdate.toUpperCase()}`;
}

/** A name that differs only in its case is the same one here, so that there is one in between. */
function renamedTable(from: string, to: string): readonly string[] {
  const steps = from.toLowerCase() === to.toLowerCase() ? [`${to}~`, to] : [to];
  return steps.map((each, index) => `ALTER TABLE ${quote(steps[index - 1] ?? from)} RENAME TO ${quote(each)}`);
}

function renameColumn(table: Table, column: Column, to: string): readonly string[] {
  const renamed = physicalColumns({ ...column, name: to });
  const statements = physicalColumns(column).map(
    ({ name }, index) => `ALTER TABLE ${quote(table.name)} RENAME COLUMN ${quote(name)} TO ${quote(renamed[index]?.name ?? to)}`,
  );
  const named = (name: string): string => (name === column.name ? to : name);
  const after: Table = {
    ...table,
    columns: table.columns.map((each) => (each.name === column.name ? { ...each, name: to } : each)),
    uniques: table.uniques.map((each) => each.map(named)),
    indexes: table.indexes.map((each) => each.map((part) => renamedPart(part, named))),
  };
  return [
    ...statements,
    ...renamedIndexes(table, after, (columns) => columns.some((each) => (loweredColumn(each) ?? each) === column.name)),
  ];
}

/** An index cannot get another name, and is made anew. */
function renamedIndexes(before: Table, after: Table, concerns: (columns: readonly string[]) => boolean): readonly string[] {
  const old = indexesOf(before);
  return indexesOf(after).flatMap((index, place) => {
    const former = old[place];
    if (former === undefined || !concerns(former.columns)) return [];
    return [...dropIndex(before, former), ...createIndex(after, index)];
  });
}

function indexesOf(table: Table): readonly Index[] {
  return [...table.uniques.map((columns) => ({ columns, unique: true })), ...table.indexes.map((columns) => ({ columns, unique: false }))];
}

function createIndex(table: Table, wanted: Index): readonly string[] {
  return indexesFor(table, wanted).map((index) => {
    const expressions = index.columns.map((each) => {
      const lowered = loweredColumn(each);
      if (lowered !== undefined) return `lower(${quote(lowered)})`;
      const column = columnOf(table, each);
      // Foreign keys need a unique index on the column itself; equal decimals can be written differently.
      const isPlain = index.unique && column.kind !== 'decimal' && index.moment === undefined;
      return isPlain ? quote(each) : sqliteDialect.ordering(column, quote(each)).expression;
    });
    const name = quote(indexName(table, index));
    return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${quote(table.name)} (${expressions.join(', ')})`;
  });
}

/** Databases made before times were compared by moment have no index of them. */
function dropIndex(table: Table, index: Index): readonly string[] {
  return indexesFor(table, index).map((each) => `DROP INDEX ${each.moment ? 'IF EXISTS ' : ''}${quote(indexName(table, each))}`);
}

function indexName(table: Table, { columns, unique, moment }: Index): string {
  return `${table.name}|${columns.join('|')}|${unique ? 'unique' : 'index'}${moment ? '|moment' : ''}`;
}
