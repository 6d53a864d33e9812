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
import { addMaker, assignmentTarget, isOwned } from './assignments.ts';
import { checkGiven, checkGivenComputed } from './attribute-rights.ts';
import { mayBeHidden } from './concealed.ts';
import { checkPending, checkProposed, checkRow, isFree, isReadable, type Pending, rowCondition } from './guard.ts';
import { canInsertTogether, insertTogether, insertUnder, writeRow } from './insert-together.ts';
import { insertLinkRow } from './link-row.ts';
import { readable } from './readable.ts';
import { canPrecompute, complete, computeSome, entityOf, placeValues, version } from './row-values.ts';
import { attributeRules, attributesFor, seenBy, withoutRuled } from './seen.ts';

export interface Inserted {
  readonly located: Located;
  readonly instance: WrittenInstance;
}

/** The row, with everything created below it, and where each of them stands. */
export interface WrittenInstance extends Instance {
  readonly located: Located;
  readonly nested: readonly (Omit<Nested, 'instances'> & { readonly instances: readonly WrittenInstance[] })[];
}

/** Under a parent, or on its own where the type allows it: as one row where nothing else is to be known or written, else by the walk below. */
export function insertEntity(draft: Draft, parent: Parent | undefined, context: WriteContext): Awaitable<Inserted> {
  const isPlain =
    parent === undefined ? isPlainRow(draft, context) : parent.located.plan.external === undefined && isOneRow(draft, context);
  return isPlain ? insertPlain(draft, parent, context) : insertEntities([draft], parent, context).then(onlyOne);
}

function onlyOne([inserted]: readonly Inserted[]): Inserted {
  if (inserted === undefined) throw new Error('one draft gives one instance');
  return inserted;
}

/** Whether nothing has to be looked up, computed or written besides the row, and nothing is set off by it. */
export function isOneRow(draft: Draft, context: Context): boolean {
  return isPlainRow(draft, context) && !isAskedAbout(draft.plan, context) && isFree('create', draft.plan, context);
}

/** Whose it is then is written down, or its maker may not read it. */
function isAskedAbout(plan: EntityPlan | LinkPlan, context: Context): boolean {
  return isOwned(plan, context) || mayBeHidden(plan, context);
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
  return mapAwaitable(checkInsert(plan, values, context), (pending) =>
    mapAwaitable(insertUnder(plan, values, parent, context), (row) =>
      mapAwaitable(addMaker(located, context), () => {
        const made = { located, instance: asWritten({ located, row, below: [] }) };
        return pending === undefined ? made : checkPending(pending, located.key, context).then(() => made);
      }),
    ),
  );
}

/** Several under one parent, or on their own, and all that stands below them: down to the last child, and up again when all of it is written. */
export async function insertEntities(
  drafts: readonly Draft[],
  parent: Parent | undefined,
  context: WriteContext,
): Promise<readonly Inserted[]> {
  if (parent !== undefined) await prepareParent(parent, context);
  const [first] = drafts;
  if (first === undefined) return [];
  const walk = startWalk(context);
  return shown(await insertLevel(entityOf(first), drafts, parent, walk), walk);
}

function startWalk(context: WriteContext): Walk {
  return { context, made: [], types: new Set(), pending: [] };
}

/** One way down: what it has made, also of links, and the types of that. */
interface Walk {
  readonly context: WriteContext;
  readonly made: Made[];
  readonly types: Set<TypeName>;
  /** What is to hold of its rows when all of it is written. */
  readonly pending: { readonly of: Pending; readonly key: Value }[];
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
  readonly below: readonly Below[];
}

type Below = Pick<Nested, 'relationship' | 'single'> & { readonly rows: readonly Made[] };

/** Of one type, under one parent: all at once where nothing looks at one of them before the next is written. */
async function insertLevel(plan: EntityPlan, drafts: readonly Draft[], parent: Parent | undefined, walk: Walk): Promise<readonly Made[]> {
  const { context } = walk;
  if (canInsertTogether(plan, drafts, context))
    return (await insertTogether(drafts, parent, context)).map((each) => noted({ ...each, below: [] }, walk));
  const isTogether = canPrecompute(plan, drafts);
  let computed = 0;
  const rows: Made[] = [];
  for (const [index, draft] of drafts.entries()) {
    await yieldAt(index);
    if (isTogether && index === computed) computed = computeSome(drafts, index, context);
    rows.push(await insertTree(draft, parent, walk, isTogether));
  }
  return rows;
}

async function insertTree(draft: Draft, parent: Parent | undefined, walk: Walk, isComputed = false): Promise<Made> {
  const { context } = walk;
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
  const pending = await checkInsert(plan, values, context);
  await checkGiven(draft, (column) => values[plan.shapes.insert.columns.indexOf(column)] ?? null, context);
  const row = await writeRow(draft, values, parent, context);
  // What another system was told of may have got another identifier there.
  const located =
    plan.external === undefined && plan.composed !== true
      ? wanted
      : locatedRow(plan, parseStored(row.json)[plan.identifier.name] ?? id, row);
  if (pending !== undefined) walk.pending.push({ of: pending, key: located.key });
  await addMaker(located, context);
  if (dependentsOf(plan, context) !== undefined) await rowMade(plan, located.key, context);
  const below = new Map<DraftChildren, Below>();
  for (const children of referredFirst(draft.children)) below.set(children, await insertChildren(children, located, walk));
  if (triggers.fires('after', 'create', plan.type, context))
    await triggers.after('create', located, await recomputedRow(plan, located.key, row, context), context);
  if (pending === undefined) await checkComputed(plan, located.key, context);
  await checkGivenComputed(draft, located.key, context);
  return noted({ located, row, below: byRelationship(draft.children.flatMap((children) => below.get(children) ?? [])) }, walk);
}

function noted(made: Made, { made: all, types }: Walk): Made {
  all.push(made);
  types.add(made.located.plan.type);
  return made;
}

/** As the row is going to be written; what is known only later is given back. */
function checkInsert(plan: EntityPlan | LinkPlan, values: readonly Value[], context: WriteContext): Awaitable<Pending | undefined> {
  if (isFree('create', plan, context)) return undefined;
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
function byRelationship(below: readonly Below[]): readonly Below[] {
  if (below.length < 2) return below;
  const all = new Map<string, Below>();
  for (const each of below) {
    const { name } = each.relationship;
    all.set(name, { ...each, rows: [...(all.get(name)?.rows ?? []), ...each.rows] });
  }
  return [...all.values()];
}

/** As it is when all of it is written, and what follows from it is computed: then rules decide that ask for more than the rows themselves. */
async function shown(top: readonly Made[], { context, made, types, pending }: Walk): Promise<readonly Inserted[]> {
  const { relatedComputed, dataflows } = context.plan;
  const isChanged = relatedComputed !== undefined || dataflows.triggers.size > 0 || attributesFor(context) !== undefined;
  // Rows may have been changed by what was set off.
  const changed = new Set(
    dataflows.triggers.size === 0 ? [] : [...types].flatMap((type) => context.triggers.changes('create', type, context)),
  );
  if (isChanged) await recomputeStale(context);
  for (const { of, key } of pending) await checkPending(of, key, context);
  const rows = isChanged ? await rowsNow(made, changed, context) : undefined;
  return top.map((each) => ({ located: each.located, instance: asWritten(each, rows) }));
}

/** By plan and key: rows that were computed, or that triggers have changed, after they were written. */
type RowsNow = ReadonlyMap<Located['plan'], ReadonlyMap<Value, Row>>;

async function rowsNow(made: readonly Made[], changed: ReadonlySet<TypeName>, context: WriteContext): Promise<RowsNow> {
  const { tx } = context;
  const access = attributesFor(context);
  const keys = new Map<Located['plan'], Set<Value>>();
  for (const { plan, key } of made.flatMap(placesOf))
    if (plan.late.length > 0 || changed.has(plan.type) || access?.rights.has(plan.type) === true)
      keys.set(plan, (keys.get(plan) ?? new Set()).add(key));
  const found = new Map<Located['plan'], ReadonlyMap<Value, Row>>();
  for (const [plan, asked] of keys) {
    const rows = await inParts(byKeys(plan), [...asked], (shape, values) => tx.rows(seenBy(shape, context), values));
    found.set(plan, new Map(rows.map((row) => [plainKey(row.columns[1] ?? null), row])));
  }
  return access === undefined ? found : withUnfound(found, made, context);
}

/** What cannot be read again is shown without all that may be hidden of it. */
function withUnfound(found: RowsNow, made: readonly Made[], context: WriteContext): RowsNow {
  const all = new Map([...found].map(([plan, rows]) => [plan, new Map(rows)]));
  for (const { located, row } of made) {
    const rows = all.get(located.plan);
    if (rows === undefined || attributeRules(located.plan, context) === undefined) continue;
    const key = plainKey(located.key);
    if (!rows.has(key)) rows.set(key, withoutRuled(located.plan, row, context));
  }
  return all;
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
  const walk = startWalk(context);
  const row = await insertLinkIn(walk, plan, draft, keys);
  if (walk.pending.length > 0) await recomputeStale(context);
  for (const { of, key } of walk.pending) await checkPending(of, key, context);
  return row;
}

async function insertLinkIn({ context, pending }: Walk, plan: LinkPlan, draft: Draft, keys: readonly [Value, Value]): Promise<Row> {
  const { triggers } = context;
  const id = draftedValue(draft, plan.identifier);
  if (triggers.fires('before', 'create', plan.type, context))
    await triggers.beforeCreate(draft, { plan, key: id, id, path: undefined }, context);
  if (dependentsOf(plan, context) !== undefined)
    await lockBeforeInsert(plan, (column) => keys[plan.ends.findIndex((each) => each.column === column)], context);
  const values = [...keys, ...draft.values, version(context)];
  const later = await checkInsert(plan, values, context);
  const row = await insertLinkRow(plan, values, context);
  if (later !== undefined) pending.push({ of: later, key: linkLocated(plan, row).key });
  if (dependentsOf(plan, context) !== undefined) await rowMade(plan, linkLocated(plan, row).key, context);
  if (later === undefined) await checkComputed(plan, linkLocated(plan, row).key, context);
  if (triggers.fires('after', 'create', plan.type, context)) {
    await recomputeStale(context);
    const located = linkLocated(plan, row);
    await triggers.after('create', located, row, context);
    if (triggers.changes('create', plan.type, context).includes(plan.type))
      return (await context.tx.one(plan.shapes.byKey, [located.key])) ?? row;
  }
  return row;
}

/** The instances at the other ends: existing ones where only their identifiers were sent, else new ones. */
export async function linkTargets(
  drafts: readonly Draft[],
  parent: Located,
  from: LinkEnd,
  link: LinkPlan,
  context: WriteContext,
): Promise<readonly Inserted[]> {
  const walk = startWalk(context);
  const made: Made[] = [];
  for (const draft of drafts) made.push(await linkTree(draft, parent, from, link, walk));
  return shown(made, walk);
}

export async function linkTarget(draft: Draft, parent: Located, from: LinkEnd, link: LinkPlan, context: WriteContext): Promise<Inserted> {
  return onlyOne(await linkTargets([draft], parent, from, link, context));
}

async function linkTree(draft: Draft, parent: Located, from: LinkEnd, link: LinkPlan, walk: Walk): Promise<Made> {
  const { context } = walk;
  const target = (draft.onlyIdentifier ? await existing(draft, context) : undefined) ?? (await insertNew(draft, walk));
  const [first, second] = link.ends[0] === from ? [parent, target.located] : [target.located, parent];
  const ends = [await shownAt(link.ends[0], first, context), await shownAt(link.ends[1], second, context)] as const;
  if (draft.link === undefined) throw new Error(`${link.type} was not drafted`);
  const made: Draft = { ...draft.link, ends };
  await complete(made, context);
  const row = await insertLinkIn(walk, link, made, [first.key, second.key]);
  walk.types.add(link.type);
  return noted(link.hasAttributes ? { ...target, link: { plan: link, row } } : target, walk);
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

async function insertChildren(children: DraftChildren, parent: Located, walk: Walk): Promise<Below> {
  const { step } = children;
  const relationship = step.kind === 'contains' ? step.contains.contains : step.link.between;
  return { relationship, single: children.ofLink === undefined && isToOne(step), rows: await childRows(children, parent, walk) };
}

async function childRows({ step, ofLink, drafts }: DraftChildren, parent: Located, walk: Walk): Promise<readonly Made[]> {
  if (ofLink === undefined && step.kind === 'contains')
    return insertLevel(step.target, drafts, { located: parent, contains: step.contains }, walk);
  const rows: Made[] = [];
  for (const [index, draft] of drafts.entries()) {
    await yieldAt(index);
    if (ofLink !== undefined) rows.push(await insertOwnLink(draft, ofLink, parent, walk));
    else if (step.kind === 'link') rows.push(await linkTree(draft, parent, step.from, step.link, walk));
  }
  return rows;
}

/** A link with attributes of its own, from the instance that was just made. */
async function insertOwnLink(draft: Draft, { link, from }: LinkWay, parent: Located, walk: Walk): Promise<Made> {
  const { context } = walk;
  const [first, second] = link.ends;
  const [one, other] = draft.ends ?? [null, null];
  const endOf = async (end: LinkEnd, value: Value): Promise<FoundEnd> =>
    end === from
      ? { key: parent.key, shown: await shownAt(end, parent, context) }
      : foundEnd(end, value, readable(context.tx, context), draft.prefix);
  await complete(draft, context);
  const [start, target] = [await endOf(first, one), await endOf(second, other)];
  const row = await insertLink(link, { ...draft, ends: [start.shown, target.shown] }, [start.key, target.key], context);
  return noted({ located: linkLocated(link, row), row, below: [] }, walk);
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

async function insertNew(draft: Draft, walk: Walk): Promise<Made> {
  const plan = entityOf(draft);
  const missing = plan.attributes.filter((each, index) => draft.values[index] === null && mustBeGiven(each.attribute));
  if (missing.length > 0) throw invalid(missing.map((each) => fault(`${draft.prefix}${each.name}`, 'required', 'is required')));
  if (!plan.rootable) throw error('parent-required');
  return insertTree(draft, undefined, walk);
}
