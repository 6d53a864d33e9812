// The inside of the thread that hashes.

import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type HashingHere, hashingHere } from '../../../secrets.ts';
import type { HashAnswer, HashWork } from './hash-messages.ts';

/** The file that a thread is started with: this one, in whatever it is bundled. */
export const threadFile: string = import.meta.url;

if (!isMainThread && parentPort !== null && isStart(workerData)) serve(parentPort);

function isStart(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'hashing';
}

function serve(port: MessagePort): void {
  const here = hashingHere();
  port.on('message', async (work: HashWork) => port.postMessage(await answerTo(work, here)));
}

async function answerTo(work: HashWork, here: Promise<HashingHere>): Promise<HashAnswer> {
  try {
    const { hash, verify } = await here;
    if (work.kind === 'hash') return { kind: 'hashed', hash: hash(work.secret, work.cost) };
    return { kind: 'verified', isSame: verify(work.hash, work.secret) };
  } catch (thrown) {
    return { kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
