// One step along a relationship or a reference, as columns: from an owner to what it looks at, and back.

import type { TypeName } from '../model/model.ts';
import type { RelatedPath } from '../model/pattern.ts';
import { type Condition, equal, inRange } from './condition.ts';
import type { EntityPlan, LinkPlan } from './plan.ts';
import type { Select, Update } from './shape.ts';
import type { Table } from './table.ts';
import { versionColumn } from './tables.ts';

export interface Hop {
  /** Tells hops of one owner apart. */
  readonly name: string;
  readonly owner: EntityPlan;
  readonly target: EntityPlan;
  /** The owner's column that it starts from. */
  readonly start: string;
  /** The targets, by the value of that column. */
  readonly reach: Condition;
  /** The owners of a target. */
  readonly back: Back;
  /** What makes and ends it, besides the owner: rows of the target, or of links. */
  readonly made: { readonly by: EntityPlan | LinkPlan; readonly back: Back } | undefined;
  /** On a row of this type depends which target is reached: while it is new, or this attribute of it changes, the target is held. */
  readonly reached:
    | {
        readonly by: EntityPlan | LinkPlan;
        readonly attribute: string | undefined;
        /** By key: which target that is. */
        readonly value: Select;
        /** Nobody else changes it until the transaction ends; what was read of it before then no longer counts. */
        readonly hold: Update;
      }
    | undefined;
}

/** From a row to the keys of owners: by a column of the row, or its key; which is the owner's key, or leads to it. */
export interface Back {
  /** By key. */
  readonly value: Select | undefined;
  readonly owners: Select | undefined;
  /** The same for all rows in a range of keys, where `owners` is asked by the key. */
  readonly range: Select | undefined;
}

export function hopOf(
  { by, entity }: RelatedPath,
  owner: EntityPlan,
  entities: ReadonlyMap<TypeName, EntityPlan>,
  links: ReadonlyMap<TypeName, LinkPlan>,
): Hop {
  switch (by.kind) {
    case 'child':
    case 'parent':
      return containsHop(by.kind, by.relationship, owner);
    case 'ref':
      return referenceHop(owner, by.attribute, known(entities, entity), by.target);
    case 'end':
      return linkHop(owner, known(links, by.relationship), by.end);
    default:
      return by;
  }
}

function containsHop(kind: 'child' | 'parent', relationship: TypeName, owner: EntityPlan): Hop {
  const found = (kind === 'child' ? owner.children : owner.parents).find(({ contains }) => contains.name === relationship);
  if (found === undefined) throw new Error(`${owner.type} is no end of ${relationship}`);
  const { child, parent, column } = found;
  const name = `${kind} ${relationship}`;
  if (kind === 'child') {
    const back = { value: columnsBy(child.table, child.key, [column]), owners: undefined, range: undefined };
    return { name, owner, target: child, start: owner.key, reach: equal(column), back, made: { by: child, back }, reached: undefined };
  }
  return {
    name,
    owner,
    target: parent,
    start: column,
    reach: equal(parent.key),
    back: { value: undefined, owners: ownersBy(child.table, column, [child.key]), range: undefined },
    made: undefined,
    reached: {
      by: child,
      attribute: undefined,
      value: columnsBy(child.table, child.key, [column]),
      hold: holdBy(parent.table, parent.key),
    },
  };
}

function referenceHop(owner: EntityPlan, attribute: string, target: EntityPlan, to: string): Hop {
  const value = to === target.key ? undefined : columnsBy(target.table, target.key, [to]);
  return {
    name: `ref ${attribute}`,
    owner,
    target,
    start: attribute,
    reach: equal(to),
    back: { value, owners: ownersBy(owner.table, attribute, [owner.key]), range: undefined },
    made: undefined,
    reached: { by: owner, attribute, value: columnsBy(owner.table, owner.key, [attribute]), hold: holdBy(target.table, to) },
  };
}

function linkHop(owner: EntityPlan, link: LinkPlan, end: string): Hop {
  const [first, second] = link.ends;
  const [to, from] = first.attribute === end ? [first, second] : [second, first];
  const { table, key } = link;
  const range: Select = { ...ownersBy(table, to.column, [from.column]), where: inRange(to.column) };
  return {
    name: `end ${link.type} ${end}`,
    owner,
    target: to.entity,
    start: owner.key,
    reach: { kind: 'linked', table: table.name, from: from.column, to: to.column, key: to.entity.key },
    back: { value: undefined, owners: ownersBy(table, to.column, [from.column]), range },
    made: { by: link, back: { value: columnsBy(table, key, [from.column]), owners: undefined, range: undefined } },
    reached: { by: link, attribute: undefined, value: columnsBy(table, key, [to.column]), hold: holdBy(to.entity.table, to.entity.key) },
  };
}

function columnsBy(table: Table, column: string, columns: readonly string[]): Select {
  return { kind: 'select', table, output: { fields: [], columns }, where: equal(column), order: [], limit: false, offset: false };
}

/** At most so many as the last parameter says. */
function ownersBy(table: Table, column: string, columns: readonly string[]): Select {
  return { ...columnsBy(table, column, columns), limit: true };
}

function holdBy(table: Table, column: string): Update {
  return { kind: 'update', table, columns: [], version: versionColumn, where: equal(column), output: { fields: [], columns: [] } };
}

function known<T>(plans: ReadonlyMap<TypeName, T>, name: TypeName): T {
  const found = plans.get(name);
  // After `link` every path leads to an entity of the model.
  if (found === undefined) throw new Error(`no plan for ${name}`);
  return found;
}
