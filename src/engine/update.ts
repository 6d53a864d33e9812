// Changes attributes of one instance. What was read may be sent back; only what differs from it must be allowed to change.

import { error, type Fault, invalid, PlatformError } from '../errors.ts';
import { parseStored } from '../model/json.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { fault, isObject } from '../plan/attribute.ts';
import type { AttributePlan, RowPlan } from '../plan/plan.ts';
import { waitsForChecks } from '../plan/row.ts';
import type { Awaitable, Row } from '../store/store.ts';
import { runChecks } from './checks.ts';
import { compute } from './computed.ts';
import { fillDefault } from './defaults.ts';
import { rowChanged, settledRow, watchOf } from './derived.ts';
import { unknownName } from './draft.ts';
import { version, versionOf } from './insert.ts';
import { updateOf } from './kept.ts';
import { type Located, locate } from './locate.ts';
import type { Context, Operation, Result, Versions, Writing } from './operation.ts';
import { instanceOf } from './read.ts';
import { checkReferences } from './references.ts';
import type { Handler, Task } from './seams.ts';
import { after, firesFor, within } from './within.ts';

type UpdateOperation = Extract<Operation, { kind: 'update' }>;

/** What a body changes. */
export interface Changes {
  readonly changes: ReadonlyMap<AttributePlan, Value>;
  /** Values of what cannot change, which must then be what they are. */
  readonly unchanged: readonly { readonly name: string; readonly value: Value; readonly code: Fault['code'] }[];
  /** What is wrong with the rest, to be told together with what must not change. */
  readonly faults: readonly Fault[];
  /** Secrets as they were sent, for their checks; in `changes` they are what is kept of them. */
  readonly secrets?: ReadonlyMap<AttributePlan, Value>;
}

export const update: Handler<UpdateOperation> = (operation, context) => {
  const { plan } = operation.at.in;
  const prepared = changesOf(plan, operation.body, context);
  // A check of the application's own may wait for anything, and so may what a change sets off.
  const waits = waitsForChecks(plan) || context.triggers.wait('update', plan.type, context);
  const task = (ready: Changes): Task => ({
    transaction: 'write',
    waits,
    decides: firesFor('update', () => [plan.type], context),
    run: (tx) => change(operation, ready, within(context, tx)),
  });
  return hasSecrets(prepared) ? withHashes(prepared, context).then(task) : task(prepared);
};

async function change(operation: UpdateOperation, prepared: Changes, context: Writing): Promise<Result> {
  try {
    return await changeAt(operation, prepared, context);
  } catch (thrown) {
    // A faulty body is told first, even where there is nothing to compare the rest of it with.
    throw thrown instanceof PlatformError && prepared.faults.length > 0 && thrown.code !== 'attributes-invalid'
      ? invalid(prepared.faults)
      : thrown;
  }
}

async function changeAt(operation: UpdateOperation, prepared: Changes, context: Writing): Promise<Result> {
  const { plan } = operation.at.in;
  const located = await locate(operation.at, context.tx);
  const row = await context.tx.one(plan.shapes.toChange, [located.key]);
  if (row === undefined) throw error('instance-not-found');
  checkVersion(row, operation.versions);
  return instanceOf(plan, await changeRow(prepared, located, row, context));
}

/** The row with its changes, and everything that follows from them. */
export function changeRow(prepared: Changes, located: Located, row: Row, context: Writing, unread = false): Awaitable<Row> {
  refuseChanged(prepared, located, row);
  if (prepared.changes.size === 0) return row;
  const { plan } = located;
  const { triggers } = context;
  const isAlone = plan.computed.length + plan.checked.length === 0 && !refers(prepared);
  const isWatched = watchOf(plan, context) !== undefined;
  const fires = triggers.fires('before', 'update', plan.type, context) || triggers.fires('after', 'update', plan.type, context);
  if (!isAlone || isWatched || fires) return changeWithAll(prepared, located, row, context);
  return writeChanges(prepared.changes, located, context, unread);
}

async function changeWithAll(prepared: Changes, located: Located, row: Row, context: Writing): Promise<Row> {
  const { plan } = located;
  const { triggers } = context;
  const ready = triggers.fires('before', 'update', plan.type, context)
    ? await triggers.beforeUpdate(prepared, located, row, context)
    : prepared;
  const changes = await completed(ready, located, context);
  const written = await writeChanges(changes, located, context);
  const names = [...changes.keys()].map((each) => each.name);
  await rowChanged(plan, located.key, names, context);
  const changed = await settledRow(plan, located.key, written, context);
  if (!triggers.fires('after', 'update', plan.type, context)) return changed;
  await triggers.after('update', located, changed, context);
  const isStale = plan.late.length > 0 || triggers.changes('update', plan.type, context).includes(plan.type);
  return isStale ? ((await context.tx.one(plan.shapes.byKey, [located.key])) ?? changed) : changed;
}

function writeChanges(
  changes: ReadonlyMap<AttributePlan, Value>,
  { plan, key }: Located,
  context: Writing,
  unread = false,
): Awaitable<Row> {
  const rows = context.tx.update(updateOf(plan, [...changes.keys()], unread), [...changes.values(), version(context), key]);
  return after(rows, ([changed]) => {
    if (changed === undefined) throw error('instance-not-found');
    return changed;
  });
}

/** Whether what is changed must stand somewhere else. */
function refers({ changes }: Changes): boolean {
  for (const attribute of changes.keys()) if (attribute.target !== undefined) return true;
  return false;
}

/** Refuses a write on an instance that is not one of the versions it was meant for. */
export function checkVersion(row: Row, versions: Versions | undefined): void {
  if (versions === undefined) return;
  const own = versionOf(row);
  const isAmong = (some: Versions['match']): boolean => some?.some((each) => each === '*' || each === own) === true;
  if ((versions.match !== undefined && !isAmong(versions.match)) || isAmong(versions.noneMatch)) throw error('version-mismatch');
}

export function changesOf(plan: RowPlan, body: Value, context: Context): Changes {
  if (!isObject(body)) throw error('body-invalid');
  const faults: Fault[] = [];
  const changes = new Map<AttributePlan, Value>();
  const unchanged: { name: string; value: Value; code: Fault['code'] }[] = [];
  for (const [name, input] of Object.entries(body)) {
    const attribute = plan.attribute.get(name);
    const fixed = fixedCode(plan, name, attribute);
    if (fixed !== undefined) unchanged.push({ name, value: input, code: fixed });
    else if (attribute === undefined) unknownName(plan, name, '', faults);
    else changes.set(attribute, changedValue(attribute, input, faults, context));
  }
  // Without anything that must be compared with the stored row, nothing is asked of the store.
  if (faults.length > 0 && unchanged.length === 0) throw invalid(faults);
  return { changes, unchanged, faults };
}

function fixedCode(plan: RowPlan, name: string, attribute: AttributePlan | undefined): Fault['code'] | undefined {
  if (attribute === plan.identifier || attribute?.attribute.readonly === true) return 'readonly';
  if (attribute?.attribute.expression !== undefined) return 'computed';
  const isEnd = plan.output.fields.some((field) => field.name === name) && attribute === undefined;
  return isEnd || plan.systemFields.includes(name) ? 'system' : undefined;
}

function changedValue(attribute: AttributePlan, input: Value, faults: Fault[], context: Context): Value {
  if (input !== null) return attribute.parse(input, attribute.name, faults, (inner) => fillDefault(inner, context));
  if (!attribute.attribute.optional) faults.push(fault(attribute.name, 'required', 'is required and cannot be null'));
  return null;
}

export function hasSecrets({ changes }: Changes): boolean {
  for (const [attribute, value] of changes) if (attribute.attribute.secret && value !== null) return true;
  return false;
}

/** Secrets become what may be kept of them. */
export async function withHashes(prepared: Changes, context: Context): Promise<Changes> {
  const changes = new Map(prepared.changes);
  const secrets = new Map([...prepared.changes].filter(([{ attribute }, value]) => attribute.secret && value !== null));
  for (const [attribute, value] of secrets) changes.set(attribute, await context.hash(String(value)));
  return { ...prepared, changes, secrets };
}

const messages: Partial<Record<Fault['code'], string>> = {
  readonly: 'cannot be changed',
  computed: 'is computed and cannot be set',
  system: 'is set by the service',
};

function refuseChanged({ unchanged, faults }: Changes, located: Located, row: Row): void {
  if (unchanged.length === 0) return;
  const stored = parseStored(row.json);
  const changed = unchanged
    .filter(({ name, value }) => !sameValue(located.plan, name, value, stored[name] ?? null))
    .map(({ name, code }) => fault(name, code, messages[code] ?? 'cannot be changed'));
  if (faults.length + changed.length > 0) throw invalid([...faults, ...changed]);
}

/** A decimal or a time may be sent in another form of the same value. */
function sameValue(plan: RowPlan, name: string, sent: Value, stored: Value): boolean {
  const attribute = plan.attribute.get(name);
  const value = attribute === undefined || sent === null ? sent : attribute.parse(sent, name, []);
  return JSON.stringify(value, exact) === JSON.stringify(stored, exact);
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** The changes, with what follows from them: computed attributes, checks on the whole instance, references. */
async function completed(prepared: Changes, located: Located, context: Writing): Promise<ReadonlyMap<AttributePlan, Value>> {
  const { plan } = located;
  const { changes } = prepared;
  const faults: Fault[] = [];
  const result = new Map(changes);
  if (plan.computed.length > 0 || plan.checked.length > 0) {
    const values = await mergedValues(plan, changes, located, context);
    await computeAndCheck(plan, values, prepared, faults, context);
    for (const each of plan.computed) result.set(each, values[plan.attributes.indexOf(each)] ?? null);
  }
  const touched = plan.attributes.map((each) => result.get(each) ?? null);
  await checkReferences(plan, touched, '', faults, context.tx);
  for (const [index, each] of plan.attributes.entries())
    if (each.target !== undefined && result.has(each)) result.set(each, touched[index] ?? null);
  if (faults.length > 0) throw invalid(faults);
  return result;
}

/** A check may be about several attributes, so all of them run; what is stored of a secret is nothing that one could judge. */
async function computeAndCheck(plan: RowPlan, values: Value[], { secrets }: Changes, faults: Fault[], context: Writing): Promise<void> {
  const { checked, attributes } = plan;
  if (checked.length === 0) return compute(plan, values, context);
  const judged = checked.filter((each) => !plan.late.includes(each) && (!each.attribute.secret || secrets?.has(each) === true));
  let failure: { readonly thrown: unknown } | undefined;
  try {
    compute(plan, values, context);
  } catch (thrown) {
    failure = { thrown };
  }
  const sent = values.map((value, index) => {
    const attribute = attributes[index];
    return attribute === undefined ? value : (secrets?.get(attribute) ?? value);
  });
  await runChecks(plan, judged, sent, '', faults, context);
  // What a check refuses is told as such, also where nothing could be computed from it.
  if (failure !== undefined && faults.length === 0) throw failure.thrown;
}

async function mergedValues(
  plan: RowPlan,
  changes: ReadonlyMap<AttributePlan, Value>,
  located: Located,
  context: Writing,
): Promise<Value[]> {
  const row = await context.tx.one(plan.shapes.whole, [located.key]);
  const stored = row === undefined ? {} : parseStored(row.json);
  return plan.attributes.map((each) => (changes.has(each) ? (changes.get(each) ?? null) : (stored[each.name] ?? null)));
}
