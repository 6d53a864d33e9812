// The plan of a between relationship: a row with one column per end, readable and writable from both.

import { ByteCache } from '../../byte-cache.ts';
import type { Between, TypeName } from '../../model/model.ts';
import type { AttributePlan, EntityPlan, LinkEnd, LinkPlan } from '../plan.ts';
import { both, equal, type Lookup } from '../query/condition.ts';
import { linkedFrom } from '../query/exists.ts';
import type { Field, LinkField } from '../query/shape.ts';
import { compileAttribute } from './attribute.ts';
import { rowPlan, visibleFields } from './rows.ts';
import type { Table } from './table.ts';
import { type Layout, linkTable, pathColumn } from './tables.ts';

export function linkPlan(
  between: Between,
  layout: Layout,
  tableOf: (name: TypeName) => Table,
  entityOf: (name: TypeName) => EntityPlan,
): LinkPlan {
  const table = linkTable(between, layout);
  const attributes = between.attributes.map((each) => compileAttribute(each, layout.model, tableOf));
  const identifier = attributes.find((each) => each.attribute === between.identifier) ?? compileAttribute(between.identifier, layout.model);
  const [first, second] = between.ends.map((end) => ({ attribute: end.attribute, entity: entityOf(end.entity) }));
  if (first === undefined || second === undefined) throw new Error(`${between.name} needs two ends`);
  const fields = [endField(first), endField(second), ...visibleFields(attributes)];
  return {
    kind: 'link',
    between,
    ends: [linkEnd(first, second, table), linkEnd(second, first, table)],
    hasAttributes: attributes.some((each) => each.name !== generatedIdentifier),
    ...rowPlan(between.name, between.local, table, attributes, identifier, identifier.column, fields, []),
    cached: new ByteCache(layout.shapes),
  };
}

/** The name under which a linked instance holds the attributes of its link. */
export const linkMember = '@link';
const generatedIdentifier = '__Id__';

export function linkField({ attributes, hasAttributes, table }: LinkPlan, from: LinkEnd, to: LinkEnd): LinkField | undefined {
  if (!hasAttributes) return undefined;
  const fields = visibleFields(attributes);
  return { kind: 'link', name: linkMember, table, fields, from: from.column, to: to.column, key: to.entity.key };
}

interface End {
  readonly attribute: string;
  readonly entity: EntityPlan;
}

/** An end is shown by its identifier; one under a parent, whose identifier says little alone, by its guid, else by its path. */
function endField({ attribute, entity }: End): Field {
  const lookup = lookupOf(entity);
  if (lookup === undefined) return { kind: 'column', name: attribute, column: attribute };
  return { kind: 'lookup', name: attribute, column: attribute, ...lookup };
}

function lookupOf(entity: EntityPlan): Lookup | undefined {
  const { table, key, identifier } = entity;
  const guid = guidOf(entity);
  return entity.contained ? { table, key, outputs: guid === undefined ? [pathColumn, identifier.column] : [guid.column] } : undefined;
}

/** Of an instance that stands under a parent. */
function guidOf({ contained, entity, attribute }: EntityPlan): AttributePlan | undefined {
  return contained && entity.guid !== undefined ? attribute.get(entity.guid.name) : undefined;
}

function linkEnd(end: End, other: End, table: Table): LinkEnd {
  const { entity } = end;
  return {
    attribute: end.attribute,
    column: end.attribute,
    entity,
    guid: guidOf(entity),
    lookup: lookupOf(entity),
    linked: {
      kind: 'select',
      table: entity.table,
      output: entity.output,
      where: {
        kind: 'and',
        conditions: [equal(entity.identifier.column), linkedFrom({ table }, other.attribute, end.attribute, entity.key)],
      },
      order: [{ column: entity.key, descending: false }],
      limit: true,
      offset: false,
    },
    unlink: { kind: 'delete', table, where: both(equal(end.attribute), equal(other.attribute)) },
  };
}
