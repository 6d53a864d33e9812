// In charge of which rows go with a deleted instance: what it contains, what refers to it to go with it, and the links of all of them.

import type { TypeName } from '../../model/model.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan.ts';
import { equal } from '../query/condition.ts';
import type { Select } from '../query/shape.ts';

/** Rows of `plan` whose `column` holds the value that the attribute `target` of an instance has are deleted with that instance. */
export interface Referrer {
  readonly plan: EntityPlan | LinkPlan;
  readonly column: string;
  readonly target: string;
  /** By that value: their keys. */
  readonly keys: Select;
}

type Stored = Pick<Plan, 'entities' | 'links'>;

/** The types that lose rows when an instance is deleted; its own comes first. */
export function typesGone(plan: EntityPlan | LinkPlan, stored: Stored): readonly TypeName[] {
  return cascadedPlans(plan, stored).map((each) => each.type);
}

export function cascadedPlans(plan: EntityPlan | LinkPlan, stored: Stored): readonly (EntityPlan | LinkPlan)[] {
  const gone = new Set([plan]);
  // A set goes on with what is added to it on the way.
  for (const each of gone) {
    if (each.kind === 'link') continue;
    for (const { child } of each.children) gone.add(child);
    for (const referrer of referrersOf(each, stored)) gone.add(referrer.plan);
    for (const link of stored.links.values()) if (link.ends.some((end) => end.entity === each)) gone.add(link);
  }
  return [...gone];
}

const referrers = new WeakMap<EntityPlan, readonly Referrer[]>();

/** `@ref(E.a) @cascade`: found out once for each entity. */
export function referrersOf(entity: EntityPlan, { entities, links }: Stored): readonly Referrer[] {
  let known = referrers.get(entity);
  if (known === undefined) {
    known = [...entities.values(), ...links.values()].flatMap((plan) => referrersIn(plan, entity));
    referrers.set(entity, known);
  }
  return known;
}

function referrersIn(plan: EntityPlan | LinkPlan, entity: EntityPlan): readonly Referrer[] {
  return plan.attributes.flatMap(({ attribute, column }) => {
    const { ref } = attribute;
    if (ref?.entity !== entity.type || ref.cascade !== true) return [];
    // Only what the store itself holds together goes together.
    const isKept = plan.table.foreignKeys.some((each) => each.columns[0] === column && each.table === entity.table.name);
    const keys: Select = { ...plan.shapes.exists, output: { fields: [], columns: [plan.key] }, where: equal(column) };
    return isKept ? [{ plan, column, target: ref.attribute, keys }] : [];
  });
}
