// Who owns what, as conditions: whoever is written down as its owner, the owners of what it stands in, and those whom a link gives it.

import type { TypeName } from '../../model/model.ts';
import type { ContainsPlan, EntityPlan, LinkEnd, LinkPlan } from '../plan.ts';
import { type ColumnOf, type Condition, everything, type KeyKind, type KeySource } from '../query/condition.ts';
import { existsWith } from '../query/exists.ts';
import { targetColumn } from '../rows/assignments.ts';
import type { Table } from '../rows/table.ts';
import { allOf, anyOf, type OwnerStep } from './right.ts';
import { isCaller } from './roles.ts';

/** One way in which a caller can own an instance. */
export interface Held {
  readonly chain: readonly OwnerStep[];
  /** Of the row of the instance. */
  readonly condition: Condition;
  readonly keys: readonly KeySource[] | undefined;
  /** Whether it is by the instance itself, and not by what it stands in. */
  readonly isOwn: boolean;
}

export interface Ownership {
  /** All ways, the shortest first. */
  of(plan: EntityPlan): readonly Held[];
  /** All ways to own what an instance stands in, whether or not that makes the instance one's own. */
  ofParents(plan: EntityPlan): readonly Held[];
  /** Whether an instance is owned by the owners of everything that it stands in, at whatever depth. */
  isOwnedFromAbove(plan: EntityPlan): boolean;
  /** The caller owns the instance that a column points at. */
  at(plan: EntityPlan, column: string): Condition;
  /** An assignment to the caller about a row of this type, in one of these two tables. */
  assigned(table: Table, plan: EntityPlan, where: Condition): Omit<Held, 'chain' | 'isOwn'>;
}

export function openOwnership(owners: Table, links: ReadonlyMap<TypeName, LinkPlan>): Ownership {
  const known = new Map<EntityPlan, readonly Held[]>();
  const withoutLinks = new Map<EntityPlan, readonly Held[]>();

  /** What a link gives is not given further by another link. */
  function held(plan: EntityPlan, withLinks: boolean): readonly Held[] {
    const made = withLinks ? known : withoutLinks;
    const found = made.get(plan);
    if (found !== undefined) return found;
    const ways = [direct(owners, plan), ...(withLinks ? givenBy(plan) : [])];
    const all = plan.parents.some((each) => each.parent === plan && passes(each))
      ? [...ways, ...aboveAny(plan, ways, withLinks)]
      : [...ways, ...above(plan, withLinks)];
    made.set(plan, all);
    return all;
  }

  function above(plan: EntityPlan, withLinks: boolean): readonly Held[] {
    return plan.parents
      .filter((each) => each.parent !== plan && passes(each))
      .flatMap((each) => held(each.parent, withLinks).map((way) => inParent(each, way)));
  }

  function inParent({ contains, parent, child, column }: ContainsPlan, way: Held): Held {
    return {
      chain: [{ kind: 'contains', relationship: contains.name, parent: parent.type }, ...way.chain],
      condition: pointedAt(parent, column, way),
      keys: way.keys && [{ table: child.table, column: child.key, where: { kind: 'among', column, keys: way.keys } }],
      isOwn: false,
    };
  }

  /** Of what contains itself, at any depth: by the beginning of its key. */
  function aboveAny(plan: EntityPlan, own: readonly Held[], withLinks: boolean): readonly Held[] {
    const ways = [...own, ...above(plan, withLinks)];
    // Where some type above does not pass its owners on, a key that begins with that of an owned instance says nothing.
    if (!isOwnedFromAbove(plan)) return ways.flatMap((way) => (way.isOwn ? [belowHeld(plan, way)] : [way, belowHeld(plan, way)]));
    const types = typesAbove(plan);
    const isAbove: Condition = { kind: 'below', key: { column: plan.key, outer: 1 }, above: { column: targetColumn } };
    const given = { table: owners, where: allOf([isCaller, resourceIn(types)]), above: { column: targetColumn, key: plan.key } };
    const byKey: Held = {
      chain: [{ kind: 'above', types }],
      condition: { kind: 'exists', table: owners, where: allOf([isCaller, resourceIn(types), isAbove]) },
      keys: [{ table: plan.table, column: plan.key, where: everything, given }],
      isOwn: false,
    };
    const linked = ways.filter(({ chain }) => chain.some((step) => step.kind === 'assign'));
    return [byKey, ...linked.flatMap((way) => (way.isOwn ? [belowHeld(plan, way)] : [way, belowHeld(plan, way)]))];
  }

  /** The instance stands below one of the same type that the caller owns in some way. */
  function belowHeld(plan: EntityPlan, way: Held): Held {
    const isBelow: Condition = { kind: 'below', key: { column: plan.key, outer: 1 }, above: { column: plan.key } };
    return {
      chain: [{ kind: 'above', types: [plan.type] }, ...way.chain],
      condition: { kind: 'exists', table: plan.table, where: allOf([isBelow, way.condition]) },
      keys: undefined,
      isOwn: false,
    };
  }

  function givenBy(plan: EntityPlan): readonly Held[] {
    return [...links.values()].flatMap((link) => {
      const { assign } = link.between;
      const [from, to] = [endNamed(link, assign?.from), endNamed(link, assign?.to)];
      if (from === undefined || to === undefined || from.entity !== plan) return [];
      return held(to.entity, false).map((way) => byLink(link, from, to, way));
    });
  }

  function byLink(link: LinkPlan, from: LinkEnd, to: LinkEnd, way: Held): Held {
    return {
      chain: [{ kind: 'assign', relationship: link.type, to: to.entity.type }, ...way.chain],
      condition: existsWith(link.table, from.column, { column: from.entity.key }, pointedAt(to.entity, to.column, way)),
      keys: way.keys && [{ table: link.table, column: from.column, where: { kind: 'among', column: to.column, keys: way.keys } }],
      isOwn: true,
    };
  }

  /** A row whose column points at an instance that is owned in this way. */
  function pointedAt(plan: EntityPlan, column: string, way: Held): Condition {
    if (way.chain.length > 0) return existsWith(plan.table, plan.key, { column }, way.condition);
    // Whoever is written down as owner is found by what the column holds: the instance itself need not be read.
    return assignedAt(owners, plan, column);
  }

  return {
    of: (plan) => held(plan, true),
    ofParents: (plan) => plan.parents.flatMap((each) => held(each.parent, true).map((way) => inParent(each, way))),
    isOwnedFromAbove,
    at: (plan, column) => anyOf(held(plan, true).map((way) => pointedAt(plan, column, way))),
    assigned: (table, plan, where) => assignedTo(table, plan, plan.key, where),
  };
}

function direct(owners: Table, plan: EntityPlan): Held {
  return { chain: [], ...assignedTo(owners, plan, plan.key), isOwn: true };
}

function assignedTo(table: Table, plan: EntityPlan, column: string, where?: Condition): Omit<Held, 'chain' | 'isOwn'> {
  const kind = keyKindOf(plan);
  const asked = where === undefined ? assignedIn(plan) : allOf([assignedIn(plan), where]);
  return {
    condition: assignedAt(table, plan, column, asked),
    keys: kind && [{ table, column: plan.contained ? targetColumn : 'resourceId', as: kind, where: asked }],
  };
}

/** The key of a contained instance is text that no other instance has; of others it is the identifier, which goes with its type. */
function assignedAt(table: Table, plan: EntityPlan, column: string, where = assignedIn(plan)): Condition {
  const is: ColumnOf = plan.contained ? { column } : { column, asText: true };
  return existsWith(table, plan.contained ? targetColumn : 'resourceId', is, where);
}

function assignedIn(plan: EntityPlan): Condition {
  return allOf([isCaller, resourceIn([plan.type])]);
}

export function resourceIn(types: readonly TypeName[]): Condition {
  return { kind: 'compare', column: 'resource', operator: 'in', value: { constants: types } };
}

function keyKindOf(plan: EntityPlan): KeyKind | undefined {
  const kind = plan.table.columns.find(({ name }) => name === plan.key)?.kind;
  return kind === 'text' || kind === 'uuid' || kind === 'integer' ? kind : undefined;
}

function typesAbove(plan: EntityPlan): readonly TypeName[] {
  return plansAbove(plan).map(({ type }) => type);
}

/** The type itself, and all that an instance of it can stand in. */
function plansAbove(plan: EntityPlan): readonly EntityPlan[] {
  const found = new Set<EntityPlan>([plan]);
  // A set goes on with what is added to it on the way.
  for (const each of found) for (const { parent } of each.parents) found.add(parent);
  return [...found];
}

function endNamed({ ends }: LinkPlan, attribute: string | undefined): LinkEnd | undefined {
  return ends.find((each) => each.attribute === attribute);
}

/** Whether owners of a parent own its children: rules of their own say who may do what with them, unless the relationship says otherwise. */
function passes({ child, contains }: ContainsPlan): boolean {
  return child.entity.rbac === undefined || contains.inherit;
}

function isOwnedFromAbove(plan: EntityPlan): boolean {
  return plansAbove(plan).every(({ parents }) => parents.every(passes));
}
