// Who sends what a stream was opened with, now: asked once for all streams that were opened alike.

import type { Caller } from '../engine/caller.ts';
import type { Awaitable } from '../store/store.ts';

/** Milliseconds for which an answer holds: a batch of changes is told to all streams of a caller in less. */
const answerTtl = 200;

export class Callers {
  readonly #known = new Map<string, Awaitable<Caller>>();
  #since = 0;

  now({ credentials, stillThere }: { readonly credentials: string; stillThere(): Awaitable<Caller> }): Awaitable<Caller> {
    const now = performance.now();
    if (now - this.#since > answerTtl) {
      this.#known.clear();
      this.#since = now;
    }
    const known = this.#known.get(credentials);
    if (known !== undefined) return known;
    const asked = stillThere();
    this.#known.set(credentials, asked);
    return asked;
  }
}
