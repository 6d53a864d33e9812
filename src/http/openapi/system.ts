// The service's own paths in an OpenAPI document.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { Components } from './components.ts';
import type { Form } from './form.ts';
import { headersOf } from './shared.ts';

/** No module can have this name. */
export const systemTag = { name: 'platform', description: 'The service itself.' };

/** `own` is the form of the project's own surface: failures of these paths have it. */
export function systemPathItems(components: Components, own: Form, metrics: boolean): Readonly<Record<string, JsonSchema>> {
  const about = object('name', 'version');
  const status = object('status');
  const items = {
    '/': { get: operation('about', 'Name the application', { 200: answer('Its name and version.', about, components) }, own) },
    '/health': { get: operation('health', 'Tell whether the service lives', { 200: answer('It does.', status, components) }, own) },
    '/ready': {
      get: operation(
        'ready',
        'Tell whether the service can work',
        { 200: answer('It can.', status, components), 503: answer('Its store cannot be used now.', status, components) },
        own,
      ),
    },
  };
  const described = {
    description: 'Modules, entities, relationships, records, events, agents and flows, with what the caller may do with each.',
    headers: headersOf(components),
    content: { 'application/json': { schema: { type: 'object' } } },
  };
  const model = { ...named('model', 'Describe the model'), responses: { 200: described, ...own.failures(405, 422) } };
  const withModel = { ...items, '/platform/model': { get: model } };
  if (!metrics) return withModel;
  const measured = {
    description: 'In the text format of Prometheus.',
    headers: headersOf(components),
    content: { 'text/plain': { schema: { type: 'string' } } },
  };
  const metrical = { ...named('metrics', 'Give the measurements of the service'), responses: { 200: measured, ...own.failures(405) } };
  return { ...withModel, '/metrics': { get: metrical } };
}

/** Open to everybody, also where the paths of the application need a token. */
function operation(name: string, summary: string, responses: JsonSchema, own: Form): JsonSchema {
  return { ...named(name, summary), security: [], responses: { ...responses, ...own.openFailures(405) } };
}

function named(name: string, summary: string): JsonSchema {
  return { operationId: `platform-${name}`, tags: [systemTag.name], summary };
}

function answer(description: string, schema: JsonSchema, components: Components): JsonSchema {
  return { description, headers: headersOf(components), content: { 'application/json': { schema } } };
}

function object(...names: readonly string[]): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required: names };
}

const anything: JsonSchema = { type: 'object' };

export interface OperatorPaths {
  readonly accessControl: boolean;
  readonly audit: boolean;
}

/** What only admins may ask for, or, where authentication is off, whoever is on the machine itself. */
export function operatorItems(components: Components, own: Form, parts: OperatorPaths): Readonly<Record<string, JsonSchema>> {
  const asked = (name: string, summary: string, description: string, schema: JsonSchema, ...statuses: readonly number[]): JsonSchema => ({
    ...named(name, summary),
    responses: { 200: answer(description, schema, components), ...own.failures(403, 405, 422, ...statuses) },
  });
  const access = {
    ...asked('access', 'Tell who may do what, or whether one user may do one thing, and why', 'The matrix of rights, or the explanation.', {
      anyOf: [{ type: 'array', items: anything }, anything],
    }),
    parameters: accessParameters.map(([name, description, schema]) => ({ name, in: 'query', required: false, description, schema })),
  };
  const verify = asked('verify', 'Prove that the audit trail is as it was written', 'What was found.', anything, 503);
  const file = { description: 'The database at one moment.', headers: headersOf(components), content: sqliteFile };
  return {
    '/platform/source': { get: asked('source', 'Give the texts of the model', 'Files, and what is to be said about them.', anything, 404) },
    '/platform/migrations': {
      get: asked('migrations', 'Tell what the model would change in the tables, and what was changed', 'In words.', anything, 503),
    },
    '/platform/status': { get: asked('status', 'Tell how the service is doing', 'Store, schema, instances, timers, resolvers.', anything) },
    ...(parts.accessControl ? { '/platform/access': { get: access } } : {}),
    ...(parts.audit ? { '/platform/audit/verify': { post: verify } } : {}),
    '/platform/backup': {
      post: { ...named('backup', 'Download a copy of the data'), responses: { 200: file, ...own.failures(403, 405, 422, 501, 503, 507) } },
    },
  };
}

const sqliteFile: JsonSchema = { 'application/vnd.sqlite3': { schema: { type: 'string', contentMediaType: 'application/vnd.sqlite3' } } };

const accessParameters: readonly (readonly [name: string, description: string, schema: JsonSchema])[] = [
  ['user', 'Who: the e-mail of a user. Without any of these, the whole matrix is given.', { type: 'string' }],
  ['operation', 'What: `execute` is for events and agents.', { type: 'string', enum: ['create', 'read', 'update', 'delete', 'execute'] }],
  ['on', 'On what: the path of an instance, a collection, an event or an agent.', { type: 'string' }],
  ['roles', 'Of an API key with these roles alone, separated by commas.', { type: 'string' }],
];

/** Where other protocols are spoken, which describe themselves. */
export function protocolItems(
  components: Components,
  own: Form,
  { graphql = false, mcp = false }: { readonly graphql?: boolean; readonly mcp?: boolean },
): Readonly<Record<string, JsonSchema>> {
  const spoken = (name: string, summary: string, body: JsonSchema, media: string): JsonSchema => ({
    post: {
      ...named(name, summary),
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
      responses: {
        200: {
          description: 'The answer, in which a failure of the call may stand too.',
          headers: headersOf(components),
          content: { 'application/json': { schema: anything }, [media]: { schema: media === 'text/event-stream' ? text : anything } },
        },
        ...own.failures(400, 405, 413, 415),
      },
    },
  });
  const text = { type: 'string' };
  const query = { type: 'object', properties: { query: text, variables: anything, operationName: text }, required: ['query'] };
  const message = {
    type: 'object',
    properties: { jsonrpc: { const: '2.0' }, id: { type: ['string', 'integer'] }, method: text, params: anything },
    required: ['jsonrpc', 'method'],
  };
  return {
    ...(graphql
      ? {
          '/graphql': spoken('graphql', 'Ask in GraphQL; `platform graphql` prints the schema', query, 'application/graphql-response+json'),
        }
      : {}),
    ...(mcp
      ? { '/mcp': spoken('mcp', 'Speak the Model Context Protocol (Streamable HTTP, without sessions)', message, 'text/event-stream') }
      : {}),
  };
}
