// What a timer can run: an event of the model, or an agent.

import type { Agent, EventType, Model, TypeName } from '../model/model.ts';

export function runnable(name: TypeName, { events, agents }: Model): EventType | Agent | undefined {
  const event = events.get(name);
  // What the service does itself is reached only at paths of its own.
  return event?.system === undefined ? (event ?? agents.get(name)) : undefined;
}
