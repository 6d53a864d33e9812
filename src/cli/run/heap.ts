// How the heap of the service grows.

import { availableParallelism } from 'node:os';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Bytes of the process from which on it is large, and milliseconds from one look to the next. */
const large = 160 * 1024 * 1024;
const lookInterval = 100;

/** Bytes of both halves of the young generation, which newer runtimes would let grow to four times of that. */
const young = 32 * 1024 * 1024;
/** So many objects are made at most to let it grow at the start. */
const mostHeld = 200_000;

/** Threads of the runtime that mark beside the main one what is still used. */
const markers = 4;

/** By how much of its size the heap grows before everything is collected again, in percent. */
const steps = { small: 150, large: 20 };

/**
 * The young generation takes its full size at the start: fewer collections, and no step of memory after a hundred thousand requests.
 * A large process is collected after small steps: what is left uncollected is memory that other programs do not have. A small one has nothing of that but
 * the work, for which requests wait: what the runtime takes by itself, a third of its size where little is made, is several collections a minute.
 * Where there is no processor for each thread that marks and one for the main thread, that does it by itself in small steps: requests waited for the others for tens
 * of milliseconds.
 */
export function tuneHeap(): void {
  if (availableParallelism() <= markers) setFlagsFromString('--no-concurrent-marking');
  const setYoung = flagSetter('semi-space-growth-factor');
  const setOld = flagSetter('heap-growing-percent');
  const look = (): void => {
    setYoung(Math.max(1, Math.floor(young / youngSize())));
    setOld(process.memoryUsage.rss() > large ? steps.large : steps.small);
  };
  look();
  growYoung();
  look();
  setInterval(look, lookInterval).unref();
}

function flagSetter(name: string): (value: number) => void {
  let known: number | undefined;
  return (value) => {
    if (value !== known) setFlagsFromString(`--${name}=${value}`);
    known = value;
  };
}

/** It grows when it is collected and much of it is still used. Done at once, before what the service makes at its start lets it grow further. */
function growYoung(): void {
  const held: object[] = [];
  for (let count = 1; count < mostHeld; count += 1) {
    held.push({ count });
    if (count % 1000 === 0 && youngSize() >= young) return;
  }
}

/** Where the runtime does not say, as if it had grown. */
function youngSize(): number {
  return getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')?.space_size || young;
}
