// Who may do what while it is known who asks and access control is off: the model's own data is everybody's who is signed in, what the
// service keeps is for admins, and an API key is its owner's.

import { type Caller, isNarrowedFrom } from '../engine/caller.ts';
import type { Operation } from '../engine/operation.ts';
import type { Guard, RowAction, Verdict } from '../engine/seams.ts';
import { timerType } from '../model/timers/timers.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan/plan.ts';
import { both, type Condition, everything, nothing } from '../plan/query/condition.ts';
import { existsWith } from '../plan/query/exists.ts';

export const adminRole = 'admin';

const all: Verdict = Object.freeze({ allowed: true, condition: everything });
const notAllowed: Verdict = Object.freeze({ allowed: false, reason: 'Only an admin may do this.' });
const noKeyWithoutSecret: Verdict = Object.freeze({
  allowed: false,
  reason: 'An API key is made by a POST of its name, its roles and when it expires, by its owner.',
});
const forNobody: Verdict = Object.freeze({ allowed: true, condition: nothing });

const userIs = (column: string): Condition => ({ kind: 'compare', column, operator: 'eq', value: { ambient: 'caller.user' } });

const forUsers: Verdict = Object.freeze({ allowed: true, condition: userIs('user') });
const forOwners: Verdict = Object.freeze({ allowed: true, condition: userIs('owner') });

/** Roles are asked for in the statement itself: one that is taken away is gone with the next request, on every instance. */
export function adminCondition({ entities }: Plan): Condition {
  const assignments = entities.get('platform.rbac/RoleAssignment');
  if (assignments === undefined) throw new Error('roles are part of every model with users');
  const isAdmin: Condition = { kind: 'compare', column: 'role', operator: 'eq', value: { constants: [adminRole] } };
  return { kind: 'exists', table: assignments.table, where: both(userIs('assignee'), isAdmin) };
}

/** What the service keeps for a user is read by that user: runs with what stands in them, and timers. */
function runReaders(plan: Plan): ReadonlyMap<string, { readonly own: Verdict; readonly withAdmins: Verdict }> {
  const [run, step, call] = ['Run', 'Step', 'ToolCall'].map((name) => plan.entities.get(`platform.ai/${name}`));
  if (run === undefined || step === undefined || call === undefined) return new Map();
  const own = userIs('user');
  const ofStep = insideOf(step, run, own);
  const conditions: readonly (readonly [EntityPlan, Condition])[] = [
    [run, own],
    [step, ofStep],
    [call, insideOf(call, step, ofStep)],
  ];
  return new Map(
    conditions.map(([{ type }, condition]) => [
      type,
      {
        own: { allowed: true, condition },
        withAdmins: { allowed: true, condition: { kind: 'or', conditions: [condition, adminCondition(plan)] } },
      },
    ]),
  );
}

function insideOf({ parents, type }: EntityPlan, parent: EntityPlan, where: Condition): Condition {
  const contains = parents.find((each) => each.parent === parent);
  if (contains === undefined) throw new Error(`${type} stands under no ${parent.type}`);
  return existsWith(parent.table, parent.key, { column: contains.column }, where);
}

export function signedInGuard(plan: Plan): Guard {
  const readers = runReaders(plan);
  const forAdmins: Verdict = { allowed: true, condition: adminCondition(plan) };
  const forOwnersAndAdmins: Verdict = { allowed: true, condition: { kind: 'or', conditions: [userIs('owner'), adminCondition(plan)] } };
  const forUsersAndAdmins: Verdict = { allowed: true, condition: { kind: 'or', conditions: [userIs('user'), adminCondition(plan)] } };
  const rows = (action: RowAction, { entity }: EntityPlan, caller: Caller): Verdict => {
    const { system } = entity;
    if (system === undefined) return all;
    const ofRuns = action === 'read' ? readers.get(system.stored) : undefined;
    if (ofRuns !== undefined) return isNarrowedFrom(caller, adminRole) ? ofRuns.own : ofRuns.withAdmins;
    // Logic of the model makes timers for its caller, who then changes and removes them.
    if (system.stored === timerType) return action === 'create' ? all : isNarrowedFrom(caller, adminRole) ? forUsers : forUsersAndAdmins;
    const isKey = system.stored === 'platform.auth/ApiKey';
    if (isKey && action === 'create') return noKeyWithoutSecret;
    // What may be asked of rows is asked of rows; nobody else makes any.
    if (action === 'create') return isAdmin(caller) ? forAdmins : notAllowed;
    // The statement asks for the roles of the user, and an API key may have fewer.
    const isNoAdmin = isNarrowedFrom(caller, adminRole);
    if (isKey && action !== 'update') return isNoAdmin ? forOwners : forOwnersAndAdmins;
    return isNoAdmin ? forNobody : forAdmins;
  };
  return {
    judge: (operation, caller) => (isTimerPosted(operation) && !isAdmin(caller) ? notAllowed : all),
    rows: (action, row: EntityPlan | LinkPlan, caller) => (row.kind === 'link' ? all : rows(action, row, caller)),
  };
}

function isAdmin(caller: Caller): boolean {
  return caller.kind === 'user' && caller.roles.includes(adminRole);
}

function isTimerPosted(operation: Operation): boolean {
  return operation.kind === 'create' && operation.at.plan.kind === 'entity' && operation.at.plan.entity.system?.stored === timerType;
}
