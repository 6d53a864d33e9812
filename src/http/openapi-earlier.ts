// The events of a model on the earlier surface, as paths of an OpenAPI document: keyed bodies, bare or enveloped results.

import { errorCodes, unreachable } from '../errors.ts';
import type { JsonSchema } from '../model/types/attribute-type.ts';
import type { ResultShape } from '../plan/result-shape.ts';
import type { EarlierOptions } from './earlier.ts';
import { documentation } from './openapi-attribute.ts';
import type { Components, Reference } from './openapi-components.ts';
import { json, type Making, type PathItem } from './openapi-operations.ts';
import type { CallPlace } from './openapi-places.ts';
import { resultSchema } from './openapi-result.ts';
import { headersOf, parametersOf } from './openapi-shared.ts';

export function earlierPath(place: CallPlace, making: Making, envelope: EarlierOptions['envelope']): Readonly<Record<string, PathItem>> {
  const { target, module, name, path } = place;
  if (target.kind !== 'event') return {};
  const { components, schemas, resultOf } = making;
  const { event } = target;
  const text = documentation(event.meta);
  const shape = resultOf(event.name);
  const result = resultSchema(shape, 'keyed', schemas);
  const body = {
    type: 'object',
    properties: { [event.name]: schemas.event(event) },
    required: [event.name],
  };
  const post = {
    operationId: `${name}-event`,
    tags: [module],
    summary: `Create the event ${event.local}, in the form of the earlier surface`,
    ...(text === undefined ? {} : { description: text }),
    parameters: parametersOf(components, 'Idempotency-Key'),
    requestBody: { required: true, content: json(body) },
    responses: {
      200: {
        description: 'What its dataflow gives.',
        headers: headersOf(components),
        content: json(envelope === 'all' ? enveloped(shape, result) : result),
      },
      ...failures(components),
    },
  };
  return { [`/api${path}`]: { post } };
}

/** An object stands in an array there. */
function enveloped(shape: ResultShape, schema: JsonSchema): JsonSchema {
  const answer = {
    type: 'object',
    properties: { status: { const: 'ok' }, result: inEnvelope(shape, schema) },
    required: ['status', 'result'],
  };
  return { type: 'array', items: answer, minItems: 1, maxItems: 1 };
}

function inEnvelope(shape: ResultShape, schema: JsonSchema): JsonSchema {
  switch (shape.kind) {
    case 'instance':
    case 'record':
    case 'event':
    case 'row':
      return { type: 'array', items: schema };
    case 'list':
    case 'scalar':
    case 'nothing':
    case 'false':
      return schema;
    case 'attribute':
    case 'either':
    case 'any':
      return {};
    default:
      return unreachable(shape);
  }
}

function failures(components: Components): Readonly<Record<string, Reference>> {
  const statuses = ['400', '409', '413', '415', '422', 'default'];
  const failure = components.use('responses', 'earlier-failure', () => ({
    description: 'Failure: an envelope whose `status` is not `ok`.',
    headers: headersOf(components, 'Retry-After', 'Allow'),
    content: json(components.use('schemas', 'earlier-failure', () => failureSchema)),
  }));
  return Object.fromEntries(statuses.map((status) => [status, failure]));
}

const failureSchema: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 1,
  items: {
    type: 'object',
    required: ['status', 'result', 'message', 'code'],
    properties: {
      status: { type: 'string', enum: ['error', 'not-found'] },
      result: { description: 'What the model says of the failure; else null.' },
      message: { type: 'string' },
      code: { type: 'string', enum: Object.keys(errorCodes) },
      errors: { type: 'array', description: 'Every attribute that does not fit; of more than 100, the first.', items: { type: 'object' } },
      errorCount: { type: 'integer', description: 'How many do not fit, where they are more than are listed.' },
      pattern: { type: 'string', description: 'What the step of a dataflow does that failed.' },
    },
  },
};
