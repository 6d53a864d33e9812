// The settings of a store on PostgreSQL: their rows of the table.

import { resolve } from 'node:path';
import type { PostgresSettings } from '../../store/postgres/session.ts';
import { boolean, integer, oneOf, type Setting, text } from '../setting.ts';

export const postgresRows = {
  storeHost: text('store.host', { default: 'localhost', store: 'postgres', description: 'Host of the database server.' }),
  storePort: integer(
    'store.port',
    { min: 1, max: 65_535 },
    { default: 5432, store: 'postgres', description: 'Port of the database server.' },
  ),
  storeUsername: text('store.username', { default: 'postgres', store: 'postgres', description: 'Name to sign in with.' }),
  storePassword: text('store.password', {
    default: 'postgres',
    store: 'postgres',
    description: 'Password to sign in with; the default is for a server on the same machine, and warns elsewhere.',
  }),
  storePool: integer(
    'store.pool',
    { min: 1, max: 1000 },
    { default: 10, store: 'postgres', description: 'Connections that are open at once, at most.' },
  ),
  storePrepare: boolean('store.prepare', {
    default: true,
    store: 'postgres',
    description: 'Whether statements stay prepared on a connection; `false` behind a proxy that cannot keep them.',
  }),
  storeStatementTimeout: integer(
    'store.statementTimeout',
    { min: 0, max: 3600 },
    { default: 10, store: 'postgres', description: 'Seconds until a statement is cut; 0: never.' },
  ),
  storeLockTimeout: integer(
    'store.lockTimeout',
    { min: 0, max: 3600 },
    { default: 5, store: 'postgres', description: 'Seconds until a statement that waits for another transaction is cut; 0: never.' },
  ),
  storeListen: boolean('store.listen', {
    default: true,
    store: 'postgres',
    description: 'Whether a connection listens for migrations by other processes; `false` behind a pooler: they are asked about every 2 s.',
  }),
  storeSsl: oneOf('store.ssl', ['off', 'require', 'verify'], {
    default: 'off',
    store: 'postgres',
    description: 'Whether the connection is encrypted (`require`), and the server has to prove who it is (`verify`).',
  }),
  storeCa: text('store.ca', {
    default: undefined,
    store: 'postgres',
    description: 'PEM file of the authority that signed the certificate of the server, relative to the configuration file.',
    requires: 'store.ssl',
  }),
} as const;

/** What other rows say of it; `base` is where relative paths begin. */
interface PostgresContext {
  readonly dbname: string | undefined;
  readonly memory: number;
  readonly base: string;
}

export function postgresSettings(value: <T>(row: Setting<T>) => T, { dbname, memory, base }: PostgresContext): PostgresSettings {
  const ca = value(postgresRows.storeCa);
  return {
    type: 'postgres',
    host: value(postgresRows.storeHost) ?? 'localhost',
    port: value(postgresRows.storePort),
    username: value(postgresRows.storeUsername) ?? 'postgres',
    password: value(postgresRows.storePassword) ?? 'postgres',
    dbname: dbname ?? 'postgres',
    pool: value(postgresRows.storePool),
    prepare: value(postgresRows.storePrepare),
    statementTimeout: value(postgresRows.storeStatementTimeout),
    lockTimeout: value(postgresRows.storeLockTimeout),
    listen: value(postgresRows.storeListen),
    ssl: value(postgresRows.storeSsl),
    ca: ca === undefined ? undefined : resolve(base, ca),
    memory,
  };
}
