// Databases on the server of the run: each test that asks for one gets its own.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import type { Served } from './app.ts';
import { poolerSettings } from './pooler.ts';
import './postgres-setup.ts';
import { until } from './time.ts';

/** What an application is told of its database. */
export function postgresSettings(dbname: string, more: Partial<PostgresSettings> = {}): PostgresSettings {
  const { port, pooler } = inject('postgres');
  const way = pooler === undefined ? { port } : { port: pooler, ...poolerSettings };
  const own = { type: 'postgres', host: '127.0.0.1', username: 'postgres', password: 'postgres', dbname } as const;
  // Only what a test is about has a short time: on a busy machine everything else may take long.
  return {
    ...own,
    pool: 8,
    prepare: true,
    statementTimeout: 120,
    lockTimeout: 60,
    listen: true,
    ssl: 'off',
    ca: undefined,
    ...way,
    ...more,
  };
}

/** Databases that tests have given back: making one anew takes ten times as long. */
const spare: string[] = [];
/** Those in use, by what they were asked for. */
const inUse = new Map<string, string>();
const prepared = new Set<string>();
/** The tables that a database has, without rows, by their digest; '' for none. */
const tablesIn = new Map<string, string>();

/**
 * The database that goes by a name of the caller's: empty the first time, and the same one until it is given back. With the digest of
 * the tables that are going to be in it, it may have them already.
 */
export async function databaseOf(owner: string, digest = ''): Promise<string> {
  const name = databaseName(owner, digest);
  if (prepared.has(owner)) return name;
  prepared.add(owner);
  const tables = tablesIn.get(name);
  if (tables === undefined) await queryDatabase('postgres', `CREATE DATABASE ${name}${strategy()}`);
  else if (tables !== '' && tables !== digest) await queryDatabase(name, dropTables);
  tablesIn.set(name, '');
  return name;
}

/** What it is called, or is going to be. */
export function databaseName(owner: string, digest = ''): string {
  const known = inUse.get(owner);
  if (known !== undefined) return known;
  const fitting = spare.findIndex((each) => tablesIn.get(each) === digest);
  const [name = `test_${randomUUID().replaceAll('-', '')}`] = spare.splice(Math.max(0, fitting), 1);
  inUse.set(owner, name);
  return name;
}

export async function giveBack(owner: string): Promise<void> {
  const name = inUse.get(owner);
  if (name === undefined) return;
  inUse.delete(owner);
  prepared.delete(owner);
  if (tablesIn.has(name)) tablesIn.set(name, await emptied(name));
  spare.push(name);
}

/** The faster one where nothing is written for a crash; older servers have no other. */
function strategy(): string {
  return Number.parseInt(inject('postgres').version, 10) >= 15 ? ' STRATEGY file_copy' : '';
}

/** Tables that one start has made are kept, without their rows; what was changed since then goes. */
async function emptied(name: string): Promise<string> {
  return connected(name, async (client) => {
    // What the server counts of them, such as deadlocks, it counts when they end. A service that the test has not closed yet may come again.
    await until(async () => {
      await client.query(endOthers);
      return (await client.query(others)).rowCount === 0;
    });
    await client.query(deleteRows);
    // A log of changes, with its triggers, is no part of what a start makes.
    const { rows } = await client.query(
      `SELECT count(*) = 2 AND bool_and(tablename <> '__platform_changes') AS made FROM pg_tables WHERE schemaname = 'public' AND tablename IN ('__platform', '__platform_history', '__platform_changes')`,
    );
    const [state] = rows[0]?.made === true ? (await client.query(stateOf)).rows : [];
    if (state?.migrations === 1) return String(state.digest);
    await client.query(dropTables);
    return '';
  });
}

const others = 'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
const endOthers = `SELECT pg_terminate_backend(pid) FROM (${others}) AS other`;
const dropTables = `${endOthers}; DROP SCHEMA public CASCADE; CREATE SCHEMA public`;
const stateOf = `SELECT "value" AS digest, (SELECT count(*)::int FROM "__platform_history") AS migrations FROM "__platform" WHERE "key" = 'digest'`;
const deleteRows = `DO $$ DECLARE kept record; BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  FOR kept IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('__platform', '__platform_history') LOOP
    EXECUTE format('DELETE FROM %I', kept.tablename);
  END LOOP;
END $$`;

/** One of its own for the test, gone when it ends. */
export async function databaseForTest(): Promise<string> {
  const owner = randomUUID();
  onTestFinished(() => giveBack(owner));
  return databaseOf(owner);
}

/** Since the database was made: it may have served other tests before. */
export async function deadlocksIn({
  kept,
}: {
  readonly kept: { rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> };
}): Promise<number> {
  const [found] = await kept.rows('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
  return Number(found?.['deadlocks']);
}

/** A transaction of another program that has written, or is about to; open until it is ended or the test is. */
export async function otherTransaction({ kept: { settings } }: Pick<Served, 'kept'>, of?: string): Promise<pg.Client> {
  if (settings.type !== 'postgres') throw new Error('the test is about the server');
  const { host, port, username: user, password, dbname } = settings;
  const client = new pg.Client({ host, port, user, password, database: of ?? dbname });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query('SELECT pg_current_xact_id()');
  return client;
}

/** A look at what is kept, past the service. */
export function queryDatabase(dbname: string, sql: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  // Of several statements without values the driver gives a list of results: the last is meant.
  return connected(dbname, async (client) => [await client.query<Record<string, unknown>>(sql, [...values])].flat().at(-1)?.rows ?? []);
}

/** The same on a server of the test's own. */
export async function queryAt(
  { port, dbname }: Pick<PostgresSettings, 'port' | 'dbname'>,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres', database: dbname });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function connected<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ host: '127.0.0.1', port: inject('postgres').port, user: 'postgres', password: 'postgres', database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
