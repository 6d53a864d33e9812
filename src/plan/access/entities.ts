// What may be done with the instances of an entity: by roles, by owners, and by what owners have granted.

import type { AccessRule, Operation } from '../../model/model.ts';
import type { ContainsPlan, EntityPlan, LinkPlan } from '../plan.ts';
import { type Condition, everything, type KeySource } from '../query/condition.ts';
import type { Table } from '../rows/table.ts';
import type { Held, Ownership } from './ownership.ts';
import { adminRole, allOf, type Right, type Rights, type RuleOf, rightOf, type Way } from './right.ts';
import { type RoleTests, rulesFor } from './roles.ts';
import { asksOthers, asksTable, isFoundFirst } from './selective.ts';
import { type ConditionParts, whereCondition } from './where.ts';

export interface RightParts {
  readonly tests: RoleTests;
  readonly ownership: Ownership;
  readonly grants: Table;
  readonly conditions: ConditionParts;
}

export function entityRights(plan: EntityPlan, parts: RightParts): Rights {
  const isOwnersAlone = plan.entity.meta['ownerOnly'] === true;
  const owned = (operation: 'read' | 'update' | 'delete'): Right => {
    const rules = operation !== 'read' && isOwnersAlone ? [] : rulesFor(plan.entity.rbac, operation);
    return rightOf(
      [
        adminWay(plan, parts.tests),
        ...rules.map((rule) => ruleWay(plan, rule, parts)),
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

export function ruleWay(plan: EntityPlan | LinkPlan, [index, rule]: readonly [number, AccessRule], parts: RightParts): RuleWay {
  const where = whereCondition(rule.where, plan, parts.conditions);
  const role = parts.tests.has(rule.roles);
  const way: RuleWay = { kind: 'rule', rule: ruleOf(plan.type, index, rule), ...withRole(plan.table, plan.key, role, where) };
  if (!asksOthers(where)) return way;
  const assumed = whereCondition(rule.where, plan, parts.conditions, true);
  return {
    ...way,
    deferred: { before: withRole(plan.table, plan.key, role, assumed).condition, after: where, asksOwnTable: asksTable(where, plan.table) },
  };
}

/** Of an event or an agent, by roles alone. */
export function runRight(type: string, rules: readonly AccessRule[] | undefined, { table, key }: EntityPlan, tests: RoleTests): Right {
  const ways = rulesFor(rules, 'create').map(
    ([index, rule]): Way => ({ kind: 'rule', rule: ruleOf(type, index, rule), ...withRole(table, key, tests.has(rule.roles), everything) }),
  );
  return rightOf([adminWay({ table, key }, tests), ...ways], key);
}

function ruleOf(type: string, index: number, { roles }: AccessRule): RuleOf {
  return { type, index, roles };
}

/** Rows for which `where` holds, while the caller has the role. */
function withRole(table: Table, key: string, role: ReturnType<RoleTests['has']>, where: Condition): Pick<Way, 'condition' | 'keys'> {
  const condition = role === undefined ? where : allOf([{ kind: 'exists', ...role }, where]);
  // Rows that have to be looked at one by one are no list of keys.
  if (asksOthers(where) && !isFoundFirst(where, table)) return { condition, keys: undefined };
  const keys: KeySource = { table, column: key, where, ...(role === undefined ? {} : { given: role }) };
  return { condition, keys: [keys] };
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
  if (!plan.contained) return rightOf([admin, ...rules.map((rule) => ruleWay(plan, rule, parts))], plan.key);
  const byRule = rules.flatMap((rule) => {
    const own = ruleWay(plan, rule, parts);
    return [
      ...ownership.ofParents(plan).map((parent) => ownedRule(own, parent)),
      ...plan.parents.flatMap((each) => rulesFor(each.contains.rbac, 'create').map((outer) => underRule(own, each, outer, parts))),
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
  return { ...narrowed(own, [condition]), chain, ofRow: own.condition };
}

/** A rule of the relationship: what it asks of `this` is asked of the child. */
function underRule(
  own: RuleWay,
  { contains, child, column }: ContainsPlan,
  [index, outer]: readonly [number, AccessRule],
  parts: RightParts,
): Way {
  const role = parts.tests.has(outer.roles);
  const isUnder: Condition = { kind: 'compare', column, operator: 'not-null' };
  const where = whereCondition(outer.where, child, parts.conditions);
  const around = [isUnder, role === undefined ? everything : ({ kind: 'exists', ...role } as const)];
  const way = { ...narrowed(own, around), relationship: ruleOf(contains.name, index, outer) };
  if (!asksOthers(where)) return narrowed(way, [where]);
  const assumed = whereCondition(outer.where, child, parts.conditions, true);
  const { before, after } = way.deferred ?? { before: way.condition, after: everything };
  const asksOwnTable = way.deferred?.asksOwnTable === true || asksTable(where, child.table);
  return { ...narrowed(way, [where]), deferred: { before: allOf([before, assumed]), after: allOf([after, where]), asksOwnTable } };
}

function atRoot(plan: EntityPlan, way: RuleWay): Way {
  return narrowed(
    way,
    plan.parents.map(({ column }): Condition => ({ kind: 'compare', column, operator: 'null' })),
  );
}

/** A rule that takes more than what it says itself. */
function narrowed(way: RuleWay, more: readonly Condition[]): RuleWay {
  const { deferred } = way;
  const condition = allOf([...more, way.condition]);
  if (deferred === undefined) return { ...way, condition, keys: undefined };
  return { ...way, condition, keys: undefined, deferred: { ...deferred, before: allOf([...more, deferred.before]) } };
}
