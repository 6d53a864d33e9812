// Writes drafts: the row, what it contains and what it links, parents first, in the order of the body.

import { error, invalid } from '../../errors.ts';
import { mustBeGiven } from '../../model/description.ts';
import type { TypeName } from '../../model/model.ts';
import type { EntityPlan, LinkEnd, LinkPlan, LinkWay } from '../../plan/plan.ts';
import { isToOne } from '../../plan/query/related.ts';
import { isInstanceAssignment } from '../../plan/rows/assignments.ts';
import { fault } from '../../plan/rows/attribute.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { parseStored, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { childOf, linkLocated, locatedRow, rootOf } from '../address/address.ts';
import { type FoundEnd, foundEnd, referredRow, shownEnd } from '../address/link-ends.ts';
import { dependentsOf, lockBeforeInsert, recomputedRow, recomputeStale, rowMade } from '../computed/related-computed.ts';
import { mapAwaitable, yieldAt } from '../context.ts';
import { draftedValue } from '../draft/draft.ts';
import type { Context, Instance, Nested, WriteContext } from '../operation.ts';
import type { Draft, DraftChildren, Located, NamedTarget, Parent } from '../row.ts';
import { byKeys } from '../shape-cache.ts';
import { inParts, plainKey } from '../sized.ts';
import { addOwner, assignmentTarget, isOwned } from './assignments.ts';
import { checkProposed, checkRow, isFree, isReadable, rowCondition } from './guard.ts';
import { canInsertTogether, type InsertedRow, insertTogether, insertUnder, writeRow } from './insert-together.ts';
import { insertLinkRow } from './link-row.ts';
import { readable } from './readable.ts';
import { canPrecompute, complete, computeSome, entityOf, placeValues, version } from './row-values.ts';
import { insertRow } from './rows.ts';

export interface Inserted {
  readonly located: Located;
  readonly instance: WrittenInstance;
}

/** The row, with everything created below it, and where each of them stands. */
export interface WrittenInstance extends Instance {
  readonly located: Located;
  readonly nested: readonly (Omit<Nested, 'instances'> & { readonly instances: readonly WrittenInstance[] })[];
}

/** Under a parent, or on its own where the type allows it. */
export function insertEntity(draft: Draft, parent: Parent | undefined, context: WriteContext): Awaitable<Inserted> {
  if (isOneRow(draft, context) && parent?.located.plan.external === undefined) return insertPlain(draft, parent, context);
  return parent === undefined && isPlainRow(draft, context) ? insertOwned(draft, context) : insertWithAll(draft, parent, context);
}

/** Whether nothing has to be looked up, computed or written besides the row, and nothing is set off by it. */
export function isOneRow(draft: Draft, context: Context): boolean {
  return isPlainRow(draft, context) && !isOwned(draft.plan, context) && isFree('create', draft.plan, context);
}

/** The same, but for who may make it, and whose it is then. */
export function isPlainRow({ plan, children }: Draft, context: Context): boolean {
  const { relatedComputed, dataflows } = context.plan;
  if (!plan.isPlain || children.length > 0 || relatedComputed !== undefined || dataflows.triggers.size > 0) return false;
  return plan.kind === 'entity' && plan.external === undefined && !isInstanceAssignment(plan.entity);
}

function insertPlain(draft: Draft, parent: Parent | undefined, context: WriteContext): Awaitable<Inserted> {
  const plan = entityOf(draft);
  const id = draftedValue(draft, plan.identifier);
  const located = parent === undefined ? rootOf(plan, id) : childOf(parent.located, parent.contains, id);
  const values = [...draft.values, version(context), ...placeValues(plan, located, parent)];
  return mapAwaitable(insertUnder(plan, values, parent, context), (row) => plainlyInserted(located, row));
}

/** Under no parent. */
function insertOwned(draft: Draft, context: WriteContext): Awaitable<Inserted> {
  const plan = entityOf(draft);
  const located = rootOf(plan, draftedValue(draft, plan.identifier));
  const values = [...draft.values, version(context), ...placeValues(plan, located, undefined)];
  const insert = (): Awaitable<Row> => insertRow(plan, values, context);
  return mapAwaitable(mapAwaitable(checkInsert(plan, values, context), insert), (row) =>
    mapAwaitable(addOwner(located, context), () => plainlyInserted(located, row)),
  );
}

function plainlyInserted(located: Located, row: Row): Inserted {
  return { located, instance: { plan: located.plan, located, json: row.json, version: versionOf(row), nested: [] } };
}

async function insertWithAll(draft: Draft, parent: Parent | undefined, context: WriteContext): Promise<Inserted> {
  if (parent !== undefined) await prepareParent(parent, context);
  return inserted(await insertTree(draft, parent, context), context);
}

/** Several under one parent, or on their own; each is shown as it is when all of them are written. */
export async function insertEntities(
  drafts: readonly Draft[],
  parent: Parent | undefined,
  context: WriteContext,
): Promise<readonly Inserted[]> {
  if (parent !== undefined) await prepareParent(parent, context);
  const [first] = drafts;
  if (first !== undefined && canInsertTogether(entityOf(first), drafts, context))
    return allInserted(asMade(await insertTogether(drafts, parent, context)), context);
  const made: Made[] = [];
  for (const draft of drafts) made.push(await insertTree(draft, parent, context));
  return allInserted(made, context);
}

async function prepareParent({ located, contains, assumed }: Parent, context: WriteContext): Promise<void> {
  if (assumed === true && located.plan.external !== undefined && !(await isThere(located, context))) throw error('instance-not-found');
  if (!isFree('read', located.plan, context) && !(await isReadable(located.plan, located.key, context))) throw error('instance-not-found');
  if (dependentsOf(contains.child, context) !== undefined)
    await lockBeforeInsert(contains.child, (column) => (column === contains.column ? located.key : null), context);
}

async function isThere({ plan, key }: Located, { tx }: WriteContext): Promise<boolean> {
  return (await tx.one(plan.shapes.exists, [key])) !== undefined;
}

/** A row that was written, or found where it is only linked, and what was made below it. */
interface Made {
  readonly located: Located;
  readonly row: Row;
  /** The link that was made with it. */
  readonly link?: { readonly plan: LinkPlan; readonly row: Row };
  readonly below: readonly (Pick<Nested, 'relationship' | 'single'> & { readonly rows: readonly Made[] })[];
}

async function insertTree(draft: Draft, parent: Parent | undefined, context: WriteContext, isComputed = false): Promise<Made> {
  const plan = entityOf(draft);
  rowCondition('create', plan, context);
  const target = await assignmentTarget(draft, context);
  if (target !== undefined) await checkInsert(plan, [...draft.values, version(context), target], context);
  await complete(draft, context, isComputed);
  const id = draftedValue(draft, plan.identifier);
  const wanted = parent === undefined ? rootOf(plan, id) : childOf(parent.located, parent.contains, id);
  const { triggers } = context;
  if (triggers.fires('before', 'create', plan.type, context)) await triggers.beforeCreate(draft, wanted, context);
  if (dependentsOf(plan, context) !== undefined)
    await lockBeforeInsert(plan, (column) => draft.values[plan.attributes.findIndex((each) => each.column === column)], context);
  const placed = target === undefined ? placeValues(plan, wanted, parent) : [target];
  const values = [...draft.values, version(context), ...placed];
  await checkInsert(plan, values, context);
  const row = await writeRow(draft, values, parent, context);
  // What another system was told of may have got another identifier there.
  const located =
    plan.external === undefined && plan.composed !== true
      ? wanted
      : locatedRow(plan, parseStored(row.json)[plan.identifier.name] ?? id, row);
  await addOwner(located, context);
  if (dependentsOf(plan, context) !== undefined) await rowMade(plan, located.key, context);
  const below = new Map<DraftChildren, Made['below'][number]>();
  for (const children of referredFirst(draft.children)) below.set(children, await insertChildren(children, located, context));
  if (triggers.fires('after', 'create', plan.type, context))
    await triggers.after('create', located, await recomputedRow(plan, located.key, row, context), context);
  await checkComputed(plan, located.key, context);
  return { located, row, below: byRelationship(draft.children.flatMap((children) => below.get(children) ?? [])) };
}

/** As the row is going to be written. */
function checkInsert(plan: EntityPlan | LinkPlan, values: readonly Value[], context: WriteContext): Awaitable<void> {
  const { columns } = plan.shapes.insert;
  return checkProposed(plan, (column) => values[columns.indexOf(column)] ?? null, context);
}

/** What a rule asks of an attribute that is computed from related rows is known only when those are written. */
async function checkComputed(plan: EntityPlan | LinkPlan, key: Value, context: WriteContext): Promise<void> {
  if (plan.late.length === 0 || isFree('create', plan, context)) return;
  await recomputeStale(context);
  await checkRow('create', plan, key, context);
}

/** A body may name a relationship by each of its names; the answer shows what was made once, under one. */
function byRelationship(below: Made['below']): Made['below'] {
  if (below.length < 2) return below;
  const all = new Map<string, Made['below'][number]>();
  for (const each of below) {
    const { name } = each.relationship;
    all.set(name, { ...each, rows: [...(all.get(name)?.rows ?? []), ...each.rows] });
  }
  return [...all.values()];
}

/** When all of it is written, and what follows from it is computed. `link` is what joins it to where it was made. */
function inserted(made: Made, context: WriteContext, link?: LinkPlan): Awaitable<Inserted> {
  const { relatedComputed, dataflows } = context.plan;
  if (relatedComputed === undefined && dataflows.triggers.size === 0) return { located: made.located, instance: asWritten(made) };
  return insertedAndSettled(made, dataflows.triggers.size === 0 ? new Set() : changedTypes(made, link, context), context);
}

async function allInserted(made: readonly Made[], context: WriteContext, link?: LinkPlan): Promise<readonly Inserted[]> {
  const { relatedComputed, dataflows } = context.plan;
  if (relatedComputed === undefined && dataflows.triggers.size === 0)
    return made.map((each) => ({ located: each.located, instance: asWritten(each) }));
  const changed = new Set(dataflows.triggers.size === 0 ? [] : made.flatMap((each) => [...changedTypes(each, link, context)]));
  await recomputeStale(context);
  const all: Inserted[] = [];
  for (const each of made) all.push({ located: each.located, instance: asWritten(each, await rowsNow(each, changed, context)) });
  return all;
}

/** Of rows that may have been changed by what was set off. */
function changedTypes(made: Made, link: LinkPlan | undefined, context: WriteContext): ReadonlySet<TypeName> {
  const types = new Set(typesOf(made)).add(link?.type ?? made.located.plan.type);
  return new Set([...types].flatMap((type) => context.triggers.changes('create', type, context)));
}

async function insertedAndSettled(made: Made, changed: ReadonlySet<TypeName>, context: WriteContext): Promise<Inserted> {
  await recomputeStale(context);
  return { located: made.located, instance: asWritten(made, await rowsNow(made, changed, context)) };
}

/** Of everything that was made; a link goes by the name of its relationship. */
function typesOf({ located, below }: Made): readonly TypeName[] {
  return [located.plan.type, ...below.flatMap(({ relationship, rows }) => [relationship.name, ...rows.flatMap(typesOf)])];
}

/** By plan and key: rows that were computed, or that triggers have changed, after they were written. */
type RowsNow = ReadonlyMap<Located['plan'], ReadonlyMap<Value, Row>>;

async function rowsNow(made: Made, changed: ReadonlySet<TypeName>, { tx }: WriteContext): Promise<RowsNow> {
  const keys = new Map<Located['plan'], Set<Value>>();
  for (const { plan, key } of withBelow(made).flatMap(placesOf))
    if (plan.late.length > 0 || changed.has(plan.type)) keys.set(plan, (keys.get(plan) ?? new Set()).add(key));
  const found = new Map<Located['plan'], ReadonlyMap<Value, Row>>();
  for (const [plan, asked] of keys) {
    const rows = await inParts(byKeys(plan), [...asked], (shape, values) => tx.rows(shape, values));
    found.set(plan, new Map(rows.map((row) => [plainKey(row.columns[1] ?? null), row])));
  }
  return found;
}

function withBelow(made: Made): readonly Made[] {
  return made.below.length === 0 ? [made] : [made, ...made.below.flatMap(({ rows }) => rows.flatMap(withBelow))];
}

/** Of the row, and of the link that was made with it. */
function placesOf({ located, link }: Made): readonly Located[] {
  return link === undefined ? [located] : [located, linkLocated(link.plan, link.row)];
}

function asWritten({ located, row, link, below }: Made, stored?: RowsNow): WrittenInstance {
  const nested = below.map(({ rows, ...rest }) => ({ ...rest, instances: rows.map((each) => asWritten(each, stored)) }));
  const rowNow = ({ plan, key }: Located, written: Row): Row => stored?.get(plan)?.get(plainKey(key)) ?? written;
  const now = rowNow(located, row);
  const instance = { plan: located.plan, located, json: now.json, version: versionOf(now), nested };
  if (link === undefined) return instance;
  return { ...instance, link: linkText(link.plan, rowNow(linkLocated(link.plan, link.row), link.row)) };
}

/** The attributes of a link without its ends. */
function linkText({ ends }: LinkPlan, row: Row): string {
  const fields = parseStored(row.json);
  return writeJson(Object.fromEntries(Object.entries(fields).filter(([name]) => !ends.some((end) => end.attribute === name))));
}

/** `keys` are those of the rows at its ends. */
export async function insertLink(plan: LinkPlan, draft: Draft, keys: readonly [Value, Value], context: WriteContext): Promise<Row> {
  const { triggers } = context;
  const id = draftedValue(draft, plan.identifier);
  if (triggers.fires('before', 'create', plan.type, context))
    await triggers.beforeCreate(draft, { plan, key: id, id, path: undefined }, context);
  if (dependentsOf(plan, context) !== undefined)
    await lockBeforeInsert(plan, (column) => keys[plan.ends.findIndex((each) => each.column === column)], context);
  const values = [...keys, ...draft.values, version(context)];
  await checkInsert(plan, values, context);
  const row = await insertLinkRow(plan, values, context);
  if (dependentsOf(plan, context) !== undefined) await rowMade(plan, linkLocated(plan, row).key, context);
  await checkComputed(plan, linkLocated(plan, row).key, context);
  if (triggers.fires('after', 'create', plan.type, context)) {
    await recomputeStale(context);
    const located = linkLocated(plan, row);
    await triggers.after('create', located, row, context);
    if (triggers.changes('create', plan.type, context).includes(plan.type))
      return (await context.tx.one(plan.shapes.byKey, [located.key])) ?? row;
  }
  return row;
}

/** As `linkTarget`, for several; each is shown as it is when all of them are linked. */
export async function linkTargets(
  drafts: readonly Draft[],
  parent: Located,
  from: LinkEnd,
  link: LinkPlan,
  context: WriteContext,
): Promise<readonly Inserted[]> {
  const made: Made[] = [];
  for (const draft of drafts) made.push(await linkTree(draft, parent, from, link, context));
  return allInserted(made, context, link);
}

/** The instance at the other end: an existing one when only its identifier was sent, else a new one. */
export async function linkTarget(draft: Draft, parent: Located, from: LinkEnd, link: LinkPlan, context: WriteContext): Promise<Inserted> {
  return inserted(await linkTree(draft, parent, from, link, context), context, link);
}

async function linkTree(draft: Draft, parent: Located, from: LinkEnd, link: LinkPlan, context: WriteContext): Promise<Made> {
  const target = (draft.onlyIdentifier ? await existing(draft, context) : undefined) ?? (await insertNew(draft, context));
  const [first, second] = link.ends[0] === from ? [parent, target.located] : [target.located, parent];
  const ends = [await shownAt(link.ends[0], first, context), await shownAt(link.ends[1], second, context)] as const;
  if (draft.link === undefined) throw new Error(`${link.type} was not drafted`);
  const made: Draft = { ...draft.link, ends };
  await complete(made, context);
  const row = await insertLink(link, made, [first.key, second.key], context);
  return link.hasAttributes ? { ...target, link: { plan: link, row } } : target;
}

/** What an end shows for an instance that is there. */
async function shownAt(end: LinkEnd, { key, id, path }: Located, context: WriteContext): Promise<Value> {
  if (end.guid === undefined) return path ?? id;
  const row = await context.tx.one(end.entity.shapes.byKey, [key]);
  return row === undefined ? id : shownEnd(end, key, row);
}

export function versionOf(row: Row): number {
  return Number(row.columns[0] ?? 0);
}

/** What others of the same body may refer to comes before them, in whatever order the body has them. */
function referredFirst(all: readonly DraftChildren[]): readonly DraftChildren[] {
  if (all.length < 2) return all;
  const done = new Set<DraftChildren>();
  const visiting = new Set<DraftChildren>();
  const visit = (children: DraftChildren): void => {
    if (visiting.has(children)) return;
    visiting.add(children);
    const targets = new Set(children.step.target.attributes.map((each) => each.target?.entity));
    for (const other of all) if (other !== children && targets.has(other.step.target.type)) visit(other);
    done.add(children);
  };
  for (const children of all) visit(children);
  return [...done];
}

async function insertChildren(children: DraftChildren, parent: Located, context: WriteContext): Promise<Made['below'][number]> {
  const { step } = children;
  const relationship = step.kind === 'contains' ? step.contains.contains : step.link.between;
  return { relationship, single: children.ofLink === undefined && isToOne(step), rows: await childRows(children, parent, context) };
}

async function childRows(children: DraftChildren, parent: Located, context: WriteContext): Promise<readonly Made[]> {
  const rows: Made[] = [];
  const { step, ofLink, drafts } = children;
  if (ofLink === undefined && step.kind === 'contains' && canInsertTogether(step.target, drafts, context))
    return asMade(await insertTogether(drafts, { located: parent, contains: step.contains }, context));
  const isTogether = ofLink === undefined && step.kind === 'contains' && canPrecompute(step.target, drafts);
  let computed = 0;
  for (const [index, draft] of drafts.entries()) {
    await yieldAt(index);
    if (isTogether && index === computed) computed = computeSome(drafts, index, context);
    if (ofLink !== undefined) rows.push(await insertOwnLink(draft, ofLink, parent, context));
    else if (step.kind === 'contains')
      rows.push(await insertTree(draft, { located: parent, contains: step.contains }, context, isTogether));
    else rows.push(await linkTree(draft, parent, step.from, step.link, context));
  }
  return rows;
}

function asMade(rows: readonly InsertedRow[]): readonly Made[] {
  return rows.map((each) => ({ ...each, below: [] }));
}

/** A link with attributes of its own, from the instance that was just made. */
async function insertOwnLink(draft: Draft, { link, from }: LinkWay, parent: Located, context: WriteContext): Promise<Made> {
  const [first, second] = link.ends;
  const [one, other] = draft.ends ?? [null, null];
  const endOf = async (end: LinkEnd, value: Value): Promise<FoundEnd> =>
    end === from
      ? { key: parent.key, shown: await shownAt(end, parent, context) }
      : foundEnd(end, value, readable(context.tx, context), draft.prefix);
  await complete(draft, context);
  const [start, target] = [await endOf(first, one), await endOf(second, other)];
  const row = await insertLink(link, { ...draft, ends: [start.shown, target.shown] }, [start.key, target.key], context);
  return { located: linkLocated(link, row), row, below: [] };
}

async function existing(draft: Draft, context: WriteContext): Promise<Made | undefined> {
  const plan = entityOf(draft);
  if (draft.named !== undefined) return existingNamed(plan, draft, draft.named, context);
  const rows = await readable(context.tx, context).rows(plan.shapes.byIdentifier, [draftedValue(draft, plan.identifier), 2]);
  const [row, second] = rows;
  if (row === undefined) return undefined;
  if (second !== undefined) throw error('identifier-ambiguous');
  return { located: locatedRow(plan, draftedValue(draft, plan.identifier), row), row, below: [] };
}

async function existingNamed(plan: EntityPlan, { prefix }: Draft, named: NamedTarget, context: WriteContext): Promise<Made | undefined> {
  const row = await referredRow(named.end, named.reference, readable(context.tx, context));
  if (row !== undefined) return { located: locatedRow(plan, parseStored(row.json)[plan.identifier.name] ?? null, row), row, below: [] };
  if (named.mustExist) throw invalid([fault(`${prefix}${named.name}`, 'reference', `must be an existing ${plan.type}`)]);
  return undefined;
}

async function insertNew(draft: Draft, context: WriteContext): Promise<Made> {
  const plan = entityOf(draft);
  const missing = plan.attributes.filter((each, index) => draft.values[index] === null && mustBeGiven(each.attribute));
  if (missing.length > 0) throw invalid(missing.map((each) => fault(`${draft.prefix}${each.name}`, 'required', 'is required')));
  if (!plan.rootable) throw error('parent-required');
  return insertTree(draft, undefined, context);
}
