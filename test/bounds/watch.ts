// How long others wait while a service is attacked.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Service } from './service.ts';

export interface Waits {
  /** Milliseconds of each answer, the shortest first. */
  readonly times: readonly number[];
  /** Milliseconds for which the main thread of the service worked meanwhile: the same on a busy machine. Zero where the system does not say. */
  readonly work: readonly number[];
  /** Milliseconds for which it waited for a processor meanwhile, which other programs had. */
  readonly delays: readonly number[];
  /** What was said other than 200. */
  readonly others: readonly unknown[];
}

export interface Watch {
  stop(): Promise<Waits>;
}

/** So many callers ask for the targets in turn, each on one connection, with a pause of some milliseconds behind each answer. */
export function watch({ port, pid }: Service, targets: readonly string[], pause: number, callers = 1): Watch {
  const asked = JSON.stringify({ port, pid, targets, pause, callers });
  const caller = fork(fileURLToPath(new URL('./honest-client.js', import.meta.url)), [asked], { execArgv: [] });
  const said = new Promise<Waits>((resolve, reject) => {
    caller.once('message', ({ times, work, delays, others }: Waits) =>
      resolve({ times: sorted(times), work: sorted(work), delays: sorted(delays), others }),
    );
    caller.once('error', reject).once('exit', (code) => reject(new Error(`The caller ended with ${code}.`)));
  });
  return {
    stop: async () => {
      caller.send('stop');
      return said;
    },
  };
}

function sorted(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((a, b) => a - b);
}

/** The longest, or that of 99 in 100. */
export function longest(times: readonly number[], share = 1): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}
