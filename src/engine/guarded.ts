// What the guard lets the caller of a flow do with rows: part of every read, and asked of every row that is written.

import { error } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { both, type Condition, everything, nothing } from '../plan/condition.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import { keyOfCondition } from '../plan/query/condition-key.ts';
import { allRows, type RowsOf } from '../plan/query/selection.ts';
import type { Awaitable } from '../store/store.ts';
import type { Draft } from './draft.ts';
import type { WrittenInstance } from './insert.ts';
import { keep } from './kept.ts';
import type { Context, Reading } from './operation.ts';
import { openGuard, type RowAction } from './seams.ts';
import { after } from './within.ts';

/** A condition with its values; `key` tells apart the conditions that one question can become. */
export interface Bound {
  readonly condition: Condition;
  readonly values: readonly Value[];
  readonly key: string;
}

export const unbound: Bound = Object.freeze({ condition: everything, values: [], key: '' });

/** What the rows must fulfil that a caller may do this with; refused where there can be none. */
export function permitted(action: RowAction, plan: EntityPlan | LinkPlan, { guard, caller }: Context): Bound {
  const verdict = guard.rows(action, plan, caller);
  if (!verdict.allowed) throw error('access-denied', { detail: verdict.reason });
  const { condition } = verdict;
  return condition.kind === 'all' ? unbound : { condition, values: [], key: `<${keyOfCondition(condition)}>` };
}

/** Which rows of other types stand in what the caller is answered: of what they may not read at all there are none. */
export function visibleRows({ guard, caller }: Context): RowsOf {
  if (guard === openGuard) return allRows;
  return (plan) => {
    const verdict = guard.rows('read', plan, caller);
    return verdict.allowed ? verdict.condition : nothing;
  };
}

/** Refuses a write on a row with which the caller may not do this. */
export function checkRow(action: RowAction, plan: EntityPlan | LinkPlan, key: Value, context: Reading): Awaitable<void> {
  return after(fulfils(permitted(action, plan, context), plan, key, context), (holds) => {
    if (!holds) throw error('access-denied');
  });
}

/** What the caller may not see does not exist for them. */
export function isReadable(plan: EntityPlan | LinkPlan, key: Value, context: Reading): Awaitable<boolean> {
  return fulfils(permitted('read', plan, context), plan, key, context);
}

/** What is about to be created, with all of its types. */
export function checkDraft(draft: Draft, context: Context): void {
  permitted('create', draft.plan, context);
  for (const { step, drafts } of draft.children) {
    if (step.kind === 'link') permitted('create', step.link, context);
    for (const each of drafts) if (step.kind === 'contains' || !each.onlyIdentifier) checkDraft(each, context);
  }
}

/** What was created of it; what was there before, and is only linked, must be one that the caller may see. */
export async function checkCreated(draft: Draft, { located, nested }: WrittenInstance, context: Reading): Promise<void> {
  await checkRow('create', draft.plan, located.key, context);
  for (const [index, { step, drafts }] of draft.children.entries()) {
    for (const [at, each] of drafts.entries()) {
      const instance = nested[index]?.instances[at];
      if (instance === undefined) continue;
      if (step.kind === 'contains' || !each.onlyIdentifier) await checkCreated(each, instance, context);
      else if (!(await isReadable(instance.plan, instance.located.key, context))) throw error('instance-not-found');
    }
  }
}

function fulfils(bound: Bound, plan: EntityPlan | LinkPlan, key: Value, { tx }: Reading): Awaitable<boolean> {
  if (bound === unbound) return true;
  const name = `guarded ${bound.key}`;
  const kept = plan.kept.get(name);
  const { exists } = plan.shapes;
  const select = kept?.kind === 'select' ? kept : keep(plan, name, { ...exists, where: both(exists.where, bound.condition) });
  return after(tx.one(select, [key]), (row) => row !== undefined);
}
