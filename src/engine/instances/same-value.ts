// Whether a value that was sent is the one that is stored, however it is written.

import { FaultList } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { RowPlan } from '../../plan/plan.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import type { Value } from '../../values/value.ts';
import { identityOf } from '../eval/comparison.ts';
import { operandOf } from '../eval/operands.ts';

/** A decimal or a time, also inside of a record or a list, may be sent in another form of the same value, a map in another order of its keys. */
export function sameValue(plan: RowPlan, name: string, sent: Value, stored: Value): boolean {
  const attribute = plan.attribute.get(name);
  if (attribute === undefined) return canonicalJson(sent) === canonicalJson(stored);
  const faults = new FaultList();
  const value = sent === null ? sent : attribute.parse(sent, name, faults);
  const kind = columnKind(attribute.attribute);
  // What does not fit reads as null, and is not the null that is stored.
  return faults.length === 0 && identityOf(operandOf(attribute, value), kind) === identityOf(operandOf(attribute, stored), kind);
}
