// What a write on a row means for attributes that are computed from it: whom they belong to, and how those are found.

import type { TypeName } from '../../model/model.ts';
import type { EntityPlan } from '../plan.ts';
import type { Update } from '../query/shape.ts';
import type { Sized } from '../query/sized.ts';
import { type Hop, lockBy, type OwnerLookup } from './hop.ts';
import type { RelatedComputedAttribute, RelatedComputedGroup, Source } from './related-computed.ts';

/** Of rows of one type. */
export interface Dependents {
  /** Attributes of the row itself that are computed from others. */
  readonly own: readonly Affected[];
  /** Rows elsewhere that are computed from it. */
  readonly ownerPaths: readonly OwnerPath[];
  /** What a new row begins to depend on. */
  readonly reaches: readonly NonNullable<Hop['reached']>[];
  /** Owners that are locked before the row: computing them anew may come back to rows of its type, which others reach through them. */
  readonly lockedOwners: readonly LockedOwner[];
}

export interface LockedOwner {
  /** Tells those of one owner apart. */
  readonly name: string;
  readonly owner: EntityPlan;
  readonly back: OwnerLookup;
  readonly hold: Sized<Update>;
  /** The attributes of the row that the owner is computed from. */
  readonly names: ReadonlySet<string>;
}

export interface Affected {
  readonly group: RelatedComputedGroup;
  readonly attribute: RelatedComputedAttribute;
}

/** To owners of a row. */
export interface OwnerPath {
  readonly back: OwnerLookup;
  /** Computed anew when such a row is made, or goes. */
  readonly rows: readonly Affected[];
  /** Computed anew when this attribute of it changes. */
  readonly byAttribute: ReadonlyMap<string, readonly Affected[]>;
  /** Whether links lead to the owners, which go when the row goes. */
  readonly linked: boolean;
}

export function dependentsByType(groups: readonly RelatedComputedGroup[]): ReadonlyMap<TypeName, Dependents> {
  const dependents = new Map<TypeName, Building>();
  const at = (type: TypeName): Building => {
    const found = dependents.get(type) ?? { own: [], ownerPaths: [], reaches: [], lockedOwners: [], byName: new Map(), held: new Set() };
    dependents.set(type, found);
    return found;
  };
  for (const group of groups) {
    for (const attribute of group.attributes) {
      const affected = { group, attribute };
      at(group.plan.type).own.push(affected);
      for (const source of attribute.sources) watchSource(source, affected, at);
    }
  }
  addLeads(
    groups.flatMap(({ attributes }) => attributes.flatMap(({ sources }) => sources)),
    at,
  );
  return dependents;
}

/** Those that see many rows come before the rows; of two that see many of each other, the one whose name is first. */
function addLeads(sources: readonly Source[], at: (type: TypeName) => Building): void {
  const computed = new Map<TypeName, Set<TypeName>>();
  for (const { hop } of sources) computed.set(hop.target.type, (computed.get(hop.target.type) ?? new Set()).add(hop.owner.type));
  for (const { hop, attribute } of sources) {
    const { owner, target, made, back } = hop;
    const isFirst = made !== undefined && (made.by === target || owner.type < target.type);
    if (!isFirst || !reachedFrom(owner.type, computed).has(target.type)) continue;
    const { lockedOwners } = at(target.type);
    const known = lockedOwners.find((each) => each.owner === owner && each.name === hop.name);
    const lead = known ?? { name: hop.name, owner, back, hold: lockBy(owner.table, owner.key), names: new Set<string>() };
    if (known === undefined) lockedOwners.push(lead);
    if (attribute !== undefined) lead.names.add(attribute.name);
  }
}

function reachedFrom(type: TypeName, computed: ReadonlyMap<TypeName, ReadonlySet<TypeName>>): ReadonlySet<TypeName> {
  const found = new Set(computed.get(type));
  // A set goes on with what is added to it on the way.
  for (const each of found) for (const next of computed.get(each) ?? []) found.add(next);
  return found;
}

interface Building extends Dependents {
  readonly own: Affected[];
  readonly ownerPaths: WayBuilding[];
  readonly reaches: NonNullable<Hop['reached']>[];
  readonly lockedOwners: (LockedOwner & { readonly names: Set<string> })[];
  readonly byName: Map<string, WayBuilding>;
  readonly held: Set<string>;
}

interface WayBuilding extends OwnerPath {
  readonly rows: Affected[];
  readonly byAttribute: Map<string, Affected[]>;
}

function watchSource({ hop, attribute }: Source, affected: Affected, at: (type: TypeName) => Building): void {
  const { owner, target, made, reached, back } = hop;
  const linked = made !== undefined && made.by !== target;
  const name = `${owner.type} ${hop.name}`;
  const way = wayOf(at(target.type), name, back, linked);
  if (attribute !== undefined) way.byAttribute.set(attribute.name, [...(way.byAttribute.get(attribute.name) ?? []), affected]);
  if (made !== undefined) wayOf(at(made.by.type), made.by === target ? name : `${name} link`, made.back, false).rows.push(affected);
  // Links that go with the row at their end: nobody tells of each of them.
  if (linked) way.rows.push(affected);
  const holding = reached === undefined || attribute === undefined ? undefined : at(reached.by.type);
  if (reached === undefined || holding === undefined || holding.held.has(name)) return;
  holding.held.add(name);
  holding.reaches.push(reached);
}

function wayOf({ ownerPaths, byName }: Building, name: string, back: OwnerLookup, linked: boolean): WayBuilding {
  const known = byName.get(name);
  if (known !== undefined) return known;
  const way: WayBuilding = { back, rows: [], byAttribute: new Map(), linked };
  byName.set(name, way);
  ownerPaths.push(way);
  return way;
}
