// Who may run an event where no rule says so, and which names of events stand where nobody is asked for that.

import type { Agent, EventType, Model, TypeName } from './model.ts';

/** Why what an event does is not bounded by the rights of whoever runs it; nothing where it is. Without rules such an event is for admins alone. */
export function boundlessBy(
  { name, runAs }: Pick<EventType, 'name' | 'runAs'>,
  { resolvers }: Pick<Model, 'resolvers'>,
): string | undefined {
  if (runAs === 'system') return 'it runs as the system';
  const resolver = [...resolvers.values()].find(
    ({ types, methods, kind }) => types.includes(name) && (methods.eval !== undefined || kind !== undefined),
  );
  return resolver === undefined ? undefined : `the resolver \`${resolver.local}\` answers it`;
}

/** Whether an agent runs it as one of its tools, whoever asks the agent: it is named, and not by its module, and has no rules of its own. */
export function isNamedTool({ name, rbac }: Pick<EventType, 'name' | 'rbac'>, { tools }: Pick<Agent, 'tools'>): boolean {
  return rbac === undefined && tools.includes(name);
}

/** Agents whose tools stand for a rule of an event that has none. */
export function agentsNaming(event: EventType, { agents }: Pick<Model, 'agents'>): readonly TypeName[] {
  return [...agents.values()].filter((each) => isNamedTool(event, each)).map(({ name }) => name);
}
