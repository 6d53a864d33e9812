// Agents that name other agents: those that they may ask, and those that they are under another name.

import type { Span } from '../../../source.ts';
import { writtenName } from '../../literals.ts';
import type { Agent, TypeName } from '../../model.ts';
import type { Expression } from '../../pattern.ts';
import { type AgentEntry, type Linking, qualified } from '../scope.ts';
import { nameList } from './agent-fields.ts';

export function withOthers(agents: ReadonlyMap<TypeName, Agent>, linking: Linking): ReadonlyMap<TypeName, Agent> {
  const entries = [...linking.scope.entries.values()].flatMap((each) => (each.kind === 'agent' ? [each] : []));
  const names = namesOf(entries);
  const asked = new Map(entries.map((entry) => [entry.name, delegatesOf(entry, names, linking)]));
  const asking = new Map(
    [...agents].map(([name, agent]) => [name, { ...agent, delegates: (asked.get(name) ?? []).map((each) => each.name) }]),
  );
  const bases = new Map(entries.flatMap((entry) => basesOf(entry, names, linking)));
  const whole = new Map([...asking].map(([name, agent]) => [name, extended(agent, bases, asking, linking)]));
  for (const { name, text, span } of [...asked.values()].flat())
    if (whole.get(name)?.flow !== undefined)
      linking.report.fault('agent-field-type', span, `an agent with a flow cannot be a delegate: \`${text}\` has one`);
  return whole;
}

interface OtherAgent {
  readonly name: TypeName;
  /** As it is written. */
  readonly text: string;
  readonly span: Span;
}

function delegatesOf(entry: AgentEntry, names: Names, linking: Linking): readonly OtherAgent[] {
  const value = fieldOf('delegates', entry);
  const written = (value === undefined ? undefined : nameList(value)) ?? [];
  return written.flatMap(({ text, span }) => agentCalled(text, span, entry.module, names, linking) ?? []);
}

/** By the name of the agent that extends it. */
type Bases = ReadonlyMap<TypeName, OtherAgent>;

function basesOf(entry: AgentEntry, names: Names, linking: Linking): readonly (readonly [TypeName, OtherAgent])[] {
  const value = fieldOf('extends', entry);
  const text = writtenName(value);
  const base = value === undefined || text === undefined ? undefined : agentCalled(text, value.span, entry.module, names, linking);
  return base === undefined ? [] : [[entry.name, base]];
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

/** What an agent extends may itself extend another. */
function extended(agent: Agent, bases: Bases, agents: ReadonlyMap<TypeName, Agent>, { report }: Linking): Agent {
  const above = new Map<TypeName, Agent>();
  for (let base = bases.get(agent.name); base !== undefined && !above.has(base.name); base = bases.get(base.name)) {
    if (base.name === agent.name) {
      report.fault('extends-cycle', agent.span, `\`${agent.local}\` extends itself`);
      return agent;
    }
    const found = agents.get(base.name);
    if (found !== undefined) above.set(base.name, found);
  }
  return [agent, ...above.values()].reduceRight(over);
}

function over(base: Agent, agent: Agent): Agent {
  const { name, module, local, span, isPublic, isEarlier, rbac = base.rbac, instruction = base.instruction } = agent;
  return { ...base, name, module, local, span, isPublic, isEarlier, rbac, instruction };
}

function agentCalled(text: string, span: Span, module: string, names: Names, { report }: Linking): OtherAgent | undefined {
  const name = names.get(qualified(text, module));
  if (name !== undefined) return { name, text, span };
  report.unknown('name-unknown', span, `there is no agent \`${text}\``, qualified(text, module), names.keys());
  return undefined;
}
