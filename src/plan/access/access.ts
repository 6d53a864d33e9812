// Who may do what with which rows: the rules of a model and the owners of its instances as conditions, made once. They are data: each way in which
// something can be allowed stands for itself, so that it can be shown which of them decided.

import type { EventType, Model, TypeName } from '../../model/model.ts';
import { boundlessBy } from '../../model/run-rules.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { type Condition, nothing } from '../query/condition.ts';
import { grantType, isInstanceAssignment, ownerType, roleType } from '../rows/assignments.ts';
import type { Table } from '../rows/table.ts';
import { assignmentRights } from './assignments.ts';
import { attributeAccess } from './attributes.ts';
import { entityRights, type RightParts, runRight } from './entities.ts';
import { linkRights } from './links.ts';
import { openOwnership } from './ownership.ts';
import { ownProfile } from './profiles.ts';
import { type AccessPlan, type AttributeAccess, adminRole, type Rights, type RightsByType, type RightsToRun } from './right.ts';
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
  const attributesFor = (isNarrowed: boolean): AttributeAccess => {
    const named = { ...parts, owners, grants, roles };
    return attributeAccess(ownEntities(named), rightParts(named, isNarrowed));
  };
  return {
    owners,
    grants,
    roles,
    addOwner: { ...owners.shapes.insert, orNothing: true, output: { fields: [], columns: [] } },
    rights: rightsFor(false),
    narrowedRights: rightsFor(true),
    attributes: attributesFor(false),
    narrowedAttributes: attributesFor(true),
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

function rightParts(
  { model, entities, links, unproven, owners, grants, roles }: AccessParts & Assignments,
  isNarrowed: boolean,
): RightParts {
  // A caller with fewer roles than the user is not whom a profile describes.
  const conditions = { model, entities, links, unproven: isNarrowed ? undefined : unproven };
  return { tests: roleTests(roles, isNarrowed), ownership: openOwnership(owners.table, links), grants: grants.table, conditions };
}

/** Of the model itself. */
function ownEntities({ entities }: AccessParts): readonly EntityPlan[] {
  return [...entities.values()].filter(({ entity }) => entity.system === undefined);
}

function rightsByType(access: AccessParts & Assignments, isNarrowed: boolean): RightsByType {
  const { entities, links, owners } = access;
  const parts = rightParts(access, isNarrowed);
  const own = ownEntities(access);
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

/** To run it is to create it; it is no row, and nobody owns it. What no rights of its caller bound is admin's alone where no rule says otherwise. */
function rightsToRun(model: Model, roles: EntityPlan, isNarrowed: boolean): RightsToRun {
  const { events, agents } = model;
  const tests = roleTests(roles, isNarrowed);
  const isRuled = (each: EventType): boolean =>
    each.rbac !== undefined || (each.system === undefined && boundlessBy(each, model) !== undefined);
  const ruled = [...[...events.values()].filter(isRuled), ...[...agents.values()].filter(({ rbac }) => rbac !== undefined)];
  return new Map(ruled.map(({ name, rbac }) => [name, runRight(name, rbac, roles, tests)]));
}

function roleNamesIn({ entities, relationships, events, agents }: Model): ReadonlySet<string> {
  const rules = [...entities.values(), ...relationships.values(), ...events.values(), ...agents.values()].flatMap(({ rbac }) => rbac ?? []);
  const ofAttributes = [...entities.values()].flatMap(({ attributes }) => attributes.flatMap(({ rbac }) => rbac ?? []));
  return new Set([adminRole, ...[...rules, ...ofAttributes].flatMap(({ roles }) => roles)]);
}
