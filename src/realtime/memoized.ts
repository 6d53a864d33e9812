// What is asked for many times, and made once.

import type { Awaitable } from '../store/store.ts';

/** Whoever asks for it when it is there does not wait for it. Where it fails, whoever waits is told. */
export function memoized<K, V>(all: Map<K, Awaitable<V>>, key: K, made: Awaitable<V>): Awaitable<V> {
  all.set(key, made);
  if (made instanceof Promise)
    made.then(
      (value) => all.set(key, value),
      () => undefined,
    );
  return made;
}
