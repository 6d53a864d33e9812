// The caller's own instances of an entity that describes users: those with the e-mail of a caller of whom it is known that the address is theirs.

import { profileOf } from '../../model/access/profile.ts';
import type { EntityPlan } from '../plan.ts';
import { type Condition, nothing } from '../query/condition.ts';
import type { Table } from '../rows/table.ts';
import { allOf } from './right.ts';

/** `unproven` has a row for each user whose address nobody has shown to be theirs. */
export function ownProfile({ entity, attribute }: EntityPlan, unproven: Table): Condition {
  const email = attribute.get(profileOf(entity)?.name ?? '');
  if (email === undefined) return nothing;
  const isUnproven: Condition = { kind: 'compare', column: 'email', operator: 'eq', value: { ambient: 'caller.user' } };
  return allOf([
    { kind: 'compare', column: email.column, inLower: true, operator: 'eq', value: { ambient: 'caller.user' } },
    { kind: 'not', condition: { kind: 'exists', table: unproven, where: isUnproven } },
  ]);
}
