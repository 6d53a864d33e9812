// Keys of contained instances → paths: what a statement asks by the service's own keys, in words that another system knows.

import { columnKind } from '../model/model.ts';
import { readScalar } from '../model/types/scalar.ts';
import type { EntityPlan } from '../plan/plan.ts';
import { idSegment, rootStart, segment, separator } from '../plan/rows/keys.ts';
import type { Value } from '../values/value.ts';

export interface Placed {
  readonly id: Value;
  readonly path: string;
  /** The path of the parent; absent under no parent. */
  readonly parent: string | undefined;
}

/** A key holds the type and identifier of the root, then a relationship and an identifier for each level. Nothing where an identifier cannot be told from it. */
export function placedAt(plan: EntityPlan, key: Value): Placed | undefined {
  return typeof key === 'string' ? placedIn(plan, key.split(separator)) : undefined;
}

function placedIn(plan: EntityPlan, parts: readonly string[]): Placed | undefined {
  const id = identifierIn(plan, parts.at(-1) ?? '');
  if (id === undefined || id === null) return undefined;
  const last = idSegment(id, plan.form);
  if (parts.length === 2) return parts[0] === plan.type ? { id, path: `${rootStart(plan.type)}${last}`, parent: undefined } : undefined;
  const contains = plan.parents.find((each) => each.contains.name === parts.at(-2));
  const above = contains && placedIn(contains.parent, parts.slice(0, -2));
  if (contains === undefined || above === undefined) return undefined;
  return { id, path: `${above.path}/${segment(contains.contains.name)}/${segment(plan.type)}/${last}`, parent: above.path };
}

/** The parent below which a list of children begins. */
export function parentAt(plan: EntityPlan, start: Value): string | undefined {
  if (typeof start !== 'string' || !start.endsWith(separator)) return undefined;
  const parts = start.slice(0, -1).split(separator);
  const contains = plan.parents.find((each) => each.contains.name === parts.at(-1));
  if (contains !== undefined) return placedIn(contains.parent, parts.slice(0, -1))?.path;
  return plan.parents.map((each) => placedIn(each.parent, parts)?.path).find((each) => each !== undefined);
}

/** Moments are kept in a form of their own, from which nobody knows how they were written. */
function identifierIn({ identifier, form }: EntityPlan, text: string): Value | undefined {
  if (form === 'moment') return undefined;
  const plain = text.replaceAll('\u0002\u0003', '\u0001').replaceAll('\u0002\u0004', '\u0002');
  if (form === 'scalar') return readScalar(plain);
  if (columnKind(identifier.attribute) !== 'integer') return plain;
  if (!/^[\da-f]{16}$/.test(text)) return undefined;
  const number = BigInt(`0x${text}`) - 2n ** 63n;
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}
