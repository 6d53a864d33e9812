// What single actions of a flow do: create, find, change, remove, make records, follow paths.

import { error } from '../../errors.ts';
import { changedName } from '../../model/pattern.ts';
import type { Action, Find } from '../../plan/flow/flow.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { JsonObject, objectOf } from '../../values/json/json.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value } from '../../values/value.ts';
import { yieldIfDue } from '../budget.ts';
import { mapAwaitable, mapInOrder } from '../context.ts';
import { isTrue } from '../eval/eval.ts';
import { plainRows } from './find.ts';
import { runReport } from './join/join.ts';
import { LazyRows, ResultList } from './lazy-row.ts';
import { keepPosted, postedIn, storedOf } from './posted.ts';
import { computedAnew, connect, findBelow, findInstances, instancesWith, parentFor } from './related.ts';
import { instanceOrigin, listOf, lookUp, originOf } from './run.ts';
import type { Completed, Fields, Run, Scopes } from './state.ts';
import { accepts, assigned, checkRecord, fitting, resolve, withTypes } from './values.ts';
import { refuseForgotten } from './write/forgotten.ts';
import { changedTogether } from './write/update-many.ts';
import { changeFound, createInstance, createRow, removeInstance } from './write/write.ts';

type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

export function create(action: ActionOf<'create'>, run: Run, scopes: Scopes): Awaitable<Completed> {
  const made = createRow(action, run, scopes) ?? createWithAll(action, run, scopes);
  return mapAwaitable(made, (done) => {
    run.names.set(action.plan.type, done);
    return done;
  });
}

async function createWithAll(action: ActionOf<'create'>, run: Run, scopes: Scopes): Promise<Completed> {
  const value = await createInstance(action, await parentFor(action, run, scopes), run, scopes);
  const links = action.links.filter((each) => !each.query && each.to.kind === 'link');
  for (const link of links) await connect(link, value, run, scopes);
  if (links.length + (action.upsert ? action.nested.length : 0) > 0) await computedAnew([value], run);
  return { value, created: true };
}

export function find(action: Find, run: Run, scopes: Scopes): Awaitable<Completed> {
  const { plan, tests, nested, links } = action;
  const isPlain = nested.length + links.length === 0 && !tests.some((each) => each.kind === 'filter');
  if (!isPlain) return mapAwaitable(findInstances(action, run, scopes), (found) => remembered(plan.type, found, run));
  return mapAwaitable(plainRows(action, run, scopes), (rows) => rememberedRows(plan, rows, run));
}

/** The name of a type stands for its last instance. */
function remembered(type: string, found: readonly Fields[], run: Run): Completed {
  const [value] = found;
  if (value !== undefined) run.names.set(type, { value });
  return { value: found, created: false };
}

function rememberedRows(plan: EntityPlan | LinkPlan, rows: readonly Row[], run: Run): Completed {
  const found = new LazyRows(plan, rows, run);
  if (found.first !== undefined) run.names.set(plan.type, found.first);
  return found;
}

/** Rows; or instances of the first type, where no columns were asked for. */
export async function joined(action: ActionOf<'report'>, run: Run, scopes: Scopes): Promise<Completed> {
  const rows = await runReport(action, run, scopes);
  const [plan] = action.sources;
  if (!action.instances || plan === undefined) return { value: rows, created: false, declared: action.declared };
  const byKey = await instancesWith(
    plan,
    rows.map((row) => row['key'] ?? null),
    run,
  );
  return remembered(
    plan.type,
    rows.flatMap((row): readonly Fields[] => {
      const found = byKey.get(row['key'] ?? null);
      return found === undefined ? [] : [found];
    }),
    run,
  );
}

export async function changeAll(action: ActionOf<'change'>, run: Run, scopes: Scopes): Promise<Completed> {
  refuseForgotten(action.find, run);
  const found = await findInstances(action.find, run, scopes);
  const changed = await changedTogether(found, action, run, async () => {
    const all: Fields[] = [];
    for (const each of found) {
      all.push((await changeFound(action, each, run, scopes)).value);
      await yieldIfDue(run);
    }
    return all;
  });
  return remembered(action.find.plan.type, changed, run);
}

export async function removeAll(action: ActionOf<'remove'>, run: Run, scopes: Scopes): Promise<Completed> {
  refuseForgotten(action.find, run);
  const found = await findInstances(action.find, run, scopes);
  for (const each of found) {
    await removeInstance(each, run);
    await yieldIfDue(run);
  }
  return { value: found, created: false };
}

export function makeRecord(action: ActionOf<'record'>, run: Run, scopes: Scopes): Awaitable<Completed> {
  const { record } = action;
  return mapAwaitable(assigned(action.values, action.from, record.name, run, scopes), (fields) => {
    const value = checkRecord(record, fitting(record.attributes, withTypes(record.attributes, fields, run)), run.reading);
    run.budget.origins.set(value, { kind: 'record', type: record.name, operands: record.operands });
    const made: Completed = { value, created: true };
    run.names.set(record.name, made);
    return made;
  });
}

/** Changes what an alias holds: each of its instances. */
export function changeAlias(action: ActionOf<'change-alias'>, run: Run, scopes: Scopes): Awaitable<Completed> {
  const target = lookUp(action.target, run, scopes);
  const change = (each: Value): Awaitable<Completed> => changeTarget(action, each, run, scopes);
  const targets = listOf(target);
  return mapAwaitable(
    changedTogether(targets, action, run, () => mapInOrder(targets, change)),
    (changed) => {
      const [name = '', ...rest] = action.target;
      const all = new ResultList(changed);
      const [first] = changed;
      if (rest.length === 0 && first !== undefined) run.names.set(name, Array.isArray(target) ? all : first);
      else if (first !== undefined && isPosted(target, action.target, run))
        keepPosted(action.target, Array.isArray(target) ? all.value : first.value, run);
      return all;
    },
  );
}

function changeTarget(action: ActionOf<'change-alias'>, target: Value, run: Run, scopes: Scopes): Awaitable<Completed> {
  if (!isObject(target)) throw error('dataflow-failed', { detail: `${action.target.join('.')} holds nothing that can be changed.` });
  const instance: Fields = target;
  const origin = instanceOrigin(instance, run);
  const posted = origin === undefined ? postedIn(action.target, instance, run) : undefined;
  const isWaiting = origin?.pending === true || origin === undefined;
  const changed: Awaitable<Completed> =
    posted !== undefined
      ? mapAwaitable(storedOf(posted, action.target, run), (stored) => changeFound(action, stored, run, scopes))
      : isWaiting
        ? changeHere(action, instance, run, scopes)
        : changeFound(action, instance, run, scopes);
  return action.links.length === 0 ? changed : connectAll(action, changed, run, scopes);
}

/** Whether it is an instance that came with an event. */
function isPosted(target: Value, path: readonly string[], run: Run): boolean {
  const [first] = listOf(target);
  return isObject(first) && originOf(first, run) === undefined && postedIn(path, { ...first }, run) !== undefined;
}

async function connectAll(action: ActionOf<'change-alias'>, pending: Awaitable<Completed>, run: Run, scopes: Scopes): Promise<Completed> {
  const { value } = await pending;
  if (!isObject(value)) return { value, created: false };
  const instance: Fields = value;
  for (const link of action.links) await connect(link, instance, run, scopes);
  await computedAnew([instance], run);
  return { value: instance, created: false };
}

/** What is not stored yet is changed where it is. */
async function changeHere(action: ActionOf<'change-alias'>, instance: Fields, run: Run, scopes: Scopes): Promise<Completed> {
  const type = instanceOrigin(instance, run)?.plan.type ?? '';
  const fields = await assigned(action.sets, action.from, '', run, [
    { type, values: instance },
    { type: changedName(action.target), values: instance },
    ...scopes,
  ]);
  for (const [name, value] of Object.entries(fields)) if (isInside(value, instance)) fields[name] = copied(value);
  return { value: Object.assign(instance, fields), created: false };
}

/** A value that held itself could never be written. */
function isInside(value: Value, instance: Fields): boolean {
  if (value === instance) return true;
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return inner.some((each) => isInside(each, instance));
}

function copied(value: Value): Value {
  if (Array.isArray(value)) return value.map(copied);
  if (!isObject(value)) return value;
  return objectOf(entriesOf(value).map(([name, each]) => [name, copied(each)]));
}

/** An event that a part of the service does, as it stands under its name. */
export function handle({ event }: ActionOf<'handle'>, run: Run): Awaitable<Completed> {
  const made = run.names.get(event)?.value ?? null;
  const values: Fields = Object.assign(new JsonObject(), isObject(made) ? made : {});
  return mapAwaitable(run.reading.handlers.call(event, values, run), (value) => ({ value, created: false }));
}

/** `[:eval value :check Type]`. */
export async function evaluateChecked(action: ActionOf<'eval'>, run: Run, scopes: Scopes): Promise<Completed> {
  const value = await resolve(action.value, run, scopes);
  const { check } = action;
  if (check?.kind === 'reference') {
    const [type = ''] = check.path;
    const record = run.reading.plan.dataflows.records.get(type);
    if (instanceOrigin(value, run)?.plan.type === type) return { value, created: false };
    if (record === undefined || !isObject(value)) throw error('dataflow-failed', { detail: `What was evaluated is not a ${type}.` });
    return { value: checkRecord(record, fitting(record.attributes, Object.assign(new JsonObject(), value)), run.reading), created: false };
  }
  const isPassed = check?.kind === 'code' ? accepts(check, value, run) : check === undefined || isTrue(await resolve(check, run, scopes));
  if (!isPassed) throw error('dataflow-failed', { detail: 'What was evaluated did not pass its check.' });
  return { value, created: false };
}

export async function followPath(action: ActionOf<'path'>, run: Run, scopes: Scopes): Promise<Completed> {
  let found = await findInstances(action.start, run, scopes);
  let { type } = action.start.plan;
  for (const { step, find: next } of action.further) {
    const below = await findBelow(step, next, found, run, scopes);
    found = [...new Set([...below.values()].flat())];
    ({ type } = next.plan);
  }
  return remembered(type, found, run);
}
