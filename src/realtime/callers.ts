// Who sends what a stream was opened with, now: asked once for all streams that were opened alike.

import { type Caller, rolesOf, userOf } from '../engine/caller.ts';
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

/** The user, or the address of somebody who is not signed in. */
export function clientOf(caller: Caller, { remote }: { readonly remote: string }): string {
  return userOf(caller) ?? `#${remote}`;
}

export function isSameCaller(one: Caller, other: Caller): boolean {
  const [roles, others] = [rolesOf(one), rolesOf(other)];
  return userOf(one) === userOf(other) && roles.length === others.length && roles.every((each) => others.includes(each));
}
