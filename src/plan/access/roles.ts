// The roles of the caller as conditions: asked of what is stored, so that a role that is taken away is gone with the next statement.

import type { AccessRule } from '../../model/model.ts';
import type { EntityPlan } from '../plan.ts';
import { type Condition, everything } from '../query/condition.ts';
import type { Table } from '../rows/table.ts';
import { allOf } from './right.ts';

/** The role of whoever is signed in. */
export const anyRole = '*';

export interface RoleTests {
  /** Whether the caller has one of these roles now; nothing to ask where whoever is signed in has. */
  has(roles: readonly string[]): { readonly table: Table; readonly where: Condition } | undefined;
}

/** With `isNarrowed`, the caller does without some of the roles that the user has. */
export function roleTests({ table }: EntityPlan, isNarrowed: boolean): RoleTests {
  const own: Condition = isNarrowed ? { kind: 'compare', column: 'role', operator: 'in', value: { ambient: 'caller.roles' } } : everything;
  return {
    has: (roles) => {
      if (roles.includes(anyRole)) return undefined;
      const named: Condition = { kind: 'compare', column: 'role', operator: 'in', value: { constants: roles } };
      return { table, where: allOf([isCaller, named, own]) };
    },
  };
}

export const isCaller: Condition = { kind: 'compare', column: 'assignee', operator: 'eq', value: { ambient: 'caller.user' } };

/** Rules that say something of an operation, with their positions. */
export function rulesFor(
  rules: readonly AccessRule[] | undefined,
  operation: AccessRule['allow'][number],
): readonly (readonly [number, AccessRule])[] {
  return [...(rules ?? []).entries()].filter(([, rule]) => rule.allow.includes(operation));
}
