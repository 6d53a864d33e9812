// The schemas of a model: what instances look like in answers, and what creates, changes and invocations take.

import type { EventType, Model } from '../../../model/model.ts';
import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import { describeAttribute, describeRow, describeType } from '../../../plan/description/description.ts';
import type { EventPlan } from '../../../plan/flow/flow.ts';
import type { LinkEnd, LinkPlan, LinkWay } from '../../../plan/plan.ts';
import { linkMember } from '../../../plan/rows/link.ts';
import { type Components, componentName, type Reference } from '../components.ts';
import type { Examples } from '../examples/examples.ts';
import { answerSchema, closedObject, createSchema, described, type Properties, type RecordSchema, withExample } from './attribute.ts';
import type { RecordSchemas } from './record.ts';
import {
  besideLink,
  changedAttributes,
  changedLink,
  createdAttributes,
  existingBodies,
  fieldSchemas,
  linkSchema,
  type Members,
  oneOf,
  type RowPlan,
  relatedSchemas,
} from './row.ts';

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
  record: RecordSchema;
  /** An event in an answer: its attributes as they were checked. */
  made(event: EventPlan): JsonSchema;
  message(): Reference;
}

export function createSchemas(
  model: Model,
  components: Components,
  { answered, anyAnswered, anySent }: RecordSchemas,
  examples?: Examples,
): Schemas {
  const use = (type: string, suffix: string, make: () => JsonSchema): Reference =>
    components.use('schemas', `${componentName(type)}${suffix}`, make);
  const schemas: Schemas = {
    instance: (plan) =>
      use(plan.type, '', () => withExample(instanceSchema(plan, schemas, anyAnswered, describeRow(plan).always), examples?.instance(plan))),
    selected: (plan) =>
      use(plan.type, '-selected', () =>
        withExample(instanceSchema(plan, schemas, anyAnswered, [plan.identifier.name, ...plan.systemFields]), examples?.known(plan)),
      ),
    create: (plan) => use(plan.type, '-create', () => withExample(createBody(plan, schemas, anySent), examples?.create(plan))),
    update: (plan, way) =>
      way?.link.hasAttributes === true
        ? use(way.link.type, `-${componentName(way.to.attribute)}-update`, () =>
            withExample(linkedUpdate(way, schemas, anyAnswered, anySent), examples?.update(plan)),
          )
        : use(plan.type, '-update', () => withExample(updateBody(plan, schemas, anyAnswered, anySent), examples?.update(plan))),
    linked: (way) =>
      way.link.hasAttributes
        ? use(way.link.type, `-${componentName(way.to.attribute)}-link`, () =>
            withExample(linkBody(way, schemas, anySent), examples?.linked(way)),
          )
        : use(way.target.type, '-link', () => withExample(linkBody(way, schemas, anySent), examples?.linked(way))),
    link: (plan) => use(plan.type, '-attributes', () => linkSchema(plan, anyAnswered)),
    event: (event) => use(event.name, '-event', () => withExample(eventBody(event, anySent), examples?.event(event))),
    record: answered,
    made: (event) => madeSchema(event, model, anyAnswered),
    message: () =>
      components.use('schemas', 'agent-message', () =>
        withExample(
          closedObject({ message: { type: 'string' }, conversation: { type: 'string', minLength: 1, maxLength: 200 } }, ['message']),
          { message: 'Hello' },
        ),
      ),
  };
  return schemas;
}

/** Open for further properties: what a later version adds is no breach of this one. */
function instanceSchema(plan: RowPlan, schemas: Schemas, recordOf: RecordSchema, required: readonly string[]): JsonSchema {
  const properties = { ...fieldSchemas(plan, recordOf), ...relatedSchemas(plan, schemas) };
  return described({ type: 'object', properties, required }, describeRow(plan).documentation);
}

/** What a trigger gives, and instances in place of their attributes, are taken as they come. */
function madeSchema({ attributes, given }: EventPlan, model: Model, recordOf: RecordSchema): JsonSchema {
  const properties = attributes.map(({ name, attribute }): [string, JsonSchema] => {
    const isOpen = given.has(name) || (attribute.type.kind === 'record' && !model.records.has(attribute.type.record));
    return [name, isOpen ? {} : answerSchema(describeAttribute(attribute), recordOf)];
  });
  return { type: 'object', properties: Object.fromEntries(properties), required: attributes.map((each) => each.name) };
}

function createBody(plan: RowPlan, schemas: Schemas, recordOf: RecordSchema): JsonSchema {
  const { properties, required } = createMembers(plan, schemas, recordOf);
  return closedObject(properties, required);
}

/** Attributes, and under the names of relationships what is created or linked with it. */
function createMembers(plan: RowPlan, schemas: Schemas, recordOf: RecordSchema, known: readonly LinkEnd[] = []): Members {
  const { properties, required } = createdAttributes(plan, recordOf, known);
  for (const [name, step] of describeRow(plan).relations) {
    const items = step.kind === 'contains' ? schemas.create(step.target) : schemas.linked(step);
    const text = step.kind === 'contains' ? 'Created with it.' : 'Created with it, or existing ones, and linked.';
    properties[name] = { type: 'array', items, description: text };
  }
  for (const [name, { link, from }] of plan.kind === 'entity' ? plan.linkNames : []) {
    const own = createdAttributes(link, recordOf, [from]);
    properties[name] = {
      type: 'array',
      items: closedObject(own.properties, own.required),
      description: `Linked with it by \`${link.local}\`.`,
    };
  }
  return { properties, required };
}

function updateBody(plan: RowPlan, schemas: Schemas, answered: RecordSchema, sent: RecordSchema): JsonSchema {
  return closedObject(changedMembers(plan, schemas, answered, sent), []);
}

function changedMembers(plan: RowPlan, schemas: Schemas, answered: RecordSchema, sent: RecordSchema): Properties {
  const properties = changedAttributes(plan, answered, sent);
  for (const [name, schema] of Object.entries(relatedSchemas(plan, schemas)))
    if (name !== linkMember) properties[name] = { ...schema, readOnly: true };
  return properties;
}

function linkedUpdate({ target, link }: LinkWay, schemas: Schemas, answered: RecordSchema, sent: RecordSchema): JsonSchema {
  const properties = changedMembers(target, schemas, answered, sent);
  return closedObject({ ...properties, [linkMember]: changedLink(link, answered, sent) }, []);
}

function linkBody(way: LinkWay, schemas: Schemas, recordOf: RecordSchema): JsonSchema {
  const { target, link } = way;
  const existing = existingBodies(way, recordOf);
  if (!target.rootable) return oneOf(besideLink(existing, link, recordOf));
  if (!link.hasAttributes) return { type: 'object', anyOf: [schemas.create(target), ...besideLink(existing, link, recordOf)] };
  return { type: 'object', anyOf: besideLink([createMembers(target, schemas, recordOf), ...existing], link, recordOf) };
}

/** What an event takes. */
export function eventBody(event: EventType, recordOf: RecordSchema): JsonSchema {
  const { open, settable } = describeType(event);
  if (open) return { type: 'object', additionalProperties: true };
  const properties = settable.map((each): [string, JsonSchema] => [each.name, createSchema(each, recordOf)]);
  return closedObject(
    Object.fromEntries(properties),
    settable.filter(({ required }) => required).map(({ name }) => name),
  );
}
