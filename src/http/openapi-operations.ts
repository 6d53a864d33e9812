// The operations at the places of a model: collections, instances, and what is invoked.

import type { JsonSchema } from '../model/types/attribute-type.ts';
import type { ResultShape } from '../plan/result-shape.ts';
import { pathColumn } from '../plan/tables.ts';
import { documentation, textSchema } from './openapi-attribute.ts';
import { type Components, componentName, type Reference } from './openapi-components.ts';
import type { CallPlace, PathParameter, Place, RowPlace } from './openapi-places.ts';
import { resultSchema } from './openapi-result.ts';
import { endRequest, identifierSchema, type Schemas } from './openapi-schemas.ts';
import { headersOf, type ParameterName, parametersOf, problemsOf } from './openapi-shared.ts';
import { isReadOnly } from './operations.ts';

export type PathItem = JsonSchema;

export interface Making {
  readonly components: Components;
  readonly schemas: Schemas;
  /** What an event gives back. */
  readonly resultOf: (event: string) => ResultShape;
}

/** The paths at one place. */
export function pathsAt(place: Place, making: Making): readonly (readonly [path: string, item: PathItem])[] {
  if (place.kind === 'call') return [[place.path, { post: invocation(place, making) }]];
  const above = place.above.map(pathParameter);
  const own = pathParameter({ name: place.parameter, plan: place.plan });
  const at = above.length === 0 ? {} : { parameters: above };
  const create = isCreatable(place) ? { post: creation(place, making) } : {};
  const update = (id: string): JsonSchema => change(place, id, making);
  const writes = isReadOnly(place.plan) ? {} : { put: update('update'), patch: update('patch'), delete: removal(place, making) };
  return [
    [place.path, { ...at, get: listing(place, making), ...create }],
    [
      `${place.path}/{${place.parameter}}`,
      {
        parameters: [...above, own],
        get: reading(place, making),
        ...writes,
      },
    ],
  ];
}

export const json = (schema: JsonSchema | Reference): JsonSchema => ({ 'application/json': { schema } });

function pathParameter({ name, plan }: PathParameter): JsonSchema {
  const description = `The \`${plan.identifier.name}\` of a \`${plan.type}\`.`;
  return { name, in: 'path', required: true, description, schema: identifierSchema(plan) };
}

/** A child is created under its parent alone. */
function isCreatable({ plan, under }: RowPlace): boolean {
  return !isReadOnly(plan) && (plan.kind === 'link' || under !== undefined || plan.rootable);
}

/** Whether the identifiers in the path may be those of several instances (decisions 5.2). */
function isAmbiguous({ plan, under }: RowPlace): boolean {
  const isContained = plan.kind === 'entity' && plan.contained;
  if (under === undefined) return isContained;
  return (under.step.kind === 'link' && isContained) || isAmbiguous(under.parent);
}

function operation(place: RowPlace | CallPlace, verb: string, summary: string): JsonSchema {
  return { operationId: `${place.name}-${verb}`, tags: [place.module], summary };
}

function listing(place: RowPlace, { components, schemas }: Making): JsonSchema {
  const { plan } = place;
  const hasRelations = plan.kind === 'entity' && plan.steps.size + plan.parents.length > 0;
  const options: readonly ParameterName[] = [
    '@sort',
    '@limit',
    '@offset',
    '@after',
    '@select',
    ...(hasRelations ? ['@include' as const] : []),
    '@count',
  ];
  const nested = place.under === undefined ? [] : [404, ...(isAmbiguous(place.under.parent) ? [409] : [])];
  return {
    ...operation(place, 'list', `List ${nameOf(place)}`),
    parameters: [...filters(place, components), ...parametersOf(components, ...options)],
    responses: {
      200: answer(place, '-list', components, () => ({
        description: 'The instances, in order.',
        headers: headersOf(components, 'Link', 'X-Total-Count'),
        content: json({ type: 'array', items: schemas.selected(place.plan) }),
      })),
      ...problemsOf(components, 400, ...nested, 422),
    },
  };
}

function creation(place: RowPlace, { components, schemas }: Making): JsonSchema {
  const { plan, under } = place;
  const linked = under?.step.kind === 'link' ? under.step : undefined;
  const verb = linked !== undefined ? 'Link' : 'Create';
  return {
    ...operation(place, 'create', `${verb} ${nameOf(place)}`),
    parameters: parametersOf(components, 'Idempotency-Key'),
    requestBody: { required: true, content: json(linked === undefined ? schemas.create(plan) : schemas.linked(linked)) },
    responses: {
      201: answer(place, '-created', components, () => ({
        description: 'The created instance, with what was created below it.',
        headers: headersOf(components, 'Location', 'ETag'),
        content: json(schemas.instance(plan)),
      })),
      ...problemsOf(components, 400, ...(under === undefined ? [] : [404]), 409, 413, 415, 422),
    },
  };
}

function reading(place: RowPlace, { components, schemas }: Making): JsonSchema {
  const { plan } = place;
  const options: ParameterName[] = ['@select'];
  // The version of an instance says nothing of the link beside it.
  const showsLink = place.under?.step.kind === 'link' && place.under.step.link.hasAttributes;
  const unchanged = components.use('responses', 'not-modified', () => ({
    description: 'The caller has this version.',
    headers: headersOf(components, 'ETag'),
  }));
  if (plan.kind === 'entity' && plan.steps.size + plan.parents.length > 0) options.push('@include');
  if (plan.kind === 'entity' && plan.children.length > 0) options.push('@tree');
  return {
    ...operation(place, 'read', `Read one ${nameOf(place)}`),
    parameters: parametersOf(components, ...options, ...(showsLink ? [] : ['If-None-Match' as const])),
    responses: {
      200: answer(place, '-selected', components, () => instanceAnswer(schemas.selected(plan), components)),
      ...(showsLink ? {} : { 304: unchanged }),
      ...problemsOf(components, 400, 404, ...(isAmbiguous(place) ? [409] : []), 422),
    },
  };
}

function change(place: RowPlace, verb: string, { components, schemas }: Making): JsonSchema {
  const step = place.under?.step;
  return {
    ...operation(place, verb, `Change one ${nameOf(place)}`),
    description: 'Only the attributes that are sent change.',
    parameters: parametersOf(components, 'If-Match'),
    requestBody: { required: true, content: json(schemas.update(place.plan, step?.kind === 'link' ? step : undefined)) },
    responses: {
      200: answer(place, '', components, () => instanceAnswer(schemas.instance(place.plan), components)),
      ...problemsOf(components, 400, 404, 409, 412, 413, 415, 422),
    },
  };
}

function removal(place: RowPlace, { components, schemas }: Making): JsonSchema {
  const unlinks = place.under?.step.kind === 'link';
  const description = unlinks
    ? 'The link goes, the instance stays.'
    : 'The answer is the instance as it was. What it contains goes with it, unless the model says otherwise.';
  return {
    ...operation(place, 'delete', `${unlinks ? 'Unlink' : 'Delete'} one ${nameOf(place)}`),
    description,
    parameters: parametersOf(components, 'If-Match'),
    responses: {
      200: answer(place, '', components, () => instanceAnswer(schemas.instance(place.plan), components)),
      ...problemsOf(components, 400, 404, 409, 412, 422),
    },
  };
}

function invocation(place: CallPlace, { components, schemas, resultOf }: Making): JsonSchema {
  const { target } = place;
  const isEvent = target.kind === 'event';
  const text = isEvent ? documentation(target.event.meta) : undefined;
  const local = isEvent ? target.event.local : target.agent.local;
  const body = isEvent ? schemas.event(target.event) : schemas.message();
  const result = isEvent ? resultSchema(resultOf(target.event.name), 'flat', schemas) : {};
  return {
    ...operation(place, 'invoke', isEvent ? `Create the event ${local}` : `Tell ${local} something`),
    ...(text === undefined ? {} : { description: text }),
    parameters: parametersOf(components, 'Idempotency-Key'),
    requestBody: { required: !isEvent, content: json(body) },
    responses: {
      200: { description: isEvent ? 'What its workflow gives.' : 'The reply.', headers: headersOf(components), content: json(result) },
      ...problemsOf(components, 400, ...(isEvent ? [409] : []), 413, 415, 422, ...(isEvent ? [] : [501])),
    },
  };
}

/** Shared by all places of a type. */
function answer({ plan }: RowPlace, suffix: string, components: Components, make: () => JsonSchema): Reference {
  return components.use('responses', `${componentName(plan.type)}${suffix}`, make);
}

function instanceAnswer(schema: Reference, components: Components): JsonSchema {
  return { description: 'The instance.', headers: headersOf(components, 'ETag'), content: json(schema) };
}

/** `Comment (PostComment of Post)`: what stands at a place, in words. */
function nameOf({ plan, under }: RowPlace): string {
  if (under === undefined) return plan.local;
  const { step, parent } = under;
  const role = step.kind === 'link' && step.to.attribute !== plan.local ? `${step.to.attribute} in ` : '';
  const relationship = step.kind === 'link' ? step.link.local : step.contains.contains.local;
  return `${plan.local} (${role}${relationship} of ${nameOf(parent)})`;
}

/** One parameter per attribute, shared by every list of its type. */
function filters({ plan }: RowPlace, components: Components): readonly Reference[] {
  return plan.output.fields.flatMap(({ name }) => {
    const schema = filterSchema(plan, name);
    if (schema === undefined) return [];
    const isNullOnly = schema === nullFilter;
    const parameter = isNullOnly ? `${name}[null]` : name;
    const description = isNullOnly ? `Whether \`${name}\` is absent.` : `What \`${name}\` is. Other comparisons: \`${name}[op]\`.`;
    const part = `${componentName(plan.type)}-${componentName(name)}`;
    return [components.use('parameters', part, () => ({ name: parameter, in: 'query', required: false, description, schema }))];
  });
}

const nullFilter: JsonSchema = { type: 'boolean' };

function filterSchema(plan: RowPlace['plan'], name: string): JsonSchema | undefined {
  const attribute = plan.attribute.get(name);
  if (attribute !== undefined) return textSchema(attribute.attribute) ?? nullFilter;
  if (name === pathColumn) return { type: 'string' };
  const end = plan.kind === 'link' ? plan.ends.find((each) => each.attribute === name) : undefined;
  return end === undefined ? undefined : endRequest(end);
}
