// How PostgreSQL makes and changes tables: constraints and indexes have names of our own, so that a violation can be told in the model's words.

import { unreachable } from '../../errors.ts';
import { type Column, type ForeignKey, loweredColumn, renamedPart, type Table } from '../../plan/rows/table.ts';
import { writeJson } from '../../values/json/json.ts';
import { state } from '../migration/state.ts';
import type { Ddl, Index } from '../sql/ddl.ts';
import { indexesFor } from '../sql/instant.ts';
import { columnOf, directed, quote, quoteText, wordColumn } from '../sql/names.ts';
import { postgresChanges } from './changes.ts';
import { columnTypes, postgresDialect } from './dialect.ts';
import { postgresForeignObjects } from './foreign-objects.ts';
import { channel, type Topic } from './listener.ts';
import { foreignKeyName, indexName, type Names, namesOf, primaryKeyName, searchName } from './names.ts';
import { vectorOf } from './search.ts';

/** Of all locks that applications agree on in a database, the one of migrations: any number, the same in every version. */
const migrationLock = 7_040_305_116;

export const postgresDdl: Ddl = {
  dialect: postgresDialect,
  additions: postgresForeignObjects,
  changes: postgresChanges,
  // Whoever migrates first makes the others wait, for as long as it takes; a table that is in use is waited for only so long.
  begin: [
    'BEGIN',
    'SET LOCAL statement_timeout = 0',
    'SET LOCAL lock_timeout = 0',
    'SET LOCAL idle_in_transaction_session_timeout = 0',
    `SELECT pg_advisory_xact_lock(${migrationLock})`,
    `SET LOCAL lock_timeout = '60s'`,
    // Rows that a policy would hide are not passed over in silence: the server refuses.
    'SET LOCAL row_security = off',
  ],
  commit: ['COMMIT'],
  rollback: ['ROLLBACK'],
  tableExists: `SELECT 1 AS n FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = $1`,
  foreignKeysApart: true,
  broken: undefined,
  announce: [`SELECT pg_notify('${channel}', '${'schema' satisfies Topic}')`],
  // Everybody who makes keys holds it in a weaker mode; see `writersHold` in postgres-fitness.ts.
  keepWritersOff: [`LOCK TABLE ${quote(state.name)} IN EXCLUSIVE MODE`],
  lockTables: (names) => (names.length === 0 ? [] : [`LOCK TABLE ${names.map(quote).join(', ')} IN ACCESS EXCLUSIVE MODE`]),
  createTable(table) {
    const columns = table.columns.map((column) => `${quote(column.name)} ${columnTypes[column.kind]}`);
    const words = (table.search ?? []).map((name) => `${quote(wordColumn(name))} ${columnTypes.text}`);
    return [`CREATE TABLE ${quote(table.name)} (${[...columns, ...words, primaryKeyOf(table)].join(', ')})`];
  },
  dropTable: (name) => [`DROP TABLE ${quote(name)}`],
  renameTable: (table, to) => [
    `ALTER TABLE ${quote(table.name)} RENAME TO ${quote(to)}`,
    ...renamed({ ...table, name: to }, namesOf(table), namesOf({ ...table, name: to })),
  ],
  addColumn: (table, column) => [`ALTER TABLE ${quote(table.name)} ADD COLUMN ${quote(column.name)} ${columnTypes[column.kind]}`],
  setDefault(table, column) {
    const value = defaultOf(column);
    return value === undefined ? [] : [`${alterColumn(table, column)} SET DEFAULT ${value}`];
  },
  dropDefault: (table, column) => [`${alterColumn(table, column)} DROP DEFAULT`],
  dropColumn: (table, column) => [`ALTER TABLE ${quote(table.name)} DROP COLUMN ${quote(column.name)}`],
  renameColumn,
  createSearch: (table) => [
    `CREATE INDEX ${quote(searchName(table))} ON ${quote(table.name)} USING gin ((${vectorOf(table.search.map((each) => quote(wordColumn(each))))}))`,
  ],
  dropSearch: (table) => [
    `DROP INDEX ${quote(searchName(table))}`,
    ...table.search.map((each) => `ALTER TABLE ${quote(table.name)} DROP COLUMN ${quote(wordColumn(each))}`),
  ],
  createIndex,
  // Databases made before times were compared by moment have no index of them.
  dropIndex: (table, index) =>
    indexesFor(table, index).map((each) => `DROP INDEX ${each.moment ? 'IF EXISTS ' : ''}${quote(indexName(table, each))}`),
  addForeignKey,
  dropForeignKey: (table, key) => [`ALTER TABLE ${quote(table.name)} DROP CONSTRAINT ${quote(foreignKeyName(table, key))}`],
  inPlace: {
    addPrimaryKey: (table) => [`ALTER TABLE ${quote(table.name)} ADD ${primaryKeyOf(table)}`],
    dropPrimaryKey: (table) => [
      `ALTER TABLE ${quote(table.name)} DROP CONSTRAINT ${quote(primaryKeyName(table))}`,
      ...table.primaryKey.map((each) => `${alterColumn(table, columnOf(table, each))} DROP NOT NULL`),
    ],
    retypeColumn: (table, column, from) => [`${alterColumn(table, column)} TYPE ${columnTypes[column.kind]} USING ${quote(from)}`],
  },
};

function primaryKeyOf(table: Table): string {
  return `CONSTRAINT ${quote(primaryKeyName(table))} PRIMARY KEY (${table.primaryKey.map(quote).join(', ')})`;
}

function alterColumn(table: Table, column: Column): string {
  return `ALTER TABLE ${quote(table.name)} ALTER COLUMN ${quote(column.name)}`;
}

function defaultOf({ kind, fill }: Column): string | undefined {
  switch (fill?.kind) {
    case 'value':
      return quoteText(kind === 'json' || kind === 'scalar' ? writeJson(fill.value) : String(fill.value));
    case 'json':
      return quoteText(fill.text);
    case 'uuid':
      return 'gen_random_uuid()';
    case 'now':
      return `to_char(now() AT TIME ZONE 'UTC', '${timeFormats.get(kind) ?? 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'}')${kind === 'date' ? '::date' : ''}`;
    // The zone of the processes is not that of the server, and it counts nothing.
    case 'local-now':
    case 'count':
    case undefined:
      return undefined;
    default:
      return unreachable(fill);
  }
}

const timeFormats: ReadonlyMap<Column['kind'], string> = new Map([
  ['date', 'YYYY-MM-DD'],
  ['time', 'HH24:MI:SS.MS'],
]);

function createIndex(table: Table, wanted: Index): readonly string[] {
  return indexesFor(table, wanted).map((index) => {
    const terms = index.columns.map((each) => {
      const lowered = loweredColumn(each);
      if (lowered !== undefined) return `(lower(${quote(lowered)}))`;
      const column = columnOf(table, each);
      const ordered = postgresDialect.ordering(column, quote(each)).expression;
      // Foreign keys need a unique index on the column itself.
      const isPlain = index.unique && column.kind !== 'json' && index.moment === undefined;
      const expression = ordered === quote(each) || isPlain ? quote(each) : `(${ordered})`;
      // In the order that lists are read in; the key of a table is never absent.
      return directed(expression, false, table.primaryKey.includes(each));
    });
    const name = quote(indexName(table, index));
    return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${quote(table.name)} (${terms.join(', ')})`;
  });
}

function addForeignKey(table: Table, key: ForeignKey): readonly string[] {
  const references = `REFERENCES ${quote(key.table)} (${key.references.map(quote).join(', ')})`;
  const actions = `ON DELETE ${key.onDelete.toUpperCase()} ON UPDATE ${key.onUpdate.toUpperCase()}`;
  const constraint = `CONSTRAINT ${quote(foreignKeyName(table, key))} FOREIGN KEY (${key.columns.map(quote).join(', ')})`;
  return [`ALTER TABLE ${quote(table.name)} ADD ${constraint} ${references} ${actions}`];
}

function renameColumn(table: Table, column: Column, to: string): readonly string[] {
  const named = (name: string): string => (name === column.name ? to : name);
  const after: Table = {
    ...table,
    columns: table.columns.map((each) => ({ ...each, name: named(each.name) })),
    primaryKey: table.primaryKey.map(named),
    uniques: table.uniques.map((each) => each.map(named)),
    indexes: table.indexes.map((each) => each.map((part) => renamedPart(part, named))),
    foreignKeys: table.foreignKeys.map((each) => ({ ...each, columns: each.columns.map(named) })),
  };
  return [
    `ALTER TABLE ${quote(table.name)} RENAME COLUMN ${quote(column.name)} TO ${quote(to)}`,
    ...renamed(table, namesOf(table), namesOf(after)),
  ];
}

function renamed(table: Table, before: Names, after: Names): readonly string[] {
  const changed = (old: readonly string[], now: readonly string[]): readonly (readonly [string, string])[] =>
    old.flatMap((name, place) => (now[place] === undefined || now[place] === name ? [] : [[quote(name), quote(now[place])] as const]));
  return [
    ...changed(before.constraints, after.constraints).map(
      ([from, to]) => `ALTER TABLE ${quote(table.name)} RENAME CONSTRAINT ${from} TO ${to}`,
    ),
    ...changed(before.indexes, after.indexes).map(
      ([from, to]) => `ALTER INDEX ${from.endsWith('|moment"') ? 'IF EXISTS ' : ''}${from} RENAME TO ${to}`,
    ),
  ];
}
