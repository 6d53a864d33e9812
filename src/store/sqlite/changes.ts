// The log of changes in the embedded store: one writer, so that the order of the log is that of the commits.

import type { Table } from '../../plan/rows/table.ts';
import { changesTable, pruneState, watchedTable } from '../changes/tables.ts';
import type { ChangeDdl } from '../sql/ddl.ts';
import { quote, quoteText } from '../sql/names.ts';
import { physicalColumns } from './dialect.ts';
import type { Database } from './driver.ts';

const log = quote(changesTable.name);
const last = `coalesce((SELECT seq FROM sqlite_sequence WHERE name = ${quoteText(changesTable.name)}), 0)`;

/** The number of the transaction that writes next. */
const counter = '__platform_changes_transaction';

export const sqliteChanges: ChangeDdl = {
  format: '4',
  begin: ['BEGIN IMMEDIATE'],
  beginTable: () => ['BEGIN IMMEDIATE'],
  createLog: [
    `CREATE TABLE IF NOT EXISTS ${log} ("seq" INTEGER PRIMARY KEY AUTOINCREMENT, "tx" INTEGER NOT NULL DEFAULT 0, "at" INTEGER NOT NULL, "source" TEXT NOT NULL, "before" TEXT, "after" TEXT, "old_key" TEXT, "new_key" TEXT) STRICT`,
    `CREATE TABLE IF NOT EXISTS ${quote(watchedTable)} ("source" TEXT PRIMARY KEY NOT NULL, "generation" TEXT NOT NULL, "last" INTEGER NOT NULL) STRICT`,
    `CREATE TABLE IF NOT EXISTS ${quote(pruneState)} ("id" INTEGER PRIMARY KEY, "tx" INTEGER NOT NULL, "seq" INTEGER NOT NULL) STRICT`,
    `INSERT INTO ${quote(pruneState)} ("id", "tx", "seq") VALUES (1, 0, 0) ON CONFLICT DO NOTHING`,
    `CREATE TABLE IF NOT EXISTS ${quote(counter)} ("id" INTEGER PRIMARY KEY, "tx" INTEGER NOT NULL) STRICT`,
    `INSERT INTO ${quote(counter)} ("id", "tx") VALUES (1, 1) ON CONFLICT DO NOTHING`,
  ],
  dropLog: [changesTable.name, watchedTable, pruneState, counter].map((each) => `DROP TABLE IF EXISTS ${quote(each)}`),
  createTriggers(table, hidden) {
    const [before, after] = [imageOf(table, hidden, 'old'), imageOf(table, hidden, 'new')];
    const [oldKey, newKey] = [keyOf(table, 'old'), keyOf(table, 'new')];
    return [
      triggerOn(table, 'insert', ['NULL', after, 'NULL', newKey]),
      triggerOn(table, 'update', [before, after, oldKey, newKey]),
      triggerOn(table, 'delete', [before, 'NULL', oldKey, 'NULL']),
    ];
  },
  dropTriggers: (table) => events.map((event) => `DROP TRIGGER IF EXISTS ${quote(triggerName(table, event))}`),
  // A file that was put back to an earlier state counts on from there: what stands at a place tells whether it is another one.
  origin: async () => '',
  ahead: 'SELECT 1 AS n WHERE false',
  head: `SELECT coalesce(c."tx", n."tx" - 1) AS tx, coalesce(c."seq", ${last}) AS seq, coalesce(c."at", 0) AS at FROM ${quote(counter)} AS n LEFT JOIN (SELECT * FROM ${log} ORDER BY "seq" DESC LIMIT 1) AS c ON true`,
  end: `SELECT "tx", ${last} AS seq FROM ${quote(counter)}`,
  failure: (thrown) => thrown,
};

/**
 * What is to be done at the end of each transaction, so that the log knows those apart which share a commit of the file; nothing where there is no log. Whoever
 * else writes to the file may leave it out: the log takes their changes for those of the next one.
 */
export function transactionEnd(database: Database): (() => void) | undefined {
  if (database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(counter) === undefined) return undefined;
  const statement = database.prepare(
    `UPDATE ${quote(counter)} SET "tx" = "tx" + 1 WHERE "tx" = (SELECT "tx" FROM ${log} ORDER BY "seq" DESC LIMIT 1)`,
  );
  return () => void statement.run();
}

/** Whether something that is in the file is of the log. */
export function isOfChanges(name: string, table: string): boolean {
  return events.some((event) => name === triggerName(table, event));
}

const events = ['insert', 'update', 'delete'] as const;

function triggerName(table: string, event: string): string {
  return `${table}|changes|${event}`;
}

function triggerOn({ name }: Table, event: (typeof events)[number], values: readonly string[]): string {
  const insert = `INSERT INTO ${log} ("tx", "at", "source", "before", "after", "old_key", "new_key") VALUES ((SELECT "tx" FROM ${quote(counter)}), CAST(unixepoch('subsec') * 1000 AS INTEGER), ${quoteText(name)}, ${values.join(', ')});`;
  return `CREATE TRIGGER ${quote(triggerName(name, event))} AFTER ${event.toUpperCase()} ON ${quote(name)} BEGIN ${insert} END`;
}

/** SQLite's own texts of doubles are not always the number: those of its twin are. */
function imageOf(table: Table, hidden: ReadonlySet<string>, row: 'old' | 'new'): string {
  const columns = table.columns.flatMap((column) => {
    const all = physicalColumns(column).map(({ name }) => (hidden.has(column.name) ? 'NULL' : `${row}.${quote(name)}`));
    return column.kind === 'real' ? all.map(() => all.at(-1) ?? '') : all;
  });
  return `json_array(${columns.join(', ')})`;
}

function keyOf({ primaryKey }: Table, row: 'old' | 'new'): string {
  return primaryKey.map((each) => `CAST(${row}.${quote(each)} AS TEXT)`).join(` || char(1) || `);
}
