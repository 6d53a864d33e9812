// What may be done with owners and grants, which are data too: everything by who owns the instance that they are about.

import type { EntityPlan } from '../plan.ts';
import { type Condition, everything, type KeySource } from '../query/condition.ts';
import { existsWith } from '../query/exists.ts';
import { targetColumn } from '../rows/assignments.ts';
import { adminWay, type RightParts } from './entities.ts';
import { type Held, resourceIn } from './ownership.ts';
import { allOf, type Rights, rightOf, type Way } from './right.ts';
import { isCaller } from './roles.ts';

/** `plan` is that of owners or of grants, under one of its names. */
export function assignmentRights(plan: EntityPlan, owners: EntityPlan, entities: Iterable<EntityPlan>, parts: RightParts): Rights {
  const types = [...entities];
  const fromAbove = types.filter((entity) => entity.contained && parts.ownership.isOwnedFromAbove(entity));
  const others = types.filter((entity) => !fromAbove.includes(entity));
  const above = fromAbove.length === 0 ? [] : [aboveWay(plan, owners, others.some(({ contained }) => contained) ? fromAbove : undefined)];
  const ways = [
    ...fromAbove.flatMap((entity) => waysOf(plan, entity, isByLink, parts)),
    ...others.flatMap((entity) => waysOf(plan, entity, ({ chain }) => chain.length > 0, parts)),
  ];
  // A new owner is judged before it is stored: it is not what makes its maker one.
  const right = rightOf([adminWay(plan, parts.tests), ownerWay(plan, owners), ...above, ...ways], plan.key);
  return { create: right, read: right, update: right, delete: right, move: right };
}

function ownerWay(plan: EntityPlan, { table }: EntityPlan): Way {
  return {
    kind: 'resource',
    chain: [],
    condition: existsWith(table, targetColumn, { column: targetColumn }, isCaller),
    keys: [about(plan, { kind: 'among', column: targetColumn, keys: [{ table, column: targetColumn, where: isCaller }] })],
  };
}

/** The keys of assignments of which this holds. */
function about({ table, key }: EntityPlan, where: Condition): KeySource {
  return { table, column: key, where };
}

/** Owners of what the instance stands in, whatever that is; only of these types, where they are not all. */
function aboveWay(plan: EntityPlan, { table }: EntityPlan, types: readonly EntityPlan[] | undefined): Way {
  const isAbove: Condition = { kind: 'below', key: { column: targetColumn, outer: 1 }, above: { column: targetColumn } };
  const isOfTypes = types === undefined ? everything : resourceIn(types.map(({ type }) => type));
  const given = { table, where: isCaller, above: { column: targetColumn, key: targetColumn } };
  return {
    kind: 'resource',
    chain: [{ kind: 'above', types: [] }],
    condition: allOf([isOfTypes, { kind: 'exists', table, where: allOf([isCaller, isAbove]) }]),
    keys: [{ ...about(plan, isOfTypes), given }],
  };
}

/** A link gives the instance, or what that stands in. */
function isByLink({ chain }: Held): boolean {
  return chain.some((step) => step.kind === 'assign');
}

/** Those who own an instance of this type in some ways. */
function waysOf(plan: EntityPlan, entity: EntityPlan, isMeant: (held: Held) => boolean, { ownership }: RightParts): readonly Way[] {
  const isOfType = resourceIn([entity.type]);
  return ownership
    .of(entity)
    .filter(isMeant)
    .map(({ chain, condition, keys }): Way => {
      const own = entity.contained
        ? existsWith(entity.table, entity.key, { column: targetColumn }, condition)
        : existsByText(entity, condition);
      return {
        kind: 'resource',
        chain,
        condition: allOf([isOfType, own]),
        keys: keys && [about(plan, allOf([isOfType, namedBy(entity, keys)]))],
      };
    });
}

/** The assignment names one of these instances. */
function namedBy({ contained, table, key }: EntityPlan, keys: readonly KeySource[]): Condition {
  if (contained) return { kind: 'among', column: targetColumn, keys };
  const texts: KeySource = { table, column: key, as: 'asText', where: { kind: 'among', column: key, keys } };
  return { kind: 'among', column: 'resourceId', keys: [texts] };
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
