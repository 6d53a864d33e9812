// What may be done with the instances of an entity: by roles, by owners, and by what owners have granted.

import type { AccessRule, Operation } from '../../model/model.ts';
import type { ContainsPlan, EntityPlan } from '../plan.ts';
import { type Condition, everything, type KeySource } from '../query/condition.ts';
import type { Table } from '../rows/table.ts';
import type { Held, Ownership } from './ownership.ts';
import { adminRole, allOf, type Right, type Rights, type RuleOf, rightOf, type Way } from './right.ts';
import { type RoleTests, rulesFor } from './roles.ts';
import { whereCondition } from './where.ts';

export interface RightParts {
  readonly tests: RoleTests;
  readonly ownership: Ownership;
  readonly grants: Table;
}

export function entityRights(plan: EntityPlan, parts: RightParts): Rights {
  const isOwnersAlone = plan.entity.meta['ownerOnly'] === true;
  const owned = (operation: 'read' | 'update' | 'delete'): Right => {
    const rules = operation !== 'read' && isOwnersAlone ? [] : rulesFor(plan.entity.rbac, operation);
    return rightOf(
      [
        adminWay(plan, parts.tests),
        ...rules.map((rule) => ruleWay(plan, rule, parts.tests)),
        ...ownerWays(plan, parts),
        grantWay(plan, operation, parts),
      ],
      plan.key,
    );
  };
  return {
    create: createRight(plan, parts),
    read: owned('read'),
    update: owned('update'),
    delete: owned('delete'),
    move: rightOf([adminWay(plan, parts.tests), ...ownerWays(plan, parts)], plan.key),
  };
}

export function adminWay({ table, key }: Pick<EntityPlan, 'table' | 'key'>, tests: RoleTests): Way {
  return { kind: 'admin', ...withRole(table, key, tests.has([adminRole]), everything) };
}

type RuleWay = Extract<Way, { kind: 'rule' }>;

export function ruleWay(
  plan: Pick<EntityPlan, 'type' | 'table' | 'key' | 'attribute'>,
  [index, rule]: readonly [number, AccessRule],
  tests: RoleTests,
): RuleWay {
  return {
    kind: 'rule',
    rule: ruleOf(plan.type, index, rule),
    ...withRole(plan.table, plan.key, tests.has(rule.roles), whereCondition(rule.where, plan)),
  };
}

/** Of an event or an agent, by roles alone. */
export function runRight(type: string, rules: readonly AccessRule[] | undefined, { table, key }: EntityPlan, tests: RoleTests): Right {
  const none: Pick<EntityPlan, 'type' | 'table' | 'key' | 'attribute'> = { type, table, key, attribute: new Map() };
  return rightOf([adminWay(none, tests), ...rulesFor(rules, 'create').map((rule) => ruleWay(none, rule, tests))], key);
}

function ruleOf(type: string, index: number, { roles }: AccessRule): RuleOf {
  return { type, index, roles };
}

/** Rows for which `where` holds, while the caller has the role. */
function withRole(table: Table, key: string, role: ReturnType<RoleTests['has']>, where: Condition): Pick<Way, 'condition' | 'keys'> {
  const keys: KeySource = { table, column: key, where, ...(role === undefined ? {} : { given: role }) };
  return { condition: role === undefined ? where : allOf([{ kind: 'exists', ...role }, where]), keys: [keys] };
}

function ownerWays(plan: EntityPlan, { ownership }: RightParts): readonly Way[] {
  return ownership.of(plan).map(({ chain, condition, keys }): Way => ({ kind: 'owner', chain, condition, keys }));
}

/** To change or to delete something includes to read it. */
const grantedBy: Readonly<Record<'read' | 'update' | 'delete', readonly Operation[]>> = {
  read: ['read', 'update', 'delete'],
  update: ['update'],
  delete: ['delete'],
};

function grantWay(plan: EntityPlan, operation: 'read' | 'update' | 'delete', { ownership, grants }: RightParts): Way {
  const actions = grantedBy[operation];
  const isGranted: Condition = { kind: 'holds', column: 'actions', item: 'text', value: { constants: [...actions, '*'] } };
  return { kind: 'grant', actions, ...ownership.assigned(grants, plan, isGranted) };
}

/**
 * By a rule of its own. Under a parent that takes two things: the rule, and who owns the parent or is allowed by a rule of the relationship. What has no
 * rules is made by who owns the parent.
 */
function createRight(plan: EntityPlan, parts: RightParts): Right {
  const { tests, ownership } = parts;
  const rules = rulesFor(plan.entity.rbac, 'create');
  const admin = adminWay(plan, tests);
  if (!plan.contained) return rightOf([admin, ...rules.map((rule) => ruleWay(plan, rule, tests))], plan.key);
  const byRule = rules.flatMap((rule) => {
    const own = ruleWay(plan, rule, tests);
    return [
      ...ownership.ofParents(plan).map((parent) => ownedRule(own, parent)),
      ...plan.parents.flatMap((each) => rulesFor(each.contains.rbac, 'create').map((outer) => underRule(own, each, outer, tests))),
      ...(plan.rootable ? [atRoot(plan, own)] : []),
    ];
  });
  const owners = plan.entity.rbac === undefined ? ownership.of(plan).filter(({ isOwn }) => !isOwn) : [];
  return rightOf(
    [admin, ...owners.map(({ chain, condition, keys }): Way => ({ kind: 'owner', chain, condition, keys })), ...byRule],
    plan.key,
  );
}

function ownedRule(own: RuleWay, { chain, condition }: Held): Way {
  return { ...own, chain, ofRow: own.condition, condition: allOf([own.condition, condition]), keys: undefined };
}

function underRule(own: RuleWay, { contains, column }: ContainsPlan, [index, outer]: readonly [number, AccessRule], tests: RoleTests): Way {
  const role = tests.has(outer.roles);
  const isUnder: Condition = { kind: 'compare', column, operator: 'not-null' };
  return {
    ...own,
    relationship: ruleOf(contains.name, index, outer),
    condition: allOf([isUnder, role === undefined ? everything : { kind: 'exists', ...role }, own.condition]),
    keys: undefined,
  };
}

function atRoot(plan: EntityPlan, way: RuleWay): Way {
  const isRoot = plan.parents.map(({ column }): Condition => ({ kind: 'compare', column, operator: 'null' }));
  return { ...way, condition: allOf([...isRoot, way.condition]), keys: undefined };
}
