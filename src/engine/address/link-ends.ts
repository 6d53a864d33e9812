// Finds what a link names at one of its ends: an instance by its identifier; where it is contained, by its guid or its path.

import { error, invalid } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { EntityPlan, LinkEnd, LinkPlan } from '../../plan/plan.ts';
import { equal } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { freeKey } from '../../plan/rows/keys.ts';
import { type EndReference, endReference } from '../../plan/rows/link-references.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import type { Reader, Row } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { cacheShape } from '../shape-cache.ts';

/** The instance at the end of a link. */
export interface FoundEnd {
  readonly key: Value;
  /** What answers show for it. */
  readonly shown: Value;
}

/** `prefix` stands in errors before the name of the end. */
export async function foundEnd(end: LinkEnd, value: Value, reader: Reader, prefix = ''): Promise<FoundEnd> {
  const found = await findEnd(end, value, reader);
  if (found === undefined) throw invalid([fault(`${prefix}${end.attribute}`, 'reference', `must be an existing ${end.entity.type}`)]);
  return found;
}

/** Nothing where there is no such instance; an identifier that several have is refused. */
export async function findEnd(end: LinkEnd, value: Value, reader: Reader): Promise<FoundEnd | undefined> {
  const { entity } = end;
  const reference = endReference(end, value);
  if (reference === undefined) return undefined;
  if (reference.kind === 'key') {
    const isTold = entity.contained || isMomentKind(columnKind(entity.identifier.attribute));
    const row = await reader.one(isTold ? entity.shapes.byKey : entity.shapes.exists, [reference.key]);
    // One moment can be written in several ways: what is kept is the key of the row.
    const key = row?.columns[1] ?? reference.key;
    return row && { key, shown: shownEnd(end, key, row) };
  }
  const row = await referredRow(end, reference, reader);
  return row && { key: row.columns[1] ?? null, shown: shownEnd(end, null, row) };
}

/** The link between two instances, which are named in the order of its ends. */
export async function findLink(plan: LinkPlan, [first, second]: readonly [Value, Value], reader: Reader): Promise<Row | undefined> {
  const [one, other] = plan.ends;
  const [from, to] = [await findEnd(one, first, reader), await findEnd(other, second, reader)];
  if (from === undefined || to === undefined) return undefined;
  const key = 'by ends';
  const cached = plan.cached.get(key);
  const shape = cached?.kind === 'select' ? cached : cacheShape(plan, key, { ...plan.shapes.byKey, where: one.unlink.where });
  return reader.one(shape, [from.key, to.key]);
}

/** What stands at an end for a row, as the link itself shows it. */
export function shownEnd({ entity, guid }: LinkEnd, key: Value, row: Row): Value {
  if (!entity.contained) return key;
  const [, , path = null] = row.columns;
  const attribute = guid ?? (path === null ? entity.identifier : undefined);
  return attribute === undefined ? path : (parseStored(row.json)[attribute.name] ?? null);
}

/** The row that is meant, with what stands where an entity is read by its key. */
export async function referredRow(end: LinkEnd, reference: EndReference, reader: Reader): Promise<Row | undefined> {
  if (reference.kind === 'key') return reader.one(end.entity.shapes.byKey, [reference.key]);
  for (const { column, value } of reference.by) {
    const row = await rowBy(end, column, value, reader);
    if (row !== undefined) return row;
  }
  return undefined;
}

async function rowBy(end: LinkEnd, column: string, value: Value, reader: Reader): Promise<Row | undefined> {
  const { entity, guid } = end;
  return column === entity.identifier.column && guid !== entity.identifier
    ? await onlyWith(entity, value, reader)
    : await reader.one(byColumn(entity, column), [value]);
}

/** What stands under no parent has no other address than its identifier, and so is found whatever children there are. */
async function onlyWith(entity: EntityPlan, id: Value, reader: Reader): Promise<Row | undefined> {
  const [row, second] = await reader.rows(entity.shapes.byIdentifier, [id, 2]);
  if (second === undefined) return row;
  const root = await reader.one(entity.shapes.byKey, [freeKey(entity, id)]);
  if (root === undefined) throw error('identifier-ambiguous');
  return root;
}

function byColumn(entity: EntityPlan, column: string): Select {
  const key = `end by ${column}`;
  const cached = entity.cached.get(key);
  return cached?.kind === 'select' ? cached : cacheShape(entity, key, { ...entity.shapes.byKey, where: equal(column) });
}
