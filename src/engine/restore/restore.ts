// Puts instances back that were exported: checked as a create is, but without its triggers, and with the version, the place and the hashes they had.

import { error, type Fault, invalid, isError, PlatformError } from '../../errors.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import { pathColumn, versionColumn } from '../../plan/rows/tables.ts';
import type { Awaitable, Writer } from '../../store/store.ts';
import type { Value, Values } from '../../values/value.ts';
import { freeOf } from '../address/address.ts';
import { followPath } from '../address/path.ts';
import { unlimited } from '../budget.ts';
import { system } from '../caller.ts';
import { recomputeStale, rowMade } from '../computed/related-computed.ts';
import { inTransaction, nothingStale } from '../context.ts';
import { linkRow } from '../crud/create.ts';
import { handlersOf } from '../dispatch.ts';
import { runChecks } from '../draft/checks.ts';
import { draftEnds, draftedValue, draftValue, unknownName } from '../draft/draft.ts';
import type { EngineParts } from '../engine.ts';
import { insertEntity } from '../instances/insert.ts';
import { complete, placeValues, version } from '../instances/row-values.ts';
import type { Context, WriteContext } from '../operation.ts';
import type { Draft, Parent } from '../row.ts';
import { recorded, recordingFor } from '../rows/record.ts';
import { insertRow } from '../rows/rows.ts';
import type { Triggers } from '../seams.ts';
import { openGuard } from '../seams.ts';
import { isFreed, isHash, isThere } from './same.ts';

export interface RestoreItem {
  readonly plan: EntityPlan | LinkPlan;
  /** Attributes by name; `__path__`, `__version` and `__detached` beside them. */
  readonly body: Value;
}

export type Restored =
  | { readonly kind: 'added' }
  /** It was there already, exactly so. */
  | { readonly kind: 'same' }
  /** What it points at is not there: it may come later. */
  | { readonly kind: 'waits'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** It runs as the system, which may do everything. */
export type RestoreParts = Omit<EngineParts, 'guard' | 'failed'>;

/** All of them in one transaction; one that fails leaves nothing behind, and the others are not affected. */
export async function restore(items: readonly RestoreItem[], parts: RestoreParts, note: Note = () => {}): Promise<readonly Restored[]> {
  const context = restoring(parts);
  const drafts = await draftsOf(items, context);
  const all = async (tx: Writer): Promise<readonly Restored[]> => {
    const results: Restored[] = [];
    for (const [index, draft] of drafts.entries()) {
      results.push('kind' in draft ? draft : await putBack(draft, items[index]?.body ?? null, tx, context));
    }
    await settleAll(tx, context);
    await note(results, tx);
    return results;
  };
  return parts.store.write((tx) => recorded(() => all(tx), inTransaction(context, tx)));
}

/** Called in the transaction, before it is committed, with what came of each item. */
export type Note = (results: readonly Restored[], tx: Writer) => Awaitable<void>;

/** What an import does is not what the model reacts to: that happened when the data was made. */
const silent: Triggers = {
  fires: () => false,
  wait: () => false,
  query: () => false,
  changes: () => [],
  beforeCreate: async () => {},
  beforeUpdate: async (changes) => changes,
  beforeDelete: async () => {},
  after: async () => {},
};

export function restoring(parts: RestoreParts): Context {
  const stale = parts.plan.relatedComputed === undefined ? undefined : nothingStale(true);
  const limits = { ...parts.limits, flow: unlimited };
  const outside = { called: false };
  const own = {
    limits,
    caller: system,
    request: undefined,
    handlers: handlersOf(parts.plan, new Map()),
    guard: openGuard,
    callerGuard: openGuard,
    // What is kept elsewhere is no part of what is put back.
    external: undefined,
    triggers: silent,
    later: [],
    outside,
    stale,
    recording: recordingFor(parts.recorder),
  };
  return { ...parts, ...own };
}

/** What all of them together mean for attributes that are computed from other instances. */
export async function settleAll(tx: Writer, context: Context): Promise<void> {
  const { stale } = context;
  if (stale !== undefined) await recomputeStale({ ...inTransaction(context, tx), stale: { ...stale, deferred: false } });
}

/** In the order of the items; what does not fit is told in its place. */
export async function draftsOf(items: readonly RestoreItem[], context: Context): Promise<readonly (Draft | Restored)[]> {
  const drafts: (Draft | Restored)[] = [];
  for (const item of items) drafts.push(await draftOrRefusal(item, context));
  return drafts;
}

async function draftOrRefusal({ plan, body }: RestoreItem, context: Context): Promise<Draft | Restored> {
  try {
    return await draftOf(plan, body, context);
  } catch (thrown) {
    return refusalOf(thrown);
  }
}

async function draftOf(plan: EntityPlan | LinkPlan, body: Value, context: Context): Promise<Draft> {
  if (!isObject(body)) throw error('body-invalid');
  const faults: Fault[] = [];
  const values = plan.attributes.map((each) =>
    plan.late.includes(each) ? knownValue(each, body) : keptValue(each, body, faults, context),
  );
  for (const name of Object.keys(body)) if (!isKnown(plan, name)) unknownName(plan, name, '', faults);
  checkOwn(body, faults);
  const ends = plan.kind === 'link' ? draftEnds(plan, body, '', faults) : undefined;
  if (faults.length === 0)
    await runChecks(
      plan,
      plan.checked.filter((each) => !isHash(each, body[each.name])),
      values,
      '',
      faults,
      context,
    );
  if (faults.length > 0) throw invalid(faults);
  for (const each of plan.secrets) {
    const index = plan.attributes.indexOf(each);
    const value = values[index];
    if (typeof value === 'string' && !isHash(each, value)) values[index] = await context.hash(value);
  }
  const restored = typeof body[versionColumn] === 'number';
  return { plan, values, children: [], prefix: '', onlyIdentifier: false, ends, restored };
}

/** What was computed from others is computed again when they are there, and may be the same. */
function knownValue(plan: AttributePlan, body: Values): Value {
  const input = body[plan.name] ?? null;
  return input === null ? null : plan.parse(input, plan.name, []);
}

/** Computed ones are computed again; a secret that is a hash already is kept as it is. */
function keptValue(plan: AttributePlan, body: Values, faults: Fault[], context: Context): Value {
  const input = body[plan.name];
  if (plan.attribute.expression !== undefined) return null;
  if (isHash(plan, input)) return input ?? null;
  return draftValue(plan, input, '', faults, context);
}

/** What the service itself once wrote; absent and null are the same. */
function checkOwn(body: Values, faults: Fault[]): void {
  const { [pathColumn]: path, [versionColumn]: version, __detached: detached } = body;
  if (typeof (path ?? '') !== 'string') faults.push(fault(pathColumn, 'type', 'must be a text'));
  if (typeof (detached ?? false) !== 'boolean') faults.push(fault('__detached', 'type', 'must be true or false'));
  if (!isVersion(version ?? 0)) faults.push(fault(versionColumn, 'type', `must be an integer from 0 to ${latest}`));
}

/** A version is a time: in milliseconds, and no later than there are times. */
const latest = 8_640_000_000_000_000;

function isVersion(value: Value): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= latest;
}

const ownNames: ReadonlySet<string> = new Set([pathColumn, versionColumn, '__detached']);

function isKnown(plan: EntityPlan | LinkPlan, name: string): boolean {
  return plan.attribute.has(name) || ownNames.has(name) || (plan.kind === 'link' && plan.ends.some((end) => end.attribute === name));
}

async function putBack(draft: Draft, body: Value, tx: Writer, context: Context): Promise<Restored> {
  const given = isObject(body) ? body : {};
  const writing = inTransaction(atVersion(context, given[versionColumn]), tx);
  try {
    // A key that leads nowhere is new each time: nothing but a look tells that it was put back before.
    if (isFreed(draft.plan, given) && (await isThere(draft, given, writing))) return { kind: 'same' };
    await tx.attempt(() => insert(draft, given, writing));
    return { kind: 'added' };
  } catch (thrown) {
    if (!isError(thrown, 'duplicate')) return refusalOf(thrown);
    return (await isThere(draft, given, writing)) ? { kind: 'same' } : refusalOf(thrown);
  }
}

/** The version of a new row is its time: so it gets the one it had. */
export function atVersion(context: Context, version: Value | undefined): Context {
  if (version === undefined || !isVersion(version)) return context;
  return { ...context, clock: { now: () => new Date(version), uuid: context.clock.uuid } };
}

async function insert(draft: Draft, body: Values, context: WriteContext): Promise<void> {
  const { plan } = draft;
  if (plan.kind === 'link') await linkRow(plan, draft, context);
  else await insertPlaced(plan, draft, body, context);
}

/** Where it stood. Gives its key. */
export async function insertPlaced(plan: EntityPlan, draft: Draft, body: Values, context: WriteContext): Promise<Value> {
  const path = body[pathColumn];
  if (typeof path === 'string') {
    const parent = await parentOf(plan, path, draftedValue(draft, plan.identifier), context);
    return (await insertEntity(draft, { ...parent, assumed: true }, context)).located.key;
  }
  if (isFreed(plan, body)) return insertDetached(plan, draft, context);
  if (!plan.rootable) throw error('parent-required');
  return (await insertEntity(draft, undefined, context)).located.key;
}

/** The parent that the path of an instance names; whether it exists is seen when the child is written. */
async function parentOf(plan: EntityPlan, path: string, id: Value, { tx }: WriteContext): Promise<Parent> {
  const end = await followPath(plan, path, tx);
  if (end.kind === 'wrong') throw invalid([fault(pathColumn, 'value', end.message)]);
  if (end.parent !== undefined && end.located.id === id) return end.parent;
  throw invalid([fault(pathColumn, 'value', `is not the path of this ${plan.type}`)]);
}

/** A child that outlived its parent. */
async function insertDetached(plan: EntityPlan, draft: Draft, context: WriteContext): Promise<Value> {
  if (!plan.contained) throw invalid([fault('__detached', 'value', `is for children, and ${plan.type} is none`)]);
  await complete(draft, context);
  const located = freeOf(plan, draftedValue(draft, plan.identifier));
  await insertRow(plan, [...draft.values, version(context), ...placeValues(plan, located, undefined)], context);
  await rowMade(plan, located.key, context);
  return located.key;
}

export function refusalOf(thrown: unknown): Restored {
  if (!(thrown instanceof PlatformError)) throw thrown;
  const faults = thrown.details.errors ?? [];
  if (faults.length > 0) {
    const waits = faults.every((each) => each.code === 'reference');
    return { kind: waits ? 'waits' : 'refused', reason: faults.map((each) => `${each.attribute} ${each.message}`).join('; ') };
  }
  switch (thrown.code) {
    case 'instance-not-found':
      return { kind: 'waits', reason: 'its parent is not there' };
    case 'store-failed':
    case 'store-busy':
    case 'store-full':
    case 'internal':
      throw thrown;
    default:
      return { kind: 'refused', reason: thrown.message };
  }
}
