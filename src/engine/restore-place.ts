// The parent of an instance by the path that an export holds: the same steps as a nested address, read from a text.

import { error, invalid } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { fault } from '../plan/attribute.ts';
import { isDetached, rootKey, segment } from '../plan/keys.ts';
import type { EntityPlan } from '../plan/plan.ts';
import { pathColumn } from '../plan/tables.ts';
import type { Reader } from '../store/store.ts';
import type { Parent } from './insert.ts';
import { childOf, type Located } from './locate.ts';

const scheme = 'path://';

/** Whether the parent exists is seen when the child is written. */
export async function parentOf(plan: EntityPlan, path: string, id: Value, reader: Reader): Promise<Parent> {
  const segments = path.startsWith(scheme) ? path.slice(scheme.length).split('/') : [];
  const [relationship, child, last] = segments.slice(-3);
  const above = segments.slice(0, -3);
  if (above.length < 2 || above.length % 3 !== 2 || child !== segment(plan.type) || plan.identifier.parseText(decoded(last)) !== id) {
    throw wrong(`is not the path of this ${plan.type}`);
  }
  const found = plan.parents.find(
    ({ contains, parent }) => segment(contains.name) === relationship && segment(parent.type) === above.at(-2),
  );
  if (found === undefined) throw wrong(`names no parent of ${plan.type}`);
  return { located: await locatedAt(found.parent, above, reader), contains: found };
}

/** The last entity of the segments, by the keys that are made of those before it. */
async function locatedAt(plan: EntityPlan, segments: readonly string[], reader: Reader): Promise<Located> {
  const id = plan.identifier.parseText(decoded(segments.at(-1)));
  if (id === undefined || segments.at(-2) !== segment(plan.type)) throw wrong('holds an identifier of the wrong type');
  if (segments.length === 2) return rootAt(plan, id, reader);
  const above = segments.slice(0, -3);
  const step = plan.parents.find(
    ({ contains, parent }) => segment(contains.name) === segments.at(-3) && segment(parent.type) === above.at(-2),
  );
  if (step === undefined) throw wrong(`names no parent of ${plan.type}`);
  return childOf(await locatedAt(step.parent, above, reader), step, id);
}

async function rootAt(plan: EntityPlan, id: Value, reader: Reader): Promise<Located> {
  if (!plan.contained) return { plan, key: id, id, path: undefined };
  const key = rootKey(plan.type, id);
  if (plan.rootable && (await reader.one(plan.shapes.exists, [key])) !== undefined) return { plan, key, id, path: undefined };
  // A child that outlived its parent has a key that cannot be made from its path.
  const rows = await reader.rows(plan.shapes.byIdentifier, [id, mostFreed]);
  const [freed, second] = rows.map((row) => row.columns[1] ?? null).filter(isDetached);
  if (second !== undefined) throw error('identifier-ambiguous');
  // That nothing is there is seen when the child is written.
  return { plan, key: freed ?? key, id, path: undefined };
}

const mostFreed = 1000;

function decoded(text: string | undefined): string {
  try {
    return decodeURIComponent(text ?? '');
  } catch {
    throw wrong('is not percent-encoded as it should be');
  }
}

function wrong(message: string): Error {
  return invalid([fault(pathColumn, 'value', message)]);
}
