// A backup that is sent and not kept: made in a thread, read in pieces, and gone from the disk as soon as it is open.

import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { error } from '../../../errors.ts';
import { threadAt } from '../../../threads.ts';
import type { BackupAnswer, BackupStart } from './thread-main.ts';

export interface BackupDownload {
  readonly bytes: number;
  /** To be read to its end, or closed. */
  readonly pieces: AsyncIterable<Buffer>;
}

const pieceSize = 256 * 1024;

export async function downloadSqlite(file: string, clock: Clock): Promise<BackupDownload> {
  const target = `${file}.backup-${clock.uuid()}`;
  const { bytes } = await copied({ backupOf: file, target });
  try {
    const handle = await open(target, 'r');
    // Where an open file cannot be removed, it goes when it has been read.
    await rm(target, { force: true }).catch(() => undefined);
    return { bytes, pieces: piecesOf(handle, target) };
  } catch (thrown) {
    await rm(target, { force: true });
    throw error('store-failed', { detail: 'The backup was made, and cannot be read.' }, thrown);
  }
}

async function copied(start: BackupStart): Promise<{ readonly bytes: number }> {
  const { threadFile } = await import('./thread-main.ts');
  const worker = threadAt(threadFile, { workerData: start, name: 'backup' });
  const answer = await new Promise<BackupAnswer>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', () => resolve({ failure: 'the thread that makes it has ended' }));
  });
  if ('bytes' in answer) return answer;
  // Its sentence names files of this machine, which are for the log.
  const cause = new Error(answer.failure);
  throw (await isFull(dirname(start.target), start.backupOf))
    ? error('store-full', { detail: 'There is no room for the backup beside the database.' }, cause)
    : error('store-failed', { detail: 'The backup could not be made.' }, cause);
}

async function isFull(folder: string, file: string): Promise<boolean> {
  const [{ bavail, bsize }, handle] = await Promise.all([statfs(folder), open(file, 'r')]);
  const { size } = await handle.stat().finally(() => handle.close());
  return bavail * bsize < size;
}

async function* piecesOf(handle: FileHandle, target: string): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(pieceSize), 0, pieceSize);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
    await rm(target, { force: true });
  }
}
