// What the guard lets a caller do with rows: part of every read, and asked of every row that is written.

import { accessDenied, type Denial } from '../../errors.ts';
import type { TypeName } from '../../model/model.ts';
import type { Afterwards } from '../../plan/access/right.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { askedColumns } from '../../plan/query/asked-columns.ts';
import { both, type Condition, everything, nothing } from '../../plan/query/condition.ts';
import { keyOfCondition } from '../../plan/query/condition-key.ts';
import { allRows, type RowsOf } from '../../plan/query/rows-of.ts';
import type { Select } from '../../plan/query/shape.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { mapAwaitable } from '../context.ts';
import type { Rights, Service, Transaction } from '../operation.ts';
import type { Located } from '../row.ts';
import { openGuard, type RowAction } from '../seams.ts';

/** A condition with its values; `key` tells apart the conditions that one question can become. */
export interface Bound {
  readonly condition: Condition;
  readonly values: readonly Value[];
  readonly key: string;
}

export const unbound: Bound = Object.freeze({ condition: everything, values: [], key: '' });

/** What the rows must fulfil that a caller may do this with; refused where there can be none. */
export function rowCondition(action: RowAction, plan: EntityPlan | LinkPlan, { guard, caller }: Rights): Bound {
  const verdict = guard.rows(action, plan, caller);
  if (!verdict.allowed) throw accessDenied({ action, type: plan.type }, verdict.reason);
  return boundTo(verdict.condition);
}

/** Conditions of the guard are made once. */
const bounds = new WeakMap<Condition, Bound>();

function boundTo(condition: Condition): Bound {
  if (condition.kind === 'all') return unbound;
  const bound = bounds.get(condition) ?? { condition, values: [], key: `<${keyOfCondition(condition)}>` };
  bounds.set(condition, bound);
  return bound;
}

/** Whether the caller may do this with every row of the type, so that nothing is to be asked of any. */
export function isFree(action: RowAction, plan: EntityPlan | LinkPlan, { guard, caller }: Rights): boolean {
  if (guard === openGuard) return true;
  const verdict = guard.rows(action, plan, caller);
  return verdict.allowed && verdict.condition.kind === 'all';
}

/** Which rows of other types stand in what the caller is answered: of what they may not read at all there are none. */
export function visibleRows({ guard, caller }: Rights): RowsOf {
  if (guard === openGuard) return allRows;
  return (plan) => {
    const verdict = guard.rows('read', plan, caller);
    return verdict.allowed ? verdict.condition : nothing;
  };
}

/** The rows of one type that stand in a list of all of them, found by what the caller has where that is quicker. */
export function listedRows(plan: EntityPlan | LinkPlan, { guard, caller }: Rights): Condition {
  const verdict = guard.rows('read', plan, caller);
  return verdict.allowed ? (verdict.bySet ?? verdict.condition) : nothing;
}

/** Refuses a write on a row with which the caller may not do this. */
export function checkRow(action: RowAction, plan: EntityPlan | LinkPlan, key: Value, context: Rights & Transaction): Awaitable<void> {
  if (context.guard === openGuard) return;
  return mapAwaitable(fulfils(rowCondition(action, plan, context), plan, key, context), (holds) => {
    if (!holds) throw accessDenied({ action, type: plan.type, ...keyIn(key) });
  });
}

/**
 * Refuses a change of a row by which the caller would first become who may make it: what rules ask of the row as it becomes is asked beside the rows as
 * they still are.
 */
export async function checkBecoming(
  { plan, key }: Pick<Located, 'plan' | 'key'>,
  changes: ReadonlyMap<AttributePlan, Value>,
  context: Rights & Transaction,
): Promise<void> {
  const verdict = context.guard.rows('update', plan, context.caller);
  if (!verdict.allowed || verdict.afterwards?.asksOwnTable !== true) return;
  const columns = askedColumns(verdict.condition);
  const row = await context.tx.one({ ...plan.shapes.exists, output: { fields: [], columns } }, [key]);
  const changed = new Map([...changes].map(([{ column }, value]) => [column, value]));
  const valueIn = (column: string): Value =>
    changed.get(column) ?? (changed.has(column) ? null : (row?.columns[columns.indexOf(column)] ?? null));
  if (!(await isOfProposed(plan, verdict.condition, valueIn, context)))
    throw accessDenied({ action: 'update', type: plan.type, ...keyIn(key) });
}

function keyIn(key: Value): Pick<Denial, 'key'> {
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint' ? { key } : {};
}

/** What is still to hold of a new row, when all of it is written: one of these. */
export interface Pending {
  readonly plan: EntityPlan | LinkPlan;
  readonly conditions: readonly Condition[];
}

/**
 * Refuses a row that the caller may not make, before it is written: whether something stands in its way is not for them to know.
 * `valueIn` gives what is to stand in a column. What cannot be known yet is given back.
 */
export function checkProposed(
  plan: EntityPlan | LinkPlan,
  valueIn: (column: string) => Value,
  context: Rights & Transaction,
): Awaitable<Pending | undefined> {
  if (context.guard === openGuard) return undefined;
  const verdict = context.guard.rows('create', plan, context.caller);
  if (!verdict.allowed) throw accessDenied({ action: 'create', type: plan.type }, verdict.reason);
  const { condition, afterwards } = verdict;
  if (condition.kind === 'all') return undefined;
  const refuse = (): never => {
    throw accessDenied({ action: 'create', type: plan.type, ...keyIn(valueIn(plan.key)) });
  };
  return mapAwaitable(isOfProposed(plan, afterwards?.atOnce ?? condition, valueIn, context), (holds) => {
    if (holds) return undefined;
    return afterwards === undefined ? refuse() : pendingOf(afterwards, plan, valueIn, context).then((found) => found ?? refuse());
  });
}

/** By the rules of which nothing speaks against the row yet. */
async function pendingOf(
  { ways }: Afterwards,
  plan: EntityPlan | LinkPlan,
  valueIn: (column: string) => Value,
  context: Rights & Transaction,
): Promise<Pending | undefined> {
  const conditions: Condition[] = [];
  for (const { before, after } of ways) if (await isOfProposed(plan, before, valueIn, context)) conditions.push(after);
  return conditions.length === 0 ? undefined : { plan, conditions };
}

/** Whether a condition holds for a row that is going to be written; what is computed from other rows is not asked yet. */
export function isOfProposed(
  plan: EntityPlan | LinkPlan,
  condition: Condition,
  valueIn: (column: string) => Value,
  { tx }: Transaction,
): Awaitable<boolean> {
  if (condition === nothing) return false;
  const select = proposedSelect(plan, condition);
  return mapAwaitable(tx.one(select, select.proposed?.map(valueIn) ?? []), (row) => row !== undefined);
}

/** Refuses a row that was written, for which none of what was still to hold does. */
export async function checkPending(pending: Pending | undefined, key: Value, context: Transaction): Promise<void> {
  if (pending === undefined) return;
  const { plan, conditions } = pending;
  for (const condition of conditions) if (await holdsOf(condition, plan, key, context)) return;
  throw accessDenied({ action: 'create', type: plan.type, ...keyIn(key) });
}

function proposedSelect(plan: EntityPlan | LinkPlan, condition: Condition): Select {
  return knownSelect(proposed, plan, condition, () => {
    const where = assuming(true, condition, new Set(plan.late.map(({ column }) => column)));
    return { ...plan.shapes.exists, where, proposed: askedColumns(where) };
  });
}

/** The condition where each part that asks for one of these columns holds, or none: what is computed from other rows is asked for when they are written. */
function assuming(holds: boolean, condition: Condition, columns: ReadonlySet<string>): Condition {
  if (!askedColumns(condition).some((each) => columns.has(each))) return condition;
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { ...condition, conditions: condition.conditions.map((each) => assuming(holds, each, columns)) };
    case 'not':
      return { ...condition, condition: assuming(!holds, condition.condition, columns) };
    case 'stored':
      return { ...condition, condition: assuming(holds, condition.condition, columns) };
    default:
      return holds ? everything : nothing;
  }
}

/** Statements that ask whether a condition of the guard holds, of which there are as many as the model has rules for. */
type GuardSelects = WeakMap<EntityPlan | LinkPlan, WeakMap<Condition, Select>>;
const proposed = new WeakMap<EntityPlan | LinkPlan, WeakMap<Condition, Select>>();
const stored = new WeakMap<EntityPlan | LinkPlan, WeakMap<Condition, Select>>();

function knownSelect(known: GuardSelects, plan: EntityPlan | LinkPlan, condition: Condition, make: () => Select): Select {
  const selects = known.get(plan) ?? new WeakMap<Condition, Select>();
  const select = selects.get(condition) ?? make();
  selects.set(condition, select);
  known.set(plan, selects);
  return select;
}

/** What is to be asked before an event or an agent is run: a row where the caller may run it. Nothing where that is known, and refused where nobody may. */
export function conditionToRun(type: TypeName, { guard, caller, plan }: Rights & Pick<Service, 'plan'>): Select | undefined {
  const verdict = guard.runs?.(type, caller);
  if (verdict === undefined) return undefined;
  if (!verdict.allowed) throw accessDenied({ action: 'create', type }, verdict.reason);
  return verdict.condition.kind === 'all' || plan.access === undefined ? undefined : proposedSelect(plan.access.roles, verdict.condition);
}

/** What the caller may not see does not exist for them. */
export function isReadable(plan: EntityPlan | LinkPlan, key: Value, context: Rights & Transaction): Awaitable<boolean> {
  return context.guard === openGuard || fulfils(rowCondition('read', plan, context), plan, key, context);
}

function fulfils(bound: Bound, plan: EntityPlan | LinkPlan, key: Value, transaction: Transaction): Awaitable<boolean> {
  return bound === unbound || holdsOf(bound.condition, plan, key, transaction);
}

function holdsOf(condition: Condition, plan: EntityPlan | LinkPlan, key: Value, { tx }: Transaction): Awaitable<boolean> {
  const { exists } = plan.shapes;
  const select = knownSelect(stored, plan, condition, () => ({ ...exists, where: both(exists.where, condition) }));
  return mapAwaitable(tx.one(select, [key]), (row) => row !== undefined);
}
