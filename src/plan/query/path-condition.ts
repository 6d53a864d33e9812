// `__path__` compared with values → conditions on keys: a path says which key an instance has, so that it is looked up and not searched for.

import type { Value } from '../../values/value.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { below, detached, isPath, placeOf, subjectIn } from '../rows/keys.ts';
import type { Read } from '../rows/link-references.ts';
import { type PathPlace, placeAt, rootIdentifier } from '../rows/path.ts';
import { pathColumn } from '../rows/tables.ts';
import { type Condition, nothing } from './condition.ts';

/** What a value names; `unread` where it is neither a path nor an identifier of the type, nothing where it is the path of something else. */
export function placeNamed(plan: EntityPlan | LinkPlan, value: Value, read: Read): PathPlace | 'unread' | undefined {
  if (isPath(value) && plan.kind === 'entity') return placeAt(plan, value);
  const id = isPath(value) ? rootIdentifier(plan, value) : read(plan.identifier, value);
  if (id === undefined || id === null) return isPath(value) ? undefined : 'unread';
  if (plan.kind === 'link') return { key: id, path: null, id, isMovable: false };
  return { ...placeOf(subjectIn(plan, id)), id, isMovable: plan.contained };
}

/** The rows that stand at one of these places, with the values of the condition; `key` tells conditions apart. */
export function standsAt(
  plan: EntityPlan | LinkPlan,
  places: readonly PathPlace[],
  source?: number,
): { readonly condition: Condition; readonly values: readonly Value[]; readonly key: string } {
  const of = source === undefined ? {} : { source };
  const asked: { readonly condition: Condition; readonly values: readonly Value[] }[] = [];
  const within = (column: string, values: readonly Value[]): Condition =>
    ({ kind: 'compare', column, operator: 'in', count: values.length, ...of }) as const;
  const keys = places.map((each) => each.key);
  if (keys.length > 0) asked.push({ condition: within(plan.key, keys), values: keys });
  // A child that outlived its parent, and what it holds, have keys that begin in a way of their own, and paths that begin with the child.
  const moved = places.filter((each) => each.isMovable);
  const freed = moved.filter((each) => each.path === null).map((each) => each.id);
  const held = moved.flatMap((each) => each.path ?? []);
  const { from, to } = below(detached);
  const range: readonly Condition[] = [
    { kind: 'compare', column: plan.key, operator: 'gt', ...of },
    { kind: 'compare', column: plan.key, operator: 'lt', ...of },
  ];
  if (freed.length > 0) {
    const alone: Condition = { kind: 'compare', column: pathColumn, operator: 'null', ...of };
    asked.push({
      condition: { kind: 'and', conditions: [...range, within(plan.identifier.column, freed), alone] },
      values: [from, to, ...freed],
    });
  }
  if (held.length > 0)
    asked.push({ condition: { kind: 'and', conditions: [...range, within(pathColumn, held)] }, values: [from, to, ...held] });
  const [first = { condition: nothing, values: [] }] = asked;
  const condition: Condition = asked.length < 2 ? first.condition : { kind: 'or', conditions: asked.map((each) => each.condition) };
  return { condition, values: asked.flatMap((each) => each.values), key: `${keys.length},${freed.length},${held.length}` };
}
