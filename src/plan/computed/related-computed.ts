// Attributes that are computed from other instances: what each reads of them, in which order they are computed.

import type { TypeName } from '../../model/model.ts';
import type { Aggregate, Expression, Reference, RelatedPath } from '../../model/pattern.ts';
import { aggregatesIn, isWhole, referencesIn, siblingOf } from '../../model/references.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../plan.ts';
import type { JoinOutput, JoinQuery, Update } from '../query/shape.ts';
import { among, type Sized, sized } from '../query/sized.ts';
import { versionColumn } from '../rows/tables.ts';
import { type Dependents, dependentsByType } from './dependents.ts';
import { type Hop, hopOf } from './hop.ts';

export interface RelatedComputed {
  /** None before those that its attributes build on. */
  readonly groups: readonly RelatedComputedGroup[];
  /** What to do when rows of a type are made, changed, removed. */
  readonly dependents: ReadonlyMap<TypeName, Dependents>;
}

/** Attributes of one entity that are computed together. */
export interface RelatedComputedGroup {
  readonly plan: EntityPlan;
  /** Those that others build on first. */
  readonly attributes: readonly RelatedComputedAttribute[];
  /** By keys: nobody else changes the rows until the transaction ends. The key, where paths start from, and every attribute. */
  readonly hold: Sized<Update>;
}

export interface RelatedComputedAttribute {
  readonly plan: AttributePlan;
  readonly expression: Expression;
  readonly sources: readonly Source[];
  /** Siblings that it is computed from; all of them where it takes the instance as a whole. */
  readonly siblings: ReadonlySet<string>;
}

/** What one path reads. */
export interface Source {
  /** The same array as in the expression. */
  readonly path: readonly string[];
  readonly hop: Hop;
  readonly related: RelatedPath;
  /** Which of the further columns of `hold` it starts from. */
  readonly start: number;
  /** Absent where instances are counted. */
  readonly attribute: AttributePlan | undefined;
  /** Absent where the values themselves are looked at. */
  readonly aggregate: Aggregate['function'] | undefined;
  /** By what paths start from, which stands in each row with what it leads to. */
  readonly report: Sized<JoinQuery>;
  /** Whether two starts that are equal are also written alike; where not, each is asked for by itself. */
  readonly exact: boolean;
}

/** The names of what a row of a source holds. */
export const sourceName = 'value';
export const startName = 'start';

/** The kinds whose equal values are the same. */
const exactKinds: ReadonlySet<ColumnKind> = new Set(['text', 'integer', 'uuid']);

export function relatedComputedOf(
  entities: ReadonlyMap<TypeName, EntityPlan>,
  links: ReadonlyMap<TypeName, LinkPlan>,
): RelatedComputed | undefined {
  const owners = [...entities.values()].filter((each) => each.late.length > 0);
  if (owners.length === 0) return undefined;
  const rankOf = ranks(entities);
  const groups: { readonly rank: number; readonly group: RelatedComputedGroup }[] = [];
  for (const plan of owners) {
    for (const rank of new Set(plan.late.map((each) => rankOf(plan, each)))) {
      const attributes = plan.late.filter((each) => rankOf(plan, each) === rank);
      groups.push({ rank, group: groupOf(plan, attributes, entities, links) });
    }
  }
  const inOrder = groups.sort((first, second) => first.rank - second.rank).map(({ group }) => group);
  return { groups: inOrder, dependents: dependentsByType(inOrder) };
}

/** How many steps of computing come before; the model has no cycles. */
function ranks(entities: ReadonlyMap<TypeName, EntityPlan>): (plan: EntityPlan, attribute: AttributePlan) => number {
  const known = new Map<AttributePlan, number>();
  const rankOf = (plan: EntityPlan, attribute: AttributePlan): number => {
    const before = known.get(attribute);
    if (before !== undefined) return before;
    const { expression } = attribute.attribute;
    const references = expression === undefined ? [] : referencesIn(expression);
    const rank = Math.max(0, ...references.flatMap((each) => [...own(plan, attribute, each), ...other(each)]));
    known.set(attribute, rank);
    return rank;
  };
  const own = (plan: EntityPlan, attribute: AttributePlan, reference: Reference): readonly number[] => {
    const used = plan.late.filter(
      (each) => each !== attribute && (isWhole(reference) ? isBefore(plan, each, attribute) : each.name === siblingOf(reference)),
    );
    return used.map((each) => rankOf(plan, each));
  };
  const other = ({ related }: Reference): readonly number[] => {
    const plan = related === undefined ? undefined : entities.get(related.entity);
    const used = related?.attribute === undefined ? undefined : plan?.attribute.get(related.attribute);
    return plan !== undefined && used !== undefined && plan.late.includes(used) ? [rankOf(plan, used) + 1] : [];
  };
  return rankOf;
}

function isBefore({ late }: EntityPlan, one: AttributePlan, other: AttributePlan): boolean {
  return late.indexOf(one) < late.indexOf(other);
}

function groupOf(
  plan: EntityPlan,
  attributes: readonly AttributePlan[],
  entities: ReadonlyMap<TypeName, EntityPlan>,
  links: ReadonlyMap<TypeName, LinkPlan>,
): RelatedComputedGroup {
  const starts: string[] = [plan.key];
  const startOf = (column: string): number => {
    if (!starts.includes(column)) starts.push(column);
    return starts.indexOf(column);
  };
  const relatedComputed = attributes.flatMap((each): RelatedComputedAttribute[] => {
    const { expression } = each.attribute;
    if (expression === undefined) return [];
    const aggregates = aggregatesIn(expression);
    const references = referencesIn(expression);
    const sources = references.flatMap((reference) => sourceOf(reference, aggregates.get(reference), plan, entities, links, startOf));
    const siblings = references.some(isWhole) ? plan.attributes.map(({ name }) => name) : references.flatMap((one) => siblingOf(one) ?? []);
    const used = new Set(siblings.filter((name) => name !== each.name));
    return [{ plan: each, expression, sources, siblings: used }];
  });
  const fields = plan.attributes.map(({ name, column }) => ({ kind: 'column', name, column }) as const);
  const output = { fields, columns: starts };
  return {
    plan,
    attributes: relatedComputed,
    hold: sized((count) => ({
      kind: 'update',
      table: plan.table,
      columns: [],
      version: versionColumn,
      where: among(plan.key, count),
      output,
      inOrder: plan.key,
    })),
  };
}

function sourceOf(
  { path, related }: Reference,
  aggregate: Aggregate['function'] | undefined,
  plan: EntityPlan,
  entities: ReadonlyMap<TypeName, EntityPlan>,
  links: ReadonlyMap<TypeName, LinkPlan>,
  startOf: (column: string) => number,
): readonly Source[] {
  if (related === undefined) return [];
  const hop = hopOf(related, plan, entities, links);
  const { attribute: named, identifier } = hop.target;
  const attribute = related.attribute === undefined ? undefined : (named.get(related.attribute) ?? identifier);
  const report = reportOf(hop, attribute?.column, aggregate);
  const kind = plan.table.columns.find(({ name }) => name === hop.start)?.kind;
  return [
    { path, hop, related, start: startOf(hop.start), attribute, aggregate, report, exact: kind !== undefined && exactKinds.has(kind) },
  ];
}

function reportOf(
  { target, reach: { column: start, links } }: Hop,
  column: string | undefined,
  aggregate: Source['aggregate'],
): Sized<JoinQuery> {
  const source = links === undefined ? 0 : 1;
  const by = { kind: 'column', source: 0, column: start } as const;
  const of = column === undefined ? undefined : { source, column };
  const joins: JoinQuery['joins'] =
    links === undefined
      ? []
      : [
          {
            side: 'inner',
            table: target.table,
            on: { kind: 'columns', left: { column: links.to, source: 0 }, operator: 'eq', right: { column: target.key, source: 1 } },
          },
        ];
  const isGrouped = aggregate !== undefined;
  const value: readonly JoinOutput[] = isGrouped
    ? [{ kind: 'aggregate', name: sourceName, function: aggregate, of }]
    : of === undefined
      ? []
      : [{ kind: 'column', name: sourceName, ...of }];
  return sized((count) => ({
    kind: 'report',
    table: links?.table ?? target.table,
    joins,
    outputs: [{ ...by, name: startName }, ...value],
    where: among(start, count),
    groupBy: isGrouped ? [by] : [],
    order: isGrouped ? [] : [{ kind: 'column', source, column: target.key, descending: false }],
    distinct: false,
    limit: false,
    offset: false,
  }));
}
