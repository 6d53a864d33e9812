// The earlier surface: paths under `/api`, bodies keyed by qualified type names, tagged instances, the success envelope.

import type { Instance, Result } from '../../../engine/operation.ts';
import type { Outcome } from '../../../engine/outcome.ts';
import { error, errorCodes, PlatformError, unreachable } from '../../../errors.ts';
import { isReached } from '../../../plan/names.ts';
import type { EntityPlan, LinkPlan, Plan } from '../../../plan/plan.ts';
import type { Output } from '../../../plan/query/shape.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import { linkMember } from '../../../plan/rows/link.ts';
import { writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import type { HttpRequest, HttpResponse } from '../../exchange.ts';
import { readBody } from '../../media/media.ts';
import { customResponse, keyedOutcome, keyedPieces } from '../../outcome.ts';
import { patternOf, toProblem, withRun } from '../../problem.ts';
import { replyResponse, waitingResponse } from '../agent-answers.ts';
import { etagOf, isKnown } from '../etag.ts';
import { replayed } from '../idempotent-post.ts';
import { nextLink } from '../link-header.ts';
import { allowedAt, operationAt, type Presentation, type SurfaceLimits } from '../operations.ts';
import { resourceOf, segmentsOf } from '../path.ts';
import { streamed } from '../stream.ts';
import type { Asked, Surface } from '../surface.ts';
import { generatedCall, generatedEvent } from './generated.ts';
import { callAttributes, flatCreate, flatUpdate, kindTag, typeTag } from './keyed.ts';
import { components, describeComponent } from './meta.ts';
import { queryBody } from './query-body.ts';

export interface EarlierOptions {
  /** `all` wraps every answer in the envelope, for clients that read `status` everywhere. */
  readonly envelope: 'create' | 'all';
}

const prefix = '/api';

export function earlierSurface(plan: Plan, limits: SurfaceLimits, options: EarlierOptions): Surface {
  const presentation = keyedBodies();
  return {
    toOperation(request) {
      if (request.path !== prefix && !request.path.startsWith(`${prefix}/`)) return besideApi(plan, request, presentation, limits);
      const segments = segmentsOf(request.path.slice(prefix.length) || '/');
      const [component = '', name = '', ...deeper] = segments;
      const generated = request.method === 'POST' && deeper.length === 0 ? generatedEvent(plan, component, name) : undefined;
      if (generated !== undefined) return generatedCall(plan, generated, readBody(request, limits.json) ?? null, presentation);
      const asTree = isTree(segments);
      const place = resourceOf(plan.earlierNames, asTree ? segments.slice(0, -1) : segments);
      if (request.method === 'OPTIONS') return answer(204, undefined, { allow: allowedAt(place, asTree).join(', ') });
      return { kind: 'operation', operation: operationAt(place, request, presentation, limits, asTree) };
    },
    toResponse: (result, request, asked) => toResponse(result, request, asked, options),
    toError: toEarlierError,
  };
}

/** `/q`, `/dynamic` and `/meta`. */
function besideApi(plan: Plan, request: HttpRequest, presentation: Presentation, limits: SurfaceLimits): Asked {
  const [name = '', component, ...rest] = segmentsOf(request.path);
  const allow = name === 'meta' ? ['GET', 'HEAD', 'OPTIONS'] : ['POST', 'OPTIONS'];
  if (!['q', 'dynamic', 'meta'].includes(name) || rest.length > 0 || (component !== undefined && name !== 'meta'))
    throw error('path-unknown');
  if (request.method === 'OPTIONS') return answer(204, undefined, { allow: allow.join(', ') });
  if (!allow.includes(request.method)) throw error('method-not-allowed', { allow });
  if (name === 'q') {
    const { at, query } = queryBody(plan, readBody(request, limits.json) ?? null, limits, presentation);
    return { kind: 'operation', operation: { kind: 'list', at, query } };
  }
  if (name === 'dynamic') return dynamicCall(plan, readBody(request, limits.json) ?? null, presentation);
  if (component === undefined) return answer(200, JSON.stringify(components(plan)), { 'content-type': json });
  const description = describeComponent(plan, component);
  if (description === undefined) throw error('path-unknown');
  return answer(200, JSON.stringify(description), { 'content-type': json });
}

/** The event that is the only key of the body. */
function dynamicCall(plan: Plan, body: Value, presentation: Presentation): Asked {
  const [name = '', ...others] = isObject(body) ? Object.keys(body) : [];
  const slash = name.indexOf('/');
  const generated = others.length > 0 ? undefined : generatedEvent(plan, name.slice(0, slash), name.slice(slash + 1));
  if (generated !== undefined) return generatedCall(plan, generated, body, presentation);
  const found = others.length > 0 ? undefined : plan.model.events.get(name);
  const target = found !== undefined && isReached(found) ? found : undefined;
  if (target === undefined) throw error('body-invalid', { detail: 'The body must be an object keyed by the name of an event.' });
  return { kind: 'operation', operation: { kind: 'invoke', target, body: callAttributes(body, target) } };
}

function answer(status: number, body: string | undefined, headers: Readonly<Record<string, string>>): Asked {
  return { kind: 'answer', response: { status, headers, body } };
}

const json = 'application/json';

/** `/C/P/<id>/__tree`: behind an instance, where a relationship would need a child type too. */
function isTree(segments: readonly string[]): boolean {
  return segments.length % 3 === 1 && segments.length > 1 && segments.at(-1) === '__tree';
}

/** The tags stand first in every instance; in lists the store writes them. */
function keyedBodies(): Presentation {
  const outputs = new Map<EntityPlan | LinkPlan, Output>();
  return {
    name: 'tagged',
    output(plan) {
      const known = outputs.get(plan);
      if (known !== undefined) return known;
      const tags = tagsOf(plan).map(([name, value]) => ({ kind: 'constant', name, value }) as const);
      const made: Output = { fields: [...tags, ...plan.output.fields], columns: plan.output.columns };
      outputs.set(plan, made);
      return made;
    },
    createBody: flatCreate,
    updateBody: flatUpdate,
    callBody: callAttributes,
  };
}

function tagsOf(plan: EntityPlan | LinkPlan): readonly (readonly [string, string])[] {
  return [
    [kindTag, 'entity'],
    [typeTag, plan.type],
  ];
}

function toResponse(result: Result, request: HttpRequest, asked: Asked, { envelope }: EarlierOptions): HttpResponse {
  switch (result.kind) {
    case 'instance': {
      const { instance } = result;
      const etag = etagOf(instance.version);
      if (isKnown(request, asked, instance.version)) return { status: 304, headers: { etag }, body: undefined };
      if (asked.kind === 'operation' && asked.generated !== undefined) return generatedResponse(instance, asked.generated, envelope);
      const text = isPlainRead(asked) ? instance.json : tagged(instance);
      const wraps = envelope === 'all' || request.method === 'POST' || request.method === 'DELETE';
      const tag = instance.isHidden === true ? {} : { etag };
      return { status: 200, headers: { 'content-type': json, ...tag }, body: wraps ? enveloped(`[${text}]`) : text };
    }
    case 'instances':
      return { status: 200, headers: { 'content-type': json }, body: enveloped(`[${result.instances.map(tagged).join(',')}]`) };
    case 'list':
      return listResponse(result.list, request, asked, envelope);
    case 'value':
      return { status: 200, headers: { 'content-type': json }, body: writeJson(result.value) };
    case 'outcome':
      return withRun(
        customResponse(result.outcome, keyedOutcome, (thrown) => toEarlierError(thrown, request)) ??
          largeResponse(result.outcome, request, envelope) ??
          outcomeResponse(keyedOutcome(result.outcome), envelope),
        result.run,
      );
    case 'reply':
      return replyResponse(result, request);
    case 'waiting':
      return waitingResponse(result);
    case 'replay':
      return replayed(result.answer);
    default:
      return unreachable(result);
  }
}

function generatedResponse(instance: Instance, form: 'made' | 'changed', envelope: EarlierOptions['envelope']): HttpResponse {
  const text = form === 'made' ? `{${JSON.stringify(instance.plan.type)}:${instance.json}}` : `[${tagged(instance)}]`;
  return outcomeResponse(text, envelope);
}

/** With the envelope everywhere, instances are always in an array. */
function outcomeResponse(text: string, envelope: EarlierOptions['envelope']): HttpResponse {
  const result = text.startsWith('{') ? `[${text}]` : text;
  return { status: 200, headers: { 'content-type': json }, body: envelope === 'all' ? enveloped(result) : text };
}

/** With the envelope everywhere, it is written as a whole. */
function largeResponse(outcome: Outcome, request: HttpRequest, envelope: EarlierOptions['envelope']): HttpResponse | undefined {
  const body = envelope === 'all' ? undefined : keyedPieces(outcome, request);
  return body === undefined ? undefined : { status: 200, headers: { 'content-type': json }, body };
}

function listResponse(
  list: Extract<Result, { kind: 'list' }>['list'],
  request: HttpRequest,
  asked: Asked,
  envelope: EarlierOptions['envelope'],
): HttpResponse {
  const headers: Record<string, string> = { 'content-type': json };
  if (list.total !== undefined) headers['x-total-count'] = String(list.total);
  // What a query object asks for goes on by its offset.
  if (list.next !== undefined && request.method !== 'POST' && asked.kind === 'operation' && asked.operation.kind === 'list') {
    headers['link'] = nextLink(request, asked.operation.query, list.next);
  }
  const [before, after] = envelope === 'all' ? ['[{"status":"ok","result":[', ']}]'] : ['[', ']'];
  const body = list.rest === undefined ? `${before}${list.first.json}${after}` : streamed(list.first, list.rest, before, after);
  return { status: 200, headers, body };
}

/** A read asks the store for the tags itself. */
function isPlainRead(asked: Asked): boolean {
  return asked.kind === 'operation' && asked.operation.kind === 'read';
}

function enveloped(result: string): string {
  return `[{"status":"ok","result":${result}}]`;
}

/** What stands below an instance is under `->`, by the qualified names of the relationships. */
function tagged({ plan, json: own, nested, link }: Instance): string {
  const tags = tagsOf(plan).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const attributes = [...(own === '{}' ? [] : [own.slice(1, -1)]), ...(link === undefined ? [] : [`"${linkMember}":${link}`])];
  const relationships = nested.map(
    ({ relationship, instances }) => `${JSON.stringify(relationship.name)}:[${instances.map(tagged).join(',')}]`,
  );
  const below = relationships.length === 0 ? [] : [`"->":{${relationships.join(',')}}`];
  return `{${[...tags, ...attributes, ...below].join(',')}}`;
}

function toEarlierError(thrown: unknown, request: HttpRequest): HttpResponse {
  // Status and headers are the same on both surfaces.
  const { status, headers } = toProblem(thrown, request);
  const code = thrown instanceof PlatformError ? thrown.code : 'internal';
  const details = thrown instanceof PlatformError ? thrown.details : {};
  const { detail, errors, errorCount, explanation, result = 'null' } = details;
  const pattern = patternOf(code, details);
  const message = code === 'internal' ? errorCodes.internal : (detail ?? errorCodes[code]);
  const kind = status === 404 ? 'not-found' : 'error';
  // What the model says is written already, and exact.
  const body = `[{"status":"${kind}","result":${result},${JSON.stringify({ message, code, errors, errorCount, pattern, explanation }).slice(1)}]`;
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
}
