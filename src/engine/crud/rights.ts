// What the caller may do with each instance that is read (`@rights`): decided by the statement that reads it, by the conditions that writes ask.

import { relatedRights } from '../../plan/access/related.ts';
import { allOf } from '../../plan/access/right.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { everything, nothing } from '../../plan/query/condition.ts';
import { keyOfCondition } from '../../plan/query/condition-key.ts';
import type { Selection } from '../../plan/query/selection.ts';
import type { RowRight } from '../../plan/query/shape.ts';
import { isNarrowed } from '../caller.ts';
import { attributeRules } from '../instances/seen.ts';
import type { Rights, Service } from '../operation.ts';

/** Whoever is shown an instance may read it; the rest is asked of the guard, for what is included too. */
export function withRights(plan: EntityPlan | LinkPlan, selection: Selection, context: Rights & Pick<Service, 'plan'>): Selection {
  const rights = [...rightsOf(plan, context), ...(selection.asksRights === 'related' ? atInstance(plan, context) : [])];
  const includes = selection.includes.map((each) => ({ ...each, selection: withRights(each.way.target, each.selection, context) }));
  const own = rights.map(({ operation, condition }) => `${operation} ${keyOfCondition(condition)}`);
  const key = `${selection.key} rights(${[...own, ...includes.map((each) => each.selection.key)].join(' ')})`;
  return { ...selection, includes, rights, key };
}

function rightsOf(plan: EntityPlan | LinkPlan, rights: Rights): readonly RowRight[] {
  const { guard, caller } = rights;
  const read: RowRight = { operation: 'read', condition: everything };
  const writes = writesOf(plan).flatMap((operation): readonly RowRight[] => {
    const verdict = guard.rows(operation, plan, caller);
    return verdict.allowed && verdict.condition !== nothing ? [{ operation, condition: verdict.condition }] : [];
  });
  return [read, ...writes, ...attributeUpdates(plan, writes, rights)];
}

/** `update <attribute>` of those with rules of their own. */
function attributeUpdates(plan: EntityPlan | LinkPlan, writes: readonly RowRight[], rights: Rights): readonly RowRight[] {
  const update = writes.find(({ operation }) => operation === 'update');
  const rules = attributeRules(plan, rights);
  if (update === undefined || rules === undefined) return [];
  return [...rules].map(([name, rule]) => ({ operation: `update ${name}`, condition: allOf([update.condition, rule.update.condition]) }));
}

/** What may be made and removed at it: everything where nobody is asked for rights. */
function atInstance(plan: EntityPlan | LinkPlan, { plan: { access }, caller }: Rights & Pick<Service, 'plan'>): readonly RowRight[] {
  if (plan.kind === 'link') return [];
  const held = access && { roles: access.roles, rights: isNarrowed(caller) ? access.narrowedRights : access.rights };
  return relatedRights(plan, held).filter(({ condition }) => condition !== nothing);
}

/** Nobody changes what is only read, and of what a resolver keeps only what it has a handler for. */
function writesOf(plan: EntityPlan | LinkPlan): readonly ('update' | 'delete')[] {
  if (plan.isAppendOnly || (plan.kind === 'entity' && plan.readOnly)) return [];
  const { external } = plan;
  if (external === undefined) return ['update', 'delete'];
  return [
    ...(external.query && external.update ? (['update'] as const) : []),
    ...(external.query && external.delete ? (['delete'] as const) : []),
  ];
}
