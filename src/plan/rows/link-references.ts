// What names an instance at the end of a link: a path, its guid, its identifier. Paths are turned into keys without asking the store.

import type { Fault } from '../../errors.ts';
import type { Value } from '../../values/value.ts';
import type { AttributePlan, LinkEnd } from '../plan.ts';
import { type Condition, nothing } from '../query/condition.ts';
import { foundBy } from '../query/exists.ts';
import { isPath } from './keys.ts';
import { placeAt } from './path.ts';
import { pathColumn } from './tables.ts';

/** Either the key itself, or values that columns of the instance have: the first of them that finds one. */
export type EndReference =
  | { readonly kind: 'key'; readonly key: Value }
  | { readonly kind: 'columns'; readonly by: readonly { readonly column: string; readonly value: Value }[] };

/** The value of an attribute, or nothing where it does not fit. */
export type Read = (attribute: AttributePlan, given: Value) => Value | undefined;

const asValue: Read = (attribute, given) => {
  const faults: Fault[] = [];
  const result = attribute.parse(given, '', faults);
  return faults.length === 0 && result !== null ? result : undefined;
};

/** As it stands in a path or a query. */
export const asText: Read = (attribute, given) => attribute.parseText(String(given)) ?? undefined;

/** Nothing where the value can be no name of such an instance. */
export function endReference({ entity, guid }: LinkEnd, value: Value, read: Read = asValue): EndReference | undefined {
  const path = isPath(value) ? placeAt(entity, value) : undefined;
  if (path !== undefined) {
    // What a child holds that outlived its parent has a path from that child on, under another key.
    return path.isMovable
      ? {
          kind: 'columns',
          by: [
            { column: entity.key, value: path.key },
            { column: pathColumn, value },
          ],
        }
      : { kind: 'key', key: path.key };
  }
  if (!entity.contained) {
    const key = read(entity.identifier, value);
    return key === undefined ? undefined : { kind: 'key', key };
  }
  const attributes = guid === undefined || guid === entity.identifier ? [entity.identifier] : [guid, entity.identifier];
  const by = attributes.flatMap((each) => {
    const known = read(each, value);
    return known === undefined ? [] : [{ column: each.column, value: known }];
  });
  return by.length === 0 ? undefined : { kind: 'columns', by };
}

/** The links whose end is one of several instances, with the values of the condition; `key` tells conditions apart. */
export function pointsAt(
  { entity, column }: LinkEnd,
  references: readonly EndReference[],
  source?: number,
): { readonly condition: Condition; readonly values: readonly Value[]; readonly key: string } {
  const place = source === undefined ? { column } : { column, source };
  const keys = references.flatMap((each) => (each.kind === 'key' ? [each.key] : []));
  const values = new Map<string, Value[]>();
  for (const each of references)
    if (each.kind === 'columns') for (const { column: name, value } of each.by) values.set(name, [...(values.get(name) ?? []), value]);
  const by = [...values].map(([name, wanted]) => ({ kind: 'compare', column: name, operator: 'in', count: wanted.length }) as const);
  const conditions: Condition[] = [
    ...(keys.length > 0 ? [{ kind: 'compare', operator: 'in', count: keys.length, ...place } as const] : []),
    ...(by.length > 0 ? [foundBy(entity.table, entity.key, place, { kind: 'or', conditions: by })] : []),
  ];
  const condition = conditions.reduce(
    (one, other): Condition => (one === nothing ? other : { kind: 'or', conditions: [one, other] }),
    nothing,
  );
  const key = `${keys.length}${by.map((each) => `,${each.column}:${each.count}`).join('')}`;
  return { condition, values: [...keys, ...[...values.values()].flat()], key };
}
