// What a row is made of besides what was sent: what is known only inside the transaction, and where it stands.

import { type Fault, invalid, isError, PlatformError } from '../../errors.ts';
import type { AttributePlan, EntityPlan, RowPlan } from '../../plan/plan.ts';
import { isInstanceAssignment } from '../../plan/rows/assignments.ts';
import { keyColumn, pathColumn } from '../../plan/rows/tables.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { compute } from '../computed/computed.ts';
import { rowsPerTurn } from '../context.ts';
import { nextNumber } from '../draft/autoincrement.ts';
import { runChecks } from '../draft/checks.ts';
import { checkReferences } from '../draft/references.ts';
import type { WriteContext } from '../operation.ts';
import type { Draft, Located, Parent } from '../row.ts';
import { readable } from './readable.ts';

export function version(context: WriteContext): number {
  return context.clock.now().getTime();
}

/** What is known only inside the transaction: numbers that count up, computed attributes, whether what is referred to exists. */
export async function complete(draft: Draft, context: WriteContext, isComputed = false): Promise<void> {
  const faults = await completeValues(draft, context, isComputed);
  // Users are not for everybody to see, but whoever may assign something has to know to whom.
  const isAssignment = draft.plan.kind === 'entity' && isInstanceAssignment(draft.plan.entity);
  await checkReferences(draft, faults, isAssignment ? context.tx : readable(context.tx, context));
  if (faults.length > 0) throw invalid(faults);
}

/** The same but for what is referred to. */
export async function completeValues(draft: Draft, context: WriteContext, isComputed: boolean): Promise<Fault[]> {
  const { plan, values } = draft;
  for (const [index, each] of plan.attributes.entries()) {
    // What is kept elsewhere is counted there.
    if (each.attribute.autoincrement && values[index] === null && plan.external === undefined)
      values[index] = await nextNumber(plan, each, context.tx);
  }
  if (plan.computed.length > 0 && !isComputed) compute(plan, values, context, draft.prefix);
  const faults: Fault[] = [];
  if (plan.checked.length > 0) {
    const computed = plan.checked.filter((each) => plan.computed.includes(each));
    await runChecks(plan, computed, values, draft.prefix, faults, context);
  }
  return faults;
}

/** Whether what is computed of several drafts follows from them alone, and not from numbers that the store gives. */
export function canPrecompute({ computed, attributes }: EntityPlan, drafts: readonly Draft[]): boolean {
  return drafts.length > 1 && computed.length > 0 && !attributes.some((each) => each.attribute.autoincrement);
}

/**
 * Computes some of the drafts from this one on; the first that is left. One that fails is left too, unless it comes first: whatever is wrong
 * with those before it is told before, however many are computed together.
 */
export function computeSome(drafts: readonly Draft[], from: number, context: WriteContext): number {
  let left = from;
  try {
    return context.functions.together(from, Math.min(from + rowsPerTurn, drafts.length), (index) => {
      const draft = drafts[index];
      if (draft !== undefined) compute(draft.plan, draft.values, context, draft.prefix);
      left = index + 1;
    });
  } catch (thrown) {
    if (left === from) throw thrown;
    return left;
  }
}

/** The service's own columns behind the version, in the order of the table. */
export function placeValues(plan: EntityPlan, located: Located, parent: Parent | undefined): readonly Value[] {
  if (!plan.contained) return [];
  return plan.table.columns.slice(plan.attributes.length + 1).map(({ name }): Value => {
    if (name === keyColumn) return located.key;
    if (name === pathColumn) return located.path ?? null;
    return parent !== undefined && name === parent.contains.column ? parent.located.key : null;
  });
}

export function entityOf(draft: Draft): EntityPlan {
  if (draft.plan.kind === 'entity') return draft.plan;
  throw new Error(`${draft.plan.type} is not an entity`);
}

/** Says where in the body the instance stands that is there already. */
export function atPlace({ prefix }: Draft, thrown: unknown): unknown {
  if (prefix === '' || !isError(thrown, 'duplicate')) return thrown;
  const detail = `${prefix.replace(/\.$/, '')}: ${thrown.message}`;
  return new PlatformError(thrown.code, { ...thrown.details, detail }, thrown.cause, thrown.origin);
}

/** The stored values of a row with its changes. */
export async function mergedValues(
  plan: RowPlan,
  changes: ReadonlyMap<AttributePlan, Value>,
  located: Located,
  context: WriteContext,
): Promise<Value[]> {
  const row = await context.tx.one(plan.shapes.whole, [located.key]);
  const stored = row === undefined ? {} : parseStored(row.json);
  return plan.attributes.map((each) => (changes.has(each) ? (changes.get(each) ?? null) : (stored[each.name] ?? null)));
}
