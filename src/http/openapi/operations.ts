// The operations at the places of a model: collections, instances, and what is invoked.

import { documentationOf } from '../../model/description.ts';
import type { Agent } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { ResultShape } from '../../plan/flow/result/shape.ts';
import { handled, isReadOnly } from '../rest/operations.ts';
import type { Components, Reference } from './components.ts';
import type { Examples } from './examples/examples.ts';
import { filterParameters } from './filters.ts';
import { type Form, isWatchable, json, withEvents } from './form.ts';
import { apiKeyCreation, isApiKey } from './identity.ts';
import type { CallPath, PathEntry, PathParameter, RowPath } from './paths.ts';
import { waitingAnswer } from './runs.ts';
import { identifierSchema } from './schemas/row.ts';
import { headersOf, type ParameterName, parametersOf } from './shared.ts';

export type PathItem = JsonSchema;

export interface Making {
  readonly components: Components;
  readonly form: Form;
  /** Where a document describes both surfaces, which of them this is: for summaries. */
  readonly note: string;
  readonly examples: Examples;
  /** What an event gives back. */
  readonly resultOf: (event: string) => ResultShape;
  /** Whether a resolver may suspend what an event sets off. */
  readonly maySuspend: (event: string) => boolean;
  /** What an agent answers. */
  readonly replyOf: (agent: Agent) => JsonSchema;
  /** What makes an API key. */
  readonly apiKeyBody: () => JsonSchema | Reference;
}

/** The paths at one place. */
export function pathsAt(place: PathEntry, making: Making): readonly (readonly [path: string, item: PathItem])[] {
  const path = `${making.form.prefix}${place.path}`;
  if (place.kind === 'call') return [[path, { post: invocation(place, making) }]];
  const above = place.above.map((each) => pathParameter(each, making));
  const parameters = [...above, pathParameter({ name: place.parameter, plan: place.plan }, making)];
  const at = above.length === 0 ? {} : { parameters: above };
  const create = isApiKey(place.plan)
    ? { post: apiKeyCreation(operation(place, 'issue', 'Make an API key of the caller', making), making) }
    : isCreatable(place)
      ? { post: creation(place, making) }
      : {};
  const update = (id: string): JsonSchema => change(place, id, making);
  const instance = `${path}/{${place.parameter}}`;
  const writes = isReadOnly(place.plan) ? {} : { put: update('update'), patch: update('patch'), delete: removal(place, making) };
  const one = { parameters, get: reading(place, making), ...writes };
  const trees = making.form.hasTreePath && hasChildren(place) ? [`${instance}/__tree`] : [];
  const all: readonly (readonly [path: string, item: PathItem])[] = [
    [path, { ...at, get: listing(place, making), ...create }],
    [instance, one],
    ...trees.map((each) => [each, { parameters, get: treeReading(place, making) }] as const),
  ];
  return place.plan.external === undefined ? all : all.flatMap(([each, item]) => handledItem(each, item, place.plan));
}

/** Without the methods that the resolver of the type has no handler for. */
function handledItem(path: string, item: PathItem, plan: RowPath['plan']): readonly (readonly [path: string, item: PathItem])[] {
  const methods = Object.keys(item).filter((each) => each !== 'parameters');
  const kept = methods.filter((each) => handled([each.toUpperCase()], plan).length > 0);
  const fields = Object.entries(item).filter(([name]) => !methods.includes(name) || kept.includes(name));
  return kept.length === 0 ? [] : [[path, Object.fromEntries(fields)]];
}

/** The tag of an operation: that of the type of its instances; events and agents stand together in that of their module. */
export function tagOf(place: PathEntry | RowPath | CallPath): string {
  return 'plan' in place ? place.plan.type : place.module;
}

function pathParameter({ name, plan }: PathParameter, { examples }: Making): JsonSchema {
  const description = `The \`${plan.identifier.name}\` of a \`${plan.type}\`.`;
  const example = examples.identifier(plan);
  return { name, in: 'path', required: true, description, schema: identifierSchema(plan), ...(example === undefined ? {} : { example }) };
}

/** A child is created under its parent alone. */
function isCreatable({ plan, under }: RowPath): boolean {
  return !isReadOnly(plan) && (plan.kind === 'link' || under !== undefined || plan.rootable);
}

/** Whether the identifiers in the path may be those of several instances. */
function isAmbiguous({ plan, under }: RowPath): boolean {
  const isContained = plan.kind === 'entity' && plan.contained;
  if (under === undefined) return isContained;
  return (under.step.kind === 'link' && isContained) || isAmbiguous(under.parent);
}

function operation(place: RowPath | CallPath, verb: string, summary: string, { form, note }: Making): JsonSchema {
  return { operationId: `${form.namespace}${place.name}-${verb}`, tags: [tagOf(place)], summary: `${summary}${note}` };
}

function hasChildren({ plan }: RowPath): boolean {
  return plan.kind === 'entity' && plan.children.length > 0;
}

function listing(place: RowPath, making: Making): JsonSchema {
  const { plan } = place;
  const { components, form } = making;
  const options: readonly ParameterName[] = [
    '@or',
    ...(plan.search === undefined ? [] : ['@search' as const]),
    '@sort',
    '@limit',
    '@offset',
    '@after',
    '@select',
    ...(hasRelations(place) ? ['@include' as const] : []),
    '@count',
    '@rights',
    ...ofStreams(plan),
  ];
  const nested = place.under === undefined ? [] : [404, ...(isAmbiguous(place.under.parent) ? [409] : [])];
  return {
    ...operation(place, 'list', `List ${nameOf(place)}`, making),
    parameters: [...filterParameters(plan, components), ...parametersOf(components, ...options)],
    responses: { ...form.answers.list(plan), ...form.failures(400, ...nested, ...expired(plan), 422) },
  };
}

/** What is asked along with `Accept: text/event-stream`. */
function ofStreams(plan: RowPath['plan']): readonly ParameterName[] {
  return isWatchable(plan) ? ['@initial', 'Last-Event-ID'] : [];
}

function expired(plan: RowPath['plan']): readonly number[] {
  return isWatchable(plan) ? [410] : [];
}

function hasRelations({ plan }: RowPath): boolean {
  return plan.kind === 'entity' && plan.steps.size + plan.parents.length > 0;
}

function creation(place: RowPath, making: Making): JsonSchema {
  const { plan, under } = place;
  const { components, form } = making;
  const linked = under?.step.kind === 'link' ? under.step : undefined;
  const verb = linked !== undefined ? 'Link' : 'Create';
  const body = linked === undefined ? form.bodies.create(plan) : form.bodies.linked(linked);
  return {
    ...operation(place, 'create', `${verb} ${nameOf(place)}`, making),
    parameters: parametersOf(components, 'Idempotency-Key'),
    description: 'An array of such bodies creates all of them in one transaction, or none: what does not fit is named by its position.',
    requestBody: { required: true, content: json({ anyOf: [body, { type: 'array', items: body }] }) },
    responses: { ...form.answers.created(plan), ...form.failures(400, ...(under === undefined ? [] : [404]), 409, 413, 415, 422) },
  };
}

function reading(place: RowPath, making: Making): JsonSchema {
  const { plan } = place;
  const { components, form } = making;
  const options: ParameterName[] = ['@select', '@rights'];
  // The version of an instance says nothing of the link beside it.
  const showsLink = place.under?.step.kind === 'link' && place.under.step.link.hasAttributes;
  const unchanged = components.use('responses', 'not-modified', () => ({
    description: 'The caller has this version.',
    headers: headersOf(components, 'ETag'),
  }));
  if (hasRelations(place)) options.push('@include');
  if (!form.hasTreePath && hasChildren(place)) options.push('@tree');
  return {
    ...operation(place, 'read', `Read one ${nameOf(place)}`, making),
    parameters: parametersOf(components, ...options, ...(showsLink ? [] : ['If-None-Match' as const]), ...ofStreams(plan)),
    responses: {
      ...form.answers.read(plan, isWatchable(plan)),
      ...(showsLink ? {} : { 304: unchanged }),
      ...form.failures(400, 404, ...(isAmbiguous(place) ? [409] : []), ...expired(plan), 422),
    },
  };
}

function treeReading(place: RowPath, making: Making): JsonSchema {
  const { form } = making;
  return {
    ...operation(place, 'tree', `Read one ${nameOf(place)} with everything that it contains`, making),
    responses: { ...form.answers.tree(place.plan), ...form.failures(400, 404, ...(isAmbiguous(place) ? [409] : []), 422) },
  };
}

function change(place: RowPath, verb: string, making: Making): JsonSchema {
  const step = place.under?.step;
  const { components, form } = making;
  return {
    ...operation(place, verb, `Change one ${nameOf(place)}`, making),
    description: 'Only the attributes that are sent change.',
    parameters: parametersOf(components, 'If-Match'),
    requestBody: { required: true, content: json(form.bodies.update(place.plan, step?.kind === 'link' ? step : undefined)) },
    responses: { ...form.answers.changed(place.plan), ...form.failures(400, 404, 409, 412, 413, 415, 422) },
  };
}

function removal(place: RowPath, making: Making): JsonSchema {
  const unlinks = place.under?.step.kind === 'link';
  const { components, form } = making;
  const description = unlinks
    ? 'The link goes, the instance stays.'
    : 'The answer is the instance as it was. What it contains goes with it, unless the model says otherwise.';
  return {
    ...operation(place, 'delete', `${unlinks ? 'Unlink' : 'Delete'} one ${nameOf(place)}`, making),
    description,
    parameters: parametersOf(components, 'If-Match'),
    responses: { ...form.answers.deleted(place.plan), ...form.failures(400, 404, 409, 412, 422) },
  };
}

function invocation(place: CallPath, making: Making): JsonSchema {
  const { target } = place;
  const { components, form, resultOf, replyOf } = making;
  const isEvent = target.kind === 'event';
  const text = isEvent ? documentationOf(target.event) : undefined;
  const local = isEvent ? target.event.local : target.agent.local;
  const body = isEvent ? form.bodies.event(target.event) : form.bodies.message(target.agent.name);
  const result = isEvent ? form.answers.result(resultOf(target.event.name)) : replyOf(target.agent);
  return {
    ...operation(place, 'invoke', isEvent ? `Create the event ${local}` : `Tell ${local} something`, making),
    ...(text === undefined ? {} : { description: text }),
    parameters: parametersOf(components, 'Idempotency-Key'),
    requestBody: { required: !isEvent || !form.allowsNoBody, content: json(body) },
    responses: {
      200: {
        description: isEvent ? 'What its workflow gives.' : 'The reply.',
        headers: headersOf(components),
        content: isEvent ? json(result) : withEvents({ ...json(result), 'text/plain': { schema: { type: 'string' } } }, steps),
      },
      ...(isEvent && !making.maySuspend(target.event.name) ? {} : { 202: waitingAnswer(components, isEvent ? 'data' : 'approval') }),
      ...form.failures(400, 409, 413, 415, 422, ...(isEvent ? [] : ofModels)),
    },
  };
}

const steps =
  'Server-sent events, with the names of AG-UI: `RUN_STARTED`, `STEP_STARTED`, `TEXT_MESSAGE_CONTENT`, `TOOL_CALL_START`, `TOOL_CALL_RESULT`, `STEP_FINISHED`, `RUN_FINISHED`, `RUN_ERROR`.';

/** What a language model, or the way to it, may come to. */
const ofModels = [429, 502, 503, 504];

/** `Comment (PostComment of Post)`: what stands at a place, in words. */
function nameOf({ plan, under }: RowPath): string {
  if (under === undefined) return plan.local;
  const { step, parent } = under;
  const role = step.kind === 'link' && step.to.attribute !== plan.local ? `${step.to.attribute} in ` : '';
  const relationship = step.kind === 'link' ? step.link.local : step.contains.contains.local;
  return `${plan.local} (${role}${relationship} of ${nameOf(parent)})`;
}
