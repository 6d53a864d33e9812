// Keeps attributes true that are computed from other instances: notes with each write whose are out of date, and computes them anew.

import type { Affected, Watch } from '../../plan/computed/dependents.ts';
import type { Back } from '../../plan/computed/hop.ts';
import type { DerivedAttribute, DerivedGroup } from '../../plan/computed/related-computed.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import type { Select } from '../../plan/query/shape.ts';
import { largest, partsOf, type Sized } from '../../plan/query/sized.ts';
import type { Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { Located } from '../address/address.ts';
import { breathe, type Counted, type Shared, spend, startShared, stepsLeft, tooMany } from '../flow/run.ts';
import { holdRows } from '../instances/rows.ts';
import type { Context, Writing } from '../operation.ts';
import { byText, inOrder, inParts, plainKey } from '../sized.ts';
import { recompute } from './recompute.ts';

/** Whose attributes are out of date, by the keys of their rows. */
export interface Touched {
  readonly pending: Map<DerivedGroup, Map<Value, Set<DerivedAttribute>>>;
  /** Rows that were made, and of which nobody has been told yet. */
  readonly made: Map<RowPlan, Value[]>;
  /** Whether more is to come before they are computed. */
  readonly deferred: boolean;
  /** What was locked before the rows that it is computed from, or that are computed from it. */
  readonly held: Set<string>;
  /** How much was computed, where no workflow counts it: one write must not hold up everybody for as long as it has owners. */
  counted?: Shared;
}

/** `undefined` where nothing is computed from rows of this type, or for them. */
export function watchOf({ type }: RowPlan, { plan: { derived } }: Context): Watch | undefined {
  return derived === undefined ? undefined : derived.watches.get(type);
}

/** Whom it concerns is found for many such rows together. */
export async function rowMade(plan: RowPlan, key: Value, context: Writing): Promise<void> {
  const { touched } = context;
  if (touched === undefined || watchOf(plan, context) === undefined) return;
  const keys = touched.made.get(plan) ?? [];
  touched.made.set(plan, keys);
  keys.push(key);
  if (keys.length >= largest) await rowsMade(plan, keys.splice(0), context);
}

async function rowsMade(plan: RowPlan, keys: readonly Value[], context: Writing): Promise<void> {
  const watch = watchOf(plan, context);
  if (watch === undefined || keys.length === 0) return;
  for (const each of watch.reaches) await holdReached(each, keys, context);
  touchAll(keys, watch.own, context);
  // Nothing links what has just been made.
  for (const { back, rows, linked } of watch.ways) if (!linked) await touchOwners(back, keys, rows, context);
}

/** Before it stands under another parent: those that it has stood under. */
export async function rowLeaves(plan: RowPlan, key: Value, context: Writing): Promise<void> {
  // Its links, and what refers to it, stay as they are.
  for (const { back, rows, linked } of watchOf(plan, context)?.ways ?? []) if (!linked) await touchOwners(back, [key], rows, context);
}

/** Before it goes. What goes along with it is another matter. */
export async function rowGoes(plan: RowPlan, key: Value, context: Writing): Promise<void> {
  for (const { back, rows } of watchOf(plan, context)?.ways ?? []) await touchOwners(back, [key], rows, context);
}

export function rowChanged(plan: RowPlan, key: Value, names: Iterable<string>, context: Writing): Promise<void> {
  return rowsChanged(plan, [key], names, context);
}

/** The same attributes of each. `inside` is the group that is being computed, which sees to its own. */
async function rowsChanged(
  plan: RowPlan,
  keys: readonly Value[],
  names: Iterable<string>,
  context: Writing,
  inside?: DerivedGroup,
): Promise<void> {
  const watch = watchOf(plan, context);
  if (watch === undefined) return;
  const changed = new Set(names);
  for (const each of watch.reaches) if (changed.has(each.attribute ?? '')) await holdReached(each, keys, context);
  const own = watch.own.filter(({ group, attribute }) => group !== inside && [...changed].some((name) => attribute.siblings.has(name)));
  touchAll(keys, own, context);
  for (const { back, byAttribute } of watch.ways) {
    const affected = [...changed].flatMap((name) => byAttribute.get(name) ?? []);
    await touchOwners(back, keys, affected, context);
  }
}

/**
 * Locks owners of rows before the rows, so that everybody comes to both in one order: whoever has the owner computes such rows anew. The
 * rows change in these attributes, or go.
 */
export async function holdLeads(plan: RowPlan, keys: readonly Value[], names: readonly string[] | 'all', context: Writing): Promise<void> {
  const leads = watchOf(plan, context)?.leads ?? [];
  const { touched, store } = context;
  if (leads.length === 0 || touched === undefined || !store.isShared) return;
  for (const { owner, back, hold, names: used } of leads) {
    if (names !== 'all' && !names.some((name) => used.has(name))) continue;
    const nameOf = (key: Value): string => `${owner.type} ${String(key)}`;
    const owners = (await ownersOf(back, keys, context)).filter((key) => !touched.held.has(nameOf(key)));
    if (owners.length === 0) continue;
    for (const key of owners) touched.held.add(nameOf(key));
    await holdLeads(owner, owners, 'all', context);
    await holdRows(hold, owners, context);
  }
}

/** What a row is going to be computed from, before it is written: whoever changes that comes to it first, and then to such rows. */
export async function holdBeforeInsert(plan: RowPlan, valueIn: (column: string) => Value | undefined, context: Writing): Promise<void> {
  const { touched, store } = context;
  if (touched === undefined || !store.isShared) return;
  for (const { column, hold } of watchOf(plan, context)?.reaches ?? []) {
    const value = valueIn(column) ?? null;
    const name = `${plan.type}.${column} ${String(value)}`;
    if (value === null || touched.held.has(name)) continue;
    touched.held.add(name);
    await holdRows(hold, [value], context);
  }
}

/** Before attributes of a row are changed; also those that are computed from them. */
export async function holdBeforeChange(
  { plan, key }: Located,
  changes: ReadonlyMap<AttributePlan, Value>,
  context: Writing,
): Promise<void> {
  const watch = watchOf(plan, context);
  if (watch === undefined || !context.store.isShared) return;
  const names = [...changes.keys(), ...plan.computed, ...plan.late].map(({ name }) => name);
  const values = new Map([...changes].map(([{ column }, value]) => [column, value]));
  await holdBeforeInsert(plan, (column) => values.get(column), context);
  await holdLeads(plan, [key], names, context);
}

/** Its own attributes, all of them: it stands somewhere else now. */
export function rowMoved(plan: RowPlan, key: Value, context: Writing): void {
  touch(key, watchOf(plan, context)?.own ?? [], context);
}

export function touch(key: Value, affected: readonly Affected[], context: Context): void {
  touchAll([key], affected, context);
}

export function touchAll(keys: readonly Value[], affected: readonly Affected[], { touched }: Context): void {
  if (touched === undefined) return;
  for (const { group, attribute } of affected) {
    const owners = touched.pending.get(group) ?? new Map<Value, Set<DerivedAttribute>>();
    touched.pending.set(group, owners);
    for (const each of keys) {
      const key = plainKey(each);
      const known = owners.get(key);
      if (known === undefined) owners.set(key, new Set([attribute]));
      else known.add(attribute);
    }
  }
}

/** Computes what is out of date, in the same transaction: each attribute of each row once. */
export async function settle(context: Writing): Promise<void> {
  const { touched } = context;
  if (touched === undefined || touched.deferred || touched.pending.size + touched.made.size === 0) return;
  const counted = countedIn(context, touched);
  for (const [plan, keys] of touched.made) await rowsMade(plan, keys, context);
  touched.made.clear();
  // What an attribute is computed from comes before it, so that what follows from a change always lies ahead.
  for (const group of context.plan.derived?.groups ?? []) {
    const owners = touched.pending.get(group);
    if (owners === undefined) continue;
    touched.pending.delete(group);
    const names = group.attributes.map(({ plan }) => plan.name);
    for (const part of partsOf([...owners].sort(([one], [other]) => byText(one, other)))) {
      await holdLeads(
        group.plan,
        part.map(([key]) => key),
        names,
        context,
      );
      spend(counted, part.length);
      await breathe(counted);
      for (const { names, keys } of await recompute(group, part, context, counted))
        await rowsChanged(group.plan, keys, names, context, group);
    }
  }
}

/** The row as it is when everything is computed. */
export async function settledRow(plan: RowPlan, key: Value, row: Row, context: Writing): Promise<Row> {
  await settle(context);
  return plan.late.length === 0 ? row : ((await context.tx.one(plan.shapes.byKey, [key])) ?? row);
}

async function touchOwners(back: Back, keys: readonly Value[], affected: readonly Affected[], context: Writing): Promise<void> {
  if (affected.length > 0) touchAll(await ownersOf(back, keys, context), affected, context);
}

async function ownersOf({ value, owners }: Back, keys: readonly Value[], context: Writing): Promise<readonly Value[]> {
  const starts = value === undefined ? keys : await columnOf(value, keys, context);
  return owners === undefined || starts.length === 0 ? starts : keysOfOwners(owners, starts, context);
}

async function columnOf(select: Sized<Select>, keys: readonly Value[], { tx }: Writing): Promise<readonly Value[]> {
  const rows = await inParts(select, keys, (shape, values) => tx.rows(shape, values));
  return inOrder(rows.flatMap(({ columns: [found = null] }) => (found === null ? [] : [found])));
}

function keysOfOwners(owners: Sized<Select>, starts: readonly Value[], context: Writing): Promise<readonly Value[]> {
  return keysWithin(context, (most) => inParts(owners, starts, (shape, values) => context.tx.rows(shape, [...values, most])));
}

/** Of what may be asked for by a range of keys. */
export function keysOfOwnersIn(owners: Select, values: readonly Value[], context: Writing): Promise<readonly Value[]> {
  return keysWithin(context, async (most) => context.tx.rows(owners, [...values, most]));
}

/** Not more of them than may be computed: they are all held in memory. */
async function keysWithin(context: Writing, ask: (most: number) => Promise<readonly Row[]>): Promise<readonly Value[]> {
  const left = context.touched === undefined ? 0 : stepsLeft(countedIn(context, context.touched));
  const rows = await ask(Math.min(left + 1, Number.MAX_SAFE_INTEGER));
  if (rows.length > left) throw tooMany(context);
  return rows.map((row) => row.columns[0] ?? null);
}

function countedIn(context: Writing, touched: Touched): Counted {
  touched.counted ??= context.running?.shared ?? startShared(context);
  return { shared: touched.counted, reading: context };
}

/** Whoever changes the targets meanwhile would not see that there is one more to tell. */
async function holdReached({ value, hold }: Watch['reaches'][number], keys: readonly Value[], context: Writing): Promise<void> {
  const reached = await columnOf(value, keys, context);
  await holdRows(hold, reached, context);
}
