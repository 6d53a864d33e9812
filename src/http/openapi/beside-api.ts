// The paths of the earlier surface that do not stand under `/api`: queries as objects, events by their name in the body, and what the model holds.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { isSuspendable } from '../../plan/flow/effects.ts';
import { isReached } from '../../plan/names.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Components } from './components.ts';
import { enveloped } from './earlier-form.ts';
import { type Form, json } from './form.ts';
import { waitingAnswer } from './runs.ts';
import { closedObject } from './schemas/attribute.ts';
import type { EarlierSchemas } from './schemas/earlier.ts';
import { headersOf } from './shared.ts';
import { systemTag } from './system.ts';

export interface BesideApi {
  readonly plan: Plan;
  readonly components: Components;
  readonly form: Form;
  readonly keyed: EarlierSchemas;
  /** Whether every answer with instances stands in the envelope. */
  readonly wrapsAll: boolean;
}

export function besideApiItems(making: BesideApi): Readonly<Record<string, JsonSchema>> {
  const { plan } = making;
  const component = { name: 'component', in: 'path', required: true, description: 'The name of a component.' };
  const names = { ...component, schema: { type: 'string', enum: [...plan.earlierNames.keys()] } };
  return {
    '/q': { post: queryOperation(making) },
    '/dynamic': { post: dynamicOperation(making) },
    '/meta': { get: operation('meta', 'List the components of the model', { type: 'array', items: text }, [], making) },
    ...(plan.earlierNames.size === 0
      ? {}
      : { '/meta/{component}': { parameters: [names], get: operation('component', 'Describe one component', described, [404], making) } }),
  };
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

function operation(
  name: string,
  summary: string,
  result: JsonSchema,
  statuses: readonly number[],
  { components, form }: BesideApi,
): JsonSchema {
  return {
    operationId: `platform-${name}`,
    tags: [systemTag.name],
    summary,
    responses: {
      200: { description: 'What was asked for.', headers: headersOf(components), content: json(result) },
      ...form.failures(...statuses, 405),
    },
  };
}

function queryOperation(making: BesideApi): JsonSchema {
  const { plan, keyed, wrapsAll } = making;
  const types = [...plan.entities.values(), ...plan.links.values()];
  const query = closedObject(
    {
      from: types.length === 0 ? text : { type: 'string', enum: types.map(({ type }) => type) },
      where: { type: 'array', description: '`["=", "Attr", value]`, nested in `["and", …]`, `["or", …]`, `["not", …]`.', items: {} },
      'order-by': {
        description: 'Names of attributes, or `["Attr", "desc"]`; `record.field` and `Rel.Other.attr` as in `@sort`.',
        anyOf: [text, { type: 'array', items: { anyOf: [text, { type: 'array', items: text, minItems: 1, maxItems: 2 }] } }],
      },
      limit: count,
      offset: count,
    },
    ['from'],
  );
  const list = { type: 'array', items: types.length === 0 ? {} : { anyOf: types.map((each) => keyed.instance(each)) } };
  return {
    ...operation('q', 'Read the instances that a query object asks for', wrapsAll ? enveloped(list) : list, [400, 413, 415, 422], making),
    requestBody: { required: true, content: json(closedObject({ Query: query }, ['Query'])) },
  };
}

function dynamicOperation(making: BesideApi): JsonSchema {
  const { plan, form } = making;
  const events = [...plan.model.events.values()].filter(isReached);
  const bodies = events.map((each) => form.bodies.event(each));
  const generated = {
    type: 'object',
    description: 'One of the events that each entity `E` has: `Create_E`, `Update_E`, `Delete_E`, `Lookup_E`, `LookupAll_E`.',
    minProperties: 1,
    maxProperties: 1,
  };
  const described = operation(
    'dynamic',
    'Create the event that the body names',
    form.answers.result({ kind: 'any' }),
    [400, 404, 409, 413, 415, 422],
    making,
  );
  const maySuspend = plan.agents !== undefined && events.some(({ name }) => isSuspendable(name, plan.dataflows));
  const waiting = maySuspend ? { 202: waitingAnswer(making.components, 'data') } : {};
  return {
    ...described,
    requestBody: { required: true, content: json({ anyOf: [...bodies, generated] }) },
    responses: { ...Object(described['responses']), ...waiting },
  };
}

const attributes = { type: 'array', items: { type: 'object' } };
const typed = { type: 'array', items: closedObject({ name: text, attributes }, ['name', 'attributes']) };

/** What stands in a component. */
const described: JsonSchema = closedObject(
  { name: text, entities: typed, records: typed, events: typed, relationships: { type: 'array', items: { type: 'object' } } },
  ['name', 'entities', 'records', 'events', 'relationships'],
);
