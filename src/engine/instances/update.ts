// Changes attributes of one instance, whoever asks for it: what a body changes, what must stay as it is, and what follows from a change.

import { error, type Fault, FaultList, invalid } from '../../errors.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { goneFrom } from '../address/address.ts';
import { compute } from '../computed/computed.ts';
import { dependentsOf, lockBeforeChange, recomputedRow, recomputeStale, rowChanged } from '../computed/related-computed.ts';
import { mapAwaitable } from '../context.ts';
import { runChecks } from '../draft/checks.ts';
import { fillingOf } from '../draft/defaults.ts';
import { unknownName } from '../draft/draft.ts';
import { checkReferences } from '../draft/references.ts';
import type { Address, Context, Versions, WriteContext } from '../operation.ts';
import type { Changes, Located, Moving } from '../row.ts';
import { composingOf, updateRow } from '../rows/rows.ts';
import { allowedChanges, checkChanged } from './attribute-rights.ts';
import { checkBecoming, checkPending, checkRow, isFree } from './guard.ts';
import { versionOf } from './insert.ts';
import { checkPlacing, moveInstance } from './move.ts';
import { reach, readable } from './readable.ts';
import { mergedValues } from './row-values.ts';
import { sameValue } from './same-value.ts';
import { attributeRules, seenRow } from './seen.ts';

/** The row with its changes, and everything that follows from them, as its caller may see it. */
export function changeRow(prepared: Changes, located: Located, row: Row, context: WriteContext, unread = false): Awaitable<Row> {
  if (attributeRules(located.plan, context) !== undefined) return changeRuled(prepared, located, context);
  return changeWhole(prepared, located, row, context, unread);
}

/** Of a type whose attributes have rules: whoever asks may have seen the row without some of them. */
async function changeRuled(given: Changes, located: Located, context: WriteContext): Promise<Row> {
  const { plan, key } = located;
  const row = await context.tx.one(plan.shapes.toChange, [key]);
  if (row === undefined) throw error('instance-not-found');
  const prepared = await allowedChanges(given, located, row, context);
  const changed = await changeWhole(prepared, located, row, context, false);
  const now = prepared.move?.to.key ?? key;
  await checkChanged(prepared, plan, now, context);
  return seenRow(plan, now, changed, context);
}

function changeWhole(prepared: Changes, located: Located, row: Row, context: WriteContext, unread: boolean): Awaitable<Row> {
  return prepared.move === undefined && isFree('update', located.plan, context)
    ? changeFreely(prepared, located, row, context, unread)
    : changeAllowed(prepared, located, row, context);
}

/** What allows it holds for the row as it was and as it becomes. A move takes to own it, and what creating it there takes. */
async function changeAllowed(prepared: Changes, located: Located, row: Row, context: WriteContext): Promise<Row> {
  const { move } = prepared;
  const isChange = move === undefined || prepared.changes.size > 0;
  if (isChange) {
    await checkRow('update', located.plan, located.key, context);
    await checkBecoming(located, prepared.changes, context);
  }
  if (move !== undefined) {
    await checkRow('move', located.plan, located.key, context);
  }
  const placing = move === undefined ? undefined : await checkPlacing(prepared.changes, located, move, context);
  const changed = await changeFreely(prepared, located, row, context);
  // What rules ask for may be computed from what has changed.
  await recomputeStale(context);
  if (isChange) await checkRow('update', located.plan, move?.to.key ?? located.key, context);
  // A rule that asks for other rows decides by these; any other way by which the row could be made is open at its beginning.
  if (placing !== undefined && move !== undefined) await checkPending(placing, move.to.key, context);
  else if (move !== undefined) await checkRow('create', move.plan, move.to.key, context);
  return changed;
}

function changeFreely(prepared: Changes, located: Located, row: Row, context: WriteContext, unread = false): Awaitable<Row> {
  refuseChanged(prepared, located, row);
  if (prepared.changes.size === 0 && prepared.move === undefined) return row;
  if (!isAlone(prepared, located.plan, context)) return changeWithAll(prepared, located, row, context);
  return writeChanges(prepared.changes, located, context, unread);
}

/** Whether nothing follows from it. */
function isAlone(prepared: Changes, plan: RowPlan, context: WriteContext): boolean {
  const { triggers } = context;
  if (plan.computed.length + plan.checked.length > 0 || refers(prepared) || prepared.move !== undefined) return false;
  if (dependentsOf(plan, context) !== undefined) return false;
  return !triggers.fires('before', 'update', plan.type, context) && !triggers.fires('after', 'update', plan.type, context);
}

/** For a part of the service that knows the instance to be there, and looks at nothing of it: read only where something follows from the change. */
export async function changeKnown(at: Address, body: Value, context: WriteContext): Promise<void> {
  const { plan } = at.in;
  const prepared = changesOf(plan, body, context);
  const located = await reach(at, context.tx, context);
  if (isFree('update', plan, context) && prepared.unchanged.length === 0 && isAlone(prepared, plan, context)) {
    await writeChanges(prepared.changes, located, context, true);
    return;
  }
  const row = await context.tx.one(plan.shapes.toChange, [located.key]);
  if (row === undefined) throw goneFrom(at);
  await changeRow(prepared, located, row, context);
}

async function changeWithAll(prepared: Changes, located: Located, row: Row, context: WriteContext): Promise<Row> {
  const { plan } = located;
  const { triggers } = context;
  const ready = triggers.fires('before', 'update', plan.type, context)
    ? await triggers.beforeUpdate(prepared, located, row, context)
    : prepared;
  await lockBeforeChange(located, ready.changes, context);
  const changes = await completed(ready, located, context);
  const written = changes.size === 0 ? row : await writeChanges(changes, located, context);
  const now = await moved(located, ready.move, context);
  const names = [...changes.keys()].map((each) => each.name);
  await rowChanged(plan, now.key, names, context);
  const changed = await recomputedRow(plan, now.key, now === located ? written : await rowAt(now, written, context), context);
  if (!triggers.fires('after', 'update', plan.type, context)) return changed;
  await triggers.after('update', now, changed, context);
  const isStale = plan.late.length > 0 || triggers.changes('update', plan.type, context).includes(plan.type);
  return isStale ? await rowAt(now, changed, context) : changed;
}

/** Where it stands from now on. */
async function moved(located: Located, move: Moving | undefined, context: WriteContext): Promise<Located> {
  if (move === undefined) return located;
  await moveInstance(located, move, context);
  return move.to;
}

async function rowAt({ plan, key }: Located, otherwise: Row, { tx }: WriteContext): Promise<Row> {
  return (await tx.one(plan.shapes.byKey, [key])) ?? otherwise;
}

function writeChanges(
  changes: ReadonlyMap<AttributePlan, Value>,
  { plan, key }: Located,
  context: WriteContext,
  unread = false,
): Awaitable<Row> {
  return mapAwaitable(updateRow(plan, key, changes, context, unread), (changed) => {
    if (changed === undefined) throw error('instance-not-found');
    return changed;
  });
}

/** Whether what is changed must stand somewhere else. */
function refers({ changes }: Changes): boolean {
  for (const attribute of changes.keys()) if (attribute.target !== undefined) return true;
  return false;
}

/** Refuses a write on an instance that is not one of the versions it was meant for; `other` is what the same content goes by elsewhere. */
function checkVersion(row: Row, versions: Versions | undefined, other?: number): void {
  if (versions === undefined) return;
  const own = versionOf(row);
  const isAmong = (some: Versions['match']): boolean => some?.some((each) => each === '*' || each === own || each === other) === true;
  if ((versions.match !== undefined && !isAmong(versions.match)) || isAmong(versions.noneMatch)) throw error('version-mismatch');
}

/** By what the instance goes by for its caller. */
export async function checkSeenVersion(
  row: Row,
  { plan, key }: Located,
  versions: Versions | undefined,
  context: WriteContext,
): Promise<void> {
  if (versions === undefined) return;
  const seen = await seenRow(plan, key, row, context);
  checkVersion(seen, versions, seen === row ? composingOf(plan, context)?.versionOf(plan, row) : undefined);
}

export function changesOf(plan: RowPlan, body: Value, context: Context): Changes {
  const read = readChanges(plan, body, '', context);
  // Without anything that must be compared with the stored row, nothing is asked of the store.
  if (read.faults.length > 0 && read.unchanged.length === 0) throw invalid(read.faults);
  return read;
}

/** `prefix` stands in errors before the names of the attributes. */
export function readChanges(plan: RowPlan, body: Value, prefix: string, context: Context): Changes {
  const faults = new FaultList();
  if (!isObject(body)) {
    if (prefix === '') throw error('body-invalid');
    return { changes: new Map(), unchanged: [], faults: [fault(prefix.slice(0, -1), 'type', 'must be an object of attributes')], prefix };
  }
  const changes = new Map<AttributePlan, Value>();
  const unchanged: { name: string; value: Value; code: Fault['code'] }[] = [];
  for (const [name, input] of Object.entries(body)) {
    const attribute = plan.attribute.get(name);
    const fixed = fixedCode(plan, name, attribute);
    if (fixed !== undefined) unchanged.push({ name, value: input, code: fixed });
    else if (attribute === undefined) unknownName(plan, name, prefix, faults);
    else changes.set(attribute, changedValue(attribute, input, `${prefix}${name}`, faults, context));
  }
  return { changes, unchanged, faults, prefix };
}

function fixedCode(plan: RowPlan, name: string, attribute: AttributePlan | undefined): Fault['code'] | undefined {
  if (attribute === plan.identifier || attribute?.attribute.readonly === true) return 'readonly';
  if (attribute?.attribute.expression !== undefined) return 'computed';
  return isEnd(plan, name) || plan.systemFields.includes(name) ? 'system' : undefined;
}

function changedValue(attribute: AttributePlan, input: Value, path: string, faults: Fault[], context: Context): Value {
  if (input !== null) return attribute.parse(input, path, faults, fillingOf(context));
  if (!attribute.attribute.optional) faults.push(fault(path, 'required', 'is required and cannot be null'));
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

const endMessage = 'is an end of the link, which is not changed: delete the link and link anew';

/** What a link shows besides its attributes and what the service sets. */
function isEnd(plan: RowPlan, name: string): boolean {
  return !plan.attribute.has(name) && !plan.systemFields.includes(name) && plan.output.fields.some((field) => field.name === name);
}

function refuseChanged(changes: Changes, { plan }: Located, row: Row): void {
  if (changes.unchanged.length === 0) return;
  const faults = [...changes.faults, ...changedFaults(changes, plan, row)];
  if (faults.length > 0) throw invalid(faults);
}

export function changedFaults({ unchanged, prefix }: Changes, plan: RowPlan, row: Row): readonly Fault[] {
  if (unchanged.length === 0) return [];
  const stored = parseStored(row.json);
  return unchanged
    .filter(({ name, value }) => !sameValue(plan, name, value, stored[name] ?? null))
    .map(({ name, code }) => fault(`${prefix}${name}`, code, isEnd(plan, name) ? endMessage : (messages[code] ?? 'cannot be changed')));
}

/** The changes, with what follows from them: computed attributes, checks on the whole instance, references. */
async function completed(prepared: Changes, located: Located, context: WriteContext): Promise<ReadonlyMap<AttributePlan, Value>> {
  const { plan } = located;
  const { changes } = prepared;
  const faults = new FaultList();
  const result = new Map(changes);
  if (plan.computed.length > 0 || plan.checked.length > 0) {
    const values = await mergedValues(plan, changes, located, context);
    await computeAndCheck(plan, values, prepared, faults, context);
    for (const each of plan.computed) result.set(each, values[plan.attributes.indexOf(each)] ?? null);
  }
  const values = plan.attributes.map((each) => result.get(each) ?? null);
  await checkReferences({ plan, values, prefix: prepared.prefix }, faults, readable(context.tx, context));
  for (const [index, each] of plan.attributes.entries())
    if (each.target !== undefined && result.has(each)) result.set(each, values[index] ?? null);
  if (faults.length > 0) throw invalid(faults);
  return result;
}

/** A check may be about several attributes, so all of them run; what is stored of a secret is nothing that one could judge. */
async function computeAndCheck(
  plan: RowPlan,
  values: Value[],
  { secrets, prefix }: Changes,
  faults: Fault[],
  context: WriteContext,
): Promise<void> {
  const { checked, attributes } = plan;
  if (checked.length === 0) return compute(plan, values, context, prefix);
  const judged = checked.filter((each) => !plan.late.includes(each) && (!each.attribute.secret || secrets?.has(each) === true));
  let failure: { readonly thrown: unknown } | undefined;
  try {
    compute(plan, values, context, prefix);
  } catch (thrown) {
    failure = { thrown };
  }
  const sent = values.map((value, index) => {
    const attribute = attributes[index];
    return attribute === undefined ? value : (secrets?.get(attribute) ?? value);
  });
  await runChecks(plan, judged, sent, prefix, faults, context);
  // What a check refuses is told as such, also where nothing could be computed from it.
  if (failure !== undefined && faults.length === 0) throw failure.thrown;
}
