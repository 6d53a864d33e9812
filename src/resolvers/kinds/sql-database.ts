// The database of a resolver of type `sql`: a pool of its own on a PostgreSQL server, or a file of SQLite. It is opened with the first question.

import { resolve } from 'node:path';
import { PlatformError } from '../../errors.ts';
import { PostgresPool } from '../../store/postgres/pool.ts';
import { connectPostgres, type PostgresSettings } from '../../store/postgres/session.ts';
import { findDriver, type OpenDatabase } from '../../store/sqlite/driver.ts';
import { errorCodeOf } from '../../store/sqlite/errors.ts';
import { StartRefused } from '../../store/store.ts';

export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlDatabase {
  readonly kind: 'postgres' | 'sqlite';
  /** Values are always parameters: `?` on SQLite, `$1` on PostgreSQL. */
  rows(sql: string, values: readonly unknown[]): Promise<readonly SqlRow[]>;
  close(): Promise<void>;
}

/** Connections, and seconds that a statement may take. */
const size = 5;
const patience = 30;

export function serverDatabase(url: string): SqlDatabase {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const decoded = (part: string): string => {
    const text = decodedText(part);
    if (text === undefined)
      throw new StartRefused('The address of the database of a resolver has a % that is followed by no two hexadecimal digits.');
    return text;
  };
  const mode = searchParams.get('sslmode');
  const settings: PostgresSettings = {
    type: 'postgres',
    host: decoded(hostname),
    port: port === '' ? 5432 : Number(port),
    username: decoded(username),
    password: decoded(password),
    dbname: decoded(pathname.slice(1)),
    pool: size,
    prepare: false,
    statementTimeout: patience,
    lockTimeout: patience,
    ssl: mode === 'verify-full' || mode === 'verify-ca' ? 'verify' : mode === 'require' ? 'require' : 'off',
    listen: false,
    ca: undefined,
  };
  let pool: PostgresPool | undefined;
  return {
    kind: 'postgres',
    async rows(sql, values) {
      pool ??= new PostgresPool({ size, patience, connect: () => connectPostgres(settings, 'platform resolver') });
      const session = await pool.acquire();
      try {
        return await session.executor().rows(sql, values.map(asParameter));
      } finally {
        pool.release(session);
      }
    },
    close: async () => pool?.close(),
  };
}

/** A value that the other database cannot hold or compare is the caller's, and no failure of that database. */
export function isOfValues(thrown: unknown): boolean {
  return /^2[23]/.test(stateOf(thrown)) || constraintOf(thrown) !== undefined;
}

/** What a caller is told of it, without its text. */
export function refusalOf(thrown: unknown): unknown {
  if (!isOfValues(thrown)) return thrown;
  const isTaken = stateOf(thrown) === '23505' || taken.has(constraintOf(thrown) ?? 0);
  const text = isTaken ? 'There is already an instance with this value.' : 'The other database does not take these values.';
  return Object.assign(new Error(text, { cause: thrown }), { status: isTaken ? 409 : 422 });
}

/** Of SQLite: a primary key, a unique column. */
const taken: ReadonlySet<number> = new Set([1555, 2067]);

function stateOf(thrown: unknown): string {
  const cause = thrown instanceof PlatformError ? thrown.cause : thrown;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && cause.code.length === 5 ? cause.code : '';
}

function constraintOf(thrown: unknown): number | undefined {
  const code = errorCodeOf(thrown);
  return code !== undefined && (code & 0xff) === 19 ? code : undefined;
}

/** Nothing for what is no encoding of a text. */
function decodedText(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Milliseconds that another process may hold the file: nobody here does anything meanwhile. */
const longestLock = 500;

export function fileDatabase(file: string, folder: string): SqlDatabase {
  let database: OpenDatabase | undefined;
  return {
    kind: 'sqlite',
    async rows(sql, values) {
      database ??= new (findDriver().DatabaseSync)(resolve(folder, file), { timeout: longestLock });
      return database.prepare(sql).all(...values.map((each) => (typeof each === 'boolean' ? Number(each) : each)));
    },
    close: async () => database?.close(),
  };
}

function asParameter(value: unknown): string | number | null {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  return String(value);
}
