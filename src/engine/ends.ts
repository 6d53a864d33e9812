// Finds what a link names at one of its ends: an instance by its identifier; where it is contained, by its guid or its path.

import { type Fault, invalid, isError } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { fault } from '../plan/attribute.ts';
import { equal } from '../plan/condition.ts';
import type { LinkEnd } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import { pathColumn } from '../plan/tables.ts';
import type { Reader } from '../store/store.ts';
import { keep } from './kept.ts';
import { locateFlat } from './locate.ts';
import type { Writing } from './operation.ts';

/** `prefix` stands in errors before the name of the end. */
export async function endKey(end: LinkEnd, value: Value, context: Writing, prefix = ''): Promise<Value> {
  const missing = () => invalid([fault(`${prefix}${end.attribute}`, 'reference', `must be an existing ${end.entity.type}`)]);
  const { entity } = end;
  if (!entity.contained) {
    if ((await context.tx.one(entity.shapes.exists, [value])) === undefined) throw missing();
    return value;
  }
  const found = await keyBelow(end, value, context.tx);
  if (found !== undefined) return found;
  const faults: Fault[] = [];
  const id = entity.identifier.parse(value, '', faults);
  if (faults.length > 0) throw missing();
  try {
    return (await locateFlat(entity, id, context.tx)).key;
  } catch (thrown) {
    // An end that does not exist is a fault of the body, not of the address.
    throw isError(thrown, 'instance-not-found') ? missing() : thrown;
  }
}

/** The key of an instance under a parent, by its path or its guid. */
export async function keyBelow(end: LinkEnd, value: Value, reader: Reader): Promise<Value | undefined> {
  const isPath = typeof value === 'string' && value.startsWith('path://');
  if (!isPath && end.guid === undefined) return undefined;
  const faults: Fault[] = [];
  const wanted = isPath ? value : (end.guid?.parse(value, '', faults) ?? null);
  if (faults.length > 0 || wanted === null) return undefined;
  const row = await reader.one(byColumn(end, isPath ? pathColumn : (end.guid?.column ?? pathColumn)), [wanted]);
  return row === undefined ? undefined : (row.columns[1] ?? null);
}

function byColumn({ entity }: LinkEnd, column: string): Select {
  const key = `end by ${column}`;
  const kept = entity.kept.get(key);
  return kept?.kind === 'select' ? kept : keep(entity, key, { ...entity.shapes.byKey, where: equal(column) });
}
