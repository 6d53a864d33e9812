// What may be made and removed at an instance: what stands in it, and its links. Each is a condition of the instance's own row.

import type { EntityPlan, LinkWay, Step } from '../plan.ts';
import { type Condition, everything, nothing } from '../query/condition.ts';
import type { RowRight } from '../query/shape.ts';
import { type AccessPlan, allOf, anyOf, type Way } from './right.ts';

/** `create <relationship>` of what stands in it, `link <relationship>` and `unlink <relationship>` as far as this end of the link decides it. */
export function relatedRights(plan: EntityPlan, access: Held | undefined): readonly RowRight[] {
  return stepsOf(plan).flatMap((step): readonly RowRight[] => {
    if (step.kind === 'contains') {
      const { name } = step.contains.contains;
      return isMade(step.target) ? [{ operation: `create ${name}`, condition: childCondition(step.target, name, plan, access) }] : [];
    }
    const { type } = step.link;
    return [
      { operation: `link ${type}`, condition: linkCondition('create', step, plan, access) },
      { operation: `unlink ${type}`, condition: linkCondition('delete', step, plan, access) },
    ];
  });
}

/** What a caller has, by type; without access control everybody may. */
interface Held {
  readonly rights: AccessPlan['rights'];
  readonly roles: EntityPlan;
}

function isMade({ readOnly, external }: EntityPlan): boolean {
  return !readOnly && (external === undefined || external.create);
}

function childCondition({ type }: EntityPlan, relationship: string, plan: EntityPlan, access: Held | undefined): Condition {
  if (access === undefined) return everything;
  const isOwned = ownerCondition(plan, access.rights);
  const ways = access.rights.get(type)?.create.ways ?? [];
  return anyOf(ways.map((way) => makingChild(way, relationship, isOwned, access.roles)));
}

function linkCondition(operation: 'create' | 'delete', { link, from }: LinkWay, plan: EntityPlan, access: Held | undefined): Condition {
  if (access === undefined) return everything;
  const isOwned = ownerCondition(plan, access.rights);
  const ways = access.rights.get(link.type)?.[operation].ways ?? [];
  return anyOf(ways.map((way) => ofEnd(way, from.attribute, isOwned, access.roles)));
}

/** Several segments may lead the same way. */
function stepsOf({ steps }: EntityPlan): readonly Step[] {
  const named = [...steps.values()].flat().map((step) => {
    const key = step.kind === 'contains' ? step.contains.contains.name : `${step.link.type} ${step.from.attribute}`;
    return [key, step] as const;
  });
  return [...new Map(named).values()];
}

/** Owners of an instance may change it, whatever the rules say: its ways to be changed name them all. */
function ownerCondition({ type }: EntityPlan, rights: Held['rights']): Condition {
  const ways = rights.get(type)?.update.ways ?? [];
  return anyOf(ways.flatMap((way) => (way.kind === 'owner' ? [way.condition] : [])));
}

/** What a rule asks of the new instance is not known before there is one: then only its roles count. */
function makingChild(way: Way, relationship: string, isOwned: Condition, roles: EntityPlan): Condition {
  if (way.kind === 'admin') return rolesOf(way, roles);
  if (way.kind === 'rule' && way.relationship !== undefined) return way.relationship.type === relationship ? rolesOf(way, roles) : nothing;
  const [first] = way.kind === 'owner' || way.kind === 'rule' ? (way.chain ?? []) : [];
  if (first?.kind !== 'above' && (first?.kind !== 'contains' || first.relationship !== relationship)) return nothing;
  return way.kind === 'rule' ? allOf([rolesOf(way, roles), isOwned]) : isOwned;
}

function ofEnd(way: Way, end: string, isOwned: Condition, roles: EntityPlan): Condition {
  if (way.kind === 'admin' || way.kind === 'rule') return rolesOf(way, roles);
  if (way.kind !== 'ends') return nothing;
  return way.ends.includes(end) ? isOwned : everything;
}

function rolesOf({ condition }: Way, roles: EntityPlan): Condition {
  return allOf(conjuncts(condition).filter((each) => each.kind === 'exists' && each.table === roles.table && each.on === undefined));
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(conjuncts) : [condition];
}
