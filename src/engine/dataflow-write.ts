// Creates, changes and removes instances on behalf of a flow, by the same ways as a request.

import { error } from '../errors.ts';
import { JsonObject } from '../model/json.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { isObject } from '../plan/attribute.ts';
import { type Condition, equal } from '../plan/condition.ts';
import type { Action, CreateAction, NestedStep } from '../plan/dataflow.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import { pathColumn } from '../plan/tables.ts';
import type { Row } from '../store/store.ts';
import { finish, needsFinishing } from './checks.ts';
import { linkRow } from './create.ts';
import { locatePath, pathIn } from './dataflow-paths.ts';
import { assigned, fitting, type RunAction } from './dataflow-values.ts';
import { removeRow } from './delete.ts';
import { draftOf } from './draft.ts';
import { type Inserted, insertEntity, type Parent } from './insert.ts';
import { keep } from './kept.ts';
import { childOf, type Located } from './locate.ts';
import type { Instance } from './operation.ts';
import { type Fields, fieldsOf, instanceMeta, keepInstance, type Own, type Run, single, spend, toInstance, writingOf } from './run.ts';
import { changeRow, changesOf, hasSecrets, withHashes } from './update.ts';

/** `parent` is where a contained instance goes. */
export async function createInstance(
  action: CreateAction,
  parent: Parent | undefined,
  run: Run,
  own: Own,
  runAction: RunAction,
): Promise<Fields> {
  const { plan } = action;
  const body = await bodyOf(action, run, own, runAction);
  const existing = action.upsert ? await existingFor(plan, body, parent, run) : undefined;
  if (existing === undefined) return insertInstance(plan, body, parent, run);
  const changed = await changeInstance(toInstance(plan, existing, run), withoutKeys(action, body), run);
  for (const nested of action.nested) await upsertBelow(nested, body[nested.name] ?? null, changed, run);
  return changed;
}

/** Children of what was there already are looked for under it. */
async function upsertBelow({ step, relationship }: NestedStep, bodies: Value, instance: Fields, run: Run): Promise<void> {
  if (step.kind === 'link') throw error('not-available', { detail: 'An upsert with links is not in this version.' });
  const parent: Parent = { located: await locatedOf(instance, run), contains: step.contains };
  const children: Fields[] = [];
  for (const body of Array.isArray(bodies) ? bodies : [bodies]) {
    if (!isObject(body)) continue;
    const fields: Fields = Object.assign(new JsonObject(), body);
    const row = await existingFor(step.target, fields, parent, run);
    const values = row === undefined ? fields : withoutKeys({ plan: step.target, nested: [] }, fields);
    children.push(
      row === undefined
        ? await insertInstance(step.target, values, parent, run)
        : await changeInstance(toInstance(step.target, row, run), values, run),
    );
  }
  const meta = instanceMeta(instance, run);
  instance[relationship.local] = children;
  if (meta !== undefined)
    keepInstance(instance, meta.plan, meta.located, meta.row, run, [
      ...meta.nested,
      { name: relationship.local, relationship: relationship.name },
    ]);
}

async function insertInstance(plan: EntityPlan | LinkPlan, body: Fields, parent: Parent | undefined, run: Run): Promise<Fields> {
  const context = writingOf(run);
  const draft = draftOf(plan, body, context);
  if (needsFinishing(draft)) await finish(draft, context);
  spend(run, 1);
  if (plan.kind === 'link') return toInstance(plan, await linkRow(plan, draft, context), run);
  if (parent === undefined && !plan.rootable) throw error('parent-required');
  return created(await insertEntity(draft, parent, context), run);
}

/** What was created, with everything created below it. */
function created({ located, instance }: Inserted, run: Run): Fields {
  const value = fieldsOf({ json: instance.json, columns: [] });
  const names = instance.nested.map(({ relationship, instances }) => {
    value[relationship.local] = instances.map((each) => nestedValue(each, run));
    return { name: relationship.local, relationship: relationship.name };
  });
  keepInstance(value, located.plan, located, { json: instance.json, columns: [instance.version] }, run, names);
  return value;
}

function nestedValue(instance: Instance, run: Run): Fields {
  const { plan } = instance;
  const value = fieldsOf({ json: instance.json, columns: [] });
  const id = value[plan.identifier.name] ?? null;
  const path = value[pathColumn];
  // The key of what is contained is found by its path, when it is needed.
  const located: Located = {
    plan,
    key: plan.kind === 'entity' && plan.contained ? null : id,
    id,
    path: typeof path === 'string' ? path : undefined,
  };
  keepInstance(value, plan, located, { json: instance.json, columns: [instance.version] }, run);
  return value;
}

/** The body that a request would send: attributes, and what is nested under the names of its relationships. */
export async function bodyOf(action: CreateAction, run: Run, own: Own, runAction: RunAction): Promise<Fields> {
  const { plan, nested } = action;
  const fields = await assigned(action.values, action.from, plan.type, run, own, runAction);
  if (plan.kind === 'link') for (const { attribute } of plan.ends) fields[attribute] = endValue(fields[attribute] ?? null, run);
  if ('__Id__' in fields && !plan.attribute.has('__Id__')) {
    fields[plan.identifier.name] = fields['__Id__'] ?? null;
    delete fields['__Id__'];
  }
  const inside: Own = [{ type: plan.type, values: Object.assign(new JsonObject(), fields) }, ...own];
  for (const { name, actions, list } of nested) {
    const bodies: Value[] = [];
    for (const each of actions) if (each.kind === 'create') bodies.push(await bodyOf(each, run, inside, runAction));
    fields[name] = list ? bodies : (bodies[0] ?? []);
  }
  return fitting(plan.attribute, fields);
}

/** An end of a link may be given as the instance itself. */
function endValue(given: Value, run: Run): Value {
  const value = single(given);
  const meta = instanceMeta(value, run);
  if (meta === undefined) return value;
  return meta.located.path ?? meta.located.id;
}

/** What `@upsert` finds: by the identifier, else by what is unique, else by everything that is given. */
async function existingFor(plan: EntityPlan | LinkPlan, body: Fields, parent: Parent | undefined, run: Run): Promise<Row | undefined> {
  const context = writingOf(run);
  const given = plan.attributes.filter((each) => Object.hasOwn(body, each.name) && body[each.name] !== null && !each.hidden);
  if (given.includes(plan.identifier) && parent !== undefined) {
    const { key } = childOf(parent.located, parent.contains, plan.identifier.parse(body[plan.identifier.name] ?? null, '', []));
    return context.tx.one(plan.shapes.byKey, [key]);
  }
  const unique = given.includes(plan.identifier) ? [plan.identifier] : given.filter((each) => each.attribute.unique).slice(0, 1);
  const columns = unique.length > 0 ? unique : given;
  const ends = plan.kind === 'link' ? plan.ends.filter((each) => !each.entity.contained && unique.length === 0) : [];
  const names = [...columns.map((each) => each.column), ...ends.map((each) => each.column)];
  if (names.length === 0) return undefined;
  const values = [
    ...columns.map((each) => each.parse(body[each.name] ?? null, each.name, [])),
    ...ends.map((each) => body[each.attribute] ?? null),
  ];
  return context.tx.one(selectBy(plan, names), [...values, 1]);
}

function selectBy(plan: EntityPlan | LinkPlan, columns: readonly string[]): Select {
  const key = `upsert ${columns.join(' ')}`;
  const kept = plan.kept.get(key);
  if (kept?.kind === 'select') return kept;
  const where: Condition = { kind: 'and', conditions: columns.map(equal) };
  return keep(plan, key, { ...plan.shapes.byKey, where, limit: true, order: [{ column: plan.key, descending: false }] });
}

function withoutKeys({ plan, nested }: Pick<CreateAction, 'plan' | 'nested'>, body: Fields): Fields {
  const fields: Fields = Object.assign(new JsonObject(), body);
  const fixed = plan.attributes.filter((each) => each === plan.identifier || each.attribute.readonly).map((each) => each.name);
  const ends = plan.kind === 'link' ? plan.ends.map((each) => each.attribute) : [];
  for (const name of [...fixed, ...ends, ...nested.map((each) => each.name)]) delete fields[name];
  return fields;
}

/** The instance as it is afterwards. */
export async function changeInstance(instance: Fields, body: Fields, run: Run): Promise<Fields> {
  const context = writingOf(run);
  const meta = instanceMeta(instance, run);
  if (meta === undefined) throw error('dataflow-failed', { detail: 'Only what is stored can be changed.' });
  const located = await locatedOf(instance, run);
  spend(run, 1);
  const prepared = changesOf(meta.plan, fitting(meta.plan.attribute, body), context);
  const ready = hasSecrets(prepared) ? await withHashes(prepared, context) : prepared;
  const row = meta.row ?? (await context.tx.one(meta.plan.shapes.byKey, [located.key]));
  if (row === undefined) throw error('instance-not-found');
  const changed = await changeRow(ready, located, row, context);
  const value = fieldsOf(changed);
  keepInstance(value, meta.plan, located, changed, run);
  return value;
}

export async function changeFound(
  { sets, from }: Pick<Extract<Action, { kind: 'change' }>, 'sets' | 'from'>,
  instance: Fields,
  run: Run,
  own: Own,
  runAction: RunAction,
): Promise<Fields> {
  const type = instanceMeta(instance, run)?.plan.type ?? '';
  const inside: Own = [{ type, values: instance }, ...own];
  return changeInstance(instance, await assigned(sets, from, '', run, inside, runAction), run);
}

export async function removeInstance(instance: Fields, run: Run): Promise<void> {
  const meta = instanceMeta(instance, run);
  if (meta?.row === undefined) return;
  spend(run, 1);
  await removeRow(await locatedOf(instance, run), meta.row, writingOf(run));
}

/** Where an instance stands; what was created below another is looked up by its path. */
export async function locatedOf(instance: Value, run: Run): Promise<Located> {
  const meta = instanceMeta(single(instance), run);
  if (meta === undefined) throw error('dataflow-failed', { detail: 'An instance is expected here.' });
  const { located, plan } = meta;
  if (located.key !== null || plan.kind === 'link') return located;
  return (await locatePath(plan, pathIn(instance, run) ?? '', run)) ?? located;
}

/** Links two instances that exist. */
export async function linkInstances(link: LinkPlan, values: Fields, run: Run): Promise<Fields> {
  for (const { attribute } of link.ends) values[attribute] = endValue(values[attribute] ?? null, run);
  return insertInstance(link, fitting(link.attribute, values), undefined, run);
}
