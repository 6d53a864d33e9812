// The log of changes on a server: transactions commit in another order than they write, so that a change is read when none of the database that began before it is under way.

import { createHash } from 'node:crypto';
import type { Table } from '../../plan/rows/table.ts';
import { changesTable, horizonView, pruneState, watchedTable } from '../changes/tables.ts';
import type { ChangeDdl } from '../sql/ddl.ts';
import { quote, quoteText } from '../sql/names.ts';
import { toPostgresError } from './errors.ts';

const log = quote(changesTable.name);
/** Before it, everything on the server has ended. */
const ended = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';
/** From it on, nothing on the server has ended. */
const xmax = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';
/** Transactions that are known to be of other databases, which write nothing here. */
const elsewhere = `SELECT l.transactionid FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted AND a.datid <> (SELECT oid FROM pg_database WHERE datname = current_database()) UNION ALL SELECT transaction FROM pg_prepared_xacts WHERE database <> current_database()`;
/** Before it, everything in this database has ended. One that has begun or ended a moment ago, and cannot be found, may have been of this one. */
const horizon = `(SELECT coalesce(min(x::text::bigint), ${xmax}) FROM pg_snapshot_xip(pg_current_snapshot()) AS x WHERE NOT EXISTS (SELECT 1 FROM (${elsewhere}) AS e(id) WHERE e.id = x::xid))`;
const text = 'text COLLATE "C"';
const begin = ['BEGIN', `SET LOCAL lock_timeout = '5s'`];

export const postgresChanges: ChangeDdl = {
  format: '3',
  // Two who make it at once wait for each other. Whoever writes waits while a trigger waits for others who write.
  begin: [...begin, 'SELECT pg_advisory_xact_lock(7040305117)'],
  beginTable: (table) => [
    ...begin,
    'SELECT pg_advisory_xact_lock_shared(7040305117)',
    `SELECT pg_advisory_xact_lock(70403, ${digestOf(table).readInt32BE()})`,
  ],
  createLog: [
    `CREATE TABLE IF NOT EXISTS ${log} ("tx" bigint NOT NULL, "seq" bigint GENERATED ALWAYS AS IDENTITY, "at" bigint NOT NULL, "source" ${text} NOT NULL, "before" ${text}, "after" ${text}, "old_key" ${text}, "new_key" ${text}, PRIMARY KEY ("tx", "seq"))`,
    // Whose transactions are under way is only asked where a change waits for them.
    `CREATE OR REPLACE VIEW ${quote(horizonView.name)} AS SELECT CASE WHEN EXISTS (SELECT 1 FROM ${log} WHERE "tx" >= ${ended}) THEN ${horizon} ELSE ${ended} END AS "tx"`,
    `CREATE TABLE IF NOT EXISTS ${quote(watchedTable)} ("source" ${text} PRIMARY KEY, "generation" text NOT NULL, "last" bigint NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${quote(pruneState)} ("id" integer PRIMARY KEY, "tx" bigint NOT NULL, "seq" bigint NOT NULL)`,
    `INSERT INTO ${quote(pruneState)} ("id", "tx", "seq") VALUES (1, 0, 0) ON CONFLICT DO NOTHING`,
  ],
  dropLog: [
    // The other one is of earlier versions.
    ...[horizonView.name, '__platform_changes_sure'].map((each) => `DROP VIEW IF EXISTS ${quote(each)}`),
    ...[changesTable.name, watchedTable, pruneState].map((each) => `DROP TABLE ${quote(each)}`),
  ],
  createTriggers(table, hidden) {
    const name = quote(functionName(table.name));
    return [
      `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS ${quoteText(bodyOf(table, hidden))}`,
      `CREATE TRIGGER ${name} AFTER INSERT OR UPDATE OR DELETE ON ${quote(table.name)} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
    ];
  },
  dropTriggers: (table) => [
    `DROP TRIGGER IF EXISTS ${quote(functionName(table))} ON ${quote(table)}`,
    `DROP FUNCTION IF EXISTS ${quote(functionName(table))}()`,
  ],
  async origin(executor) {
    const [readable] = await executor.rows(`SELECT has_function_privilege('pg_catalog.pg_control_system()', 'execute') AS yes`);
    const [server] = readable?.['yes'] === true ? await executor.rows('SELECT system_identifier::text AS id FROM pg_control_system()') : [];
    // One that is put back into the same server has another number.
    const [table] = await executor.rows(`SELECT ${quoteText(log)}::regclass::oid::text AS id`);
    return `${String(server?.['id'] ?? '')}.${String(table?.['id'] ?? '')}`;
  },
  ahead: `SELECT 1 AS n FROM ${log} WHERE "tx" >= ${xmax} LIMIT 1`,
  // Asked once: another answer a moment later would leave out what lies between the two.
  head: `SELECT coalesce(c."tx", h.tx) AS tx, coalesce(c."seq", 0) AS seq, coalesce(c."at", 0) AS at FROM (SELECT ${horizon} AS tx OFFSET 0) AS h LEFT JOIN LATERAL (SELECT "tx", "seq", "at" FROM ${log} WHERE "tx" < h.tx ORDER BY "tx" DESC, "seq" DESC LIMIT 1) AS c ON true`,
  end: `SELECT ${xmax} AS tx, 0 AS seq`,
  failure: (thrown) => toPostgresError(thrown, { kind: undefined, constraints: new Map() }),
};

/** As long as a name may be, whatever the table is called. */
function functionName(table: string): string {
  return `__platform_changes_${digestOf(table).toString('hex').slice(0, 16)}`;
}

function digestOf(table: string): Buffer {
  return createHash('sha256').update(table).digest();
}

function bodyOf(table: Table, hidden: ReadonlySet<string>): string {
  const values = (row: 'OLD' | 'NEW'): readonly [image: string, key: string] => [
    `json_build_array(${table.columns.map(({ name }) => (hidden.has(name) ? 'NULL' : `${row}.${quote(name)}::text`)).join(', ')})::text`,
    table.primaryKey.map((each) => `${row}.${quote(each)}::text`).join(' || chr(1) || '),
  ];
  const [[before, oldKey], [after, newKey]] = [values('OLD'), values('NEW')];
  const insert = (images: readonly string[]): string =>
    `INSERT INTO ${log} ("tx", "at", "source", "before", "after", "old_key", "new_key") VALUES (pg_current_xact_id()::text::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, ${quoteText(table.name)}, ${images.join(', ')});`;
  return `BEGIN
  IF TG_OP = 'INSERT' THEN ${insert(['NULL', after, 'NULL', newKey])}
  ELSIF TG_OP = 'UPDATE' THEN ${insert([before, after, oldKey, newKey])}
  ELSE ${insert([before, 'NULL', oldKey, 'NULL'])}
  END IF;
  RETURN NULL;
END`;
}
