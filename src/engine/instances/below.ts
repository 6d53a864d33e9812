// What stands below an instance, as ranges of keys: read in pieces, and whether it is more than one statement should write.

import type { EntityPlan } from '../../plan/plan.ts';
import { inRange } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { below } from '../../plan/rows/keys.ts';
import { keyColumn } from '../../plan/rows/tables.ts';
import { keyText } from '../address/address.ts';
import { reachable } from '../address/contained.ts';
import type { Address, Context } from '../operation.ts';
import { reach } from './readable.ts';

/** So many rows are written by one statement; more of them by several, with room for other requests in between. */
export const together = 2000;

/** Whether what stands below takes several statements, and so the writer to itself. */
export async function isLarge(at: Address, context: Context): Promise<boolean> {
  const { plan } = at.in;
  if (plan.kind === 'link' || plan.children.length === 0) return false;
  return context.store.read(
    async (reader) => {
      const key = keyText(await reach(at, reader, context));
      let count = 0;
      for (const { child } of reachable(plan)) count += (await reader.rows(keysBelow(child), [...rangeOf(key), together, 0])).length;
      return count >= together;
    },
    undefined,
    context.request,
  );
}

export function rangeOf(key: string): readonly [from: string, to: string] {
  const { from, to } = below(key);
  return [from, to];
}

/** Keys of an entity's rows in a range, the last first. */
export function keysBelow(entity: EntityPlan): Select {
  const output = { fields: [], columns: [keyColumn] };
  return {
    ...entity.shapes.byKey,
    output,
    where: inRange(keyColumn),
    order: [{ column: keyColumn, descending: true }],
    limit: true,
    offset: true,
  };
}
