// Agents that name other agents: those that they may ask, and those that they are under another name.

import type { Span } from '../../../source.ts';
import type { Agent, TypeName } from '../../model.ts';
import type { Expression } from '../../pattern.ts';
import { writtenName } from '../logic/literals.ts';
import { type AgentEntry, type Linking, qualified } from '../scope.ts';
import { nameList } from './agent-fields.ts';

export function withOthers(agents: ReadonlyMap<TypeName, Agent>, linking: Linking): ReadonlyMap<TypeName, Agent> {
  const entries = [...linking.scope.entries.values()].flatMap((each) => (each.kind === 'agent' ? [each] : []));
  const names = namesOf(entries);
  const asking = new Map(agents);
  for (const entry of entries) {
    const agent = agents.get(entry.name);
    const value = fieldOf('delegates', entry);
    const delegates = (value === undefined ? undefined : nameList(value)) ?? [];
    const found = delegates.flatMap(({ text, span }) => agentCalled(text, span, entry.module, names, linking) ?? []);
    if (agent !== undefined && found.length > 0) asking.set(entry.name, { ...agent, delegates: found });
  }
  return new Map([...asking].map(([name, agent]) => [name, extended(agent, entries, asking, names, linking)]));
}

type Names = ReadonlyMap<string, TypeName>;

/** By what they are called inside of their module, also where they are posted to under another name. */
function namesOf(entries: readonly AgentEntry[]): Names {
  return new Map(
    entries.flatMap(({ name, module, local, declaration: { alias } }) => [
      ...(alias === undefined ? [] : [[`${module}/${alias}`, name] as const]),
      [`${module}/${local}`, name] as const,
    ]),
  );
}

function fieldOf(field: string, { declaration }: AgentEntry): Expression | undefined {
  return declaration.fields.find(({ name }) => name.text === field)?.value;
}

function extended(
  agent: Agent,
  entries: readonly AgentEntry[],
  agents: ReadonlyMap<TypeName, Agent>,
  names: Names,
  linking: Linking,
): Agent {
  const entry = entries.find((each) => each.name === agent.name);
  const value = entry === undefined ? undefined : fieldOf('extends', entry);
  const text = writtenName(value);
  if (value === undefined || text === undefined) return agent;
  const other = agentCalled(text, value.span, agent.module, names, linking);
  const base = other === undefined ? undefined : agents.get(other);
  if (base === undefined) return agent;
  const { name, module, local, span, isPublic, isEarlier, rbac = base.rbac, instruction = base.instruction } = agent;
  return { ...base, name, module, local, span, isPublic, isEarlier, rbac, instruction };
}

function agentCalled(text: string, span: Span, module: string, names: Names, { report }: Linking): TypeName | undefined {
  const found = names.get(qualified(text, module));
  if (found === undefined) report.unknown('name-unknown', span, `there is no agent \`${text}\``, qualified(text, module), names.keys());
  return found;
}
