// Creates that write one row and nothing else: what each of its attributes gets, with constants checked at load time.

import type { Fault } from '../../errors.ts';
import type { TypeName } from '../../model/model.ts';
import type { Expression } from '../../model/pattern.ts';
import { referencesIn } from '../../model/references.ts';
import type { AttributePlan } from '../plan.ts';
import type { Assignment, CreateAction, RowValue } from './flow.ts';

/** `undefined` where more than the values themselves decides what is written. */
export function rowOf(action: CreateAction): readonly RowValue[] | undefined {
  const { plan, values, from, upsert, nested, links } = action;
  const isMore = from !== undefined || upsert || nested.length + links.length > 0;
  if (plan.kind === 'link' || plan.contained || isMore || !plan.isPlain) return undefined;
  if (values.some((each) => each.waits || !plan.attribute.has(each.name) || ownNames(each.value, plan.type).length > 0)) return undefined;
  return plan.attributes.map((each) =>
    rowValue(
      each,
      values.find(({ name }) => name === each.name),
    ),
  );
}

function rowValue(attribute: AttributePlan, assignment: Assignment | undefined): RowValue {
  if (assignment === undefined) return { kind: 'absent', attribute };
  const { value } = assignment;
  const faults: Fault[] = [];
  if (value.kind === 'literal' && value.value !== null) {
    const parsed = attribute.parse(value.value, attribute.name, faults);
    if (faults.length === 0) return { kind: 'constant', value: parsed };
  }
  // A constant that does not fit is told when it is used, with everything else that does not.
  return { kind: 'given', attribute, value };
}

/** The attributes of the instance itself that a value reads. */
export function ownNames(value: Expression, type: TypeName): readonly string[] {
  return referencesIn(value).flatMap(({ path: [first, name = ''] }) => (first === type ? [name] : []));
}
