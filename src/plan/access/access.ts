// Who may do what with which rows: the rules of a model and the owners of its instances as conditions, made once. They are data: each way in which
// something can be allowed stands for itself, so that it can be shown which of them decided.

import type { Model, TypeName } from '../../model/model.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { type Condition, nothing } from '../query/condition.ts';
import { grantType, isInstanceAssignment, ownerType, roleType } from '../rows/assignments.ts';
import type { Table } from '../rows/table.ts';
import { assignmentRights } from './assignments.ts';
import { entityRights, runRight } from './entities.ts';
import { linkRights } from './links.ts';
import { openOwnership } from './ownership.ts';
import { ownProfile } from './profiles.ts';
import { type AccessPlan, adminRole, type Rights, type RightsByType, type RightsToRun } from './right.ts';
import { roleTests } from './roles.ts';

export interface AccessParts {
  readonly model: Model;
  readonly entities: ReadonlyMap<TypeName, EntityPlan>;
  readonly links: ReadonlyMap<TypeName, LinkPlan>;
  /** Users of whom nobody knows that the address is theirs. */
  readonly unproven: Table | undefined;
}

/** Nothing where access control is off. */
export function compileAccess(parts: AccessParts): AccessPlan | undefined {
  const { entities, model } = parts;
  const [owners, grants, roles] = [ownerType, grantType, roleType].map((type) => entities.get(type));
  if (owners === undefined || grants === undefined || roles === undefined) return undefined;
  const rightsFor = (isNarrowed: boolean): RightsByType => rightsByType({ ...parts, owners, grants, roles }, isNarrowed);
  return {
    owners,
    grants,
    roles,
    addOwner: { ...owners.shapes.insert, orNothing: true, output: { fields: [], columns: [] } },
    rights: rightsFor(false),
    narrowedRights: rightsFor(true),
    runs: rightsToRun(model, roles, false),
    narrowedRuns: rightsToRun(model, roles, true),
    profiles: profilesOf(parts),
    roleNames: roleNamesIn(model),
  };
}

interface Assignments {
  readonly owners: EntityPlan;
  readonly grants: EntityPlan;
  readonly roles: EntityPlan;
}

function rightsByType(
  { model, entities, links, unproven, owners, grants, roles }: AccessParts & Assignments,
  isNarrowed: boolean,
): RightsByType {
  // A caller with fewer roles than the user is not whom a profile describes.
  const conditions = { model, entities, links, unproven: isNarrowed ? undefined : unproven };
  const parts = { tests: roleTests(roles, isNarrowed), ownership: openOwnership(owners.table, links), grants: grants.table, conditions };
  const own = [...entities.values()].filter(({ entity }) => entity.system === undefined);
  const rights = new Map<TypeName, Rights>(own.map((plan) => [plan.type, entityRights(plan, parts)]));
  const readable = ({ type }: EntityPlan): Condition => rights.get(type)?.read.condition ?? nothing;
  for (const link of links.values()) rights.set(link.type, linkRights(link, readable, parts));
  for (const plan of entities.values())
    if (isInstanceAssignment(plan.entity)) rights.set(plan.type, assignmentRights(plan, owners, own, parts));
  return rights;
}

function profilesOf({ entities, unproven }: AccessParts): AccessPlan['profiles'] {
  const described = [...entities.values()].filter(({ entity }) => entity.profile !== undefined);
  return new Map(unproven === undefined ? [] : described.map((plan) => [plan.type, ownProfile(plan, unproven)]));
}

/** To run it is to create it; it is no row, and nobody owns it. */
function rightsToRun({ events, agents }: Model, roles: EntityPlan, isNarrowed: boolean): RightsToRun {
  const tests = roleTests(roles, isNarrowed);
  const ruled = [...events.values(), ...agents.values()].filter(({ rbac }) => rbac !== undefined);
  return new Map(ruled.map(({ name, rbac }) => [name, runRight(name, rbac, roles, tests)]));
}

function roleNamesIn({ entities, relationships, events, agents }: Model): ReadonlySet<string> {
  const rules = [...entities.values(), ...relationships.values(), ...events.values(), ...agents.values()].flatMap(({ rbac }) => rbac ?? []);
  return new Set([adminRole, ...rules.flatMap(({ roles }) => roles)]);
}
