// In charge of which types may stand where their base type is expected, and of how a value names its own.

import type { Model, TypeName } from './model.ts';

/** The member of a value that says of which type it is, where that is not the one of its attribute. */
export const typeMember = '__type__';

/** The types that extend this one, directly or not. Entities are only among them where nothing is stored: a record has no rules of its own. */
export function subtypesOf(
  base: TypeName,
  { records, entities }: Pick<Model, 'records' | 'entities'>,
  stored: boolean,
): readonly TypeName[] {
  const all = [...records.values(), ...(stored ? [] : entities.values())];
  const found = new Set([base]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { name, extends: extended } of all) if (extended !== undefined && found.has(extended)) found.add(name);
  }
  found.delete(base);
  return [...found];
}
