// Deletes one instance with everything it contains; children of relationships that do not cascade are set free.

import { error } from '../../errors.ts';
import type { ContainsPlan, EntityPlan } from '../../plan/plan.ts';
import { equal, inRange } from '../../plan/query/condition.ts';
import type { Delete, Select } from '../../plan/query/shape.ts';
import { typesGone } from '../../plan/rows/cascade.ts';
import { below, followed, type Prefix } from '../../plan/rows/keys.ts';
import { keyColumn, pathColumn } from '../../plan/rows/tables.ts';
import type { Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { freeOf, goneFrom, keyText, linkLocated, locatedRow, prefixBelow } from '../address/address.ts';
import { deepestFirst, reachable } from '../address/contained.ts';
import { dependentsOf, lockOwners, recomputeStale, rowMoved } from '../computed/related-computed.ts';
import { markStaleAfterDelete } from '../computed/stale-after-delete.ts';
import { decisionBasisFor, inTransaction, yieldAt } from '../context.ts';
import { instanceOf } from '../crud/read.ts';
import { asksResolver, isWrittenElsewhere } from '../external.ts';
import type { Context, Operation, Result, WriteContext } from '../operation.ts';
import type { Located } from '../row.ts';
import { openGuard, type Prepare } from '../seams.ts';
import { moveAssignments, removeAssignments } from './assignments.ts';
import { isLarge, keysBelow, rangeOf, together } from './below.ts';
import { type CascadedRow, cascadeOf, containedIn, identifierOf, isHeeded, nameOf, referringTo } from './cascade.ts';
import { checkRow, rowCondition } from './guard.ts';
import { reach, readable } from './readable.ts';
import { noteBefore } from './record.ts';
import { composingOf, removeRow, removeRows, setColumns } from './rows.ts';
import { checkVersion } from './update.ts';

type DeleteOperation = Extract<Operation, { kind: 'delete' }>;

export const remove: Prepare<DeleteOperation> = async ({ at, versions }, context) => ({
  transaction: 'write',
  waits:
    setsOffWaiting(at, context) ||
    asksResolver([at.in.plan.type], context) ||
    (at.in.under?.step.kind !== 'link' && (await isLarge(at, context))),
  isElsewhere: at.in.under === undefined && isWrittenElsewhere('delete', at.in.plan, context),
  decides: decisionBasisFor('delete', () => typesIn(at, context), context),
  async run(tx): Promise<Result> {
    const { plan, under } = at.in;
    rowCondition('read', plan, context);
    const located = await reach(at, tx, context);
    const writing = inTransaction(context, tx);
    if (under?.step.kind !== 'link' && dependentsOf(plan, context) !== undefined) await lockOwners(plan, [located.key], 'all', writing);
    const reader = readable(tx, context);
    const row = await reader.one(under?.step.kind === 'link' ? plan.shapes.byKey : plan.shapes.toRemove, [located.key]);
    if (row === undefined) throw goneFrom(at);
    checkVersion(row, versions, composingOf(plan, writing)?.versionOf(plan, row));
    if (under?.step.kind === 'link') await unlink(at, located, writing);
    else await removeInstance(located, row, writing);
    return instanceOf(plan, row);
  },
});

function setsOffWaiting(at: DeleteOperation['at'], context: Context): boolean {
  return typesIn(at, context).some((type) => context.triggers.wait('delete', type, context));
}

/** Of the rows that go. */
function typesIn({ in: { plan, under } }: DeleteOperation['at'], context: Context): readonly string[] {
  return under?.step.kind === 'link' ? [under.step.link.type] : typesGone(plan, context.plan);
}

/** On the nested path of a link the link goes and the instance stays. */
async function unlink(at: DeleteOperation['at'], located: Located, context: WriteContext): Promise<void> {
  const { under } = at.in;
  if (under?.step.kind !== 'link') return;
  const { link, to } = under.step;
  const ends = [located.key, (await reach(under.parent, context.tx, context)).key];
  const isTold = isHeeded(link, context) || dependentsOf(link, context) !== undefined || context.guard !== openGuard;
  const row = isTold ? await readable(context.tx, context).one({ ...link.shapes.byKey, where: to.unlink.where }, ends) : undefined;
  if (row === undefined && context.guard !== openGuard) throw error('instance-not-found');
  if (row === undefined) await removeRows(to.unlink, ends, context);
  else await removeInstance(linkLocated(link, row), row, context);
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
