// What a caller may do with a type as a whole: with all instances, with some, or with none. The instances themselves say it exactly (`@rights`).

import { type Caller, rolesOf, userOf } from '../../engine/caller.ts';
import { type Guard, openGuard } from '../../engine/seams.ts';
import type { Operation, TypeName } from '../../model/model.ts';
import type { AttributeRight } from '../../plan/access/right.ts';
import { adminRole, type Right, type Way } from '../../plan/access/right.ts';
import { describeRow } from '../../plan/description/description.ts';
import type { EntityPlan, LinkPlan, Plan } from '../../plan/plan.ts';
import { type Condition, nothing } from '../../plan/query/condition.ts';
import type { AttributeDescription, Extent, Operations } from './description.ts';

export function operationsFor(plan: EntityPlan | LinkPlan, { access }: Pick<Plan, 'access'>, guard: Guard, caller: Caller): Operations {
  const of = (action: Operation): Extent => {
    if (!describeRow(plan).operations[action]) return 'none';
    const verdict = guard.rows(action, plan, caller);
    if (!verdict.allowed) return 'none';
    const right = access?.rights.get(plan.type)?.[action];
    if (right === undefined) return serviceExtent(verdict.condition, caller);
    return isReadByEnds(plan, right, (end) => operationsFor(end, { access }, guard, caller).read) ? 'all' : extentOf(right, caller);
  };
  return { create: of('create'), read: of('read'), update: of('update'), delete: of('delete') };
}

/** With an attribute that has rules of its own, of the instances with which the caller may do it. */
export function attributeRightsFor(
  plan: EntityPlan | LinkPlan,
  name: string,
  guard: Guard,
  caller: Caller,
): AttributeDescription['rights'] {
  const rights = guard === openGuard ? undefined : guard.attributes?.(caller)?.rights.get(plan.type)?.get(name);
  if (rights === undefined) return undefined;
  const of = ({ condition, openTo, roles }: AttributeRight): Extent => {
    const held = [...rolesOf(caller), '*'];
    if (condition.kind === 'all' || held.some((role) => openTo.has(role))) return 'all';
    return held.some((role) => roles.has(role)) ? 'some' : 'none';
  };
  return { create: of(rights.create), read: of(rights.read), update: of(rights.update) };
}

/** Whoever reads all instances at both ends of a link reads all of its links. */
function isReadByEnds(plan: EntityPlan | LinkPlan, { ways }: Right, readOf: (end: EntityPlan) => Extent): boolean {
  if (plan.kind !== 'link' || !ways.some((way) => way.kind === 'ends' && way.by === 'reader')) return false;
  return plan.ends.every(({ entity }) => readOf(entity) === 'all');
}

/** Events and agents without rules are run by whoever is signed in. */
export function mayRun(type: TypeName, { access }: Plan, caller: Caller): boolean {
  const right = access?.runs.get(type);
  return right === undefined || extentOf(right, caller) !== 'none';
}

function extentOf({ ways, openTo, condition }: Right, caller: Caller): Extent {
  const roles = rolesOf(caller);
  if (condition.kind === 'all' || roles.some((role) => openTo.includes(role)) || openTo.includes('*')) return 'all';
  return ways.some((way) => isConceivable(way, roles)) ? 'some' : 'none';
}

/** Whether it can hold for somebody with these roles. */
function isConceivable(way: Way, roles: readonly string[]): boolean {
  if (way.kind === 'admin') return roles.includes(adminRole);
  if (way.kind !== 'rule') return true;
  const has = (asked: readonly string[]): boolean => asked.includes('*') || asked.some((role) => roles.includes(role));
  return has(way.rule.roles) && (way.relationship === undefined || has(way.relationship.roles));
}

/** Of what the service keeps: admins may with all rows, others only with what is theirs. */
function serviceExtent(condition: Condition, caller: Caller): Extent {
  if (condition.kind === 'all') return 'all';
  if (condition === nothing) return 'none';
  if (rolesOf(caller).includes(adminRole)) return 'all';
  const asksForRole = condition.kind === 'exists' && condition.on === undefined;
  return asksForRole || userOf(caller) === undefined ? 'none' : 'some';
}
