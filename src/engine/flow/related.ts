// Related instances in a flow: nested patterns and relationships, each in a fixed number of statements.

import { error } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { CreateAction, Find, LinkStep, NestedStep } from '../../plan/flow/flow.ts';
import type { EntityPlan, LinkPlan, Step } from '../../plan/plan.ts';
import { both } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { isPath } from '../../plan/rows/keys.ts';
import { rootIdentifier } from '../../plan/rows/path.ts';
import { JsonObject } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { findFlat, locateFlat, rootOf } from '../address/address.ts';
import { findEnd } from '../address/link-ends.ts';
import { checkDeadline } from '../budget.ts';
import { queryValue } from '../eval/query-value.ts';
import { type Bound, isReadable, rowCondition, unbound } from '../instances/guard.ts';
import { readable } from '../instances/readable.ts';
import { seenBy } from '../instances/seen.ts';
import { heldRows } from '../memory.ts';
import type { Located, Parent } from '../row.ts';
import { alsoBound, cutOf, findRows, paddedTo, passes } from './find.ts';
import { inPages, type Paged, pageSizes } from './pages.ts';
import { locatePath } from './paths.ts';
import { instanceOrigin, listOf, recordOrigin, toInstance } from './run.ts';
import type { Fields, Run, Scopes } from './state.ts';
import { assigned, resolve } from './values.ts';
import { changeFound, createInstance, linkInstances, locatedOf } from './write/write.ts';

/** Everything a find asks for: where it hangs, then what is nested in it. */
export async function findInstances(find: Find, run: Run, scopes: Scopes): Promise<readonly Fields[]> {
  let within: Bound = unbound;
  for (const link of find.links) if (link.query) within = alsoBound(within, await linkedTo(link, find, run, scopes));
  const found = (await findRows(find, within, run, scopes)).map((each) => each.value);
  for (const nested of find.nested) await attach(nested, found, run, scopes);
  for (const link of find.links) if (!link.query) for (const each of found) await connect(link, each, run, scopes);
  if (find.links.some((each) => !each.query)) await computedAnew(found, run);
  return found;
}

/** `[:WorksFor? parent]`, `[{:AB {:A? 1}}]`: the rows that stand there. */
async function linkedTo(link: LinkStep, find: Find, run: Run, scopes: Scopes): Promise<Bound> {
  const { to } = link;
  const others = link.other === undefined ? undefined : await keysOf(link, run, scopes);
  if (to.kind === 'contains') {
    const id = link.id === undefined ? null : await resolve(link.id, run, scopes);
    const byParent = keysIn(to.contains.column, others ?? []);
    if (id === null || id === '_') return byParent;
    const asked = queryValue('eq', columnKind(find.plan.identifier.attribute), id);
    if (typeof asked === 'string') return keysIn(to.contains.column, []);
    const identifier = { condition: { kind: 'compare', column: find.plan.identifier.column, operator: 'eq' }, key: 'id' } as const;
    return alsoBound(byParent, { ...identifier, values: [asked.value] });
  }
  const keys: Value[] = [];
  const within = others === undefined ? unbound : keysIn(to.other.column, others);
  const rows = link.find === undefined ? [] : await findRows(link.find, within, run, scopes, to.own.column);
  for (const { row } of rows) keys.push(row.columns.at(-1) ?? null);
  return keysIn(find.plan.key, keys);
}

/** The keys of what stands at the other end: instances, a pattern that finds or makes them, or a path. */
async function keysOf(link: LinkStep, run: Run, scopes: Scopes): Promise<readonly Value[]> {
  if (link.other === undefined) return [];
  const { to } = link;
  const keys: Value[] = [];
  for (const each of listOf(await resolve(link.other, run, scopes))) {
    if (instanceOrigin(each, run) !== undefined) keys.push(locatedOf(each, run).key);
    else if (to.kind === 'contains') keys.push(await parentKey(to.contains.parent, each, run));
    else keys.push((await findEnd(to.other, each, readable(run.reading.tx, run.reading)))?.key ?? null);
  }
  return keys;
}

/** Of a parent that the caller may read: nothing is found below others. */
async function parentKey(plan: EntityPlan, given: Value, run: Run): Promise<Value> {
  const found = await parentAt(plan, given, run, findFlat);
  return found !== undefined && (await isReadable(plan, found.key, run.reading)) ? found.key : null;
}

function keysIn(column: string, keys: readonly Value[]): Bound {
  const values = keys.filter((each) => each !== null);
  if (values.length === 0) return { condition: { kind: 'compare', column, operator: 'in', count: 1 }, values: [null], key: 'k1' };
  const padded = paddedTo(values);
  return { condition: { kind: 'compare', column, operator: 'in', count: padded.length }, values: padded, key: `k${padded.length}` };
}

/** So many keys go into one statement. */
const together = 8192;

/** What a nested pattern finds, makes or changes below each of the instances around it. */
async function attach(nested: NestedStep, parents: readonly Fields[], run: Run, scopes: Scopes): Promise<void> {
  const below = new Map<Fields, Fields[]>(parents.map((each) => [each, []]));
  for (const action of nested.actions) {
    if (action.kind === 'create') {
      for (const parent of parents) below.get(parent)?.push(await createBelow(nested, action, parent, run, scopes));
      continue;
    }
    const find = action.kind === 'find' ? action : action.find;
    for (const [parent, children] of await findBelow(nested.step, find, parents, run, scopes)) {
      for (const child of children)
        below.get(parent)?.push(action.kind === 'find' ? child : (await changeFound(action, child, run, ownOf(parent, scopes, run))).value);
    }
  }
  for (const [parent, children] of below) setNested(parent, nested, children, run);
  if (writes(nested)) await computedAnew(parents, run);
}

function writes({ actions }: NestedStep): boolean {
  return actions.some((each) => each.kind !== 'find' || each.nested.some(writes));
}

function setNested(parent: Fields, nested: NestedStep, children: readonly Fields[], run: Run): void {
  const origin = instanceOrigin(parent, run);
  const { local, name } = nested.relationship;
  const before = parent[local];
  parent[local] =
    Array.isArray(before) && origin?.nested.some((each) => each.name === local) === true ? [...before, ...children] : children;
  if (origin === undefined || origin.nested.some((each) => each.name === local)) return;
  recordOrigin(parent, origin.plan, origin.located, origin.row, run, [...origin.nested, { name: local, relationship: name }]);
}

function ownOf(parent: Fields, scopes: Scopes, run: Run): Scopes {
  return [{ type: instanceOrigin(parent, run)?.plan.type ?? '', values: parent }, ...scopes];
}

async function createBelow({ step }: NestedStep, action: CreateAction, parent: Fields, run: Run, scopes: Scopes): Promise<Fields> {
  const inside = ownOf(parent, scopes, run);
  const located = locatedOf(parent, run);
  if (step.kind === 'contains') return createInstance(action, { located, contains: step.contains }, run, inside);
  const target = await createInstance({ ...action, upsert: true }, undefined, run, inside);
  const ends: Fields = Object.assign(new JsonObject(), { [step.from.attribute]: parent, [step.to.attribute]: target });
  await linkInstances(step.link, ends, run);
  return target;
}

/** The instances that a step leads to, by where they were reached from: one statement, or two through a table of links. */
export async function findBelow(
  step: Step,
  find: Find,
  parents: readonly Fields[],
  run: Run,
  scopes: Scopes,
): Promise<ReadonlyMap<Fields, readonly Fields[]>> {
  const byKey = new Map<Value, Fields>();
  for (const parent of parents) byKey.set(locatedOf(parent, run).key, parent);
  const found = new Map<Fields, Fields[]>(parents.map((each) => [each, []]));
  const add = (key: Value, value: Fields): void => {
    const parent = byKey.get(key);
    if (parent !== undefined && passes(find, value, run, ownOf(parent, scopes, run))) found.get(parent)?.push(value);
  };
  const keys = [...byKey.keys()];
  for (let start = 0; start < keys.length; start += together) {
    const some = keys.slice(start, start + together);
    if (step.kind === 'contains') {
      const { column } = step.contains;
      const rows = await findRows(find, keysIn(column, some), run, scopes, column);
      for (const { value, row } of rows) add(row.columns.at(-1) ?? null, value);
    } else await throughLinks(step, find, some, add, run, scopes);
  }
  await cut(find, found, run, scopes);
  const children = [...new Set([...found.values()].flat())];
  for (const nested of find.nested) await attach(nested, children, run, scopes);
  return found;
}

async function throughLinks(
  step: Extract<Step, { kind: 'link' }>,
  find: Find,
  keys: readonly Value[],
  add: (key: Value, value: Fields) => void,
  run: Run,
  scopes: Scopes,
): Promise<void> {
  const pairs = await linkPairs(step.link, step.from.column, step.to.column, keys, run);
  const targets = new Map<Value, Fields>();
  const wanted = [...new Set(pairs.map(([, to]) => to))];
  for (let start = 0; start < wanted.length; start += together) {
    const rows = await findRows(find, keysIn(find.plan.key, wanted.slice(start, start + together)), run, scopes, find.plan.key);
    for (const { value, row } of rows) targets.set(row.columns[1] ?? null, value);
  }
  const from = new Map<Value, Value[]>();
  for (const [start, end] of pairs) from.set(end, [...(from.get(end) ?? []), start]);
  // In the order of what was found, as the pattern asked for it.
  for (const [key, value] of targets) for (const start of from.get(key) ?? []) add(start, value);
}

async function linkPairs(
  link: LinkPlan,
  from: string,
  to: string,
  keys: readonly Value[],
  run: Run,
): Promise<readonly (readonly [Value, Value])[]> {
  const bound = alsoBound(rowCondition('read', link, run.reading), keysIn(from, keys));
  // Two instances are linked once, so that both ends together tell links apart.
  const order = [from, to].map((column) => ({ column, descending: false }));
  const select = (behind: readonly Value[] | undefined): Select => ({
    kind: 'select',
    table: link.table,
    output: { fields: [], columns: [from, to] },
    where: behind === undefined ? bound.condition : both(bound.condition, { kind: 'after', order, nulls: [false, false] }),
    order,
    limit: true,
    offset: false,
  });
  const paged: Paged = {
    table: link.table,
    key: order,
    where: bound.condition,
    values: bound.values,
    select,
    order: [0, 2],
    size: pageSizes.related,
  };
  const rows = await inPages(paged, Number.POSITIVE_INFINITY, 0, run);
  return rows.map((row) => [row.columns[0] ?? null, row.columns[1] ?? null]);
}

/** Instances of a type by their keys; those that are not there, or that the caller may not see, are left out. */
export async function instancesWith(plan: EntityPlan | LinkPlan, keys: readonly Value[], run: Run): Promise<ReadonlyMap<Value, Fields>> {
  const found = new Map<Value, Fields>();
  const { tx } = run.reading;
  const wanted = [...new Set(keys)];
  for (let start = 0; start < wanted.length; start += together) {
    const bound = alsoBound(rowCondition('read', plan, run.reading), keysIn(plan.key, wanted.slice(start, start + together)));
    const select = { ...plan.shapes.byKey, where: bound.condition };
    const rows = await heldRows(
      (most) => tx.rows(seenBy(select, run.reading), bound.values, undefined, most),
      run.budget.held,
      run.reading,
    );
    for (const row of rows) found.set(row.columns[1] ?? null, toInstance(plan, row, run));
    await checkDeadline(run);
  }
  return found;
}

/** What these have computed from others, or triggers have made of them, is read again, once others were made, changed or linked behind them. */
export async function computedAnew(instances: readonly Fields[], run: Run): Promise<void> {
  const plan = instanceOrigin(instances[0] ?? null, run)?.plan;
  if (plan === undefined || (plan.late.length === 0 && run.reading.plan.dataflows.triggers.size === 0)) return;
  const keys = new Map<Fields, Value>();
  for (const each of instances) keys.set(each, locatedOf(each, run).key);
  const found = await instancesWith(plan, [...keys.values()], run);
  for (const [each, key] of keys) {
    const origin = instanceOrigin(each, run);
    const now = found.get(key);
    if (origin === undefined || now === undefined) continue;
    for (const { name, hidden } of plan.attributes) if (!hidden) each[name] = now[name] ?? null;
    recordOrigin(each, plan, origin.located, instanceOrigin(now, run)?.row, run, origin.nested);
  }
}

/** Limits of a nested pattern hold for each instance around it. */
async function cut(find: Find, found: Map<Fields, Fields[]>, run: Run, scopes: Scopes): Promise<void> {
  const { limit, offset } = await cutOf(find, run, scopes);
  if (limit === undefined && offset === 0) return;
  for (const [parent, children] of found) found.set(parent, children.slice(offset, limit === undefined ? undefined : offset + limit));
}

/** The parent that a create names: `:-> [[:WorksFor :D]]`. */
export async function parentFor(action: CreateAction, run: Run, scopes: Scopes): Promise<Parent | undefined> {
  const link = action.links.find((each) => each.to.kind === 'contains');
  if (link === undefined || link.to.kind !== 'contains' || link.other === undefined) return undefined;
  const { contains } = link.to;
  const [other] = listOf(await resolve(link.other, run, scopes));
  if (instanceOrigin(other, run) !== undefined) return { located: locatedOf(other ?? null, run), contains };
  const found = await parentAt(contains.parent, other ?? null, run, locateFlat);
  if (found === undefined)
    throw error('dataflow-failed', { detail: `There is no ${contains.parent.local} to create a ${contains.child.local} in.` });
  return { located: found, contains, assumed: true };
}

/** By its path, or by its guid or identifier, which `flat` looks up where a parent stands under others. */
async function parentAt(
  plan: EntityPlan,
  given: Value,
  run: Run,
  flat: (...asked: Parameters<typeof findFlat>) => Promise<Located | undefined>,
): Promise<Located | undefined> {
  if (isPath(given) && plan.contained) return locatePath(plan, given, run);
  const id = isPath(given) ? rootIdentifier(plan, given) : plan.identifier.parse(given, plan.local, []);
  const guid = plan.guid?.parse(given, plan.local, []) ?? undefined;
  if ((id === undefined || id === null) && guid === undefined) return undefined;
  return plan.contained ? flat(plan, { id: id ?? null, guid }, readable(run.reading.tx, run.reading)) : rootOf(plan, id ?? null);
}

/** The links that a create or a find makes besides. */
export async function connect(link: LinkStep, instance: Fields, run: Run, scopes: Scopes): Promise<void> {
  const { to } = link;
  if (to.kind === 'contains' || link.other === undefined) return;
  const others = listOf(await resolve(link.other, run, scopes));
  if (others.length === 0) throw error('dataflow-failed', { detail: `There is no ${to.other.entity.local} to link with.` });
  for (const other of others) {
    const values = await assigned(link.values, undefined, to.link.type, run, scopes);
    values[to.own.attribute] = instance;
    values[to.other.attribute] = other;
    await linkInstances(to.link, values, run);
  }
}
