// Requests that are sent at the same time are answered as if they came one after the other: finds in which order.

import type { Random } from '../random.ts';
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

/** The state behind all of them, in an order in which each is answered as it was, and that is what is seen behind them. */
export function inSomeOrder(state: State, answered: readonly Answered[], seen: readonly Answered[], same: Same, random: Random): Found {
  let found = search(state, answered, same, { left: 5000 });
  // Of two that write the same, answers do not tell which came last.
  for (let tries = 0; tries < 300 && found.left.length === 0; tries++) {
    const end = found.state;
    if (seen.every((each) => after(each, end, same) !== undefined)) return found;
    const order = answered.map((each) => ({ each, at: random.next() })).sort((one, other) => one.at - other.at);
    found = search(
      state,
      order.map(({ each }) => each),
      same,
      { left: 5000 },
    );
  }
  return found.left.length > 0 ? found : { ...found, left: seen.filter((each) => after(each, found.state, same) === undefined) };
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
