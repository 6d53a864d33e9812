// The schemas of a model: what instances look like in answers, and what creates, changes and invocations take.

import type { Attribute, EventType, Model } from '../model/model.ts';
import { subtypesOf, typeMember } from '../model/subtypes.ts';
import type { JsonSchema } from '../model/types/attribute-type.ts';
import type { EventPlan } from '../plan/dataflow.ts';
import { linkMember } from '../plan/link.ts';
import type { AttributePlan, EntityPlan, LinkEnd, LinkPlan, LinkWay, Step } from '../plan/plan.ts';
import { isToOne, parentWays } from '../plan/related.ts';
import { pathColumn } from '../plan/tables.ts';
import {
  answerSchema,
  beside,
  createSchema,
  described,
  documentation,
  isRequired,
  nullable,
  requestSchema,
  textSchema,
} from './openapi-attribute.ts';
import { type Components, componentName, type Reference } from './openapi-components.ts';

type RowPlan = EntityPlan | LinkPlan;
type Properties = Record<string, JsonSchema>;

export interface Schemas {
  /** An instance with all its attributes. */
  instance(plan: RowPlan): Reference;
  /** An instance of which `@select` may have left attributes out. */
  selected(plan: RowPlan): Reference;
  create(plan: RowPlan): Reference;
  /** `way` is the link by which it was reached, where it was. */
  update(plan: RowPlan, way?: LinkWay): Reference;
  /** What is sent to link an instance: a new one, or the identifier of an existing one. */
  linked(way: LinkWay): Reference;
  /** The attributes of a link as linked instances show them. */
  link(plan: LinkPlan): Reference;
  event(event: EventType): Reference;
  /** A record in an answer. */
  record(type: string): Reference;
  /** An event in an answer: its attributes as they were checked. */
  made(event: EventPlan): JsonSchema;
  /** An instance as the earlier surface gives it; without tags where it stands under the name of its type. */
  earlier(plan: RowPlan, tagged: boolean): Reference;
  taggedRecord(type: string): Reference;
  message(): Reference;
}

export function createSchemas(model: Model, components: Components): Schemas {
  const use = (type: string, suffix: string, make: () => JsonSchema): Reference =>
    components.use('schemas', `${componentName(type)}${suffix}`, make);
  const attributesOf = (type: string): readonly Attribute[] => (model.records.get(type) ?? model.entities.get(type))?.attributes ?? [];
  const answered = (record: string): Reference =>
    use(record, recordSuffix(record, model), () => recordAnswer(attributesOf(record), anyAnswered));
  const sent = (record: string): Reference => use(record, '-value', () => recordRequest(attributesOf(record), anySent));
  // Where a record is expected, one that extends it may stand, and says so.
  const anyOf = (record: string, suffix: string, own: RecordOf, make: (sub: string) => JsonSchema): Reference => {
    const subtypes = subtypesOf(record, model, model.records.has(record));
    if (subtypes.length === 0) return own(record);
    const named = (sub: string) => use(sub, `-named${suffix}`, () => namingType(sub, make(sub)));
    return use(record, `-any${suffix}`, () => ({ anyOf: [own(record), ...subtypes.map(named)] }));
  };
  const anyAnswered: RecordOf = (record) => anyOf(record, '', answered, (sub) => recordAnswer(attributesOf(sub), anyAnswered));
  const anySent: RecordOf = (record) => anyOf(record, '-value', sent, (sub) => recordRequest(attributesOf(sub), anySent));
  const schemas: Schemas = {
    instance: (plan) => use(plan.type, '', () => instanceSchema(plan, schemas, anyAnswered, allFields(plan))),
    selected: (plan) =>
      use(plan.type, '-selected', () => instanceSchema(plan, schemas, anyAnswered, [plan.identifier.name, ...plan.systemFields])),
    create: (plan) => use(plan.type, '-create', () => createBody(plan, schemas, anySent)),
    update: (plan, way) =>
      way?.link.hasAttributes === true
        ? use(way.link.type, `-${componentName(way.to.attribute)}-update`, () => linkedUpdate(way, schemas, anyAnswered, anySent))
        : use(plan.type, '-update', () => updateBody(plan, schemas, anyAnswered, anySent)),
    linked: (way) =>
      way.link.hasAttributes
        ? use(way.link.type, `-${componentName(way.to.attribute)}-link`, () => linkBody(way, schemas, anySent))
        : use(way.target.type, '-link', () => linkBody(way, schemas, anySent)),
    link: (plan) => use(plan.type, '-attributes', () => linkSchema(plan, anyAnswered)),
    event: (event) => use(event.name, '-event', () => eventBody(event, anySent)),
    record: answered,
    made: (event) => madeSchema(event, model, anyAnswered),
    earlier: (plan, tagged) => use(plan.type, tagged ? '-tagged' : '-keyed', () => earlierSchema(plan, anyAnswered, tagged)),
    taggedRecord: (type) => use(type, '-tagged', () => withTags('record', type, recordAnswer(attributesOf(type), anyAnswered))),
    message: () => components.use('schemas', 'agent-message', () => object({ message: { type: 'string' } }, ['message'])),
  };
  return schemas;
}

type RecordOf = (record: string) => Reference;

/** The relationships of an entity, by the names that bodies and answers use. */
function relationsOf(plan: RowPlan): readonly (readonly [string, Step])[] {
  if (plan.kind === 'link') return [];
  return [...plan.steps].flatMap(([name, [first]]) => {
    const isOwn = first !== undefined && !name.includes('$') && !plan.attribute.has(name);
    return isOwn ? [[name, first] as const] : [];
  });
}

function allFields(plan: RowPlan): readonly string[] {
  return plan.output.fields.map((field) => field.name);
}

/** Open for further properties: what a later version adds is no breach of this one. */
function instanceSchema(plan: RowPlan, schemas: Schemas, recordOf: RecordOf, required: readonly string[]): JsonSchema {
  const properties: Properties = {};
  for (const name of allFields(plan)) properties[name] = fieldSchema(plan, name, recordOf);
  Object.assign(properties, relatedSchemas(plan, schemas));
  return described({ type: 'object', properties, required }, textOf(plan));
}

/** What an answer may hold besides attributes: related instances, and the attributes of the link by which it was reached. */
function relatedSchemas(plan: RowPlan, schemas: Schemas): Properties {
  if (plan.kind === 'link') return {};
  const properties: Properties = {};
  for (const [name, way] of [...relationsOf(plan), ...parentWays(plan)]) {
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

function linkSchema(link: LinkPlan, recordOf: RecordOf): JsonSchema {
  const visible = link.attributes.filter((each) => !each.hidden).map((each) => each.name);
  const properties = visible.map((name): [string, JsonSchema] => [name, fieldSchema(link, name, recordOf)]);
  return { type: 'object', properties: Object.fromEntries(properties), required: visible };
}

/** Related instances stand under `->`, by the qualified names of their relationships. */
function earlierSchema(plan: RowPlan, recordOf: RecordOf, tagged: boolean): JsonSchema {
  const properties: Properties = {};
  for (const name of allFields(plan)) properties[name] = fieldSchema(plan, name, recordOf);
  const below = { type: 'object', additionalProperties: { type: 'array', items: { type: 'object' } } };
  properties['->'] = { ...below, description: 'Where there are any: related instances, by relationship.' };
  const schema = described({ type: 'object', properties, required: allFields(plan) }, textOf(plan));
  return tagged ? withTags('entity', plan.type, schema) : schema;
}

function withTags(tag: 'entity' | 'record', type: string, schema: JsonSchema): JsonSchema {
  const tags = { 'type-*-tag-*-': { const: tag }, '-*-type-*-': { const: type } };
  const { properties, required } = schema;
  return {
    ...schema,
    properties: { ...tags, ...(typeof properties === 'object' ? properties : {}) },
    required: [...Object.keys(tags), ...(Array.isArray(required) ? required : [])],
  };
}

/** What a trigger gives, and instances in place of their attributes, are taken as they come. */
function madeSchema({ attributes, given }: EventPlan, model: Model, recordOf: RecordOf): JsonSchema {
  const properties = attributes.map(({ name, attribute }): [string, JsonSchema] => {
    const isOpen = given.has(name) || (attribute.type.kind === 'record' && !model.records.has(attribute.type.record));
    return [name, isOpen ? {} : answerSchema(attribute, recordOf)];
  });
  return { type: 'object', properties: Object.fromEntries(properties), required: attributes.map((each) => each.name) };
}

/** One field of an answer. */
function fieldSchema(plan: RowPlan, name: string, recordOf: RecordOf): JsonSchema {
  const attribute = plan.attribute.get(name);
  if (attribute !== undefined) {
    const schema = answerSchema(attribute.attribute, recordOf);
    return attribute.attribute.expression === undefined ? schema : beside(schema, { readOnly: true });
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
    return { ...(textSchema(guid.attribute) ?? {}), description: `The linked \`${entity.type}\`, by its \`${guid.name}\`.` };
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
    return { anyOf: [textSchema(guid.attribute) ?? {}, path, identifier], description: named };
  }
  const text = `An existing \`${entity.type}\`, by its \`${entity.identifier.name}\`${entity.contained ? ' while that is unambiguous' : ''}, or its path.`;
  return { anyOf: [path, identifier], description: text };
}

export function identifierSchema(plan: RowPlan): JsonSchema {
  return textSchema(plan.identifier.attribute) ?? {};
}

/** `known` are the ends that are known already, from where the link is made. */
function createBody(plan: RowPlan, schemas: Schemas, recordOf: RecordOf, known: readonly LinkEnd[] = []): JsonSchema {
  const properties: Properties = {};
  const required: string[] = [];
  for (const end of plan.kind === 'link' ? plan.ends : []) {
    if (known.includes(end)) continue;
    properties[end.attribute] = endRequest(end);
    required.push(end.attribute);
  }
  for (const { attribute, name } of plan.attributes) {
    if (attribute.expression !== undefined) continue;
    properties[name] = createSchema(attribute, recordOf);
    if (isRequired(attribute)) required.push(name);
  }
  for (const [name, step] of relationsOf(plan)) {
    const items = step.kind === 'contains' ? schemas.create(step.target) : schemas.linked(step);
    const text = step.kind === 'contains' ? 'Created with it.' : 'Created with it, or existing ones, and linked.';
    properties[name] = { type: 'array', items, description: text };
  }
  for (const [name, { link, from }] of plan.kind === 'entity' ? plan.linkNames : []) {
    const text = `Linked with it by \`${link.local}\`.`;
    properties[name] = { type: 'array', items: createBody(link, schemas, recordOf, [from]), description: text };
  }
  return object(properties, required);
}

/** What cannot be changed may be sent back as it was read; it is marked as read-only. */
function updateBody(plan: RowPlan, schemas: Schemas, answered: RecordOf, sent: RecordOf): JsonSchema {
  const properties = changedAttributes(plan, answered, sent);
  for (const [name, schema] of Object.entries(relatedSchemas(plan, schemas)))
    if (name !== linkMember) properties[name] = { ...schema, readOnly: true };
  return object(properties, []);
}

function changedAttributes(plan: RowPlan, answered: RecordOf, sent: RecordOf): Properties {
  const properties: Properties = {};
  for (const name of allFields(plan)) {
    const attribute = plan.attribute.get(name);
    const fixed = attribute === undefined || isFixed(plan, attribute);
    properties[name] = fixed ? beside(fieldSchema(plan, name, answered), { readOnly: true }) : requestSchema(attribute.attribute, sent);
  }
  for (const { attribute, name, hidden } of plan.attributes) {
    if (hidden) properties[name] = requestSchema(attribute, sent);
  }
  return properties;
}

function linkedUpdate({ target, link }: LinkWay, schemas: Schemas, answered: RecordOf, sent: RecordOf): JsonSchema {
  const { properties } = updateBody(target, schemas, answered, sent);
  const attributes = changedAttributes(link, answered, sent);
  for (const end of link.ends) delete attributes[end.attribute];
  return object({ ...(typeof properties === 'object' ? properties : {}), [linkMember]: object(attributes, []) }, []);
}

function isFixed(plan: RowPlan, attribute: AttributePlan): boolean {
  return attribute === plan.identifier || attribute.attribute.readonly || attribute.attribute.expression !== undefined;
}

function linkBody(way: LinkWay, schemas: Schemas, recordOf: RecordOf): JsonSchema {
  const { target, link } = way;
  const existing = existingBodies(way, recordOf);
  if (!link.hasAttributes) return target.rootable ? { type: 'object', anyOf: [schemas.create(target), ...existing] } : oneOf(existing);
  const attributes = createBody(link, schemas, recordOf, link.ends);
  const needed = Array.isArray(attributes['required']) ? [linkMember] : [];
  const made = [...(target.rootable ? [createBody(target, schemas, recordOf)] : []), ...existing].map(({ properties, required }) => {
    const own = Array.isArray(required) ? required.map(String) : [];
    return object({ ...(typeof properties === 'object' ? properties : {}), [linkMember]: attributes }, [...own, ...needed]);
  });
  return target.rootable ? { type: 'object', anyOf: made } : oneOf(made);
}

function oneOf(bodies: readonly JsonSchema[]): JsonSchema {
  const [only] = bodies;
  return bodies.length === 1 && only !== undefined ? only : { type: 'object', oneOf: bodies };
}

/** What names an instance that exists; under a parent also its guid or its path. */
function existingBodies({ target, to }: LinkWay, recordOf: RecordOf): readonly JsonSchema[] {
  const { guid } = to;
  const { identifier } = target;
  const names: Properties = { [identifier.name]: identifierSchema(target) };
  if (guid !== undefined && guid !== identifier) names[guid.name] = requestSchema(guid.attribute, recordOf);
  if (target.contained) names[pathColumn] = { type: 'string' };
  return Object.entries(names).map(([name, schema]) => object({ [name]: schema }, [name]));
}

function eventBody(event: EventType, recordOf: RecordOf): JsonSchema {
  if (event.open) return { type: 'object', additionalProperties: true };
  const properties = event.attributes.map((each): [string, JsonSchema] => [each.name, createSchema(each, recordOf)]);
  return object(
    Object.fromEntries(properties),
    event.attributes.filter(isRequired).map((each) => each.name),
  );
}

/** An entity's own name is taken by its instances. */
function recordSuffix(record: string, model: Model): string {
  return model.records.has(record) ? '' : '-record';
}

function recordAnswer(attributes: readonly Attribute[], recordOf: RecordOf): JsonSchema {
  const properties = attributes.map((each): [string, JsonSchema] => [each.name, answerSchema(each, recordOf)]);
  return { type: 'object', properties: Object.fromEntries(properties), required: attributes.map((each) => each.name) };
}

/** With the name of the type, where another one is expected. */
function namingType(type: string, schema: JsonSchema): JsonSchema {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = typeof schema['properties'] === 'object' ? schema['properties'] : {};
  return { ...schema, properties: { [typeMember]: { const: type }, ...properties }, required: [typeMember, ...required] };
}

/** Inside a record only plain defaults are filled in. */
function recordRequest(attributes: readonly Attribute[], recordOf: RecordOf): JsonSchema {
  const properties = attributes.map((each): [string, JsonSchema] => {
    const schema = each.default?.kind === 'value' ? createSchema(each, recordOf) : requestSchema(each, recordOf);
    return [each.name, schema];
  });
  const required = attributes.filter((each) => !each.optional && each.default?.kind !== 'value').map((each) => each.name);
  return object(Object.fromEntries(properties), required);
}

function object(properties: Readonly<Properties>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

function textOf(plan: RowPlan): string | undefined {
  return documentation(plan.kind === 'entity' ? plan.entity.meta : plan.between.meta);
}
