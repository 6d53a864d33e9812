// What an operator wants to know of a store itself: its version, its size, and which processes serve from it.

import type { StoreSettings } from './open.ts';
import { listenerName } from './postgres/postgres.ts';
import type { SchemaSession } from './sql/ddl.ts';

export interface StoreFigures {
  readonly version: string;
  readonly bytes: number;
  /** Absent where the store belongs to one process. */
  readonly instances: readonly ServingInstance[] | undefined;
}

export interface ServingInstance {
  readonly id: string;
  readonly since: string;
  /** As the server sees it; null where it is on the same machine. */
  readonly address: string | null;
}

const statements = {
  sqlite: 'SELECT sqlite_version() AS version, page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  postgres: `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
} as const;

/** Processes that serve have a connection that listens, which goes by its name. */
const listeners = `SELECT application_name AS name, to_json(backend_start AT TIME ZONE 'UTC') #>> '{}' AS since, host(client_addr) AS address
FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1 ORDER BY backend_start, application_name LIMIT 1000`;

export async function storeFigures({ executor }: SchemaSession, type: StoreSettings['type']): Promise<StoreFigures> {
  const [row] = await executor.rows(statements[type]);
  const found = type === 'postgres' ? await executor.rows(listeners, [`${listenerName} %`]) : undefined;
  const instances = found?.map(({ name, since, address }) => ({
    id: String(name).slice(listenerName.length + 1),
    since: `${String(since)}Z`,
    address: typeof address === 'string' ? address : null,
  }));
  return { version: String(row?.['version'] ?? ''), bytes: Number(row?.['bytes'] ?? 0), instances };
}
