// `@autoincrement`: what a number is that counts up.

import { invalid } from '../../errors.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { everything } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { fault } from '../../plan/rows/attribute.ts';
import type { Writer } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';

/** The number behind the greatest one that is stored. */
export async function nextNumber(plan: RowPlan, attribute: AttributePlan, tx: Writer): Promise<Value> {
  const { column } = attribute;
  await tx.alone(`${plan.table.name} ${column}`, plan.table.name);
  const last: Select = {
    kind: 'select',
    table: plan.table,
    output: { fields: [], columns: [column] },
    where: everything,
    order: [{ column, descending: true }],
    limit: true,
    offset: false,
  };
  const greatest = (await tx.one(last, [1]))?.columns[0] ?? 0;
  const next = BigInt(typeof greatest === 'number' || typeof greatest === 'bigint' ? greatest : 0) + 1n;
  if (next >= 2n ** 63n) throw invalid([fault(attribute.name, 'limit', 'has no number left to count up to')]);
  return next;
}
