// Where an application under test keeps its data: a file in its folder, or a database of its own on the server of the run.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import { execute, rowsOf } from './database.ts';
import { isOnServer } from './form.ts';

export type StoreKind = Settings['store']['type'];

export interface Kept {
  readonly settings: Settings['store'];
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Past the service, which must not have it open. */
  execute(sql: string): Promise<void>;
  /** References that lead nowhere. */
  dangling(): Promise<readonly unknown[]>;
  remove(): Promise<void>;
}

/** The store that this run of the tests is about. */
export function storeOfRun(): StoreKind {
  return isOnServer ? 'postgres' : 'sqlite';
}

/**
 * The same data each time for the same folder; with `stays`, also after the application is closed. `digest` is that of the tables that
 * are going to be made, where it is known.
 */
export async function storeIn(folder: string, kind: StoreKind, stays = false, digest?: () => string): Promise<Kept> {
  if (kind === 'postgres') return onServer(folder, stays, digest?.());
  const file = join(folder, 'data', 'test.db');
  return {
    settings: { type: 'sqlite', file },
    rows: async (sql) => rowsOf(file, sql),
    execute: async (sql) => execute(file, sql),
    dangling: async () => rowsOf(file, 'PRAGMA foreign_key_check'),
    remove: async () => {},
  };
}

/** On a server of the test's own. */
export function storeAt(settings: PostgresSettings): Kept {
  const rows = async (sql: string) => (await import('./postgres.ts')).queryAt(settings, sql);
  return { settings, rows, execute: async (sql) => void (await rows(sql)), dangling: async () => [], remove: async () => {} };
}

async function onServer(folder: string, stays: boolean, digest: string | undefined): Promise<Kept> {
  // Only a run on PostgreSQL has a server, and its driver.
  const { databaseOf, giveBack, postgresSettings, queryDatabase } = await import('./postgres.ts');
  const name = await databaseOf(folder, digest);
  if (stays) onTestFinished(() => giveBack(folder));
  return {
    settings: postgresSettings(name),
    rows: (sql) => queryDatabase(name, sql),
    execute: async (sql) => void (await queryDatabase(name, sql)),
    // The server lets none come about, unless a constraint was added without a look at the rows.
    dangling: () => queryDatabase(name, `SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated`),
    remove: async () => {
      if (!stays) await giveBack(folder);
    },
  };
}
