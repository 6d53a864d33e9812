// Moves an instance with everything below it to another parent: keys, paths and versions of all of them, in few statements for each table.

import { error } from '../../errors.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { type Condition, inRange } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { followed, separator } from '../../plan/rows/keys.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import { prefixBelow } from '../address/address.ts';
import { deepestFirst, reachable } from '../address/contained.ts';
import { dependentsOf, recomputeStale, rowLeaves, rowMade } from '../computed/related-computed.ts';
import type { WriteContext } from '../operation.ts';
import type { Located, Moving } from '../row.ts';
import { isRecorded, noteBefore, noteMoved } from '../rows/record.ts';
import { announceMove, composingOf, followRows, moveRow, renewLinks } from '../rows/rows.ts';
import { moveAssignments } from './assignments.ts';
import { rangeOf, together } from './below.ts';
import { checkProposed, isFree, type Pending } from './guard.ts';
import { mergedValues, placeValues } from './row-values.ts';

/** What the move concerns besides the instance itself. */
interface Along {
  /** Parents before children, each with its keys in their order. */
  readonly rows: ReadonlyMap<EntityPlan, readonly string[]>;
  /** By their keys. */
  readonly links: ReadonlyMap<LinkPlan, readonly Value[]>;
}

/** The row of the instance must be locked as one that goes: nothing new comes below it then. */
export async function moveInstance(from: Located, { plan, to, parent }: Moving, context: WriteContext): Promise<void> {
  // What is out of date is known by its keys.
  await recomputeStale(context);
  const along = await alongWith(plan, String(from.key), context);
  await noteAll(plan, from, along, context);
  await announceAll(plan, from, to, along, context);
  await rowLeaves(plan, from.key, context);
  const parents = plan.parents.map((each) => [each.column, each === parent?.contains ? parent.located.key : null] as const);
  const columns = { [plan.key]: to.key, [pathColumn]: to.path ?? null, ...Object.fromEntries(parents) };
  if (!(await moveRow(plan, from.key, columns, context))) throw error('instance-not-found');
  for (const [entity, keys] of along.rows) await followAll(entity, keys, from, to, context);
  await moveAssignments(from, to, context);
  for (const link of along.links.keys())
    for (const end of link.ends)
      if (end.guid === undefined && isMoved(end.entity, plan)) await renewLinks(link, end.column, String(to.key), context);
  if (dependentsOf(plan, context) !== undefined) await rowMade(plan, to.key, context);
}

/** What stands in the way where it is to stand is not for everybody to know. */
export async function checkPlacing(
  changes: ReadonlyMap<AttributePlan, Value>,
  from: Located,
  { plan, to, parent }: Moving,
  context: WriteContext,
): Promise<Pending | undefined> {
  if (isFree('create', plan, context)) return undefined;
  const values = await mergedValues(plan, changes, from, context);
  const placed = placeValues(plan, to, parent);
  const { columns } = plan.shapes.insert;
  const all = [...values, null, ...placed];
  return checkProposed(plan, (column) => all[columns.indexOf(column)] ?? null, context);
}

/** Where it stands then, reached by the same link. */
export function locatedAfter(located: Located, move: Moving | undefined): Located {
  if (move === undefined) return located;
  const { link } = located;
  return link === undefined ? move.to : { ...move.to, link: { ...link, start: keyAfter(link.start, located, move.to) } };
}

/** The key of something that may be the moved instance, or stand below it. */
function keyAfter(key: Value, from: Located, to: Located): Value {
  const isBelow = typeof key === 'string' && (key === from.key || key.startsWith(`${String(from.key)}${separator}`));
  return isBelow ? `${String(to.key)}${key.slice(String(from.key).length)}` : key;
}

function isMoved(entity: EntityPlan, root: EntityPlan): boolean {
  return entity === root || reachable(root).some(({ child }) => child === entity);
}

/** Locks all of it, where a store lets several write at once. Not more than may be in a tree. */
async function alongWith(plan: EntityPlan, key: string, context: WriteContext): Promise<Along> {
  const most = context.limits.tree.instances;
  let left = most;
  const counted = <T>(found: readonly T[]): readonly T[] => {
    left -= found.length;
    if (left >= 0) return found;
    throw error('tree-too-large', { detail: `It has more than ${most} instances and links below it, which is more than can be moved.` });
  };
  const rows = new Map<EntityPlan, readonly string[]>();
  for (const entity of deepestFirst(reachable(plan)).toReversed()) rows.set(entity, counted(await keysBelow(entity, key, left, context)));
  const links = new Map<LinkPlan, readonly Value[]>();
  for (const link of context.plan.links.values()) {
    if (!link.ends.some(({ entity }) => isMoved(entity, plan))) continue;
    const found = counted(await linksOf(link, plan, key, left, context));
    if (found.length > 0) links.set(link, found);
  }
  return { rows, links };
}

/** Of what contains itself, others may have come below a row while the lock on it was waited for: these are seen by asking again. */
async function keysBelow(entity: EntityPlan, key: string, left: number, { tx, store }: WriteContext): Promise<readonly string[]> {
  const select: Select = {
    ...entity.shapes.byKey,
    output: { fields: [], columns: [entity.key] },
    where: inRange(entity.key),
    order: [{ column: entity.key, descending: false }],
    limit: true,
    lock: 'remove',
  };
  const isRepeated = store.isShared && entity.children.some(({ child }) => child === entity);
  for (let before = -1; ; ) {
    const rows = await tx.rows(select, [...rangeOf(key), left + 1]);
    if (!isRepeated || rows.length === before || rows.length > left) return rows.map(({ columns: [found] }) => String(found));
    before = rows.length;
  }
}

async function linksOf(
  { shapes, key: id, ends }: LinkPlan,
  plan: EntityPlan,
  key: string,
  left: number,
  { tx }: WriteContext,
): Promise<readonly Value[]> {
  const moved = ends.filter(({ entity }) => isMoved(entity, plan));
  const conditions = moved.flatMap(({ column }): Condition[] => [{ kind: 'compare', column, operator: 'eq' }, inRange(column)]);
  const output = { fields: [], columns: [id] };
  const select: Select = { ...shapes.byKey, output, where: { kind: 'or', conditions }, limit: true };
  const rows = await tx.rows(select, [...moved.flatMap(() => [key, ...rangeOf(key)]), left + 1]);
  return rows.map(({ columns: [found = null] }) => found);
}

async function noteAll(plan: EntityPlan, { key }: Located, { rows, links }: Along, context: WriteContext): Promise<void> {
  await noteBefore(plan, [key], context);
  for (const [entity, keys] of rows) await noteBefore(entity, keys, context);
  for (const [link, keys] of links) await noteBefore(link, keys, context);
}

/** Parents before children, as they are created. */
async function announceAll(plan: EntityPlan, from: Located, to: Located, { rows }: Along, context: WriteContext): Promise<void> {
  await announceMove(plan, from.key, { key: to.key, path: to.path ?? null }, context);
  const [was, now] = [prefixBelow(from), prefixBelow(to)];
  for (const [entity, keys] of rows) {
    if (composingOf(entity, context) === undefined) continue;
    const select: Select = { ...entity.shapes.byKey, output: { fields: [], columns: [pathColumn] } };
    for (const key of keys) {
      const row = await context.tx.one(select, [key]);
      await announceMove(entity, key, followed({ key, path: String(row?.columns[0]) }, was, now), context);
    }
  }
}

async function followAll(entity: EntityPlan, keys: readonly string[], from: Located, to: Located, context: WriteContext): Promise<void> {
  const [was, now] = [prefixBelow(from), prefixBelow(to)];
  const [first, last] = rangeOf(was.key);
  for (let start = 0; start < keys.length; start += together) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    await followRows(entity, [keys[start - 1] ?? first, keys[start + together] ?? last], was, now, context);
  }
  if (isRecorded(entity, context)) for (const key of keys) noteMoved(entity, key, followed({ key, path: '' }, was, now).key, context);
}
