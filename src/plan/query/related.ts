// Where an instance can include others from, by the names of relationships: what it leads to, and the parent that it stands under.

import type { ContainsPlan, EntityPlan, LinkEnd, LinkPlan, LinkWay, Step } from '../plan.ts';
import { segment } from '../rows/keys.ts';
import type { Field, Related } from './shape.ts';

/** A way on, or the way back to a parent. */
export type RelatedWay = Step | { readonly kind: 'parent'; readonly contains: ContainsPlan; readonly target: EntityPlan };

/** What can stand in an answer besides: the links of an instance as they are, and the instance at an end of a link. */
export type IncludedWay =
  | RelatedWay
  | { readonly kind: 'links'; readonly way: LinkWay; readonly target: LinkPlan }
  | { readonly kind: 'end'; readonly end: LinkEnd; readonly target: EntityPlan };

export function wayNamed(plan: EntityPlan | LinkPlan, name: string): RelatedWay | undefined {
  if (plan.kind === 'link' || plan.attribute.has(name)) return undefined;
  return plan.steps.get(name)?.[0] ?? parentNamed(plan, name);
}

/** By the relationship; where a type contains itself that is the way down, and the role of the parent is the way up. */
function parentNamed(plan: EntityPlan, name: string): RelatedWay | undefined {
  const contains = plan.parents.find(({ contains: { local, name: qualified, parentRole }, parent, child }) =>
    parent === child ? parentRole === name : local === name || segment(qualified) === name,
  );
  return contains && { kind: 'parent', contains, target: contains.parent };
}

/** The ways to parents, by the names that answers use. */
export function parentWays(plan: EntityPlan): readonly (readonly [name: string, way: RelatedWay])[] {
  return plan.parents.flatMap(({ contains, parent, child }) => {
    const name = parent === child ? (contains.parentRole ?? '') : contains.local;
    const way = wayNamed(plan, name);
    return way?.kind === 'parent' ? [[name, way] as const] : [];
  });
}

/** Whether a way leads to one instance at the most. */
export function isToOne(way: IncludedWay): boolean {
  if (way.kind === 'parent' || way.kind === 'end') return true;
  if (way.kind === 'links') return isToOne(way.way);
  if (way.kind === 'contains') return false;
  const { cardinality } = way.link.between;
  return cardinality === 'one-one' || (cardinality === 'one-many' && way.from === way.link.ends[1]);
}

/** The related instances as a field of an answer, each with these fields; `key` is the column by which rows of the type are found. */
export function relatedBy(way: IncludedWay, key: string, fields: readonly Field[], withLinks = true): Related {
  const { target } = way;
  const base = { table: target.table, order: [{ column: target.key, descending: false }], single: isToOne(way) };
  if (way.kind === 'parent') {
    return { ...base, output: { fields, columns: [] }, column: target.key, key: way.contains.column, through: undefined };
  }
  const links = { output: { fields, columns: [] }, through: undefined };
  if (way.kind === 'end') return { ...base, ...links, column: target.key, key: way.end.column };
  if (way.kind === 'links') return { ...base, ...links, column: way.way.from.column, key };
  if (way.kind === 'contains') return { ...base, output: { fields, columns: [] }, column: way.contains.column, key, through: undefined };
  const shown = way.field === undefined || !withLinks ? fields : [...fields, way.field];
  const through = { table: way.link.table, from: way.from.column, to: way.to.column };
  return { ...base, output: { fields: shown, columns: [] }, column: target.key, key, through };
}
