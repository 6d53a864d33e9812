// The contains relationships below an entity, as deletes and trees go through them.

import type { ContainsPlan, EntityPlan } from '../plan/plan.ts';

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

/** Every type below, and none before a type that it contains. */
export function deepestFirst(contained: readonly ContainsPlan[]): readonly EntityPlan[] {
  return [...new Set(contained.map((each) => each.child))].sort(
    (first, second) => Number(isAbove(first, second)) - Number(isAbove(second, first)),
  );
}

function isAbove(first: EntityPlan, second: EntityPlan): boolean {
  return first !== second && reachable(first).some((each) => each.child === second);
}
