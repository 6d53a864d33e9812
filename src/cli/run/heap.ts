// How the heap of the service grows.

import { setFlagsFromString } from 'node:v8';

/** Bytes of the process from which on the heap grows in small steps, and milliseconds from one look to the next. */
const large = 160 * 1024 * 1024;
const lookInterval = 100;

/**
 * The young generation takes its full size when it first grows: fewer collections, and no step of memory after a hundred thousand requests.
 * While the process is large, the next collection of everything comes when the heap has grown by a fifth, not when it is some times as large:
 * what is left uncollected is memory that other programs do not have. A small one has nothing of that but the work.
 */
export function tuneHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=16');
  let isLarge = false;
  const look = (): void => {
    const now = process.memoryUsage.rss() > large;
    if (now === isLarge) return;
    isLarge = now;
    setFlagsFromString(`--heap-growing-percent=${isLarge ? 20 : 0}`);
  };
  setInterval(look, lookInterval).unref();
}
