// In charge of which types lose rows when an instance is deleted: its own, what it contains, the links of all of them.

import type { TypeName } from '../model/model.ts';
import type { EntityPlan, LinkPlan } from './plan.ts';

/** The own type comes first. */
export function typesGone(plan: EntityPlan | LinkPlan, links: Iterable<LinkPlan>): readonly TypeName[] {
  if (plan.kind === 'link') return [plan.type];
  const entities = new Set([plan]);
  // A set goes on with what is added to it on the way.
  for (const entity of entities) for (const { child } of entity.children) entities.add(child);
  const linked = [...links].filter(({ ends }) => ends.some((end) => entities.has(end.entity)));
  return [...entities, ...linked].map((each) => each.type);
}
