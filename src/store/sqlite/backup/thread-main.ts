// The inside of a thread that makes one backup: copying and checking take as long as the database is large, and nobody waits for them.

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import { backupSqlite } from './backup.ts';

/** The file that a thread is started with: this one, in whatever it is bundled. */
export const threadFile: string = import.meta.url;

export interface BackupStart {
  readonly backupOf: string;
  readonly target: string;
}

export type BackupAnswer = { readonly bytes: number } | { readonly failure: string };

if (!isMainThread && parentPort !== null && isBackupStart(workerData)) {
  const port = parentPort;
  const { backupOf, target } = workerData;
  backupSqlite(backupOf, target, systemClock()).then(
    ({ bytes }) => port.postMessage({ bytes } satisfies BackupAnswer),
    (thrown: unknown) => port.postMessage({ failure: thrown instanceof Error ? thrown.message : String(thrown) } satisfies BackupAnswer),
  );
}

function isBackupStart(data: unknown): data is BackupStart {
  return typeof data === 'object' && data !== null && 'backupOf' in data && 'target' in data;
}
