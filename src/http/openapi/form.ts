// What the surfaces say differently of the same operations: paths, bodies, answers and failures. The current surface is here.

import type { EventType } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { ResultShape } from '../../plan/flow/result/shape.ts';
import type { LinkWay } from '../../plan/plan.ts';
import { isUnowned } from '../../plan/rows/assignments.ts';
import { type Components, componentName, type Reference } from './components.ts';
import { resultSchema } from './schemas/result.ts';
import type { RowPlan } from './schemas/row.ts';
import type { Schemas } from './schemas/schemas.ts';
import { failuresOf, type HeaderName, headersOf, problemFailure } from './shared.ts';

export type Responses = Readonly<Record<string, JsonSchema | Reference>>;

/** How one surface presents the operations of a model. */
export interface Form {
  /** Stands before the paths of the model. */
  readonly prefix: '' | '/api';
  /** Begins the names of operations, so that both surfaces may stand in one document. */
  readonly namespace: '' | 'api-';
  /** Whether a tree has a path of its own; else it is a parameter of a read. */
  readonly hasTreePath: boolean;
  /** Whether an event without attributes may come without a body. */
  readonly allowsNoBody: boolean;
  /** What an operation takes. */
  readonly bodies: {
    create(plan: RowPlan): JsonSchema | Reference;
    linked(way: LinkWay): JsonSchema | Reference;
    update(plan: RowPlan, way?: LinkWay): JsonSchema | Reference;
    event(event: EventType): JsonSchema | Reference;
    message(agent: string): JsonSchema | Reference;
  };
  /** What it answers when it succeeds, by status. */
  readonly answers: {
    list(plan: RowPlan): Responses;
    created(plan: RowPlan): Responses;
    /** With its changes, where they can be watched at that path. */
    read(plan: RowPlan, isWatched?: boolean): Responses;
    changed(plan: RowPlan): Responses;
    /** Where something is done about an instance by a POST. */
    acted(plan: RowPlan): Responses;
    deleted(plan: RowPlan): Responses;
    tree(plan: RowPlan): Responses;
    result(shape: ResultShape): JsonSchema;
  };
  /** Its failures of these statuses, that of who has not signed in where that is asked for, and one for all others. */
  failures(...statuses: readonly number[]): Responses;
  /** The same at paths that are open to everybody. */
  openFailures(...statuses: readonly number[]): Responses;
}

export const json = (schema: JsonSchema | Reference, example?: JsonSchema): JsonSchema => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

/** Besides, for those who ask for `text/event-stream`: what happens, as it happens. */
export const withEvents = (content: JsonSchema, description: string): JsonSchema => ({
  ...content,
  'text/event-stream': { schema: { type: 'string', description } },
});

const changes = `Server-sent events, each with JSON as its data. \`ready\` comes first, with a cursor; \`present\` (with \`@initial=true\`), \`create\` and \`update\` hold an instance as the JSON answer shows it; \`delete\` and \`gone\` hold its identifier and \`__path__\`; \`ping\` keeps the connection. The stream goes on until somebody ends it.`;

/** Whether what becomes of the instances can be watched: what a resolver keeps cannot. */
export function isWatchable({ external }: RowPlan): boolean {
  return external === undefined;
}

function watched(components: Components, content: JsonSchema): JsonSchema {
  const schema = components.use('schemas', 'changes', () => ({ type: 'string', description: changes }));
  return { ...content, 'text/event-stream': { schema } };
}

/** Answers are shared by all operations of a type. */
export function answersOf(components: Components) {
  return (
    { type }: RowPlan,
    suffix: string,
    description: string,
    headers: readonly HeaderName[],
    schema: () => JsonSchema | Reference,
    isWatched = false,
  ): Reference =>
    components.use('responses', `${componentName(type)}${suffix}${isWatched ? '-watched' : ''}`, () => ({
      description,
      headers: headersOf(components, ...headers),
      content: isWatched ? watched(components, json(schema())) : json(schema()),
    }));
}

export function currentForm(components: Components, schemas: Schemas, signedIn: boolean): Form {
  const answer = answersOf(components);
  const instance = (plan: RowPlan): Responses => ({ 200: answer(plan, '', 'The instance.', ['ETag'], () => schemas.instance(plan)) });
  // Who may not read what they made is told where it stands.
  const made = (plan: RowPlan) => (isUnowned(plan) ? schemas.selected(plan) : schemas.instance(plan));
  return {
    prefix: '',
    namespace: '',
    hasTreePath: false,
    allowsNoBody: true,
    bodies: { create: schemas.create, linked: schemas.linked, update: schemas.update, event: schemas.event, message: schemas.message },
    answers: {
      list: (plan) => ({
        200: answer(
          plan,
          '-list',
          'The instances, in order.',
          ['Link', 'X-Total-Count'],
          () => ({ type: 'array', items: schemas.selected(plan) }),
          isWatchable(plan),
        ),
      }),
      created: (plan) => ({
        201: answer(
          plan,
          '-created',
          'The created instance, with what was created below it; of an array, all of them.',
          ['Location', 'ETag'],
          () => ({
            anyOf: [made(plan), { type: 'array', items: made(plan) }],
          }),
        ),
      }),
      read: (plan, isWatched) => ({
        200: answer(plan, '-selected', 'The instance.', ['ETag'], () => schemas.selected(plan), isWatched),
      }),
      changed: instance,
      acted: instance,
      deleted: instance,
      tree: instance,
      result: (shape) => resultSchema(shape, schemas),
    },
    failures: (...statuses) => failuresOf(components, problemFailure, signedIn ? [401, ...statuses] : statuses),
    openFailures: (...statuses) => failuresOf(components, problemFailure, statuses),
  };
}
