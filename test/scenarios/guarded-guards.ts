// The guards that are tried: what each of them lets a caller do with which rows.

import type { Guard, RowAction, Verdict } from '../../src/engine/seams.ts';
import { compile } from '../../src/plan/compile.ts';
import type { EntityPlan, LinkPlan } from '../../src/plan/plan.ts';
import { both, type Condition, everything } from '../../src/plan/query/condition.ts';
import { existsAlong, existsWith } from '../../src/plan/query/exists.ts';
import { wayNamed } from '../../src/plan/query/related.ts';
import type { Table } from '../../src/plan/rows/table.ts';
import { pathColumn } from '../../src/plan/rows/tables.ts';
import { modelOf } from '../support/app.ts';
import { model } from './guarded-model.ts';
import { containedBy, entities, ownLinks, type Sees, type SeesLink, sees } from './guarded-rows.ts';

type Planned = EntityPlan | LinkPlan;

export interface GuardCase {
  readonly name: string;
  readonly sees: Sees;
  /** Of links between what is seen; all of them where nothing is said. */
  readonly seesLink?: SeesLink;
  /** Whether rows that are seen may be written too; of the last two, which links may be, beside everything else. */
  readonly writes: 'seen' | 'own' | 'none' | 'own links' | 'no links';
  rows(action: RowAction, plan: Planned): Verdict;
}

const open: Verdict = { allowed: true, condition: everything };
const denied: Verdict = { allowed: false, reason: 'This is not for you.' };
const ofCaller = (column: string): Condition => ({ kind: 'compare', column, operator: 'eq', value: { ambient: 'caller.user' } });
const isOwn = ofCaller('owner');

/** Each condition is made once for each type, as those of access rules are; a link is seen where both of its ends are. */
function byType(of: (plan: EntityPlan) => Condition): (plan: Planned) => Condition {
  const known = new WeakMap<Planned, Condition>();
  return function conditionOf(plan) {
    const made = known.get(plan);
    if (made !== undefined) return made;
    const condition = plan.kind === 'entity' ? of(plan) : atBothEnds(plan, conditionOf);
    known.set(plan, condition);
    return condition;
  };
}

function atBothEnds({ ends }: LinkPlan, of: (plan: EntityPlan) => Condition): Condition {
  const [from, to] = ends.map(({ entity, column }) => existsWith(entity.table, entity.key, { column }, of(entity)));
  return from === undefined || to === undefined ? everything : both(from, to);
}

const isTried = (plan: Planned): boolean => plan.kind === 'link' || entities.some((name) => plan.type === `m/${name}`);

/** Nobody reads what no guard speaks of: the owners table. */
function rowsBy(condition: (plan: Planned) => Condition): GuardCase['rows'] {
  return (_, plan) => (isTried(plan) ? { allowed: true, condition: condition(plan) } : denied);
}

/** Every application of this model keeps it in the same table. */
const ownership = ownersTable();
function ownersTable(): Table {
  const plan = compile(modelOf(model)).entities.get('m/Ownership');
  if (plan === undefined) throw new Error('there are owners');
  return plan.table;
}

const attribute = byType(() => isOwn);
const exists = byType((plan) => {
  const isIts: Condition = { kind: 'compare', column: 'resource', operator: 'eq', value: { constants: [plan.type] } };
  return existsWith(ownership, 'resourceId', { column: plan.contained ? pathColumn : plan.key }, both(ofCaller('assignee'), isIts));
});
const ancestor = byType(ancestorOwned);

function ancestorOwned(plan: EntityPlan): Condition {
  const by = Object.entries(containedBy).find(([name]) => plan.type === `m/${name}`)?.[1];
  const way = by && wayNamed(plan, by.relationship);
  return way === undefined ? isOwn : existsAlong(way, plan.key, ancestorOwned(way.target));
}

export const guards: readonly GuardCase[] = [
  { name: 'by an attribute', sees: sees.attribute, writes: 'seen', rows: rowsBy(attribute) },
  { name: 'by a table of owners', sees: sees.exists, writes: 'seen', rows: rowsBy(exists) },
  { name: 'by the owner of what it stands in', sees: sees.ancestor, writes: 'seen', rows: rowsBy(ancestor) },
  {
    name: 'reading all, writing own',
    sees: sees.everything,
    writes: 'own',
    rows: (action, plan) => (action === 'read' && isTried(plan) ? open : rowsBy(attribute)(action, plan)),
  },
  {
    name: 'reading all, writing none',
    sees: sees.everything,
    writes: 'none',
    rows: (action, plan) => (action === 'read' && isTried(plan) ? open : denied),
  },
  { name: 'no type at all', sees: sees.nothing, writes: 'none', rows: () => denied },
  {
    name: 'by an attribute of the link',
    sees: sees.everything,
    seesLink: ownLinks,
    writes: 'own links',
    rows: (_, plan) => linksBy(plan, { allowed: true, condition: isOwn }),
  },
  {
    name: 'reading all, linking own',
    sees: sees.everything,
    writes: 'own links',
    rows: (action, plan) => linksBy(plan, action === 'read' ? open : { allowed: true, condition: isOwn }),
  },
  {
    name: 'reading all, linking none',
    sees: sees.everything,
    writes: 'no links',
    rows: (action, plan) => linksBy(plan, action === 'read' ? open : denied),
  },
];

function linksBy(plan: Planned, ofLinks: Verdict): Verdict {
  if (!isTried(plan)) return denied;
  return plan.kind === 'link' ? ofLinks : open;
}

/** A guard that can be exchanged between two requests. */
export function exchangeable(): Guard & { use(guard: GuardCase): void } {
  let rows: Guard['rows'] = () => denied;
  return {
    judge: () => open,
    rows: (action, plan, caller) => rows(action, plan, caller),
    use(guard) {
      rows = guard.rows;
    },
  };
}
