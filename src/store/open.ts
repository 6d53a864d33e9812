// Settings → the store they name.

import type { Clock } from '../clock.ts';
import { PostgresStore } from './postgres/postgres.ts';
import type { PostgresSettings } from './postgres/session.ts';
import { SqliteStore } from './sqlite/sqlite.ts';
import type { Store } from './store.ts';

export type StoreSettings = SqliteSettings | PostgresSettings;

export interface SqliteSettings {
  readonly type: 'sqlite';
  /** Absolute. */
  readonly file: string;
  /** Seconds that a statement that reads may take. */
  readonly timeout?: number;
  /** Bytes that one request may hold at once. */
  readonly memory?: number;
}

/** `notice` is told in a line what an operator should know while it serves. */
export function openStore(settings: StoreSettings, clock: Clock, notice: (line: string) => void = () => {}): Store {
  return settings.type === 'postgres'
    ? new PostgresStore(settings, clock, notice)
    : new SqliteStore(settings.file, clock, { ...settings, notice });
}
