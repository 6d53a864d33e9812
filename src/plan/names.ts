// Names in URLs: module and local name → what stands there.

import type { Model, TypeName } from '../model/model.ts';
import type { EntityPlan, LinkPlan, Target } from './plan.ts';

export function namesOf(
  model: Model,
  entities: ReadonlyMap<TypeName, EntityPlan>,
  links: ReadonlyMap<TypeName, LinkPlan>,
): ReadonlyMap<string, ReadonlyMap<string, Target>> {
  const modules = new Map<string, Map<string, Target>>(model.modules.map((name) => [name, new Map()]));
  const add = (module: string, local: string, target: Target): void => {
    const names = modules.get(module) ?? new Map<string, Target>();
    names.set(local, target);
    modules.set(module, names);
  };
  for (const event of model.events.values()) add(event.module, event.local, { kind: 'event', event });
  for (const agent of model.agents.values()) add(agent.module, agent.local, { kind: 'agent', agent });
  for (const plan of links.values()) add(plan.between.module, plan.local, { kind: 'link', plan });
  for (const plan of entities.values()) add(plan.entity.module, plan.local, { kind: 'entity', plan });
  return modules;
}

/** The name without its module. */
export function localOf(type: TypeName): string {
  return type.slice(type.lastIndexOf('/') + 1);
}
