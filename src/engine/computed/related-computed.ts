// Keeps attributes true that are computed from other instances: notes with each write whose are out of date, and computes them anew.

import type { Affected, Dependents } from '../../plan/computed/dependents.ts';
import type { OwnerLookup } from '../../plan/computed/hop.ts';
import type { RelatedComputedAttribute, RelatedComputedGroup } from '../../plan/computed/related-computed.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import type { Select } from '../../plan/query/shape.ts';
import { largest, partsOf, type Sized } from '../../plan/query/sized.ts';
import { keyName } from '../../plan/rows/keys.ts';
import type { Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { type Budgeted, spend, startBudget, stepLimitExceeded, stepsLeft, yieldIfDue } from '../budget.ts';
import type { StaleComputed } from '../context.ts';
import type { Effects, Service, Transaction, WriteContext } from '../operation.ts';
import type { Located } from '../row.ts';
import { holdRows } from '../rows/rows.ts';
import { byText, inOrder, inParts, plainKey } from '../sized.ts';
import { recompute } from './recompute.ts';

/** `undefined` where nothing is computed from rows of this type, or for them. */
export function dependentsOf({ type }: RowPlan, { plan: { relatedComputed } }: Pick<Service, 'plan'>): Dependents | undefined {
  return relatedComputed === undefined ? undefined : relatedComputed.dependents.get(type);
}

/** Whom it concerns is found for many such rows together. */
export async function rowMade(plan: RowPlan, key: Value, context: WriteContext): Promise<void> {
  const { stale } = context;
  if (stale === undefined || dependentsOf(plan, context) === undefined) return;
  const keys = stale.made.get(plan) ?? [];
  stale.made.set(plan, keys);
  keys.push(key);
  if (keys.length >= largest) await rowsMade(plan, keys.splice(0), context);
}

/** A row that was made, with the values of its columns. */
interface MadeRow {
  readonly key: Value;
  valueIn(column: string): Value;
}

/** The same for rows of which it is known what they hold: nothing of them is asked for. */
export async function allMade(plan: RowPlan, rows: readonly MadeRow[], context: WriteContext): Promise<void> {
  const dependents = dependentsOf(plan, context);
  if (dependents === undefined || context.stale === undefined || rows.length === 0) return;
  const keys = rows.map(({ key }) => key);
  const valuesIn = (select: Sized<Select>): readonly Value[] => {
    const column = select[0]?.shape.output.columns[0];
    if (typeof column !== 'string') throw new Error('what leads to an owner is a column');
    return inOrder(rows.map(({ valueIn }) => valueIn(column)).filter((value) => value !== null));
  };
  for (const { value, hold } of dependents.reaches) await holdRows(hold, valuesIn(value), context);
  markAllStale(keys, dependents.own, context);
  for (const { back, rows: affected, linked } of dependents.ownerPaths) {
    if (linked || affected.length === 0) continue;
    const starts = back.value === undefined ? keys : valuesIn(back.value);
    const owners = back.owners === undefined || starts.length === 0 ? starts : await keysOfOwners(back.owners, starts, context);
    markAllStale(owners, affected, context);
  }
}

async function rowsMade(plan: RowPlan, keys: readonly Value[], context: WriteContext): Promise<void> {
  const dependents = dependentsOf(plan, context);
  if (dependents === undefined || keys.length === 0) return;
  for (const each of dependents.reaches) await lockReached(each, keys, context);
  markAllStale(keys, dependents.own, context);
  // Nothing links what has just been made.
  for (const { back, rows, linked } of dependents.ownerPaths) if (!linked) await markOwnersStale(back, keys, rows, context);
}

/** Before it stands under another parent: those that it has stood under. */
export async function rowLeaves(plan: RowPlan, key: Value, context: WriteContext): Promise<void> {
  // Its links, and what refers to it, stay as they are.
  for (const { back, rows, linked } of dependentsOf(plan, context)?.ownerPaths ?? [])
    if (!linked) await markOwnersStale(back, [key], rows, context);
}

/** Before it goes. What goes along with it is another matter. */
export async function rowRemoved(plan: RowPlan, key: Value, context: WriteContext): Promise<void> {
  for (const { back, rows } of dependentsOf(plan, context)?.ownerPaths ?? []) await markOwnersStale(back, [key], rows, context);
}

export function rowChanged(plan: RowPlan, key: Value, names: Iterable<string>, context: WriteContext): Promise<void> {
  return rowsChanged(plan, [key], names, context);
}

/** The same attributes of each. `inside` is the group that is being computed, which sees to its own. */
async function rowsChanged(
  plan: RowPlan,
  keys: readonly Value[],
  names: Iterable<string>,
  context: WriteContext,
  inside?: RelatedComputedGroup,
): Promise<void> {
  const dependents = dependentsOf(plan, context);
  if (dependents === undefined) return;
  const changed = new Set(names);
  for (const each of dependents.reaches) if (changed.has(each.attribute ?? '')) await lockReached(each, keys, context);
  const own = dependents.own.filter(
    ({ group, attribute }) => group !== inside && [...changed].some((name) => attribute.siblings.has(name)),
  );
  markAllStale(keys, own, context);
  for (const { back, byAttribute } of dependents.ownerPaths) {
    const affected = [...changed].flatMap((name) => byAttribute.get(name) ?? []);
    await markOwnersStale(back, keys, affected, context);
  }
}

/**
 * Locks owners of rows before the rows, so that everybody comes to both in one order: whoever has the owner computes such rows anew. The
 * rows change in these attributes, or go.
 */
export async function lockOwners(
  plan: RowPlan,
  keys: readonly Value[],
  names: readonly string[] | 'all',
  context: WriteContext,
): Promise<void> {
  const lockedOwners = dependentsOf(plan, context)?.lockedOwners ?? [];
  const { stale, store } = context;
  if (lockedOwners.length === 0 || stale === undefined || !store.isShared) return;
  for (const { owner, back, hold, names: used } of lockedOwners) {
    if (names !== 'all' && !names.some((name) => used.has(name))) continue;
    const nameOf = (key: Value): string => `${owner.type} ${keyName(key)}`;
    const owners = (await ownersOf(back, keys, context)).filter((key) => !stale.held.has(nameOf(key)));
    if (owners.length === 0) continue;
    for (const key of owners) stale.held.add(nameOf(key));
    await lockOwners(owner, owners, 'all', context);
    await holdRows(hold, owners, context);
  }
}

/** What a row is going to be computed from, before it is written: whoever changes that comes to it first, and then to such rows. */
export async function lockBeforeInsert(
  plan: RowPlan,
  valueIn: (column: string) => Value | undefined,
  context: WriteContext,
): Promise<void> {
  const { stale, store } = context;
  if (stale === undefined || !store.isShared) return;
  for (const reached of dependentsOf(plan, context)?.reaches ?? []) {
    const value = valueIn(reached.column) ?? null;
    const name = `${plan.type}.${reached.column} ${String(value)}`;
    if (value === null || stale.held.has(name)) continue;
    stale.held.add(name);
    await lockOwnersOfReached(reached, [value], context);
    await holdRows(reached.hold, [value], context);
  }
}

/** Whoever changes a target comes to its owners first. */
async function lockOwnersOfReached(
  { target, keys }: Dependents['reaches'][number],
  values: readonly Value[],
  context: WriteContext,
): Promise<void> {
  if ((dependentsOf(target, context)?.lockedOwners ?? []).length === 0) return;
  await lockOwners(target, keys === undefined ? values : await columnOf(keys, values, context), 'all', context);
}

/** Before attributes of a row are changed; also those that are computed from them. */
export async function lockBeforeChange(
  { plan, key }: Located,
  changes: ReadonlyMap<AttributePlan, Value>,
  context: WriteContext,
): Promise<void> {
  const dependents = dependentsOf(plan, context);
  if (dependents === undefined || !context.store.isShared) return;
  const names = [...changes.keys(), ...plan.computed, ...plan.late].map(({ name }) => name);
  const values = new Map([...changes].map(([{ column }, value]) => [column, value]));
  await lockBeforeInsert(plan, (column) => values.get(column), context);
  await lockOwners(plan, [key], names, context);
}

/** Its own attributes, all of them: it stands somewhere else now. */
export function rowMoved(plan: RowPlan, key: Value, context: WriteContext): void {
  markStale(key, dependentsOf(plan, context)?.own ?? [], context);
}

export function markStale(key: Value, affected: readonly Affected[], context: Pick<Effects, 'stale'>): void {
  markAllStale([key], affected, context);
}

export function markAllStale(keys: readonly Value[], affected: readonly Affected[], { stale }: Pick<Effects, 'stale'>): void {
  if (stale === undefined) return;
  for (const { group, attribute } of affected) {
    const owners = stale.pending.get(group) ?? new Map<Value, Set<RelatedComputedAttribute>>();
    stale.pending.set(group, owners);
    for (const each of keys) {
      const key = plainKey(each);
      const known = owners.get(key);
      if (known === undefined) owners.set(key, new Set([attribute]));
      else known.add(attribute);
    }
  }
}

/** Computes what is out of date, in the same transaction: each attribute of each row once. */
export async function recomputeStale(context: WriteContext): Promise<void> {
  const { stale } = context;
  if (stale === undefined || stale.deferred || stale.pending.size + stale.made.size === 0) return;
  const counted = countedIn(context, stale);
  for (const [plan, keys] of stale.made) await rowsMade(plan, keys, context);
  stale.made.clear();
  // What an attribute is computed from comes before it, so that what follows from a change always lies ahead.
  for (const group of context.plan.relatedComputed?.groups ?? []) {
    const owners = stale.pending.get(group);
    if (owners === undefined) continue;
    stale.pending.delete(group);
    const names = group.attributes.map(({ plan }) => plan.name);
    for (const part of partsOf([...owners].sort(([one], [other]) => byText(one, other)))) {
      await lockOwners(
        group.plan,
        part.map(([key]) => key),
        names,
        context,
      );
      spend(counted, part.length);
      await yieldIfDue(counted);
      for (const { names, keys } of await recompute(group, part, context, counted))
        await rowsChanged(group.plan, keys, names, context, group);
    }
  }
}

/** The row as it is when everything is computed. */
export async function recomputedRow(plan: RowPlan, key: Value, row: Row, context: WriteContext): Promise<Row> {
  await recomputeStale(context);
  return plan.late.length === 0 ? row : ((await context.tx.one(plan.shapes.byKey, [key])) ?? row);
}

async function markOwnersStale(
  back: OwnerLookup,
  keys: readonly Value[],
  affected: readonly Affected[],
  context: WriteContext,
): Promise<void> {
  if (affected.length > 0) markAllStale(await ownersOf(back, keys, context), affected, context);
}

async function ownersOf({ value, owners }: OwnerLookup, keys: readonly Value[], context: WriteContext): Promise<readonly Value[]> {
  const starts = value === undefined ? keys : await columnOf(value, keys, context);
  return owners === undefined || starts.length === 0 ? starts : keysOfOwners(owners, starts, context);
}

async function columnOf(select: Sized<Select>, keys: readonly Value[], { tx }: Transaction): Promise<readonly Value[]> {
  const rows = await inParts(select, keys, (shape, values) => tx.rows(shape, values));
  return inOrder(rows.flatMap(({ columns: [found = null] }) => (found === null ? [] : [found])));
}

function keysOfOwners(owners: Sized<Select>, starts: readonly Value[], context: WriteContext): Promise<readonly Value[]> {
  return keysWithin(context, (most) => inParts(owners, starts, (shape, values) => context.tx.rows(shape, [...values, most])));
}

/** Of what may be asked for by a range of keys. */
export function keysOfOwnersIn(owners: Select, values: readonly Value[], context: WriteContext): Promise<readonly Value[]> {
  return keysWithin(context, async (most) => context.tx.rows(owners, [...values, most]));
}

/** Not more of them than may be computed: they are all held in memory. */
async function keysWithin(context: WriteContext, ask: (most: number) => Promise<readonly Row[]>): Promise<readonly Value[]> {
  const left = context.stale === undefined ? 0 : stepsLeft(countedIn(context, context.stale));
  const rows = await ask(Math.min(left + 1, Number.MAX_SAFE_INTEGER));
  if (rows.length > left) throw stepLimitExceeded(context);
  return rows.map((row) => row.columns[0] ?? null);
}

function countedIn(context: WriteContext, stale: StaleComputed): Budgeted {
  stale.counted ??= context.running?.budget ?? startBudget(context);
  return { budget: stale.counted, reading: context };
}

/** Whoever changes the targets meanwhile would not see that there is one more to tell. */
async function lockReached({ value, hold }: Dependents['reaches'][number], keys: readonly Value[], context: WriteContext): Promise<void> {
  const reached = await columnOf(value, keys, context);
  await holdRows(hold, reached, context);
}
