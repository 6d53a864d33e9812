// Address → the key of a row, and where an instance stands. Nested addresses are computed, not looked up, as long as they go down
// contains relationships.

import { error, PlatformError } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { ContainsPlan, EntityPlan, LinkPlan, LinkWay } from '../../plan/plan.ts';
import { equal } from '../../plan/query/condition.ts';
import {
  freeKey,
  identifierForm,
  keyPrefix,
  type Prefix,
  pathOf as pathIn,
  placeOf,
  type Subject,
  subjectIn,
} from '../../plan/rows/keys.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import type { Awaitable, Reader, Row } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { Address } from '../operation.ts';
import type { Located } from '../row.ts';
import { cacheShape } from '../shape-cache.ts';
import { findLink } from './link-ends.ts';

export function locate(address: Address, reader: Reader): Awaitable<Located> {
  const { plan, under } = address.in;
  if (plan.kind === 'link' && address.ends !== undefined) return locateLink(plan, address.ends, reader);
  if (address.otherwise !== undefined) return locateEither(address, address.otherwise, reader);
  if (under === undefined) {
    if (plan.kind === 'entity' && plan.contained) return locateFlat(plan, address, reader);
    const located = { plan, key: address.id, id: address.id, path: undefined };
    return isMomentKind(columnKind(plan.identifier.attribute)) ? asKept(located, reader) : located;
  }
  if (under.step.kind === 'contains') return locateChild(address, under.parent, under.step.contains, reader);
  return locateLinked(address, under.parent, under.step, reader);
}

/** By the number or the boolean that was given, else by the text that it is too. */
async function locateEither(address: Address, otherwise: Value, reader: Reader): Promise<Located> {
  const first = { ...address, otherwise: undefined };
  try {
    return await locateExisting(first, reader);
  } catch (thrown) {
    if (!(thrown instanceof PlatformError) || thrown.code !== 'instance-not-found') throw thrown;
    return locate({ ...first, id: otherwise }, reader);
  }
}

/** A moment can be written in several ways; what points at a row holds the one that is kept. */
async function asKept(located: Located, reader: Reader): Promise<Located> {
  const key = (await reader.one(located.plan.shapes.byKey, [located.key]))?.columns[1] ?? located.key;
  return { ...located, key, id: key };
}

/** As `locate`, and it exists. */
export async function locateExisting(address: Address, reader: Reader): Promise<Located> {
  const located = await locate(address, reader);
  if ((await reader.one(located.plan.shapes.exists, [located.key])) === undefined) throw error('instance-not-found');
  return located;
}

/** Whether its row is looked for by its identifier, by a link or by what it links: where it stands does not follow from the address. */
export function isLookedUp({ in: { plan, under }, ends }: Address): boolean {
  if (ends !== undefined) return true;
  return under === undefined ? plan.kind === 'entity' && plan.contained : under.step.kind === 'link';
}

/** What was looked up and is not there any more has been moved meanwhile, or has gone: asked again, it is found out. */
export function goneFrom(address: Address): PlatformError {
  const gone = error('instance-not-found');
  return isLookedUp(address) ? gone.asRace() : gone;
}

/** The key of a parent, as it begins the keys of what it contains. */
export function keyText(located: Located): string {
  return keyPrefix(subjectOf(located), located.key);
}

/** What the keys and paths of everything below an instance begin with. */
export function prefixBelow(located: Located): Prefix {
  return { key: keyText(located), path: pathOf(located) };
}

/** The path that an instance is known by, also where it stands under no parent. */
export function pathOf(located: Located): string {
  return pathIn(subjectOf(located), located.path);
}

/** Under no parent, as it is created there. */
export function rootOf(plan: EntityPlan, id: Value): Located {
  return { plan, key: placeOf(subjectIn(plan, id)).key, id, path: undefined };
}

/** Under no parent, as a child that outlived its parent: what may be created there too is no different. */
export function freeOf(plan: EntityPlan, id: Value): Located {
  return { plan, key: freeKey(plan, id), id, path: undefined };
}

export function childOf(parent: Located, { contains, child }: ContainsPlan, id: Value): Located {
  const { key, path } = placeOf(subjectIn(child, id), { parent: prefixBelow(parent), relationship: contains.name });
  return { plan: child, key, id, path: path ?? undefined };
}

/**
 * A row as it was read: version and key are the first of its further columns, and the path where its type has one. A statement may ask for
 * more columns behind these.
 */
export function locatedRow(plan: EntityPlan | LinkPlan, id: Value, row: Row): Located {
  const [, key = null, third] = row.columns;
  const path = isContained(plan) && typeof third === 'string' ? third : undefined;
  return { plan, key, id, path };
}

function isContained(plan: EntityPlan | LinkPlan): boolean {
  return plan.kind === 'entity' && plan.contained;
}

function subjectOf({ plan, id }: Located): Subject {
  return plan.kind === 'entity'
    ? subjectIn(plan, id)
    : { type: plan.type, id, contained: false, form: identifierForm(columnKind(plan.identifier.attribute)) };
}

/** Where a link stands, as it was read: its key is its identifier. */
export function linkLocated(plan: LinkPlan, row: Row): Located {
  const key = row.columns[1] ?? null;
  return { plan, key, id: key, path: undefined };
}

async function locateLink(plan: LinkPlan, ends: readonly [Value, Value], reader: Reader): Promise<Located> {
  const row = await findLink(plan, ends, reader);
  if (row === undefined) throw error('instance-not-found');
  return linkLocated(plan, row);
}

async function locateChild(address: Address, parent: Address, contains: ContainsPlan, reader: Reader): Promise<Located> {
  const child = childOf(await locate(parent, reader), contains, address.id);
  if (contains.child.form !== 'moment') return child;
  const row = await reader.one(contains.child.shapes.byKey, [child.key]);
  return row === undefined ? child : locatedRow(contains.child, parseStored(row.json)[contains.child.identifier.name] ?? null, row);
}

/**
 * A child by its identifier alone, which must then be the only one. What stands under no parent has no other address,
 * and so is found whatever children there are.
 */
export async function locateFlat(plan: EntityPlan, named: Pick<Address, 'id' | 'guid'>, reader: Reader): Promise<Located> {
  const found = await findFlat(plan, named, reader);
  if (found === undefined) throw error('instance-not-found');
  return found;
}

/** As `locateFlat`, where there need be none. */
export async function findFlat(plan: EntityPlan, { id, guid }: Pick<Address, 'id' | 'guid'>, reader: Reader): Promise<Located | undefined> {
  const named = guid === undefined ? undefined : await locateGuid(plan, guid, reader);
  if (named !== undefined) return named;
  const root = plan.rootable ? await reader.one(plan.shapes.byKey, [rootOf(plan, id).key]) : undefined;
  if (root !== undefined) return locatedRow(plan, id, root);
  const rows = await reader.rows(plan.shapes.byIdentifier, [id, 2]);
  const free = rows.length < 2 || plan.rootable ? undefined : await reader.one(plan.shapes.byKey, [freeOf(plan, id).key]);
  if (free !== undefined) return locatedRow(plan, id, free);
  return rows.length === 0 ? undefined : onlyOne(plan, id, rows);
}

async function locateGuid(plan: EntityPlan, value: Value, reader: Reader): Promise<Located | undefined> {
  const { guid, identifier, cached, shapes } = plan;
  if (guid === undefined) return undefined;
  const name = 'by guid';
  const shape = cached.get(name);
  const select = shape?.kind === 'select' ? shape : cacheShape(plan, name, { ...shapes.byKey, where: equal(guid.column) });
  const row = await reader.one(select, [value]);
  return row && locatedRow(plan, parseStored(row.json)[identifier.name] ?? null, row);
}

function onlyOne(plan: EntityPlan, id: Value, rows: readonly Row[]): Located {
  const [row, second] = rows;
  if (row === undefined) throw error('instance-not-found');
  if (second !== undefined) throw error('identifier-ambiguous');
  return locatedRow(plan, id, row);
}

async function locateLinked(address: Address, parent: Address, way: LinkWay, reader: Reader): Promise<Located> {
  const start = await locateExisting(parent, reader);
  return { ...(await linkedAt(address, way, start.key, reader)), link: { way, start: start.key } };
}

async function linkedAt({ id, guid }: Address, { target, to }: LinkWay, start: Value, reader: Reader): Promise<Located> {
  const named = guid === undefined ? undefined : await locateGuid(target, guid, reader);
  if (named === undefined) return onlyOne(target, id, await reader.rows(to.linked, [id, start, 2]));
  const linked = await reader.rows(to.linked, [named.id, start, mostOfOneIdentifier]);
  return onlyOne(
    target,
    named.id,
    linked.filter((row) => row.columns[1] === named.key),
  );
}

const mostOfOneIdentifier = 1000;
