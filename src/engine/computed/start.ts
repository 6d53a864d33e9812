// Brings stored values up to date at start: attributes that are new, or computed in another way than when they were stored.

import { PlatformError } from '../../errors.ts';
import { definitionOf } from '../../plan/computed/order.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { pagesOf } from '../../plan/rows/transfer.ts';
import { computedFrom, recall, remember } from '../../store/migration/state.ts';
import { type Row, StartRefused } from '../../store/store.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { unlimited } from '../budget.ts';
import type { Context, WriteContext } from '../operation.ts';
import { writtenApart } from '../retry.ts';
import { updateRow } from '../rows/rows.ts';
import { compute } from './computed.ts';
import { markStale, recomputeStale, rowChanged } from './related-computed.ts';

export async function bringUpToDate(context: Context): Promise<void> {
  const { plan, store, functions } = context;
  const known = await store.schema((session) => recall(session, computedFrom));
  const rowPlans = [...plan.entities.values(), ...plan.links.values()];
  const wanted = JSON.stringify(definitionsOf(rowPlans, functions.version));
  if ((known ?? '{}') === wanted) return;
  const stored = entriesOf(known ?? '{}');
  const isOutdated = (row: RowPlan, each: AttributePlan): boolean =>
    stored.get(nameOf(row, each)) !== definitionOf(each.attribute, functions.version);
  for (const row of rowPlans) {
    if (!row.computed.some((each) => isOutdated(row, each))) continue;
    const isStale = (json: string): boolean => mismatched(row, parseStored(json), context).size > 0;
    await forAll(row, context, (key, writing) => computeSiblings(row, key, writing), isStale);
  }
  for (const group of plan.relatedComputed?.groups ?? []) {
    const affected = group.attributes.filter((each) => isOutdated(group.plan, each.plan)).map((attribute) => ({ group, attribute }));
    if (affected.length > 0) await forAll(group.plan, context, (key, writing) => markStale(key, affected, writing));
  }
  // Not before all of it is done: where it is cut off, the next start begins anew.
  await store.schema((session) => remember(session, computedFrom, wanted));
}

function definitionsOf(plans: readonly RowPlan[], functions: string): Readonly<Record<string, string | undefined>> {
  const all = plans.flatMap((plan) =>
    [...plan.computed, ...plan.late].map((each) => [nameOf(plan, each), definitionOf(each.attribute, functions)] as const),
  );
  return Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function nameOf({ type }: RowPlan, { name }: AttributePlan): string {
  return `${type}.${name}`;
}

function entriesOf(json: string): ReadonlyMap<string, unknown> {
  const value: unknown = JSON.parse(json);
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** So many rows share a transaction. */
const together = 200;

type Work = (key: Value, context: WriteContext) => void | Promise<void>;

/** `isStale` is asked of each row with all its attributes; most are as they should be after an import, or a copy. */
async function forAll(plan: RowPlan, context: Context, work: Work, isStale?: (json: string) => boolean): Promise<void> {
  const { first, next } = pagesOf(plan.table, isStale === undefined ? [] : plan.shapes.whole.output.fields);
  let last: Value | undefined;
  for (;;) {
    const rows = await context.store.read((reader) =>
      last === undefined ? reader.rows(first, [together]) : reader.rows(next, [last, together]),
    );
    const stale = isStale === undefined ? rows : rows.filter((row) => isStale(row.json));
    if (stale.length > 0) await forEach(stale.map(keyIn), context, work);
    const end = rows.at(-1);
    if (end === undefined || rows.length < together) return;
    last = keyIn(end);
  }
}

/** Another process may serve meanwhile: what got in its way is done again. */
function forEach(keys: readonly Value[], context: Context, work: Work): Promise<void> {
  const limits = { ...context.limits, flow: unlimited };
  const all = async (writing: WriteContext): Promise<void> => {
    const unbounded = { ...writing, limits };
    for (const key of keys) await work(key, unbounded);
    await recomputeStale(unbounded);
  };
  return writtenApart(all, {}, context);
}

function keyIn({ columns }: Row): Value {
  return columns[0] ?? null;
}

async function computeSiblings(plan: RowPlan, key: Value, context: WriteContext): Promise<void> {
  const { tx } = context;
  await tx.one(plan.shapes.toChange, [key]);
  const row = await tx.one(plan.shapes.whole, [key]);
  const changes = row === undefined ? undefined : staleIn(plan, parseStored(row.json), context);
  if (changes === undefined || changes.size === 0) return;
  await updateRow(plan, key, changes, context, true);
  const names = [...changes.keys()].map(({ name }) => name);
  await rowChanged(plan, key, names, context);
}

/** Where what is stored does not let itself be computed, an operator must know whose it is. */
function mismatched(plan: RowPlan, stored: Values, context: Context): ReadonlyMap<AttributePlan, Value> {
  try {
    return staleIn(plan, stored, context);
  } catch (thrown) {
    const faults = thrown instanceof PlatformError ? (thrown.details.errors ?? []) : [];
    if (faults.length === 0) throw thrown;
    const what = faults.map(({ attribute, message }) => `${plan.type}.${attribute} ${message}`).join('; ');
    const advice = 'make it @optional (:optional true), or let the expression give a value for every stored instance';
    throw new StartRefused(`of the stored instance ${String(stored[plan.identifier.name] ?? '')}, ${what}; ${advice}`, thrown);
  }
}

/** The attributes that should have other values, with these. */
function staleIn(plan: RowPlan, stored: Values, context: Context): ReadonlyMap<AttributePlan, Value> {
  const values = plan.attributes.map((each) => stored[each.name] ?? null);
  compute(plan, values, context);
  const all = plan.computed.map((each) => [each, values[plan.attributes.indexOf(each)] ?? null] as const);
  return new Map(all.filter(([each, value]) => canonicalJson(value) !== canonicalJson(stored[each.name] ?? null)));
}
