// Time in tests: they wait for what they wait for, never for a number of milliseconds.

import { setTimeout as delay } from 'node:timers/promises';

const interval = 5;

/** What the condition gives as soon as that is neither false nor nothing. It is asked again and again; the time limit of the test ends it. */
export async function until<T>(condition: () => T | Promise<T>): Promise<Exclude<T, false | undefined | null>> {
  for (;;) {
    const found = await condition();
    if (isThere(found)) return found;
    await delay(interval);
  }
}

function isThere<T>(found: T): found is Exclude<T, false | undefined | null> {
  return found !== false && found !== undefined && found !== null;
}

/** For what a test itself does in time: the pace of its calls, the moment at which it kills a process. Never to let something happen. */
export function pause(milliseconds: number): Promise<void> {
  return delay(milliseconds);
}
