// Writes several rows of one type at a time where a store is far away: each by itself would wait for an answer before the next is sent.

import { error, invalid, isError, PlatformError } from '../../errors.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import { isInstanceAssignment } from '../../plan/rows/assignments.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { childOf, rootOf } from '../address/address.ts';
import { allMade, dependentsOf, lockBeforeInsert } from '../computed/related-computed.ts';
import { draftedValue } from '../draft/draft.ts';
import { checkAllReferences } from '../draft/references.ts';
import type { WriteContext } from '../operation.ts';
import type { Draft, Located, Parent } from '../row.ts';
import { insertRow, insertRows } from '../rows/rows.ts';
import { openGuard } from '../seams.ts';
import { rowCondition } from './guard.ts';
import { atPlace, canPrecompute, completeValues, computeSome, entityOf, placeValues, version } from './row-values.ts';

interface InsertedRow {
  readonly located: Located;
  readonly row: Row;
}

/** Rows that are sent together. */
const together = 256;

/** Whether nothing looks at one of them before the next is written. */
export function canInsertTogether(plan: EntityPlan, drafts: readonly Draft[], context: WriteContext): boolean {
  const { triggers, guard, store } = context;
  return (
    store.isShared &&
    guard === openGuard &&
    drafts.length > 1 &&
    plan.external === undefined &&
    plan.composed !== true &&
    !isInstanceAssignment(plan.entity) &&
    drafts.every((each) => each.children.length === 0) &&
    !plan.attributes.some((each) => each.attribute.autoincrement || each.target?.entity === plan.type) &&
    !triggers.fires('before', 'create', plan.type, context) &&
    !triggers.fires('after', 'create', plan.type, context)
  );
}

export async function insertTogether(
  drafts: readonly Draft[],
  parent: Parent | undefined,
  context: WriteContext,
): Promise<readonly InsertedRow[]> {
  const made: InsertedRow[] = [];
  for (let start = 0; start < drafts.length; start += together) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const each of await insertPart(drafts.slice(start, start + together), parent, context)) made.push(each);
  }
  return made;
}

async function insertPart(drafts: readonly Draft[], parent: Parent | undefined, context: WriteContext): Promise<readonly InsertedRow[]> {
  const [first] = drafts;
  if (first === undefined) return [];
  const plan = entityOf(first);
  rowCondition('create', plan, context);
  await completeAll(plan, drafts, context);
  if (dependentsOf(plan, context) !== undefined) await lockAll(plan, drafts, context);
  const wanted = drafts.map((draft) => {
    const located = placed(plan, draft, parent);
    return { draft, located, values: [...draft.values, version(context), ...placeValues(plan, located, parent)] };
  });
  const rows = await writeAll(plan, wanted, parent, context);
  const { columns } = plan.shapes.insert;
  const known = wanted.map(({ located: { key }, values }) => ({
    key,
    valueIn: (column: string) => values[columns.indexOf(column)] ?? null,
  }));
  await allMade(plan, known, context);
  return wanted.flatMap(({ located }, index): readonly InsertedRow[] => {
    const row = rows[index];
    return row === undefined ? [] : [{ located, row }];
  });
}

function placed(plan: EntityPlan, draft: Draft, parent: Parent | undefined): Located {
  const id = draftedValue(draft, plan.identifier);
  return parent === undefined ? rootOf(plan, id) : childOf(parent.located, parent.contains, id);
}

async function completeAll(plan: EntityPlan, drafts: readonly Draft[], context: WriteContext): Promise<void> {
  const isComputed = canPrecompute(plan, drafts);
  const ready: Draft[] = [];
  let computed = 0;
  let refusal: { readonly thrown: unknown } | undefined;
  try {
    for (const [index, draft] of drafts.entries()) {
      if (isComputed && index === computed) computed = computeSome(drafts, index, context);
      const faults = await completeValues(draft, context, isComputed);
      if (faults.length > 0) throw invalid(faults);
      ready.push(draft);
    }
  } catch (thrown) {
    refusal = { thrown };
  }
  // What is wrong with those before it is told first, as where each is written by itself.
  const missing = await checkAllReferences(plan, ready, context.tx);
  if (missing.length > 0) throw invalid(missing);
  if (refusal !== undefined) throw refusal.thrown;
}

async function lockAll(plan: EntityPlan, drafts: readonly Draft[], context: WriteContext): Promise<void> {
  for (const draft of drafts)
    await lockBeforeInsert(plan, (column) => draft.values[plan.attributes.findIndex((each) => each.column === column)], context);
}

/** Where one of them is in the way of something, each by itself says which it is. */
async function writeAll(
  plan: EntityPlan,
  wanted: readonly { readonly draft: Draft; readonly values: readonly Value[] }[],
  parent: Parent | undefined,
  context: WriteContext,
): Promise<readonly Row[]> {
  const all = wanted.map(({ values }) => values);
  try {
    return await context.tx.attempt(() => insertRows(plan, all, context));
  } catch (thrown) {
    if (!(thrown instanceof PlatformError) || thrown.code === 'store-busy' || thrown.code === 'store-failed') throw thrown;
  }
  const rows: Row[] = [];
  for (const { draft, values } of wanted) rows.push(await writeRow(draft, values, parent, context));
  return rows;
}

/** Under a parent of which nobody may have looked yet whether it exists. */
export async function writeRow(draft: Draft, values: readonly Value[], parent: Parent | undefined, context: WriteContext): Promise<Row> {
  try {
    return await insertUnder(entityOf(draft), values, parent, context);
  } catch (thrown) {
    throw atPlace(draft, thrown);
  }
}

export function insertUnder(plan: EntityPlan, values: readonly Value[], parent: Parent | undefined, context: WriteContext): Awaitable<Row> {
  if (parent?.assumed !== true) return insertRow(plan, values, context);
  try {
    const row = insertRow(plan, values, context);
    return row instanceof Promise ? row.catch(withoutParent) : row;
  } catch (thrown) {
    return withoutParent(thrown);
  }
}

/** What the body refers to was looked at before, so a key that leads nowhere is the parent's. */
function withoutParent(thrown: unknown): never {
  throw isError(thrown, 'instance-referenced') ? error('instance-not-found') : thrown;
}
