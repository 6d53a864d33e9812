// What an application does with each new user: its dataflow on `PostSignUp`, under either name, run as the system.

import { perform } from '../engine/execute.ts';
import type { WriteContext } from '../engine/operation.ts';
import { error } from '../errors.ts';
import { wholeEffects } from '../plan/flow/effects.ts';
import type { Plan } from '../plan/plan.ts';
import { objectOf } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';

type Details = Readonly<Record<string, Value>>;

/** What the attributes of the event are called under each of its names, and those of the user in it. */
const forms = [
  { event: 'platform.auth/PostSignUp', named: (name: string) => name },
  { event: 'Platform.Kernel.Identity/PostSignUp', named: (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}` },
] as const;

function attached({ dataflows }: Plan): readonly (typeof forms)[number][] {
  return forms.filter(({ event }) => dataflows.flows.has(event));
}

/** Whether it waits for something outside the store. */
export function postSignUpWaits({ dataflows }: Plan): boolean {
  return forms.some(({ event }) => {
    const flow = dataflows.flows.get(event);
    return flow !== undefined && wholeEffects(flow, dataflows).waits;
  });
}

/** What it gives back; of a user, all that was sent but the password. */
export async function postSignUp(user: Details, writing: WriteContext): Promise<Value> {
  let result: Value = null;
  for (const { event, named } of attached(writing.plan)) {
    const target = writing.plan.model.events.get(event);
    if (target === undefined) throw error('not-available');
    const fields = objectOf(Object.entries(user).map(([name, value]) => [named(name), value]));
    const request = objectOf([[named('user'), fields]]);
    const body = objectOf([
      [named('signupRequest'), request],
      [named('signupResult'), fields],
    ]);
    const done = await perform({ kind: 'invoke', target, body }, writing);
    if (done.kind === 'outcome') result = done.outcome.value;
  }
  return result;
}
