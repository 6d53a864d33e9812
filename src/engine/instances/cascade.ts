// Deletes an instance with all that goes with it: what it contains, its links, what refers to it. What a relationship does not take along is set free.

import { error } from '../../errors.ts';
import type { ContainsPlan, EntityPlan, LinkPlan, RowPlan } from '../../plan/plan.ts';
import { type Condition, equal, inRange } from '../../plan/query/condition.ts';
import type { Delete, Select } from '../../plan/query/shape.ts';
import { cascadedPlans, type Referrer, referrersOf } from '../../plan/rows/cascade.ts';
import { below, followed, keyName, type Prefix } from '../../plan/rows/keys.ts';
import { keyColumn, pathColumn } from '../../plan/rows/tables.ts';
import type { Row } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { freeOf, keyText, linkLocated, locatedRow, prefixBelow } from '../address/address.ts';
import { deepestFirst, reachable } from '../address/contained.ts';
import { lockOwners, recomputeStale, rowMoved } from '../computed/related-computed.ts';
import { markStaleAfterDelete } from '../computed/stale-after-delete.ts';
import { yieldAt } from '../context.ts';
import type { WriteContext } from '../operation.ts';
import type { Located } from '../row.ts';
import { isRecorded, noteBefore } from '../rows/record.ts';
import { composingOf, removeRow, removeRows, setColumns } from '../rows/rows.ts';
import { moveAssignments, removeAssignments } from './assignments.ts';
import { keysBelow, rangeOf, together } from './below.ts';
import { checkRow } from './guard.ts';

export interface CascadedRow {
  readonly located: Located;
  readonly row: Row;
}

/** Deletes the instance and, unless the relationships say otherwise, everything it contains. */
export async function removeInstance(located: Located, row: Row, context: WriteContext): Promise<void> {
  const own = { located, row };
  await checkRow('delete', located.plan, located.key, context);
  await fireBefore(own, context);
  await lockOwners(located.plan, [located.key], 'all', context);
  const trees = await treesGone(own, context);
  const taken = await cascadeOf(trees, context);
  for (const each of taken) await fireBefore(each, context);
  for (const { located: gone } of [...taken, own]) await composingOf(gone.plan, context)?.remove(gone.plan, gone.key, context);
  await noteAll([own, ...taken], context);
  for (const each of trees) await markStaleAfterDelete(each.located, containedIn(each.located), context);
  // What refers to others is found behind them, and goes before them.
  for (const each of trees.toReversed()) await deleteTree(each.located, context);
  await recomputeStale(context);
  for (const each of taken) await fireAfter(each, context);
  await fireAfter(own, context);
}

/** The instance, and behind it those that go with it because they refer to it, or to what goes, where the store alone would not do. */
async function treesGone(own: CascadedRow, context: WriteContext): Promise<readonly CascadedRow[]> {
  const trees = new Map([[nameOf(own), own]]);
  // A map goes on with what is added to it on the way.
  for (const [, { located }] of trees) {
    await setChildrenFree(located, context);
    for (const each of await referringTo(located, context)) if (!trees.has(nameOf(each))) trees.set(nameOf(each), each);
  }
  return [...trees.values()];
}

async function setChildrenFree(located: Located, context: WriteContext): Promise<void> {
  for (const contains of containedIn(located)) {
    if (!contains.contains.cascade) await setFree(contains, keyText(located), context);
  }
}

async function deleteTree(located: Located, context: WriteContext): Promise<void> {
  // Deepest first, so that no row is left pointing at a parent that is gone.
  for (const entity of deepestFirst(containedIn(located))) {
    if (entity.external === undefined) await deleteBelow(entity, keyText(located), context);
    else await removeElsewhere(entity, keyText(located), context);
  }
  await removeUnheldLinks(located, context);
  await removeRow(located.plan, located.key, context);
  await removeAssignments(located, context);
}

/** Instances below, one by one, where their resolver deletes; without such a handler they are the other system's affair. */
async function removeElsewhere(entity: EntityPlan, key: string, context: WriteContext): Promise<void> {
  if (entity.external?.query !== true || !entity.external.delete) return;
  const order = [{ column: keyColumn, descending: true }];
  const rows = await context.tx.rows({ ...entity.shapes.byKey, where: inRange(keyColumn), order }, rangeOf(key));
  for (const row of rows) await removeRow(entity, row.columns[1] ?? null, context);
}

/** No foreign key of a link points at what is kept elsewhere: its links are removed here. */
async function removeUnheldLinks({ plan, key }: Located, context: WriteContext): Promise<void> {
  if (plan.external === undefined) return;
  for (const { table, ends } of context.plan.links.values())
    for (const end of ends) if (end.entity === plan) await removeRows({ kind: 'delete', table, where: equal(end.column) }, [key], context);
}

async function fireBefore({ located, row }: CascadedRow, context: WriteContext): Promise<void> {
  const { triggers } = context;
  if (triggers.fires('before', 'delete', located.plan.type, context)) await triggers.beforeDelete(located, row, context);
}

async function fireAfter({ located, row }: CascadedRow, context: WriteContext): Promise<void> {
  const { triggers } = context;
  if (triggers.fires('after', 'delete', located.plan.type, context)) await triggers.after('delete', located, row, context);
}

/** From the end of the range, where the deepest rows stand, so that no statement leaves a row without its parent. */
async function deleteBelow(entity: EntityPlan, key: string, context: WriteContext): Promise<void> {
  const [from, to] = rangeOf(key);
  for (;;) {
    const [bound] = await context.tx.rows(keysBelow(entity), [from, to, 1, together]);
    const shape: Delete = { kind: 'delete', table: entity.table, where: inRange(keyColumn) };
    await removeRows(shape, [bound?.columns[0] ?? from, to], context);
    if (bound === undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The children of a relationship that does not cascade get a key under no parent, and so does what they contain. */
async function setFree(contains: ContainsPlan, key: string, context: WriteContext): Promise<void> {
  const { child } = contains;
  const { from, to } = below(key);
  const held: Select = {
    ...child.shapes.byKey,
    where: { kind: 'and', conditions: [inRange(keyColumn), { kind: 'compare', column: contains.column, operator: 'not-null' }] },
    // One order for all: who sets free the same waits, and does not lock out the other.
    order: [{ column: keyColumn, descending: false }],
  };
  const rows = await context.tx.rows(held, [from, to]);
  for (const [index, row] of rows.entries()) {
    await yieldAt(index);
    const before = locatedRow(child, identifierOf(child, row), row);
    const now = freeOf(child, before.id);
    await refuseSecond(now, context);
    await noteMoving({ located: before, row }, context);
    await detach(contains, before, now, context);
    rowMoved(child, now.key, context);
    for (const entity of deepestFirst(reachable(child))) await moveBelow(entity, prefixBelow(before), prefixBelow(now), context);
    await moveAssignments(before, now, context);
  }
}

/** Under no parent an instance goes by its identifier alone: a second one with it could not be told from the first, nor could what they contain. */
async function refuseSecond({ plan, key, id }: Located, { tx }: WriteContext): Promise<void> {
  if ((await tx.one(plan.shapes.exists, [key])) === undefined) return;
  const detail = `The ${plan.local} ${String(id)} would outlive its parent, and there is one with this identifier under no parent already: move or delete one of them first.`;
  throw error('instance-referenced', { detail });
}

async function noteAll(all: readonly CascadedRow[], context: WriteContext): Promise<void> {
  if (context.recording === undefined) return;
  const keys = new Map<Located['plan'], Value[]>();
  for (const { located } of all) keys.set(located.plan, [...(keys.get(located.plan) ?? []), located.key]);
  for (const [plan, some] of keys) await noteBefore(plan, some, context);
}

/** With an instance, what it contains gets other keys, and their links point at those. */
async function noteMoving(moved: CascadedRow, context: WriteContext): Promise<void> {
  if (context.recording !== undefined) await noteAll([moved, ...(await cascadeOf([moved], context))], context);
}

async function detach({ child, column }: ContainsPlan, before: Located, now: Located, context: WriteContext): Promise<void> {
  await setColumns(child, before.key, { [keyColumn]: now.key, [pathColumn]: null, [column]: null }, context);
}

/** Rows below a moved key follow it; the store carries the change on to what points at them. */
async function moveBelow(entity: EntityPlan, from: Prefix, to: Prefix, context: WriteContext): Promise<void> {
  const rows = await context.tx.rows({ ...entity.shapes.byKey, where: inRange(keyColumn) }, rangeOf(from.key));
  for (const [index, row] of rows.entries()) {
    await yieldAt(index);
    const [, key = null, path = null] = row.columns;
    const now = followed({ key: String(key), path: String(path) }, from, to);
    await setColumns(entity, key, { [keyColumn]: now.key, [pathColumn]: now.path }, context);
  }
}

/** Tells apart everything that is stored. */
function nameOf({ located }: CascadedRow): string {
  return `${located.plan.type} ${keyName(located.key)}`;
}

function containedIn({ plan }: Located): readonly ContainsPlan[] {
  return plan.kind === 'entity' ? reachable(plan) : [];
}

/**
 * Everything but the first tree itself: what the trees contain, their links, and the further ones. Only where the model waits for
 * it: everything else goes unread.
 */
async function cascadeOf(trees: readonly CascadedRow[], context: WriteContext): Promise<readonly CascadedRow[]> {
  const [own] = trees;
  const found = new Map<string, CascadedRow>();
  for (const tree of trees) {
    const { located } = tree;
    for (const link of located.plan.kind === 'link' ? [] : context.plan.links.values())
      if (isHeeded(link, context)) for (const each of await linksOf(link, located, context)) found.set(nameOf(each), each);
    for (const entity of deepestFirst(containedIn(located)))
      if (isHeeded(entity, context)) for (const each of await rowsBelow(entity, located, context)) found.set(nameOf(each), each);
    if (tree !== own && isHeeded(located.plan, context)) found.set(nameOf(tree), tree);
  }
  if (own !== undefined) found.delete(nameOf(own));
  return [...found.values()];
}

async function rowsBelow(entity: EntityPlan, located: Located, context: WriteContext): Promise<readonly CascadedRow[]> {
  const { from, to } = below(keyText(located));
  const rows = await context.tx.rows(
    { ...entity.shapes.byKey, where: inRange(keyColumn), order: [{ column: keyColumn, descending: false }] },
    [from, to],
  );
  return rows.map((row) => ({ located: locatedRow(entity, identifierOf(entity, row), row), row }));
}

/** What goes with an instance, or with what it contains, because it refers to it. What the store can remove by itself is not looked for. */
async function referringTo(located: Located, context: WriteContext): Promise<readonly CascadedRow[]> {
  if (located.plan.kind === 'link') return [];
  const found: CascadedRow[] = [];
  const plans = new Set([located.plan, ...containedIn(located).map((each) => each.child)]);
  for (const plan of plans) {
    for (const referrer of referrersOf(plan, context.plan)) {
      if (!takesAlong(referrer.plan, context)) continue;
      for (const values of batches(await valuesOf(referrer.target, plan, located, context)))
        found.push(...(await referringRows(referrer, values, context)));
    }
  }
  return found;
}

/** Whether somebody is told when its rows go, or they hold something that the store would not remove with them. */
function takesAlong(plan: EntityPlan | LinkPlan, context: WriteContext): boolean {
  // What has owners takes them along.
  if (context.plan.access !== undefined && plan.kind === 'entity' && plan.entity.system === undefined) return true;
  return cascadedPlans(plan, context.plan).some((each) => isHeeded(each, context) || (each.kind === 'entity' && each.children.length > 0));
}

/** What an attribute holds in the instance itself, or in those of a type that it contains; both where a type contains itself. */
async function valuesOf(attribute: string, plan: EntityPlan, located: Located, context: WriteContext): Promise<readonly Value[]> {
  const select = { ...plan.shapes.byKey, output: { fields: [], columns: [plan.attribute.get(attribute)?.column ?? attribute] } };
  const rows = plan === located.plan ? [...(await context.tx.rows(select, [located.key]))] : [];
  if (containedIn(located).some(({ child }) => child === plan)) {
    const { from, to } = below(keyText(located));
    rows.push(...(await context.tx.rows({ ...select, where: inRange(keyColumn) }, [from, to])));
  }
  return rows.map((row) => row.columns[0] ?? null).filter((value) => value !== null);
}

/** So many values go into one statement. */
const mostValues = 500;

function batches(values: readonly Value[]): readonly (readonly Value[])[] {
  const found: (readonly Value[])[] = [];
  for (let start = 0; start < values.length; start += mostValues) found.push(values.slice(start, start + mostValues));
  return found;
}

async function referringRows({ plan, column }: Referrer, values: readonly Value[], context: WriteContext): Promise<readonly CascadedRow[]> {
  const where: Condition = { kind: 'compare', column, operator: 'in', count: values.length };
  const order = [{ column: plan.key, descending: false }];
  const rows = await context.tx.rows({ ...plan.shapes.byKey, where, order }, values);
  return rows.map((row) => ({
    located: plan.kind === 'link' ? linkLocated(plan, row) : locatedRow(plan, identifierOf(plan, row), row),
    row,
  }));
}

/** Whether somebody is told of each row of that type that is deleted. */
export function isHeeded(plan: RowPlan, context: WriteContext): boolean {
  const { triggers } = context;
  const { type } = plan;
  if (triggers.fires('before', 'delete', type, context) || triggers.fires('after', 'delete', type, context)) return true;
  return isRecorded(plan, context) || composingOf(plan, context) !== undefined;
}

async function linksOf(link: LinkPlan, located: Located, context: WriteContext): Promise<readonly CascadedRow[]> {
  const conditions: Condition[] = [];
  const values: Value[] = [];
  for (const { entity, column } of link.ends) {
    if (entity === located.plan) {
      conditions.push({ kind: 'compare', column, operator: 'eq' });
      values.push(located.key);
    }
    if (containedIn(located).some(({ child }) => child === entity)) {
      const { from, to } = below(keyText(located));
      conditions.push(inRange(column));
      values.push(from, to);
    }
  }
  if (conditions.length === 0) return [];
  const rows = await context.tx.rows({ ...link.shapes.byKey, where: { kind: 'or', conditions } }, values);
  return rows.map((row) => ({ located: linkLocated(link, row), row }));
}

export function identifierOf(plan: RowPlan, row: Row): Value {
  return parseStored(row.json)[plan.identifier.name] ?? null;
}
