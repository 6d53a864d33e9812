// Whose computed attributes are out of date when an instance goes: those of its owners, and of the owners of all that goes with it.

import type { ContainsPlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { type Condition, inRange } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { referrersOf } from '../../plan/rows/cascade.ts';
import { below, keyName } from '../../plan/rows/keys.ts';
import { keyColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import { keyText } from '../address/address.ts';
import type { WriteContext } from '../operation.ts';
import type { Located } from '../row.ts';
import { dependentsOf, keysOfOwnersIn, markAllStale, rowRemoved } from './related-computed.ts';

/** Before anything goes; what is contained and outlives its parent has been set free. */
export async function markStaleAfterDelete(located: Located, contained: readonly ContainsPlan[], context: WriteContext): Promise<void> {
  if (context.plan.relatedComputed === undefined) return;
  const seen = new Set<string>();
  await goesAlong(located.plan, located.key, seen, context);
  if (contained.length === 0) return;
  const { from, to } = below(keyText(located));
  // Parents inside go too, so that only links and references lead out of it.
  for (const child of new Set(contained.map((each) => each.child))) {
    for (const { back, rows } of dependentsOf(child, context)?.ownerPaths ?? []) {
      if (back.range === undefined) continue;
      markAllStale(await keysOfOwnersIn(back.range, [from, to], context), rows, context);
    }
    await referring(child, inRange(keyColumn), [from, to], seen, context);
  }
}

async function goesAlong(plan: EntityPlan | LinkPlan, key: Value, seen: Set<string>, context: WriteContext): Promise<void> {
  const name = `${plan.type} ${keyName(key)}`;
  if (seen.has(name)) return;
  seen.add(name);
  await rowRemoved(plan, key, context);
  if (plan.kind === 'entity') await referring(plan, plan.shapes.byKey.where, [key], seen, context);
}

/** Rows that refer to some of a type, and go with them. */
async function referring(
  plan: EntityPlan,
  where: Condition,
  values: readonly Value[],
  seen: Set<string>,
  context: WriteContext,
): Promise<void> {
  for (const referrer of referrersOf(plan, context.plan)) {
    const targets: Select = { ...plan.shapes.exists, output: { fields: [], columns: [referrer.target] }, where };
    for (const target of await context.tx.rows(targets, values)) {
      const keys = await context.tx.rows(referrer.keys, [target.columns[0] ?? null]);
      for (const row of keys) await goesAlong(referrer.plan, row.columns[0] ?? null, seen, context);
    }
  }
}
