// Settings → the store they name.

import type { Clock } from '../clock.ts';
import { SqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

export interface StoreSettings {
  readonly type: 'sqlite';
  /** Absolute. */
  readonly file: string;
}

export function openStore(settings: StoreSettings, clock: Clock): Store {
  return new SqliteStore(settings.file, clock);
}
