// What may be done with owners and grants, which are data too: everything by who owns the instance that they are about.

import type { EntityPlan } from '../plan.ts';
import type { Condition } from '../query/condition.ts';
import { existsWith } from '../query/exists.ts';
import { targetColumn } from '../rows/assignments.ts';
import { adminWay, type RightParts } from './entities.ts';
import { resourceIn } from './ownership.ts';
import { allOf, type Right, type Rights, rightOf, type Way } from './right.ts';
import { isCaller } from './roles.ts';

/** `plan` is that of owners or of grants, under one of its names. */
export function assignmentRights(plan: EntityPlan, owners: EntityPlan, entities: Iterable<EntityPlan>, parts: RightParts): Rights {
  const linked = [...entities].flatMap((entity) => linkedWays(entity, parts));
  const right = (isNew: boolean): Right =>
    rightOf([adminWay(plan, parts.tests), ownerWay(plan, owners, isNew), aboveWay(owners), ...linked], plan.key);
  const existing = right(false);
  return { create: right(true), read: existing, update: existing, delete: existing };
}

/** A new owner must not be what makes its maker one. */
function ownerWay(plan: EntityPlan, owners: EntityPlan, isNew: boolean): Way {
  const isOther: Condition = { kind: 'columns', left: { column: owners.key }, operator: 'ne', right: { column: plan.key, outer: 1 } };
  const asked = isNew && plan.table === owners.table ? allOf([isCaller, isOther]) : isCaller;
  return {
    kind: 'resource',
    chain: [],
    condition: existsWith(owners.table, targetColumn, { column: targetColumn }, asked),
    keys: [
      {
        table: plan.table,
        column: plan.key,
        where: { kind: 'among', column: targetColumn, keys: [{ table: owners.table, column: targetColumn, where: isCaller }] },
      },
    ],
  };
}

/** Owners of what the instance stands in, whatever that is. */
function aboveWay(owners: EntityPlan): Way {
  const isAbove: Condition = { kind: 'below', key: { column: targetColumn, outer: 1 }, above: { column: targetColumn } };
  return {
    kind: 'resource',
    chain: [{ kind: 'above', types: [] }],
    condition: { kind: 'exists', table: owners.table, where: allOf([isCaller, isAbove]) },
    keys: undefined,
  };
}

/** Those whom a link gives an instance, or what that stands in. */
function linkedWays(entity: EntityPlan, { ownership }: RightParts): readonly Way[] {
  return ownership
    .of(entity)
    .filter(({ chain }) => chain.some((step) => step.kind === 'assign'))
    .map(({ chain, condition }): Way => {
      const own = entity.contained
        ? existsWith(entity.table, entity.key, { column: targetColumn }, condition)
        : existsByText(entity, condition);
      return { kind: 'resource', chain, condition: allOf([resourceIn([entity.type]), own]), keys: undefined };
    });
}

/** The assignment names an instance by the text of its identifier. */
function existsByText(entity: EntityPlan, condition: Condition): Condition {
  const isIt: Condition = {
    kind: 'columns',
    left: { column: entity.key, asText: true },
    operator: 'eq',
    right: { column: 'resourceId', outer: 1 },
  };
  return { kind: 'exists', table: entity.table, where: allOf([isIt, condition]) };
}
