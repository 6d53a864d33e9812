// Keeps attributes true that are computed from other instances: notes with each write whose are out of date, and computes them anew.

import type { Value } from '../model/types/attribute-type.ts';
import type { DerivedAttribute, DerivedGroup } from '../plan/derived.ts';
import type { Back } from '../plan/derived-hop.ts';
import type { Affected, Watch } from '../plan/derived-watch.ts';
import type { RowPlan } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import type { Row } from '../store/store.ts';
import { recompute } from './derived-compute.ts';
import type { Context, Writing } from './operation.ts';
import { breathe, type Counted, type Shared, spend, startShared, stepsLeft, tooMany } from './run.ts';

/** Whose attributes are out of date, by the keys of their rows. */
export interface Touched {
  readonly pending: Map<DerivedGroup, Map<Value, Set<DerivedAttribute>>>;
  /** Whether more is to come before they are computed. */
  readonly deferred: boolean;
  /** How much was computed, where no workflow counts it: one write must not hold up everybody for as long as it has owners. */
  counted?: Shared;
}

/** `undefined` where nothing is computed from rows of this type, or for them. */
export function watchOf({ type }: RowPlan, { plan: { derived } }: Context): Watch | undefined {
  return derived === undefined ? undefined : derived.watches.get(type);
}

export async function rowMade(plan: RowPlan, key: Value, context: Writing): Promise<void> {
  const watch = watchOf(plan, context);
  if (watch === undefined) return;
  for (const each of watch.reaches) await holdReached(each, key, context);
  touch(key, watch.own, context);
  // Nothing links what has just been made.
  for (const { back, rows, linked } of watch.ways) if (!linked) await touchOwners(back, key, rows, context);
}

/** Before it goes. What goes along with it is another matter. */
export async function rowGoes(plan: RowPlan, key: Value, context: Writing): Promise<void> {
  for (const { back, rows } of watchOf(plan, context)?.ways ?? []) await touchOwners(back, key, rows, context);
}

/** `inside` is the group that is being computed, which sees to its own. */
export async function rowChanged(
  plan: RowPlan,
  key: Value,
  names: Iterable<string>,
  context: Writing,
  inside?: DerivedGroup,
): Promise<void> {
  const watch = watchOf(plan, context);
  if (watch === undefined) return;
  const changed = new Set(names);
  for (const each of watch.reaches) if (changed.has(each.attribute ?? '')) await holdReached(each, key, context);
  const own = watch.own.filter(({ group, attribute }) => group !== inside && [...changed].some((name) => attribute.siblings.has(name)));
  touch(key, own, context);
  for (const { back, byAttribute } of watch.ways) {
    const affected = [...changed].flatMap((name) => byAttribute.get(name) ?? []);
    await touchOwners(back, key, affected, context);
  }
}

/** Its own attributes, all of them: it stands somewhere else now. */
export function rowMoved(plan: RowPlan, key: Value, context: Writing): void {
  touch(key, watchOf(plan, context)?.own ?? [], context);
}

export function touch(key: Value, affected: readonly Affected[], { touched }: Context): void {
  if (touched === undefined) return;
  for (const { group, attribute } of affected) {
    const owners = touched.pending.get(group) ?? new Map<Value, Set<DerivedAttribute>>();
    touched.pending.set(group, owners);
    owners.set(plainKey(key), (owners.get(plainKey(key)) ?? new Set()).add(attribute));
  }
}

/** Computes what is out of date, in the same transaction: each attribute of each row once. */
export async function settle(context: Writing): Promise<void> {
  const { touched } = context;
  if (touched === undefined || touched.deferred || touched.pending.size === 0) return;
  const counted = countedIn(context, touched);
  // What an attribute is computed from comes before it, so that what follows from a change always lies ahead.
  for (const group of context.plan.derived?.groups ?? []) {
    const owners = touched.pending.get(group);
    if (owners === undefined) continue;
    touched.pending.delete(group);
    // In one order for everybody, so that two who lock the same rows wait for each other instead of crossing.
    for (const [key, attributes] of [...owners].sort(byKey)) {
      spend(counted, 1);
      await breathe(counted);
      const changed = await recompute(group, key, attributes, context);
      if (changed.length > 0) await rowChanged(group.plan, key, changed, context, group);
    }
  }
}

/** The row as it is when everything is computed. */
export async function settledRow(plan: RowPlan, key: Value, row: Row, context: Writing): Promise<Row> {
  await settle(context);
  return plan.late.length === 0 ? row : ((await context.tx.one(plan.shapes.byKey, [key])) ?? row);
}

async function touchOwners(back: Back, key: Value, affected: readonly Affected[], context: Writing): Promise<void> {
  if (affected.length === 0) return;
  for (const owner of await ownersOf(back, key, context)) touch(owner, affected, context);
}

async function ownersOf({ value, owners }: Back, key: Value, context: Writing): Promise<readonly Value[]> {
  const start = value === undefined ? key : ((await context.tx.one(value, [key]))?.columns[0] ?? null);
  if (start === null || owners === undefined) return start === null ? [] : [start];
  return keysOfOwners(owners, [start], context);
}

/** Not more of them than may be computed: they are all held in memory. */
export async function keysOfOwners(owners: Select, values: readonly Value[], context: Writing): Promise<readonly Value[]> {
  const left = context.touched === undefined ? 0 : stepsLeft(countedIn(context, context.touched));
  const most = Math.min(left + 1, Number.MAX_SAFE_INTEGER);
  const rows = await context.tx.rows(owners, [...values, most]);
  if (rows.length > left) throw tooMany(context);
  return rows.map((row) => row.columns[0] ?? null);
}

function countedIn(context: Writing, touched: Touched): Counted {
  touched.counted ??= context.running?.shared ?? startShared(context);
  return { shared: touched.counted, reading: context };
}

/** Whoever changes the target meanwhile would not see that there is one more to tell. */
async function holdReached({ value, hold }: Watch['reaches'][number], key: Value, { tx }: Writing): Promise<void> {
  const reached = (await tx.one(value, [key]))?.columns[0] ?? null;
  if (reached !== null) await tx.update(hold, [reached]);
}

/** A number is one key, whichever type it came in. */
function plainKey(key: Value): Value {
  return typeof key === 'bigint' && Number.isSafeInteger(Number(key)) ? Number(key) : key;
}

function byKey([first]: readonly [Value, unknown], [second]: readonly [Value, unknown]): number {
  const [one, other] = [String(first), String(second)];
  return one < other ? -1 : one > other ? 1 : 0;
}
