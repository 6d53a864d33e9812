// Who may read, change and set which attributes of an instance that they have rights on: conditions of the row, made once, and what a statement hides
// by them from its caller.

import type { AccessRule, TypeName } from '../../model/model.ts';
import type { AttributePlan, EntityPlan } from '../plan.ts';
import { type Condition, everything, nothing } from '../query/condition.ts';
import { keyOfCondition } from '../query/condition-key.ts';
import type { TableMask } from '../query/shape.ts';
import { adminWay, type RightParts, ruleWay } from './entities.ts';
import {
  type AttributeAccess,
  type AttributeOperation,
  type AttributeRight,
  type AttributeRights,
  adminRole,
  allOf,
  anyOf,
} from './right.ts';
import { rulesFor } from './roles.ts';

export function attributeAccess(plans: readonly EntityPlan[], parts: RightParts): AttributeAccess {
  const rights = new Map<TypeName, AttributeRights>();
  const masks = new Map<string, TableMask>();
  for (const plan of plans) {
    const ruled = plan.attributes.filter(({ attribute }) => attribute.rbac !== undefined);
    if (ruled.length === 0) continue;
    const own = new Map(ruled.map((each) => [each.name, rightsOf(each, plan, parts)] as const));
    rights.set(plan.type, own);
    masks.set(plan.table.name, maskOf(plan, own));
  }
  return { rights, masks };
}

function rightsOf({ attribute }: AttributePlan, plan: EntityPlan, parts: RightParts): Readonly<Record<AttributeOperation, AttributeRight>> {
  const rules = attribute.rbac ?? [];
  // Without a word about it, whoever may change an attribute may set it.
  const setting = rules.some(({ allow }) => allow.includes('create')) ? 'create' : 'update';
  return {
    read: rightBy(rulesFor(rules, 'read'), plan, parts, ownersOf(plan, parts)),
    update: rightBy(rulesFor(rules, 'update'), plan, parts, ownersOf(plan, parts)),
    create: rightBy(rulesFor(rules, setting), plan, parts, makersOf(plan, parts)),
  };
}

function rightBy(
  rules: readonly (readonly [number, AccessRule])[],
  plan: EntityPlan,
  parts: RightParts,
  owners: Condition,
): AttributeRight {
  const allowing = rules.map((each) => ruleWay(plan, each, parts));
  const ways = rules.map(([, rule], at) => allOf([allowing[at]?.condition ?? nothing, ...(rule.owners === true ? [owners] : [])]));
  const admin = adminWay(plan, parts.tests).condition;
  const open = rules.filter(([, { where, owners: isOfOwners }]) => where === undefined && (isOfOwners !== true || owners.kind === 'all'));
  const rolesIn = (some: typeof rules): ReadonlySet<string> => new Set([adminRole, ...some.flatMap(([, { roles }]) => roles)]);
  return {
    condition: anyOf([admin, ...ways]),
    roles: rolesIn(rules),
    openTo: rolesIn(open),
    asksOthers: allowing.some(({ deferred }) => deferred !== undefined),
  };
}

function ownersOf(plan: EntityPlan, { ownership }: RightParts): Condition {
  return anyOf(ownership.of(plan).map(({ condition }) => condition));
}

/** Who makes an instance comes to own it. */
function makersOf(plan: EntityPlan, parts: RightParts): Condition {
  if (plan.entity.meta['creatorOwns'] !== false) return everything;
  return anyOf(parts.ownership.of(plan).flatMap(({ condition, isOwn }) => (isOwn ? [] : [condition])));
}

function maskOf(plan: EntityPlan, rights: AttributeRights): TableMask {
  const conditions: Condition[] = [];
  const columns = [...rights].map(([name, { read }]) => {
    const key = keyOfCondition(read.condition);
    const known = conditions.findIndex((each) => keyOfCondition(each) === key);
    if (known === -1) conditions.push(read.condition);
    return { column: plan.attribute.get(name)?.column ?? name, condition: known === -1 ? conditions.length - 1 : known };
  });
  return { table: plan.table.name, of: plan.table, conditions, columns, fields: plan.output.fields };
}
