// Settings → the store they name.

import type { Clock } from '../clock.ts';
import { PostgresStore } from './postgres.ts';
import type { PostgresSettings } from './postgres-session.ts';
import { SqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

export type StoreSettings = SqliteSettings | PostgresSettings;

export interface SqliteSettings {
  readonly type: 'sqlite';
  /** Absolute. */
  readonly file: string;
}

export function openStore(settings: StoreSettings, clock: Clock): Store {
  return settings.type === 'postgres' ? new PostgresStore(settings, clock) : new SqliteStore(settings.file, clock);
}
