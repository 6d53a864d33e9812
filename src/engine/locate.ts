// Address → the key of a row. Nested addresses are computed, not looked up, as long as they go down contains relationships.

import { error } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { childKey, childPath, rootKey, rootPath } from '../plan/keys.ts';
import type { ContainsPlan, EntityPlan, LinkEnd, LinkPlan } from '../plan/plan.ts';
import type { Awaitable, Reader, Row } from '../store/store.ts';
import type { Address } from './operation.ts';

/** A row that an address leads to; whether it exists is seen when it is read. */
export interface Located {
  readonly plan: EntityPlan | LinkPlan;
  readonly key: Value;
  readonly id: Value;
  /** Present on what stands under a parent. */
  readonly path: string | undefined;
}

export function locate(address: Address, reader: Reader): Awaitable<Located> {
  const { plan, under } = address.in;
  if (under === undefined) {
    if (plan.kind === 'entity' && plan.contained) return locateFlat(plan, address.id, reader);
    return { plan, key: address.id, id: address.id, path: undefined };
  }
  if (under.step.kind === 'contains') return locateChild(address, under.parent, under.step.contains, reader);
  return locateLinked(address, under.parent, under.step.to, reader);
}

/** As `locate`, and it exists. */
export async function locateExisting(address: Address, reader: Reader): Promise<Located> {
  const located = await locate(address, reader);
  if ((await reader.one(located.plan.shapes.exists, [located.key])) === undefined) throw error('instance-not-found');
  return located;
}

/** The key of a parent, as it begins the keys of what it contains. */
export function keyText(located: Located): string {
  const { plan, key } = located;
  return typeof key === 'string' && plan.kind === 'entity' && plan.contained ? key : rootKey(plan.type, key);
}

export function pathOf(located: Located): string {
  return located.path ?? rootPath(located.plan.type, located.id);
}

export function childOf(parent: Located, contains: ContainsPlan, id: Value): Located {
  const { contains: relationship, child } = contains;
  return {
    plan: child,
    key: childKey(keyText(parent), relationship.name, id),
    id,
    path: childPath(pathOf(parent), relationship.name, relationship.child, id),
  };
}

/** A contained row as it was read: version, key and path are the first of its further columns. */
export function locatedRow(plan: EntityPlan, id: Value, row: Row): Located {
  const [, key = null, path] = row.columns;
  return { plan, key, id, path: typeof path === 'string' ? path : undefined };
}

/** Where a link stands, as it was read: its key is its identifier. */
export function linkLocated(plan: LinkPlan, row: Row): Located {
  const key = row.columns[1] ?? null;
  return { plan, key, id: key, path: undefined };
}

async function locateChild(address: Address, parent: Address, contains: ContainsPlan, reader: Reader): Promise<Located> {
  return childOf(await locate(parent, reader), contains, address.id);
}

/**
 * A child by its identifier alone, which must then be the only one. What stands under no parent has no other address,
 * and so is found whatever children there are.
 */
export async function locateFlat(plan: EntityPlan, id: Value, reader: Reader): Promise<Located> {
  const root = plan.rootable ? await reader.one(plan.shapes.byKey, [rootKey(plan.type, id)]) : undefined;
  if (root !== undefined) return locatedRow(plan, id, root);
  return onlyOne(plan, id, await reader.rows(plan.shapes.byIdentifier, [id, 2]));
}

function onlyOne(plan: EntityPlan, id: Value, rows: readonly Row[]): Located {
  const [row, second] = rows;
  if (row === undefined) throw error('instance-not-found');
  if (second !== undefined) throw error('identifier-ambiguous');
  return locatedRow(plan, id, row);
}

async function locateLinked(address: Address, parent: Address, to: LinkEnd, reader: Reader): Promise<Located> {
  const start = await locateExisting(parent, reader);
  return onlyOne(to.entity, address.id, await reader.rows(to.linked, [address.id, start.key, 2]));
}
