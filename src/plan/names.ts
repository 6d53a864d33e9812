// Names in URLs: module and local name → what stands there.

import type { Entity, EventType, Model, SystemType, TypeName } from '../model/model.ts';
import type { EntityPlan, LinkPlan, Names, Target } from './plan.ts';

export function namesOf(
  model: Model,
  entities: ReadonlyMap<TypeName, EntityPlan>,
  links: ReadonlyMap<TypeName, LinkPlan>,
  surface: SystemType['surface'],
): Names {
  const modules = new Map<string, Map<string, Target>>(model.modules.map((name) => [name, new Map()]));
  const add = (module: string, local: string, target: Target): void => {
    const names = modules.get(module) ?? new Map<string, Target>();
    names.set(local, target);
    modules.set(module, names);
  };
  const isHere = ({ system }: { readonly system?: SystemType }): boolean => system === undefined || system.surface === surface;
  for (const event of model.events.values()) if (isReached(event)) add(event.module, event.local, { kind: 'event', event });
  // Of an agent and a workflow of one name, requests mean the workflow.
  for (const agent of model.agents.values())
    if (agent.isInternal !== true && !model.events.has(`${agent.module}/${agent.local}`))
      add(agent.module, agent.local, { kind: 'agent', agent });
  for (const plan of links.values()) add(plan.between.module, plan.local, { kind: 'link', plan });
  for (const plan of entities.values()) if (isHere(plan.entity)) add(plan.entity.module, plan.local, { kind: 'entity', plan });
  return modules;
}

/** Whether it is the second name of something that is stored under its first. */
export function isOtherName(entity: Entity): entity is Entity & { readonly system: SystemType } {
  return entity.system !== undefined && entity.system.stored !== entity.name;
}

/** Whether anything leads to it from outside: those of the service have paths of their own, or none, and internal ones have none. */
export function isReached({ system, isInternal }: Pick<EventType, 'system' | 'isInternal'>): boolean {
  return system === undefined && isInternal !== true;
}
