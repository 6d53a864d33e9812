// The earlier surface in an OpenAPI document: keyed bodies, tagged instances, the envelope of creates and deletes (or of everything), and its failures.

import { errorCodes, unreachable } from '../../errors.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { ResultShape } from '../../plan/flow/result/shape.ts';
import type { EarlierOptions } from '../rest/earlier/earlier.ts';
import type { Components, Reference } from './components.ts';
import type { Examples } from './examples/examples.ts';
import { answersOf, type Form, isWatchable, type Responses } from './form.ts';
import { closedObject, withExample } from './schemas/attribute.ts';
import { type EarlierSchemas, keyedExample } from './schemas/earlier.ts';
import { resultSchema } from './schemas/result.ts';
import type { RowPlan } from './schemas/row.ts';
import type { Schemas } from './schemas/schemas.ts';
import { type FailureForm, failuresOf } from './shared.ts';

export interface EarlierFormOptions extends EarlierOptions {
  readonly examples: Examples;
  /** Whether its paths need a token. */
  readonly signedIn: boolean;
}

export function earlierForm(components: Components, schemas: Schemas, keyed: EarlierSchemas, options: EarlierFormOptions): Form {
  const { envelope, signedIn, examples } = options;
  const answer = answersOf(components);
  const wrapsAll = envelope === 'all';
  const bare = (schema: Reference): JsonSchema => ({ ...(wrapsAll ? enveloped({ type: 'array', items: schema }) : schema) });
  const listOf = (plan: RowPlan): JsonSchema => {
    const list = { type: 'array', items: keyed.selected(plan) };
    return wrapsAll ? enveloped(list) : list;
  };
  const instance = (plan: RowPlan): Responses => ({
    200: answer(plan, '-tagged', 'The instance.', ['ETag'], () => bare(keyed.instance(plan))),
  });
  const wrapped = (plan: RowPlan, suffix: string, description: string): Responses => ({
    200: answer(plan, suffix, description, ['ETag'], () => enveloped({ type: 'array', items: keyed.instance(plan) })),
  });
  return {
    prefix: '/api',
    namespace: 'api-',
    hasTreePath: true,
    allowsNoBody: false,
    bodies: {
      create: keyed.create,
      linked: keyed.linked,
      update: keyed.update,
      event: (event) =>
        withExample(
          closedObject({ [event.name]: { ...schemas.event(event) } }, [event.name]),
          keyedExample(event.name, examples.event(event)),
        ),
      message: (agent) => withExample(closedObject({ [agent]: { ...schemas.message() } }, [agent]), { [agent]: { message: 'Hello' } }),
    },
    answers: {
      list: (plan) => ({
        200: answer(plan, '-tagged-list', 'The instances, in order.', ['Link', 'X-Total-Count'], () => listOf(plan), isWatchable(plan)),
      }),
      created: (plan) => wrapped(plan, '-keyed-created', 'The envelope with what was created; under `->` what was created below each.'),
      read: (plan, isWatched) => ({
        200: answer(plan, '-tagged-selected', 'The instance.', ['ETag'], () => bare(keyed.selected(plan)), isWatched),
      }),
      changed: instance,
      acted: (plan) => wrapped(plan, '-keyed-acted', 'The envelope with the instance as it is then.'),
      deleted: (plan) => wrapped(plan, '-keyed-deleted', 'The envelope with the instance as it was.'),
      tree: instance,
      result: (shape) => {
        const result = resultSchema(shape, schemas, keyed);
        return wrapsAll ? enveloped(inEnvelope(shape, result)) : result;
      },
    },
    failures: (...statuses) => failuresOf(components, earlierFailure, signedIn ? [401, ...statuses] : statuses),
    openFailures: (...statuses) => failuresOf(components, earlierFailure, statuses),
  };
}

export function enveloped(result: JsonSchema): JsonSchema {
  const answer = { type: 'object', properties: { status: { const: 'ok' }, result }, required: ['status', 'result'] };
  return { type: 'array', items: answer, minItems: 1, maxItems: 1 };
}

/** An object stands in an array there. */
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

/** An envelope whose `status` is not `ok`. */
export const earlierFailure: FailureForm = {
  name: 'earlier-failure',
  type: 'earlier-failure',
  media: 'application/json',
  schema: {
    type: 'array',
    description: 'What went wrong: an envelope whose `status` is not `ok`.',
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
        errors: {
          type: 'array',
          description: 'Every attribute that does not fit; of more than 100, the first.',
          items: { type: 'object' },
        },
        errorCount: { type: 'integer', description: 'How many do not fit, where they are more than are listed.' },
        pattern: { type: 'string', description: 'What the step of a dataflow does that failed.' },
      },
    },
  },
};
