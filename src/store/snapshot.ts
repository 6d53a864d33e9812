// One state of the data for as long as it is read: what copies and exports see, without disturbing a service that runs.

import type { Clock } from '../clock.ts';
import { openStore, type StoreSettings } from './open.ts';
import { readSqliteSnapshot } from './sqlite-snapshot.ts';
import type { Reader } from './store.ts';

export async function readSnapshot<T>(settings: StoreSettings, clock: Clock, work: (reader: Reader) => Promise<T>): Promise<T> {
  if (settings.type === 'sqlite') return readSqliteSnapshot(settings.file, work);
  const store = openStore(settings, clock);
  try {
    return await store.read(work, { consistent: true });
  } finally {
    await store.close();
  }
}
