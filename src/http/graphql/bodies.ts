// Inputs of mutations → the bodies that the engine takes: attributes by their names in the model, related instances under the names of relationships.

import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { Value } from '../../values/value.ts';
import { attributeOf } from './names.ts';
import { relatedFields } from './relationships.ts';
import { entries } from './where.ts';

export function bodyOf(plan: EntityPlan | LinkPlan, input: Value): Value {
  const related = plan.kind === 'entity' ? relatedFields(plan, () => true) : new Map();
  return Object.fromEntries(
    entries(input).map(([name, value]) => {
      if (name === '_parent') return ['@parent', value];
      const found = related.get(name);
      if (found === undefined || plan.kind === 'link') return [attributeOf(name, plan), value];
      const inside = Array.isArray(value) ? value.map((each) => bodyOf(found.way.target, each)) : value;
      return [segmentOf(plan, found.way), inside];
    }),
  );
}

/** The name that bodies have for a way: that of the relationship, which may need its module. */
function segmentOf(plan: EntityPlan, way: unknown): string {
  for (const [name, steps] of plan.steps) if (steps.some((each) => each === way)) return name;
  throw new Error('a relationship has a name');
}
