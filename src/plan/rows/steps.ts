// Where a path can go on from an entity: `/Rel/Child`, by bare or qualified names, and by roles.

import type { EntityPlan, LinkPlan, LinkWay, Step } from '../plan.ts';
import { segment } from './keys.ts';
import { linkField } from './link.ts';

/** Relationship segment → the ways on. A self-link has two: to its second role, and back to its first. */
export function stepsOf(entity: EntityPlan, links: Iterable<LinkPlan>): ReadonlyMap<string, readonly Step[]> {
  const result = new Map<string, Step[]>();
  const add = (local: string, qualified: readonly string[], step: Step): void => {
    for (const name of new Set([local, ...qualified.map(segment)])) result.set(name, [...(result.get(name) ?? []), step]);
  };
  for (const contains of entity.children) {
    const { contains: relationship, child } = contains;
    const names = relationship.childRole === undefined ? namesOf(child) : [...namesOf(child), relationship.childRole];
    add(relationship.local, [contains.name, relationship.name], { kind: 'contains', contains, target: child, names });
  }
  for (const link of links) {
    for (const step of linkSteps(entity, link)) add(link.local, [link.type], step);
  }
  // One more name for the same way.
  for (const { name, relationship, ofLink } of entity.entity.extensions) {
    const steps = result.get(segment(relationship));
    if (steps !== undefined && !ofLink && !result.has(name)) result.set(name, steps);
  }
  return result;
}

/** Names for relationships whose values are the links themselves. A self-link goes from its first end. */
export function linkNamesOf(entity: EntityPlan): ReadonlyMap<string, LinkWay> {
  const result = new Map<string, LinkWay>();
  for (const { name, relationship, ofLink } of entity.entity.extensions) {
    const [step] = ofLink ? (entity.steps.get(segment(relationship)) ?? []) : [];
    if (step?.kind === 'link') result.set(name, step);
  }
  return result;
}

function linkSteps(entity: EntityPlan, link: LinkPlan): readonly Step[] {
  const [first, second] = link.ends;
  const forward: Step = {
    kind: 'link',
    link,
    from: first,
    to: second,
    target: second.entity,
    names: [...namesOf(second.entity), second.attribute],
    field: linkField(link, first, second),
  };
  const isSelf = first.entity === second.entity;
  const back: Step = {
    kind: 'link',
    link,
    from: second,
    to: first,
    target: first.entity,
    names: isSelf ? [first.attribute] : [...namesOf(first.entity), first.attribute],
    field: linkField(link, second, first),
  };
  return [...(first.entity === entity ? [forward] : []), ...(second.entity === entity ? [back] : [])];
}

function namesOf(entity: EntityPlan): readonly string[] {
  return [entity.local, segment(entity.type)];
}
