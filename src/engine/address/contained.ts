// The contains relationships below an entity, as deletes and trees go through them.

import type { ContainsPlan, EntityPlan } from '../../plan/plan.ts';

/** Every contains relationship at or below an entity. */
export function reachable(plan: EntityPlan): readonly ContainsPlan[] {
  const found = new Set<ContainsPlan>();
  const visit = (entity: EntityPlan): void => {
    for (const contains of entity.children) {
      if (found.has(contains)) continue;
      found.add(contains);
      visit(contains.child);
    }
  };
  visit(plan);
  return [...found];
}

/** Every type below, none before a type that it contains or that refers to it. */
export function deepestFirst(contained: readonly ContainsPlan[]): readonly EntityPlan[] {
  const types = new Set(contained.map((each) => each.child));
  const visited = new Set<EntityPlan>();
  const ordered: EntityPlan[] = [];
  const visit = (entity: EntityPlan): void => {
    if (visited.has(entity)) return;
    visited.add(entity);
    for (const other of types) if (pointsAt(other, entity)) visit(other);
    ordered.push(entity);
  };
  for (const entity of types) visit(entity);
  return ordered;
}

function pointsAt(entity: EntityPlan, other: EntityPlan): boolean {
  return (
    entity.parents.some(({ parent }) => parent === other) || entity.attributes.some(({ attribute }) => attribute.ref?.entity === other.type)
  );
}
