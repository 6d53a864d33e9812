// How the heap of the service grows.

import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Bytes of the process from which on it is large, and milliseconds from one look to the next. */
const large = 160 * 1024 * 1024;
const lookInterval = 100;

/** Threads of the runtime that mark beside the main one what is still used. */
const markers = 4;

/** By how much of its size the heap grows before everything is collected again, in percent. */
const steps = { small: 150, large: 20 };

/**
 * The young generation takes its full size when it first grows: fewer collections, and no step of memory after a hundred thousand requests.
 * A large process is collected after small steps: what is left uncollected is memory that other programs do not have. A small one has nothing of that but
 * the work, for which requests wait: what the runtime takes by itself, a third of its size where little is made, is several collections a minute.
 * Where there is no processor for each thread that marks and one for the main thread, that does it by itself in small steps: requests waited for the others for tens
 * of milliseconds.
 */
export function tuneHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=16');
  if (availableParallelism() <= markers) setFlagsFromString('--no-concurrent-marking');
  let isLarge: boolean | undefined;
  const look = (): void => {
    const now = process.memoryUsage.rss() > large;
    if (now === isLarge) return;
    isLarge = now;
    setFlagsFromString(`--heap-growing-percent=${isLarge ? steps.large : steps.small}`);
  };
  look();
  setInterval(look, lookInterval).unref();
}
