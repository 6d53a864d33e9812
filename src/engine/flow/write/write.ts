// Creates, changes and removes instances on behalf of a flow, by the same ways as a request.

import { error, type Fault, invalid, isError } from '../../../errors.ts';
import { changedName } from '../../../model/pattern.ts';
import { forTarget } from '../../../plan/computed/numeric-target.ts';
import type { Action, Assignment, CreateAction, NestedStep, RowValue } from '../../../plan/flow/flow.ts';
import type { EntityPlan, LinkPlan, Step } from '../../../plan/plan.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import type { Awaitable, Row } from '../../../store/store.ts';
import { JsonObject } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { spend } from '../../budget.ts';
import { dependentsOf } from '../../computed/related-computed.ts';
import { mapAwaitable } from '../../context.ts';
import { linkRow } from '../../crud/create.ts';
import { finish, needsFinishing } from '../../draft/checks.ts';
import { draftOf, draftValue } from '../../draft/draft.ts';
import { computedFor } from '../../eval/number-functions.ts';
import { fitted } from '../../eval/operands.ts';
import { isOwned } from '../../instances/assignments.ts';
import { isHeeded, removeInstance as removeFound } from '../../instances/cascade.ts';
import { mayBeHidden } from '../../instances/concealed.ts';
import { isFree } from '../../instances/guard.ts';
import { insertEntity, type WrittenInstance } from '../../instances/insert.ts';
import { version } from '../../instances/row-values.ts';
import { attributeRules } from '../../instances/seen.ts';
import { changeRow, changesOf, hasSecrets, withHashes } from '../../instances/update.ts';
import type { WriteContext } from '../../operation.ts';
import type { Origin } from '../../outcome.ts';
import type { Changes, Draft, Located, Parent } from '../../row.ts';
import { insertRow } from '../../rows/rows.ts';
import { LazyRow } from '../lazy-row.ts';
import { evaluateNow, fieldsOf, instanceOrigin, recordOrigin, single, toInstance, writingOf } from '../run.ts';
import type { Completed, Fields, Run, Scopes } from '../state.ts';
import { noteMade } from '../told.ts';
import { assigned, fitting, withType, withTypes } from '../values.ts';
import { existingFor, visible } from './existing.ts';

/** One row of values that stand for themselves; `undefined` where something is set off by it, so that it takes the way of all others. */
export function createRow({ plan, row, unread }: CreateAction, run: Run, scopes: Scopes): Awaitable<Completed> | undefined {
  const context = writingOf(run);
  const { triggers } = context;
  const fires = triggers.fires('before', 'create', plan.type, context) || triggers.fires('after', 'create', plan.type, context);
  if (row === undefined || fires || dependentsOf(plan, context) !== undefined) return undefined;
  // What is asked of the row, or written beside it, is not for this way.
  const isAskedOf = isOwned(plan, context) || mayBeHidden(plan, context) || attributeRules(plan, context) !== undefined;
  if (isAskedOf || !isFree('create', plan, context)) return undefined;
  const faults: Fault[] = [];
  const values = row.map((each) => rowValue(each, run, scopes, faults, context));
  if (faults.length > 0) throw invalid(faults);
  values.push(version(context));
  spend(run, 1);
  if (unread !== undefined) return mapAwaitable(insertRow(plan, values, context, unread), () => unseen);
  return mapAwaitable(insertRow(plan, values, context), (inserted) => new LazyRow(plan, inserted, true, run));
}

/** Of what nobody looks at. */
const unseen: Completed = Object.freeze({ value: null, created: true });

function rowValue(each: RowValue, run: Run, scopes: Scopes, faults: Fault[], context: WriteContext): Value {
  if (each.kind === 'constant') return each.value;
  const { attribute } = each;
  if (each.kind !== 'given') return draftValue(attribute, undefined, '', faults, context);
  const given = computedFor(attribute.name, () => evaluateNow(each.value, run, scopes));
  return draftValue(attribute, fitted(attribute, withType(given, attribute, run)), '', faults, context);
}

/** `parent` is where a contained instance goes. */
export async function createInstance(action: CreateAction, parent: Parent | undefined, run: Run, scopes: Scopes): Promise<Fields> {
  const { plan } = action;
  const body = await bodyOf(action, run, scopes);
  return action.upsert ? upsert(plan, action.nested, body, parent, run) : insertInstance(plan, body, parent, run);
}

async function upsert(
  plan: EntityPlan | LinkPlan,
  nested: readonly NestedStep[],
  body: Fields,
  parent: Parent | undefined,
  run: Run,
): Promise<Fields> {
  const { row, columns } = await existingFor(plan, body, parent, run);
  const scopes: Fields = Object.assign(new JsonObject(), body);
  for (const { name } of nested) delete scopes[name];
  const value =
    row === undefined
      ? await insertMissing(() => insertInstance(plan, scopes, parent, run), columns)
      : (await changeInstance(toInstance(plan, row, run), withoutKeys(plan, scopes), run)).value;
  for (const each of nested) await upsertBelow(each, body[each.name] ?? null, value, run);
  return value;
}

/** Creates what was not found by these columns. Where others have created it meanwhile, it is found when the request is begun anew. */
async function insertMissing<T>(insert: () => Promise<T>, lookedFor: readonly string[]): Promise<T> {
  try {
    return await insert();
  } catch (thrown) {
    if (!isError(thrown, 'duplicate') || lookedFor.length === 0) throw thrown;
    const taken = new Set(thrown.origin.columns);
    throw taken.size === lookedFor.length && lookedFor.every((each) => taken.has(each)) ? thrown.asRace() : thrown;
  }
}

/** Children of what was there already are looked for under it, and what it is linked with by itself. */
async function upsertBelow({ step, relationship, actions }: NestedStep, given: Value, instance: Fields, run: Run): Promise<void> {
  const related: Fields[] = [];
  const located = locatedOf(instance, run);
  const parent: Parent | undefined = step.kind === 'contains' ? { located, contains: step.contains } : undefined;
  const creates = actions.flatMap((each) => (each.kind === 'create' ? [each] : []));
  for (const [index, body] of (Array.isArray(given) ? given : [given]).entries()) {
    if (!isObject(body)) continue;
    const fields: Fields = Object.assign(new JsonObject(), body);
    const other = await upsert(step.target, creates[index]?.nested ?? [], fields, parent, run);
    if (step.kind === 'link') await linkOnce(step, instance, other, run);
    related.push(other);
  }
  const origin = instanceOrigin(instance, run);
  instance[relationship.local] = related;
  if (origin !== undefined)
    recordOrigin(instance, origin.plan, origin.located, origin.row, run, [
      ...origin.nested,
      { name: relationship.local, relationship: relationship.name },
    ]);
}

/** Two instances are linked once, however often they are said to be. */
async function linkOnce(step: Extract<Step, { kind: 'link' }>, from: Fields, to: Fields, run: Run): Promise<void> {
  const { link } = step;
  const keys = [locatedOf(to, run).key, locatedOf(from, run).key];
  const row = await run.reading.tx.one({ ...link.shapes.byKey, where: step.to.unlink.where }, keys);
  const existing = await visible(link, row, endColumns(link), run.reading);
  if (existing.row !== undefined) return;
  const ends = Object.assign(new JsonObject(), { [step.from.attribute]: from, [step.to.attribute]: to });
  await insertMissing(() => linkInstances(link, ends, run), existing.columns);
}

async function insertInstance(plan: EntityPlan | LinkPlan, body: Fields, parent: Parent | undefined, run: Run): Promise<Fields> {
  const context = writingOf(run);
  const draft = draftOf(plan, body, context);
  if (needsFinishing(draft)) await finish([draft], context);
  spend(run, 1);
  if (plan.kind === 'link') return insertedLink(plan, draft, run);
  if (parent === undefined && !plan.rootable) throw error('parent-required');
  const inserted = await insertEntity(draft, parent, context);
  return created(inserted.instance, run);
}

async function insertedLink(plan: LinkPlan, draft: Draft, run: Run): Promise<Fields> {
  const context = writingOf(run);
  return toInstance(plan, await linkRow(plan, draft, context), run);
}

function endColumns({ ends }: LinkPlan): readonly string[] {
  return ends.map((each) => each.column);
}

/** As it would be read: with its version, and where it stands. */
function rowOf({ json, version: at, located: { key, path } }: WrittenInstance): Row {
  return { json, columns: [at, key, path ?? null] };
}

/** What was created, with everything created below it. */
function created(instance: WrittenInstance, run: Run): Fields {
  const { json, plan, located } = instance;
  const value = fieldsOf({ json, columns: [] });
  noteMade(located, run);
  recordOrigin(value, plan, located, rowOf(instance), run, setBelow(value, instance, run));
  return value;
}

function setBelow(value: Fields, { nested }: WrittenInstance, run: Run): Extract<Origin, { kind: 'instance' }>['nested'] {
  return nested.map(({ relationship, instances }) => {
    value[relationship.local] = instances.map((each) => created(each, run));
    return { name: relationship.local, relationship: relationship.name };
  });
}

/** The body that a request would send: attributes, and what is nested under the names of its relationships. */
export async function bodyOf(action: CreateAction, run: Run, scopes: Scopes): Promise<Fields> {
  const { plan, nested } = action;
  const fields = await assigned(action.values, action.from, plan.type, run, scopes);
  if (plan.kind === 'link') for (const { attribute } of plan.ends) fields[attribute] = endValue(fields[attribute] ?? null, run);
  if ('__Id__' in fields && !plan.attribute.has('__Id__')) {
    fields[plan.identifier.name] = fields['__Id__'] ?? null;
    delete fields['__Id__'];
  }
  const inside: Scopes = [{ type: plan.type, values: Object.assign(new JsonObject(), fields) }, ...scopes];
  for (const { name, actions, list } of nested) {
    const bodies: Value[] = [];
    for (const each of actions) if (each.kind === 'create') bodies.push(await bodyOf(each, run, inside));
    fields[name] = list ? bodies : (bodies[0] ?? []);
  }
  return fitting(plan.attributes, withTypes(plan.attributes, fields, run));
}

/** An end of a link may be given as the instance itself. */
function endValue(given: Value, run: Run): Value {
  const value = single(given);
  const origin = instanceOrigin(value, run);
  if (origin === undefined) return value;
  return origin.located.path ?? origin.located.id;
}

function withoutKeys(plan: EntityPlan | LinkPlan, body: Fields): Fields {
  const fields: Fields = Object.assign(new JsonObject(), body);
  const fixed = plan.attributes.filter((each) => each === plan.identifier || each.attribute.readonly).map((each) => each.name);
  const ends = plan.kind === 'link' ? plan.ends.map((each) => each.attribute) : [];
  for (const name of [...fixed, ...ends]) delete fields[name];
  return fields;
}

/** The instance as it is afterwards. */
function changeInstance(instance: Fields, body: Fields, run: Run, unread = false): Awaitable<LazyRow> {
  const origin = instanceOrigin(instance, run);
  if (origin === undefined) throw error('dataflow-failed', { detail: 'Only what is stored can be changed.' });
  const context = writingOf(run);
  const { plan, row, located } = origin;
  spend(run, 1);
  const prepared = changesOf(plan, fitting(plan.attributes, withTypes(plan.attributes, body, run)), context);
  if (hasSecrets(prepared) || row === undefined || located.key === null) return changeAnew(instance, prepared, run);
  return mapAwaitable(changeRow(prepared, located, row, context, unread), (changed) => new LazyRow(plan, changed, false, run));
}

/** What must be waited for, or looked up, before it can be changed. */
async function changeAnew(instance: Fields, prepared: Changes, run: Run): Promise<LazyRow> {
  const context = writingOf(run);
  const located = locatedOf(instance, run);
  const { plan } = located;
  const ready = hasSecrets(prepared) ? await withHashes(prepared, context) : prepared;
  const row = instanceOrigin(instance, run)?.row ?? (await context.tx.one(plan.shapes.byKey, [located.key]));
  if (row === undefined) throw error('instance-not-found');
  return new LazyRow(plan, await changeRow(ready, located, row, context), false, run);
}

type Setting = Pick<Extract<Action, { kind: 'change-alias' }>, 'sets' | 'from' | 'unread'> &
  Partial<Pick<Extract<Action, { kind: 'change-alias' }>, 'target' | 'typedSets'>>;

export function changeFound(setting: Setting, instance: Fields, run: Run, scopes: Scopes): Awaitable<LazyRow> {
  const { from, unread, target } = setting;
  const plan = instanceOrigin(instance, run)?.plan;
  const type = plan?.type ?? '';
  const called: Scopes = target === undefined ? [] : [{ type: changedName(target), values: instance }];
  const inside: Scopes = [{ type, values: instance }, ...called, ...scopes];
  return mapAwaitable(assigned(setsFor(setting, plan), from, '', run, inside), (body) => changeInstance(instance, body, run, unread));
}

/** Once for each type: where an attribute is a number, what it is set to is one of numbers. */
function setsFor({ sets, typedSets }: Setting, plan: EntityPlan | LinkPlan | undefined): readonly Assignment[] {
  if (typedSets === undefined || plan === undefined) return sets;
  const known = typedSets.get(plan);
  if (known !== undefined) return known;
  const found = sets.map((each) => ({ ...each, value: forTarget(each.value, plan.attribute.get(each.name)) }));
  typedSets.set(plan, found);
  return found;
}

export async function removeInstance(instance: Fields, run: Run): Promise<void> {
  const origin = instanceOrigin(instance, run);
  if (origin?.row === undefined) return;
  spend(run, 1);
  const context = writingOf(run);
  const located = locatedOf(instance, run);
  // It may have gone with another that was deleted before it, and nothing goes twice.
  if (isHeeded(origin.plan, context) && (await context.tx.one(origin.plan.shapes.exists, [located.key])) === undefined) return;
  // The logic that the deletion sets off sees all of it, whatever of it was read here.
  const whole =
    attributeRules(origin.plan, context) === undefined ? undefined : await context.tx.one(origin.plan.shapes.byKey, [located.key]);
  await removeFound(located, whole ?? origin.row, context);
}

export function locatedOf(instance: Value, run: Run): Located {
  const origin = instanceOrigin(single(instance), run);
  if (origin === undefined) throw error('dataflow-failed', { detail: 'An instance is expected here.' });
  return origin.located;
}

/** Links two instances that exist. */
export async function linkInstances(link: LinkPlan, values: Fields, run: Run): Promise<Fields> {
  for (const { attribute } of link.ends) values[attribute] = endValue(values[attribute] ?? null, run);
  return insertInstance(link, fitting(link.attributes, withTypes(link.attributes, values, run)), undefined, run);
}
