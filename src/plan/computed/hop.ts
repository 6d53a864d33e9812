// One step along a relationship or a reference, as columns: from an owner to what it looks at, and back.

import type { TypeName } from '../../model/model.ts';
import type { RelatedPath } from '../../model/pattern.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { type Condition, inRange } from '../query/condition.ts';
import type { Select, Update } from '../query/shape.ts';
import { among, type Sized, sized } from '../query/sized.ts';
import type { Table } from '../rows/table.ts';
import { versionColumn } from '../rows/tables.ts';

export interface Hop {
  /** Tells hops of one owner apart. */
  readonly name: string;
  readonly owner: EntityPlan;
  readonly target: EntityPlan;
  /** The owner's column that it starts from. */
  readonly start: string;
  /** Which column has that value: of the targets, or of links whose other column is the key of a target. */
  readonly reach: { readonly column: string; readonly links: { readonly table: Table; readonly to: string } | undefined };
  /** The owners of a target. */
  readonly back: OwnerLookup;
  /** What makes and ends it, besides the owner: rows of the target, or of links. */
  readonly made: { readonly by: EntityPlan | LinkPlan; readonly back: OwnerLookup } | undefined;
  /** On a row of this type depends which target is reached: while it is new, or this attribute of it changes, the target is held. */
  readonly reached:
    | {
        readonly by: EntityPlan | LinkPlan;
        readonly attribute: string | undefined;
        /** Of that row, with what leads to the target. */
        readonly column: string;
        /** By keys: which targets these are. */
        readonly value: Sized<Select>;
        readonly target: EntityPlan;
        /** The keys of the targets by what leads to them; nothing where that is their key. */
        readonly keys: Sized<Select> | undefined;
        /** Nobody else changes it until the transaction ends; what was read of it before then no longer counts. */
        readonly hold: Sized<Update>;
      }
    | undefined;
}

/** From rows to the keys of owners: by a column of the row, or its key; which is the owner's key, or leads to it. */
export interface OwnerLookup {
  /** By keys. */
  readonly value: Sized<Select> | undefined;
  readonly owners: Sized<Select> | undefined;
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
    const back = { value: keysBy(child.table, child.key, column), owners: undefined, range: undefined };
    return {
      name,
      owner,
      target: child,
      start: owner.key,
      reach: { column, links: undefined },
      back,
      made: { by: child, back },
      reached: undefined,
    };
  }
  return {
    name,
    owner,
    target: parent,
    start: column,
    reach: { column: parent.key, links: undefined },
    back: { value: undefined, owners: ownersBy(child.table, column, child.key), range: undefined },
    made: undefined,
    reached: {
      by: child,
      attribute: undefined,
      column,
      value: keysBy(child.table, child.key, column),
      target: parent,
      keys: undefined,
      hold: lockBy(parent.table, parent.key),
    },
  };
}

function referenceHop(owner: EntityPlan, attribute: string, target: EntityPlan, to: string): Hop {
  const isKey = to === target.key;
  return {
    name: `ref ${attribute}`,
    owner,
    target,
    start: attribute,
    reach: { column: to, links: undefined },
    back: {
      value: isKey ? undefined : keysBy(target.table, target.key, to),
      owners: ownersBy(owner.table, attribute, owner.key),
      range: undefined,
    },
    made: undefined,
    reached: {
      by: owner,
      attribute,
      column: attribute,
      value: keysBy(owner.table, owner.key, attribute),
      target,
      keys: isKey ? undefined : keysBy(target.table, to, target.key),
      hold: lockBy(target.table, to),
    },
  };
}

function linkHop(owner: EntityPlan, link: LinkPlan, end: string): Hop {
  const [first, second] = link.ends;
  const [to, from] = first.attribute === end ? [first, second] : [second, first];
  const { table, key } = link;
  const range: Select = { ...columnsBy(table, [from.column], inRange(to.column)), limit: true };
  return {
    name: `end ${link.type} ${end}`,
    owner,
    target: to.entity,
    start: owner.key,
    reach: { column: from.column, links: { table, to: to.column } },
    back: { value: undefined, owners: ownersBy(table, to.column, from.column), range },
    made: { by: link, back: { value: keysBy(table, key, from.column), owners: undefined, range: undefined } },
    reached: {
      by: link,
      attribute: undefined,
      column: to.column,
      value: keysBy(table, key, to.column),
      target: to.entity,
      keys: undefined,
      hold: lockBy(to.entity.table, to.entity.key),
    },
  };
}

function columnsBy(table: Table, columns: readonly string[], where: Condition): Select {
  return { kind: 'select', table, output: { fields: [], columns }, where, order: [], limit: false, offset: false };
}

function keysBy(table: Table, by: string, column: string): Sized<Select> {
  return sized((count) => columnsBy(table, [column], among(by, count)));
}

/** At most so many as the last parameter says. */
function ownersBy(table: Table, by: string, column: string): Sized<Select> {
  return sized((count) => ({ ...columnsBy(table, [column], among(by, count)), limit: true }));
}

/** By values of a column: nobody else changes the rows until the transaction ends. */
export function lockBy(table: Table, column: string): Sized<Update> {
  const output = { fields: [], columns: [] };
  return sized((count) => ({
    kind: 'update',
    table,
    columns: [],
    version: versionColumn,
    where: among(column, count),
    output,
    inOrder: column,
  }));
}

function known<T>(plans: ReadonlyMap<TypeName, T>, name: TypeName): T {
  const found = plans.get(name);
  // After `link` every path leads to an entity of the model.
  if (found === undefined) throw new Error(`no plan for ${name}`);
  return found;
}
