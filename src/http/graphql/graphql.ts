// `/graphql`: GraphQL over HTTP. Queries by GET and POST, several at once as an array.

import { GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { Caller } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import { error } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { parseJson } from '../../values/json/json.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Value } from '../../values/value.ts';
import type { Endpoint } from '../endpoint.ts';
import { type ChangeSource, eventType } from '../event-stream.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { preferred, readBody } from '../media/media.ts';
import { documentChecker, invalid } from './document.ts';
import { type Answer, type Asked, answerText, operationIn, run } from './run.ts';
import { schemaOf } from './schema.ts';
import { once, type SubscriptionParts, subscribed } from './subscription/subscription.ts';

export interface GraphqlParts {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly surface: 'current' | 'earlier';
  readonly changes: ChangeSource;
  readonly limits: { readonly page: number | undefined; readonly json: JsonLimits };
  failed(thrown: unknown, request: HttpRequest): void;
}

const path = '/graphql';
const own = 'application/graphql-response+json';
const plain = 'application/json';
const mostTogether = 10;
const methods = ['GET', 'POST', 'OPTIONS'];

interface GraphqlRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

export function graphqlEndpoint({ plan, engine, surface, limits, changes, failed }: GraphqlParts): Endpoint {
  const described = schemaOf(plan, surface);
  const check = documentChecker(described.schema);
  const parts: SubscriptionParts = { ...described, engine, changes, page: limits.page, failed };
  const prepared = (given: GraphqlRequest, request: HttpRequest, caller: Caller, isAlone: boolean): Prepared | Answer => {
    const document = check(given.query);
    if (document.kind === 'refused') return { data: undefined, errors: document.errors };
    const definition = operationIn(document, given.operationName);
    if (definition instanceof GraphQLError) return { data: undefined, errors: [definition] };
    if (request.method === 'GET' && definition.operation === 'mutation') throw error('method-not-allowed', { allow: ['POST'] });
    return { definition, asked: { document, operationName: given.operationName, variables: given.variables, request, caller, isAlone } };
  };
  const answer = async (given: GraphqlRequest, request: HttpRequest, caller: Caller, isAlone: boolean): Promise<Answer> => {
    const found = prepared(given, request, caller, isAlone);
    if ('errors' in found) return found;
    if (found.definition.operation === 'subscription') return { data: undefined, errors: [invalid(needsStream)] };
    return run(found.definition, found.asked, parts);
  };
  /** By the protocol of graphql-sse, with a connection for each operation. */
  const streamed = async (given: GraphqlRequest, request: HttpRequest, caller: Caller): Promise<HttpResponse> => {
    const found = prepared(given, request, caller, true);
    if ('errors' in found) return responseOf(found, own);
    if (found.definition.operation === 'subscription') return subscribed(found.definition, found.asked, parts);
    return once(await run(found.definition, found.asked, parts));
  };
  return {
    matches: (request) => request.path === path || request.path === `${path}/`,
    async respond(request, caller) {
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: methods.join(', ') }, body: undefined };
      if (!methods.includes(request.method)) throw error('method-not-allowed', { allow: methods });
      const type = answerType(request);
      const body = request.method === 'GET' ? fromQuery(request, limits.json) : (readBody(request, limits.json) ?? null);
      if (wantsEvents(request)) return streamed(requestOf(body), request, caller);
      if (!isList(body)) return responseOf(await answer(requestOf(body), request, caller, true), type);
      if (body.length === 0 || body.length > mostTogether)
        throw error('limit-exceeded', { detail: `At most ${mostTogether} requests come together.` });
      const texts: string[] = [];
      for (const each of body.map(requestOf)) texts.push(answerText(await answer(each, request, caller, body.length === 1)));
      return { status: 200, headers: headersOf(type), body: `[${texts.join(',')}]` };
    },
  };
}

const needsStream = 'A subscription is asked for with Accept: text/event-stream.';

interface Prepared {
  readonly definition: OperationDefinitionNode;
  readonly asked: Asked;
}

function wantsEvents({ headers: { accept } }: HttpRequest): boolean {
  return typeof accept === 'string' && accept.includes(eventType) && preferred(accept, [eventType, own, plain]) === eventType;
}

function answerType({ headers: { accept } }: HttpRequest): string {
  if (typeof accept !== 'string' || /(^|,)\s*(\*\/\*|application\/\*)/.test(accept)) return accept?.includes(own) === true ? own : plain;
  return preferred(accept, [own, plain]) ?? plain;
}

function fromQuery({ query }: HttpRequest, limits: JsonLimits): Value {
  const given = new URLSearchParams(query);
  const variables = given.get('variables');
  return {
    query: given.get('query'),
    operationName: given.get('operationName'),
    variables: variables === null ? null : parseJson(variables, limits),
  };
}

function requestOf(body: Value): GraphqlRequest {
  if (!isObject(body)) throw error('body-invalid', { detail: 'The body must be an object with a query.' });
  const { query = null, operationName = null, variables = null, extensions = null } = body;
  if (typeof query !== 'string') throw error('body-invalid', { detail: 'query must be a text.' });
  if (operationName !== null && typeof operationName !== 'string') throw error('body-invalid', { detail: 'operationName must be a text.' });
  if (variables !== null && !isObject(variables)) throw error('body-invalid', { detail: 'variables must be an object.' });
  if (extensions !== null && !isObject(extensions)) throw error('body-invalid', { detail: 'extensions must be an object.' });
  return { query, operationName: operationName ?? undefined, variables: variables ?? {} };
}

function responseOf(answer: Answer, type: string): HttpResponse {
  const isRefused = answer.data === undefined;
  return { status: isRefused && type === own ? 400 : 200, headers: headersOf(type), body: answerText(answer) };
}

function headersOf(type: string): Record<string, string> {
  return { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store', vary: 'Accept' };
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
