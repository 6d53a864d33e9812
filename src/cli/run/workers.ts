// `platform run --workers n`: several processes of one service on one port, for stores that processes share; those that die are replaced.

import cluster, { type Worker } from 'node:cluster';
import { createHash } from 'node:crypto';
import type { Terminal } from '../terminal.ts';

/** What a process that was started by another one knows of that. */
export interface Crew {
  /** Speaks for all of them. */
  readonly isFirst: boolean;
  /** The one that leads wants it to end, or is gone. */
  readonly dismissed: Promise<void>;
  /** Whether what it has read is what the one that leads has read. */
  servesAsLed(sources: readonly unknown[]): boolean;
}

/** Absent in the process that leads. */
export function crewOf(): Crew | undefined {
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  const dismissed = new Promise<void>((resolve) => {
    process.once('message', () => resolve()).once('disconnect', () => resolve());
  });
  const led = process.env[fingerprintName];
  return { isFirst: worker.id === 1, dismissed, servesAsLed: (sources) => led === undefined || led === fingerprintOf(sources) };
}

/** What a worker ends with that finds another model than the others serve: it is not replaced, and they go on. */
export const changedCode = 3;

const fingerprintName = 'PLATFORM_WORKER_MODEL';

function fingerprintOf(sources: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(sources)).digest('hex');
}

/** Until a signal comes: the exit code is 0 when all have ended well. One that cannot even start ends the others. */
export async function lead(count: number, sources: readonly unknown[], signal: Promise<void>, terminal: Terminal): Promise<number> {
  const crew = new Set<Worker>();
  const state = { ends: false, code: 0 };
  const finished = new Promise<void>((resolve) => {
    const begin = () => {
      const worker = cluster.fork({ [fingerprintName]: fingerprintOf(sources) });
      const member = { listens: false };
      crew.add(worker);
      worker.once('listening', () => {
        member.listens = true;
      });
      worker.once('exit', (code) => {
        crew.delete(worker);
        if (!state.ends && member.listens) {
          terminal.err(`platform: a worker ended (${code ?? 'by a signal'}); another one takes its place`);
          setTimeout(() => (state.ends ? undefined : begin()), pauseMs);
          return;
        }
        if (code === changedCode && crew.size > 0) return;
        if (code !== 0 && !(state.ends && code === changedCode)) state.code = 1;
        dismiss();
        if (crew.size === 0) resolve();
      });
    };
    const dismiss = () => {
      if (state.ends) return;
      state.ends = true;
      for (const worker of crew) if (worker.isConnected()) worker.send('end');
      if (crew.size === 0) resolve();
    };
    for (let number = 0; number < count; number += 1) begin();
    signal.then(dismiss);
  });
  await finished;
  return state.code;
}

/** So that a service that dies at once, again and again, does not take the whole machine. */
const pauseMs = 200;
