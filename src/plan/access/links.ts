// What may be done with links: made, changed and removed by who owns what they link, read by who may read that.

import type { EntityPlan, LinkEnd, LinkPlan } from '../plan.ts';
import { type Condition, everything } from '../query/condition.ts';
import { existsWith } from '../query/exists.ts';
import { adminWay, type RightParts, ruleWay } from './entities.ts';
import { allOf, type Right, type Rights, rightOf, type Way } from './right.ts';
import { rulesFor } from './roles.ts';

export function linkRights(plan: LinkPlan, readable: (entity: EntityPlan) => Condition, parts: RightParts): Rights {
  const written = (operation: 'create' | 'update' | 'delete'): Right => {
    const rules = rulesFor(plan.between.rbac, operation).map((rule) => ruleWay(plan, rule, parts));
    // A new link is judged before it is stored: it is not what makes its maker the owner of an end.
    return rightOf([adminWay(plan, parts.tests), ...rules, ...endWays(plan, parts)], plan.key);
  };
  return {
    create: written('create'),
    read: rightOf([readWay(plan, readable)], plan.key),
    update: written('update'),
    delete: written('delete'),
    // A link stands nowhere.
    move: rightOf([], plan.key),
  };
}

function endWays(plan: LinkPlan, { ownership }: RightParts): readonly Way[] {
  const way = (ends: readonly LinkEnd[]): Way => ({
    kind: 'ends',
    by: 'owner',
    ends: ends.map(({ attribute }) => attribute),
    condition: allOf(ends.map(({ entity, column }) => ownership.at(entity, column))),
    keys: undefined,
  });
  const alone = plan.ends.filter(({ attribute }) => attribute === plan.between.owner);
  return alone.length > 0 ? [way(alone)] : [way(plan.ends)];
}

function readWay(plan: LinkPlan, readable: (entity: EntityPlan) => Condition): Way {
  const ends = plan.ends.map(({ entity, column }): Condition => {
    const condition = readable(entity);
    return condition.kind === 'all' ? everything : existsWith(entity.table, entity.key, { column }, condition);
  });
  return { kind: 'ends', by: 'reader', ends: plan.ends.map(({ attribute }) => attribute), condition: allOf(ends), keys: undefined };
}
