// Which relationships of an entity are fields, and what they are called.

import type { EntityPlan } from '../../plan/plan.ts';
import { isToOne, parentWays, type RelatedWay } from '../../plan/query/related.ts';
import { isSpellable } from './names.ts';

export interface RelatedField {
  readonly way: RelatedWay;
  readonly isSingle: boolean;
}

/** By the name of the relationship, or by the role of its other end; two of one name get both. */
export function relatedFields(plan: EntityPlan, isServed: (plan: EntityPlan) => boolean): ReadonlyMap<string, RelatedField> {
  const ways = waysOf(plan).filter(({ way }) => isServed(way.target));
  const count = (name: string): number => ways.filter((each) => nameOf(each) === name).length;
  return new Map(
    ways.flatMap((each) => {
      const name = nameOf(each);
      const isClear = count(name) === 1 && !plan.attribute.has(name);
      const field = isClear ? name : `${each.relationship}_${each.role ?? each.way.target.local}`;
      return isSpellable(field) ? [[field, { way: each.way, isSingle: isToOne(each.way) }] as const] : [];
    }),
  );
}

interface NamedWay {
  readonly relationship: string;
  readonly role: string | undefined;
  readonly way: RelatedWay;
}

function nameOf({ relationship, role }: NamedWay): string {
  return role ?? relationship;
}

function waysOf(plan: EntityPlan): readonly NamedWay[] {
  const steps = new Set([...plan.steps.values()].flat());
  const down = [...steps].map((way): NamedWay => {
    if (way.kind === 'contains') return { relationship: way.contains.contains.local, role: way.contains.contains.childRole, way };
    const { attribute, entity } = way.to;
    return { relationship: way.link.local, role: attribute === entity.local ? undefined : attribute, way };
  });
  const up = parentWays(plan).map(([, way]): NamedWay => {
    const contains = way.kind === 'parent' ? way.contains.contains : undefined;
    return { relationship: contains?.local ?? '', role: contains?.parentRole, way };
  });
  return [...down, ...up];
}
