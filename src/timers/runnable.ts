// What a timer can run: an event of the model, or an agent.

import type { Agent, EventType, Model, TypeName } from '../model/model.ts';

/** Internal ones are run where the model itself names them. */
export function runnable(name: TypeName, { events, agents }: Model, isOfModel: boolean): EventType | Agent | undefined {
  const event = events.get(name);
  // What the service does itself is reached only at paths of its own.
  const found = event?.system === undefined ? (event ?? agents.get(name)) : undefined;
  return found?.isInternal === true && !isOfModel ? undefined : found;
}
