// `@parent` in the body of a change: which parent it names, whether the instance can stand there, and what is wrong where it cannot.

import type { Fault } from '../../errors.ts';
import type { ContainsPlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { Select } from '../../plan/query/shape.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { isPath, parentMember, separator } from '../../plan/rows/keys.ts';
import { stepsOf } from '../../plan/rows/path.ts';
import type { Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { childOf, locatedRow, rootOf } from '../address/address.ts';
import { followPath } from '../address/path.ts';
import { identifierOf } from '../instances/cascade.ts';
import { readable } from '../instances/readable.ts';
import type { WriteContext } from '../operation.ts';
import type { Located, Moving } from '../row.ts';
import { cacheShape } from '../shape-cache.ts';
import { plainKey } from '../sized.ts';

/** The path of a parent, or null for none. */
export type NewParent = string | null;

/** What is wrong with it whatever is stored. */
export function readParent(plan: EntityPlan | LinkPlan, value: Value, faults: Fault[]): NewParent | undefined {
  const wrong = (code: Fault['code'], message: string): undefined => void faults.push(fault(parentMember, code, message));
  if (plan.kind === 'link' || plan.parents.length === 0)
    return wrong('unknown', `is for what stands under a parent, and no ${plan.type} does`);
  if (value === null) return plan.rootable ? null : wrong('required', `cannot be null: each ${plan.type} stands under a parent`);
  if (typeof value !== 'string') return wrong('type', 'must be the path of a parent, or null');
  if (isPath(value) && plan.parents.some(({ parent }) => stepsOf(parent, value).kind === 'steps')) return value;
  return wrong('value', mustBePath(plan.parents));
}

/** Where the instance is to stand: nothing where it stands there already. */
export async function movingTo(parent: NewParent, located: Located, context: WriteContext): Promise<Moving | Fault | undefined> {
  const { plan } = located;
  if (plan.kind === 'link') return undefined;
  // Two that move below each other take turns, in place of waiting for each other's rows.
  if (plan.rootable && context.store.isShared) await context.tx.alone(`move ${plan.table.name}`, plan.table.name);
  const row = await readable(context.tx, context).one(placed(plan), [located.key]);
  // Whoever reads it next finds out that it has gone.
  if (row === undefined) return undefined;
  const own = locatedRow(plan, identifierOf(plan, row), row);
  const present = presentParent(plan, row);
  if (parent === null) return present && { plan, to: rootOf(plan, own.id), parent: undefined };
  const contains = relationshipTo(plan, parent, present?.contains);
  return 'message' in contains ? contains : underParent(own, present, contains, parent, context);
}

export function isFault(moving: Moving | Fault | undefined): moving is Fault {
  return moving !== undefined && 'message' in moving;
}

interface Present {
  readonly contains: ContainsPlan;
  readonly key: Value;
}

/** As it is read by its key, and behind that the keys of its parents. */
function placed(plan: EntityPlan): Select {
  const cached = plan.cached.get('placed');
  if (cached?.kind === 'select') return cached;
  const { fields, columns } = plan.output;
  return cacheShape(plan, 'placed', {
    ...plan.shapes.byKey,
    output: { fields, columns: [...columns, ...plan.parents.map((each) => each.column)] },
  });
}

function presentParent(plan: EntityPlan, { columns }: Row): Present | undefined {
  const keys = columns.slice(plan.output.columns.length);
  const found = plan.parents.findIndex((_, index) => (keys[index] ?? null) !== null);
  const contains = plan.parents[found];
  return contains && { contains, key: keys[found] ?? null };
}

/** It stays in the relationship in which it stands; what stands in none has to leave no doubt. */
function relationshipTo(plan: EntityPlan, path: string, present: ContainsPlan | undefined): ContainsPlan | Fault {
  const possible = present === undefined ? plan.parents : [present];
  const [found, second] = possible.filter(({ parent }) => stepsOf(parent, path).kind === 'steps');
  if (found === undefined) return fault(parentMember, 'value', mustBePath(possible));
  if (second === undefined) return found;
  return fault(parentMember, 'value', `can mean ${found.contains.local} and ${second.contains.local}`);
}

function mustBePath(possible: readonly ContainsPlan[]): string {
  const types = [...new Set(possible.map(({ parent }) => parent.type))];
  return `must be the path of ${types.map((type) => `a ${type}`).join(' or ')}`;
}

async function underParent(
  own: Located,
  present: Present | undefined,
  contains: ContainsPlan,
  path: string,
  context: WriteContext,
): Promise<Moving | Fault | undefined> {
  const plan = contains.child;
  const reader = readable(context.tx, context);
  const missing = fault(parentMember, 'reference', `must be an existing ${contains.parent.type}`);
  const named = await followPath(contains.parent, path, reader);
  if (named.kind === 'wrong') return fault(parentMember, 'value', named.message);
  if (contains.parent === plan && `${String(named.located.key)}${separator}`.startsWith(`${String(own.key)}${separator}`))
    return fault(parentMember, 'value', 'cannot be the instance itself, or stand below it');
  const row = await reader.one(contains.parent.shapes.byKey, [named.located.key]);
  if (row === undefined) return missing;
  const parent = locatedRow(contains.parent, identifierOf(contains.parent, row), row);
  if (present !== undefined && plainKey(present.key) === plainKey(parent.key)) return undefined;
  // Neither parent is locked before the instance is, as nobody does who changes or deletes it; one that goes meanwhile is missed by its key.
  return { plan, to: childOf(parent, contains, own.id), parent: { located: parent, contains } };
}
