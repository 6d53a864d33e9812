// What a create takes under the names of relationships, as a schema: one level of it, as every type has a tool of its own that says the rest.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { describeRow } from '../../plan/description/description.ts';
import type { EntityPlan, LinkWay } from '../../plan/plan.ts';
import { closedObject, type Properties, type RecordSchema } from '../openapi/schemas/attribute.ts';
import { besideLink, createdAttributes, existingBodies } from '../openapi/schemas/row.ts';

export function nestedProperties(plan: EntityPlan, recordOf: RecordSchema): Properties {
  const properties: Properties = {};
  for (const [name, step] of describeRow(plan).relations) {
    const { target } = step;
    const items = step.kind === 'contains' ? createdBody(target, recordOf) : linkedBody(step, recordOf);
    const made = step.kind === 'contains' ? 'Created with it.' : 'Created with it, or existing ones, and linked.';
    const below = hasRelations(target)
      ? ` In each, what is related to it may stand in the same way, as the create of ${target.local} says.`
      : '';
    properties[name] = { type: 'array', items, description: `${made}${below}` };
  }
  for (const [name, { link, from }] of plan.linkNames) {
    const { properties: own, required } = createdAttributes(link, recordOf, [from]);
    properties[name] = { type: 'array', items: closedObject(own, required), description: `Linked with it by \`${link.local}\`.` };
  }
  return properties;
}

function createdBody(plan: EntityPlan, recordOf: RecordSchema): JsonSchema {
  const { properties, required } = createdAttributes(plan, recordOf);
  return asOpen(plan, closedObject(properties, required));
}

/** One that exists by what names it, and a new one where it needs no parent. */
function linkedBody(way: LinkWay, recordOf: RecordSchema): JsonSchema {
  const { target, link } = way;
  const existing = besideLink(existingBodies(way, recordOf), link, recordOf);
  const made = target.rootable ? besideLink([createdAttributes(target, recordOf)], link, recordOf) : [];
  return { type: 'object', anyOf: [...made.map((each) => asOpen(target, each)), ...existing] };
}

/** What is related to a related instance is not listed, and taken. */
function asOpen(plan: EntityPlan, { additionalProperties, ...schema }: JsonSchema): JsonSchema {
  return hasRelations(plan) ? schema : { ...schema, additionalProperties };
}

function hasRelations(plan: EntityPlan): boolean {
  return describeRow(plan).relations.length + plan.linkNames.size > 0;
}
