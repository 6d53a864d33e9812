// A PostgreSQL for a run of the bench, with a database for each server.

import pg from 'pg';
import { startServer } from '../test/support/postgres-server.ts';
import { type DatabaseServer, serverNames } from './servers.ts';

export interface RunningDatabase {
  readonly server: DatabaseServer;
  readonly version: string;
  stop(): Promise<void>;
}

const account = { username: 'postgres', password: 'postgres' };

export async function startDatabase(): Promise<RunningDatabase> {
  const { port, version, stop } = await startServer();
  await queryDatabase(
    port,
    'postgres',
    serverNames.map((name) => `CREATE DATABASE ${name}`),
  );
  return { server: { port, ...account }, version, stop };
}

export async function queryDatabase(port: number, database: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: account.username, password: account.password, database });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
