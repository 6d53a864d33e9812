// The parts of instances that both surfaces show and take alike: attributes, ends of links, related instances, what names an existing one.

import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import { describeAttribute, describeRow } from '../../../plan/description/description.ts';
import type { EntityPlan, LinkEnd, LinkPlan, LinkWay } from '../../../plan/plan.ts';
import { isToOne, parentWays } from '../../../plan/query/related.ts';
import { parentMember } from '../../../plan/rows/keys.ts';
import { linkMember } from '../../../plan/rows/link.ts';
import { pathColumn } from '../../../plan/rows/tables.ts';
import type { Reference } from '../components.ts';
import {
  answerSchema,
  beside,
  closedObject,
  createSchema,
  nullable,
  type Properties,
  type RecordSchema,
  requestSchema,
  textSchema,
} from './attribute.ts';

export type RowPlan = EntityPlan | LinkPlan;

/** The members of an object, and those that must be there. */
export interface Members {
  readonly properties: Properties;
  readonly required: string[];
}

export function fieldSchemas(plan: RowPlan, recordOf: RecordSchema): Properties {
  return Object.fromEntries(describeRow(plan).fields.map((name) => [name, fieldSchema(plan, name, recordOf)]));
}

/** How instances, and the attributes of links, are referred to. */
export interface InstanceSchemas {
  instance(plan: RowPlan): Reference;
  link(plan: LinkPlan): Reference;
}

/** What an answer may hold besides attributes: related instances, and the attributes of the link by which it was reached. */
export function relatedSchemas(plan: RowPlan, schemas: InstanceSchemas): Properties {
  if (plan.kind === 'link') return {};
  const properties: Properties = {};
  for (const [name, way] of [...describeRow(plan).relations, ...parentWays(plan)]) {
    const description = `Where the request asked for it: what \`${name}\` leads to.`;
    const instance = schemas.instance(way.target);
    properties[name] = isToOne(way)
      ? { anyOf: [instance, { type: 'null' }], description }
      : { type: 'array', items: instance, description };
  }
  const links = new Set(
    [...plan.steps.values()].flat().flatMap((step) => (step.kind === 'link' && step.link.hasAttributes ? [step.link] : [])),
  );
  if (links.size > 0) {
    const description = 'Where it was reached by a link: the attributes of that link.';
    const [only, ...others] = [...links].map((link) => schemas.link(link));
    properties[linkMember] = others.length === 0 ? { ...only, description } : { anyOf: [only, ...others], description };
  }
  return properties;
}

export function linkSchema(link: LinkPlan, recordOf: RecordSchema): JsonSchema {
  const visible = describeRow(link).readable.map((each) => each.name);
  const properties = visible.map((name): [string, JsonSchema] => [name, fieldSchema(link, name, recordOf)]);
  return { type: 'object', properties: Object.fromEntries(properties), required: visible };
}

/** One field of an answer. */
function fieldSchema(plan: RowPlan, name: string, recordOf: RecordSchema): JsonSchema {
  const attribute = describeRow(plan).attribute.get(name);
  if (attribute !== undefined) {
    const schema = answerSchema(attribute, recordOf);
    return attribute.computed ? beside(schema, { readOnly: true }) : schema;
  }
  const end = endOf(plan, name);
  return end === undefined ? { ...pathSchema(plan), readOnly: true } : endAnswer(end);
}

function endOf(plan: RowPlan, name: string): LinkEnd | undefined {
  return plan.kind === 'link' ? plan.ends.find((end) => end.attribute === name) : undefined;
}

/** Absent where an instance stands under no parent: a root of a type that contains itself, a child that outlived its parent. */
function pathSchema(plan: RowPlan): JsonSchema {
  const schema = { type: 'string', pattern: '^path://', description: 'The way from the outermost parent to this instance.' };
  const canBeFree = plan.kind === 'entity' && (plan.rootable || plan.parents.some((each) => !each.contains.cascade));
  return canBeFree ? nullable(schema) : schema;
}

function endAnswer({ entity, guid }: LinkEnd): JsonSchema {
  if (guid !== undefined)
    return {
      ...(textSchema(describeAttribute(guid.attribute)) ?? {}),
      description: `The linked \`${entity.type}\`, by its \`${guid.name}\`.`,
    };
  const byIdentifier = `\`${entity.identifier.name}\``;
  if (!entity.contained) return { ...identifierSchema(entity), description: `The linked \`${entity.type}\`, by its ${byIdentifier}.` };
  const description = `The linked \`${entity.type}\`, by its path; by its ${byIdentifier} where it stands under no parent.`;
  return { anyOf: [{ type: 'string', pattern: '^path://' }, identifierSchema(entity)], description };
}

export function endRequest({ entity, guid }: LinkEnd): JsonSchema {
  const path = { type: 'string', pattern: '^path://' };
  const identifier = identifierSchema(entity);
  if (guid !== undefined && guid !== entity.identifier) {
    const named = `An existing \`${entity.type}\`, by its \`${guid.name}\`, its path, or its \`${entity.identifier.name}\` while that is unambiguous.`;
    return { anyOf: [textSchema(describeAttribute(guid.attribute)) ?? {}, path, identifier], description: named };
  }
  const text = `An existing \`${entity.type}\`, by its \`${entity.identifier.name}\`${entity.contained ? ' while that is unambiguous' : ''}, or its path.`;
  return { anyOf: [path, identifier], description: text };
}

export function identifierSchema(plan: RowPlan): JsonSchema {
  return textSchema(describeRow(plan).identifier) ?? {};
}

/** What a create takes apart from related instances; `known` are the ends that are known already, from where the link is made. */
export function createdAttributes(plan: RowPlan, recordOf: RecordSchema, known: readonly LinkEnd[] = []): Members {
  const properties: Properties = {};
  const required: string[] = [];
  for (const end of plan.kind === 'link' ? plan.ends : []) {
    if (known.includes(end)) continue;
    properties[end.attribute] = endRequest(end);
    required.push(end.attribute);
  }
  for (const attribute of describeRow(plan).settable) {
    properties[attribute.name] = createSchema(attribute, recordOf);
    if (attribute.required) required.push(attribute.name);
  }
  return { properties, required };
}

/** What cannot be changed may be sent back as it was read; it is marked as read-only. */
export function changedAttributes(plan: RowPlan, answered: RecordSchema, sent: RecordSchema): Properties {
  const properties: Properties = {};
  const { fields, attribute, changeable } = describeRow(plan);
  for (const name of fields) {
    const found = attribute.get(name);
    properties[name] =
      found?.changeable === true ? requestSchema(found, sent) : beside(fieldSchema(plan, name, answered), { readOnly: true });
  }
  for (const each of changeable) if (!each.readable) properties[each.name] = requestSchema(each, sent);
  if (plan.kind === 'entity' && plan.parents.length > 0) properties[parentMember] = newParentSchema(plan);
  return properties;
}

function newParentSchema({ parents, rootable }: EntityPlan): JsonSchema {
  const types = [...new Set(parents.map(({ parent }) => `\`${parent.type}\``))].join(' or ');
  const none = rootable ? ', or null for none' : '';
  const description = `Moves it, with everything below it, to another parent: the path of a ${types}${none}.`;
  const schema = { type: 'string', pattern: '^path://', description };
  return rootable ? nullable(schema) : schema;
}

/** Of a link, as they stand beside an instance that it leads to. */
export function changedLink(link: LinkPlan, answered: RecordSchema, sent: RecordSchema): JsonSchema {
  const attributes = changedAttributes(link, answered, sent);
  for (const end of link.ends) delete attributes[end.attribute];
  return closedObject(attributes, []);
}

/** The bodies, each with the attributes of the link by which the instance is linked, where it has any. */
export function besideLink(bodies: readonly Members[], link: LinkPlan, recordOf: RecordSchema): readonly JsonSchema[] {
  const own = createdAttributes(link, recordOf, link.ends);
  return bodies.map(({ properties, required }) => {
    if (!link.hasAttributes) return closedObject(properties, required);
    const members = { ...properties, [linkMember]: closedObject(own.properties, own.required) };
    return closedObject(members, own.required.length === 0 ? required : [...required, linkMember]);
  });
}

export function oneOf(bodies: readonly JsonSchema[]): JsonSchema {
  const [only] = bodies;
  return bodies.length === 1 && only !== undefined ? only : { type: 'object', oneOf: bodies };
}

/** What names an instance that exists; under a parent also its guid or its path. */
export function existingBodies({ target, to }: LinkWay, recordOf: RecordSchema): readonly Members[] {
  const { guid } = to;
  const { identifier } = target;
  const names: Properties = { [identifier.name]: identifierSchema(target) };
  if (guid !== undefined && guid !== identifier) names[guid.name] = requestSchema(describeAttribute(guid.attribute), recordOf);
  if (target.contained) names[pathColumn] = { type: 'string' };
  return Object.entries(names).map(([name, schema]) => ({ properties: { [name]: schema }, required: [name] }));
}
