// Hands out what the rules of the model and the owners of its instances let a caller do.

import { ambientCaller, type Caller, isNarrowed, rolesOf, userOf } from '../engine/caller.ts';
import type { Guard, RowAction, Verdict } from '../engine/seams.ts';
import type { TypeName } from '../model/model.ts';
import type { AccessPlan, Right } from '../plan/access/right.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import { ambientOf } from '../plan/query/ambient.ts';
import { asStored, type Condition, everything, nothing } from '../plan/query/condition.ts';
import { denialLines } from './denial.ts';

const signedOut: Verdict = Object.freeze({ allowed: false, reason: 'Only who is signed in may do this.' });
const forNobody: Verdict = Object.freeze({ allowed: true, condition: nothing });
const forAll: Verdict = Object.freeze({ allowed: true, condition: everything });

/** `service` judges what is no part of the model: users, roles, keys. */
export function accessGuard(access: AccessPlan, service: Guard): Guard {
  const verdicts = new WeakMap<Right, Verdict>();
  const lists = new WeakMap<Right, Verdict>();
  const hides = access.attributes.masks.size > 0;
  // Statements may hide columns that rules ask for.
  const asked = (condition: Condition): Condition => (hides ? asStored(condition) : condition);
  const rows = (action: RowAction, plan: EntityPlan | LinkPlan, caller: Caller): Verdict => {
    if (userOf(caller) === undefined) return action === 'read' ? forNobody : signedOut;
    const rights = (isNarrowed(caller) ? access.narrowedRights : access.rights).get(plan.type);
    if (rights === undefined) return service.rows(action, plan, caller);
    const right = rights[action];
    const { bySet } = right;
    // Whoever has a role for all rows does not find them by what they own. Which roles count is asked by the statement in either case.
    if (bySet === undefined || action !== 'read' || rolesOf(caller).some((role) => right.openTo.includes(role)))
      return known(verdicts, right, () => verdictOf(right, asked));
    return known(lists, right, () => ({ allowed: true, condition: asked(right.condition), bySet: asked(bySet) }));
  };
  const runs = (type: TypeName, caller: Caller): Verdict => {
    const right = (isNarrowed(caller) ? access.narrowedRuns : access.runs).get(type);
    if (right === undefined) return forAll;
    return userOf(caller) === undefined ? signedOut : known(verdicts, right, () => ({ allowed: true, condition: right.condition }));
  };
  const explain: Guard['explain'] = (denial, { plan, store, caller, clock }) => {
    const ambient = ambientOf(ambientCaller(caller), clock);
    return store.read((reader) =>
      denialLines(denial, { access, model: plan.model, entities: plan.entities, ambient, isNarrowed: true, reader }),
    );
  };
  const judge: Guard['judge'] = (operation, caller) => service.judge(operation, caller);
  if (!hides) return { judge, rows, runs, explain };
  const attributes: Guard['attributes'] = (caller) => (isNarrowed(caller) ? access.narrowedAttributes : access.attributes);
  return { judge, rows, runs, explain, attributes };
}

function verdictOf({ condition, afterwards }: Right, asked: (condition: Condition) => Condition): Verdict {
  if (afterwards === undefined) return { allowed: true, condition: asked(condition) };
  const { atOnce, ways, asksOwnTable } = afterwards;
  const deferred = ways.map((each) => ({ ...each, before: asked(each.before), after: asked(each.after) }));
  return { allowed: true, condition: asked(condition), afterwards: { atOnce: asked(atOnce), ways: deferred, asksOwnTable } };
}

function known(made: WeakMap<Right, Verdict>, right: Right, make: () => Verdict): Verdict {
  const found = made.get(right) ?? make();
  made.set(right, found);
  return found;
}
