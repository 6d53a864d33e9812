// Which relationships of an entity are fields, and what they are called.

import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { type IncludedWay, isToOne, parentWays, type RelatedWay } from '../../plan/query/related.ts';
import { isSpellable } from './names.ts';

export interface RelatedField {
  readonly way: RelatedWay;
  readonly isSingle: boolean;
}

/** By the name of the relationship, or by the role of its other end; two of one name get both. */
export function relatedFields(plan: EntityPlan, isServed: (plan: EntityPlan | LinkPlan) => boolean): ReadonlyMap<string, RelatedField> {
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

/** As the model has them, whether GraphQL can spell them or not. */
export function relationshipNames(plan: EntityPlan): readonly string[] {
  return waysOf(plan).map(nameOf);
}

/** The links themselves, where they hold more than two ends: `<relationship>Links`. */
export function linkFields(plan: EntityPlan, isServed: (plan: EntityPlan | LinkPlan) => boolean): ReadonlyMap<string, IncludedWay> {
  const fields = [...relatedFields(plan, isServed)].flatMap(([, { way }]): readonly (readonly [string, IncludedWay])[] => {
    if (way.kind !== 'link' || !isServed(way.link)) return [];
    const { local, ends } = way.link;
    const isBothWays = ends[0].entity === ends[1].entity;
    return [[`${local}${isBothWays ? `_${way.to.attribute}` : ''}Links`, { kind: 'links', way, target: way.link }]];
  });
  return new Map(fields.filter(([name]) => isSpellable(name) && !plan.attribute.has(name)));
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
