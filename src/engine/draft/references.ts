// What must already stand in the store for a write to fit: `@ref` and `@oneof` targets, and numbers that count up.

import { type Fault, invalid } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { AttributePlan, ReferenceTarget, RowPlan } from '../../plan/plan.ts';
import { everything } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { fault } from '../../plan/rows/attribute.ts';
import type { Reader, Writer } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { identityOf } from '../eval/comparison.ts';

/** A reference to nothing is a fault of the attribute. Of a moment, which can be written in several ways, `values` then holds the text of what it points at. */
export async function checkReferences(plan: RowPlan, values: Value[], prefix: string, faults: Fault[], reader: Reader): Promise<void> {
  for (const [index, attribute] of plan.attributes.entries()) {
    const { target } = attribute;
    const value = values[index] ?? null;
    if (target === undefined || value === null || pointsAtItself(plan, values, target, value)) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      const row = await reader.one(target.exists, [each]);
      if (row !== undefined && !Array.isArray(value)) values[index] = row.columns[0] ?? value;
      if (row !== undefined) continue;
      faults.push(fault(`${prefix}${attribute.name}`, 'reference', `must be the ${target.attribute} of a ${target.entity}`));
    }
  }
}

/** A row may refer to itself, although it is not stored yet. */
function pointsAtItself(plan: RowPlan, values: readonly Value[], target: ReferenceTarget, value: Value): boolean {
  if (target.entity !== plan.type) return false;
  const own = plan.attributes.findIndex((each) => each.name === target.attribute);
  const kind = plan.attributes[own]?.attribute;
  return kind !== undefined && identityOf(values[own] ?? null, columnKind(kind)) === identityOf(value, columnKind(kind));
}

/** The number behind the greatest one that is stored. */
export async function nextNumber(plan: RowPlan, attribute: AttributePlan, tx: Writer): Promise<Value> {
  const { column } = attribute;
  await tx.alone(`${plan.table.name} ${column}`);
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
