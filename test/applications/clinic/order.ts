// Requests that are sent at the same time are answered as if they came one after the other: finds in which order.

import { type Act, perform } from './acts.ts';
import type { Person, State } from './state.ts';

export interface Answered {
  readonly person: Person;
  readonly act: Act;
  readonly status: number;
  readonly body: unknown;
}

/** Whether two answers are the same. */
export type Same = (told: unknown, expected: unknown) => boolean;

export interface Found {
  readonly state: State;
  /** What fits behind that state in no order; nothing where all is well. */
  readonly left: readonly Answered[];
}

/** The state behind all of them, in an order in which each is answered as it was. */
export function inSomeOrder(state: State, answered: readonly Answered[], same: Same): Found {
  const tries = { left: 5000 };
  return search(state, answered, same, tries);
}

function search(state: State, answered: readonly Answered[], same: Same, tries: { left: number }): Found {
  // What changes nothing may as well come first, where it fits.
  const left = answered.filter((each) => {
    const next = after(each, state, same);
    return next !== state;
  });
  if (left.length === 0) return { state, left };
  let furthest: Found = { state, left };
  for (const each of left) {
    const next = after(each, state, same);
    if (next === undefined || tries.left-- <= 0) continue;
    const found = search(
      next,
      left.filter((other) => other !== each),
      same,
      tries,
    );
    if (found.left.length === 0) return found;
    if (found.left.length < furthest.left.length) furthest = found;
  }
  return furthest;
}

/** The state behind a request, if it is answered so in this one. */
function after({ person, act, status, body }: Answered, state: State, same: Same): State | undefined {
  const outcome = perform(person, act, state);
  if (!outcome.statuses.includes(status)) return undefined;
  return status >= 400 || same(body, outcome.answer) ? outcome.state : undefined;
}
