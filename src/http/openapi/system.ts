// The service's own paths in an OpenAPI document.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { Components, Reference } from './components.ts';
import { earlierFailure } from './earlier-form.ts';
import { type Form, json } from './form.ts';
import { closedObject } from './schemas/attribute.ts';
import { headersOf, problemFailure } from './shared.ts';

/** No module can have this name. */
export const systemTag = { name: 'platform', description: 'The service itself.' };

export interface SystemDescribed {
  readonly components: Components;
  /** The form of the project's own surface: failures of these paths have it. */
  readonly own: Form;
  readonly application: { readonly name: string; readonly version: string };
  /** Whether there are agents, which need a language model. */
  readonly agents: boolean;
  readonly metrics: boolean;
}

export function systemPathItems({ components, own, application, agents, metrics }: SystemDescribed): Readonly<Record<string, JsonSchema>> {
  const told = (description: string, schema: JsonSchema, example: JsonSchema): JsonSchema => ({
    description,
    headers: headersOf(components),
    content: json(schema, example),
  });
  const readiness = (status: string): JsonSchema => ({
    type: 'object',
    properties: {
      status: { const: status },
      ...(agents ? { llm: { enum: ['configured', 'unconfigured'], description: 'Whether agents have a language model.' } } : {}),
      unavailable: { type: 'array', items: text, description: 'Other systems that have failed and are not asked for a while.' },
    },
    required: ['status', ...(agents ? ['llm'] : [])],
    additionalProperties: false,
  });
  const ready = (status: string): JsonSchema => ({ status, ...(agents ? { llm: 'configured' } : {}) });
  const items = {
    '/': {
      get: operation(
        'about',
        'Name the application',
        { 200: told('Its name and version.', closedObject({ name: text, version: text }, ['name', 'version']), application) },
        own,
      ),
    },
    '/health': {
      get: operation(
        'health',
        'Tell whether the service lives',
        { 200: told('It does.', closedObject({ status: { const: 'ok' } }, ['status']), { status: 'ok' }) },
        own,
      ),
    },
    '/ready': {
      get: operation(
        'ready',
        'Tell whether the service can work',
        {
          200: told('It can.', readiness('ready'), ready('ready')),
          503: told('Its store cannot be used now.', readiness('not-ready'), ready('not-ready')),
        },
        own,
      ),
    },
  };
  const described = {
    description: 'Modules, entities, relationships, records, events, agents and flows, with what the caller may do with each.',
    headers: headersOf(components),
    content: json(modelSchema),
  };
  const model = { ...named('model', 'Describe the model'), responses: { 200: described, ...own.failures(405, 422) } };
  const withModel = { ...items, '/platform/model': { get: model } };
  if (!metrics) return withModel;
  const measured = {
    description: 'In the text format of Prometheus.',
    headers: headersOf(components),
    content: { 'text/plain': { schema: text, example: metricsExample } },
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

const text = { type: 'string' };
const anything: JsonSchema = { type: 'object' };
const things = { type: 'array', items: anything };

const metricsExample =
  '# HELP http_requests_in_flight Requests that are being answered.\n# TYPE http_requests_in_flight gauge\nhttp_requests_in_flight 1\n';

const modelSchema: JsonSchema = closedObject(
  {
    application: closedObject({ name: text, version: text }, ['name', 'version']),
    surface: { enum: ['current', 'earlier'], description: 'Paths are those of this surface.' },
    features: { type: 'object', additionalProperties: { type: 'boolean' }, description: 'Parts of the service that are on.' },
    caller: closedObject({ email: text, roles: { type: 'array', items: text }, isAdmin: { type: 'boolean' } }, ['roles', 'isAdmin']),
    modules: { type: 'array', items: text },
    entities: things,
    relationships: things,
    records: things,
    events: things,
    agents: things,
    flows: things,
  },
  ['application', 'surface', 'features', 'caller', 'modules', 'entities', 'relationships', 'records', 'events', 'agents', 'flows'],
);

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
  const proved = {
    description: 'What was found.',
    headers: headersOf(components),
    content: { ...json(anything), 'text/event-stream': { schema: { ...text, description: verifyEvents } } },
  };
  const verify = {
    ...named('verify', 'Prove that the audit trail is as it was written'),
    responses: { 200: proved, ...own.failures(403, 405, 422, 503) },
  };
  const explain = {
    ...asked(
      'explain',
      'Tell the steps of an event with their statements, or the rules of an entity',
      'The steps, or the rules.',
      anything,
      404,
    ),
    parameters: explainParameters.map(([name, description]) => ({ name, in: 'query', required: false, description, schema: text })),
  };
  const file = { description: 'The database at one moment.', headers: headersOf(components), content: sqliteFile };
  return {
    '/platform/source': { get: asked('source', 'Give the texts of the model', 'Files, and what is to be said about them.', anything, 404) },
    '/platform/migrations': {
      get: asked('migrations', 'Tell what the model would change in the tables, and what was changed', 'In words.', anything, 503),
    },
    '/platform/status': {
      get: asked('status', 'Tell how the service is doing', 'Store, schema, instances, timers, resolvers.', anything, 503),
    },
    '/platform/explain': { get: explain },
    ...(parts.accessControl ? { '/platform/access': { get: access } } : {}),
    ...(parts.audit ? { '/platform/audit/verify': { post: verify } } : {}),
    '/platform/backup': {
      post: { ...named('backup', 'Download a copy of the data'), responses: { 200: file, ...own.failures(403, 405, 422, 501, 503, 507) } },
    },
  };
}

const sqliteFile: JsonSchema = { 'application/vnd.sqlite3': { schema: { type: 'string', contentMediaType: 'application/vnd.sqlite3' } } };

const verifyEvents = '`progress` tells how far it has got, `done` holds what was found, `failed` that it could not be told.';

const explainParameters: readonly (readonly [name: string, description: string])[] = [
  ['event', 'The name of an event: its steps. Either this or `entity`.'],
  ['entity', 'The name of an entity: its rules.'],
];

const accessParameters: readonly (readonly [name: string, description: string, schema: JsonSchema])[] = [
  ['user', 'Who: the e-mail of a user. Without any of these, the whole matrix is given.', { type: 'string' }],
  ['operation', 'What: `execute` is for events and agents.', { type: 'string', enum: ['create', 'read', 'update', 'delete', 'execute'] }],
  ['on', 'On what: the path of an instance, a collection, an event or an agent.', { type: 'string' }],
  ['roles', 'Of an API key with these roles alone, separated by commas.', { type: 'string' }],
];

interface Protocols {
  readonly graphql?: boolean;
  readonly mcp?: boolean;
  readonly auth?: boolean;
}

/** Where other protocols are spoken, which describe themselves: GraphQL and the Model Context Protocol. */
export function protocolItems(
  components: Components,
  own: Form,
  { graphql = false, mcp = false, auth = false }: Protocols,
): Readonly<Record<string, JsonSchema>> {
  return {
    ...(graphql ? { '/graphql': graphqlItem(components, own) } : {}),
    ...(mcp ? { '/mcp': mcpItem(components, own) } : {}),
    ...(mcp && auth ? metadataItems(components, own) : {}),
  };
}

const nullable = (type: string): JsonSchema => ({ type: [type, 'null'] });

const graphqlMedia = 'application/graphql-response+json';
const events = {
  ...text,
  description:
    'By the protocol of graphql-sse: each `next` holds a result, `complete` ends the stream. A subscription is answered so alone.',
};
const page = { ...text, description: 'What a browser shows: a page to write operations in.' };

function graphqlItem(components: Components, own: Form): JsonSchema {
  const request = components.use('schemas', 'graphql-request', () => requestSchema);
  const result = components.use('schemas', 'graphql-result', () => resultSchema);
  const answer = (schema: JsonSchema | Reference, further: JsonSchema): JsonSchema => ({
    200: {
      description: 'The result, in which failures of fields stand too.',
      headers: headersOf(components),
      content: { ...json(schema), [graphqlMedia]: { schema }, 'text/event-stream': { schema: events }, ...further },
    },
  });
  const refused = { 400: refusal(components, own, result) };
  const parameter = (name: string, description: string): JsonSchema => ({ name, in: 'query', required: false, description, schema: text });
  return {
    get: {
      ...named('graphql-query', 'Ask in GraphQL by GET: no mutations'),
      parameters: [
        parameter('query', 'The document; only the page does without.'),
        parameter('variables', 'An object, as JSON.'),
        parameter('operationName', 'Which operation of the document.'),
      ],
      responses: { ...answer(result, { 'text/html': { schema: page } }), ...own.failures(405, 422), ...refused },
    },
    post: {
      ...named('graphql', 'Ask in GraphQL; `platform graphql` prints the schema'),
      requestBody: { required: true, content: json({ anyOf: [request, { type: 'array', items: request, minItems: 1, maxItems: 10 }] }) },
      responses: {
        ...answer({ anyOf: [result, { type: 'array', items: result }] }, {}),
        ...own.failures(405, 413, 415, 422),
        ...refused,
      },
    },
  };
}

/** What is no request at all fails as everywhere; what is no query of the schema is answered by GraphQL. */
function refusal(components: Components, own: Form, result: Reference): JsonSchema {
  const { type, media, schema } = own.prefix === '' ? problemFailure : earlierFailure;
  return {
    description: 'The body or the parameters cannot be read, or the document is refused as a whole.',
    headers: headersOf(components),
    content: { [media]: { schema: components.use('schemas', type, () => schema) }, [graphqlMedia]: { schema: result } },
  };
}

const requestSchema: JsonSchema = {
  type: 'object',
  properties: { query: text, variables: nullable('object'), operationName: nullable('string'), extensions: nullable('object') },
  required: ['query'],
};

const resultSchema: JsonSchema = {
  type: 'object',
  properties: {
    data: nullable('object'),
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          message: text,
          locations: { type: 'array', items: anything },
          path: { type: 'array', items: { type: ['string', 'integer'] } },
          extensions: { type: 'object', description: '`code` and `status` as REST has them, and `errors` of attributes.' },
        },
      },
    },
  },
};

function mcpItem(components: Components, own: Form): JsonSchema {
  const id = { type: ['string', 'integer'] };
  const message = {
    type: 'object',
    properties: { jsonrpc: { const: '2.0' }, id, method: text, params: anything },
    required: ['jsonrpc', 'method'],
  };
  const answer = components.use('schemas', 'mcp-answer', () => ({
    type: 'object',
    properties: { jsonrpc: { const: '2.0' }, id: { type: ['string', 'integer', 'null'] }, result: anything, error: anything },
    required: ['jsonrpc'],
  }));
  const stream = { ...text, description: 'Server-sent events, each a JSON-RPC message: where the caller asks for progress.' };
  return {
    post: {
      ...named('mcp', 'Speak the Model Context Protocol (Streamable HTTP, without sessions)'),
      requestBody: { required: true, content: json(message) },
      responses: {
        200: {
          description: 'The answer, in which a failure of the call may stand too.',
          headers: headersOf(components),
          content: { ...json(answer), 'text/event-stream': { schema: stream } },
        },
        202: { description: 'A notification was taken.', headers: headersOf(components) },
        406: { description: 'The caller accepts not both JSON and events.', headers: headersOf(components), content: json(answer) },
        ...own.failures(400, 403, 405, 413, 415),
      },
    },
  };
}

/** RFC 9728, where tokens for `/mcp` come from: open to everybody, at the path of the service and at that of the resource. */
function metadataItems(components: Components, own: Form): Readonly<Record<string, JsonSchema>> {
  const metadata = components.use('schemas', 'protected-resource', () => ({
    type: 'object',
    properties: {
      resource: { type: 'string', format: 'uri' },
      resource_name: text,
      bearer_methods_supported: { type: 'array', items: text },
      authorization_servers: { type: 'array', items: { type: 'string', format: 'uri' } },
    },
    required: ['resource', 'bearer_methods_supported'],
  }));
  const item = (name: string): JsonSchema => ({
    get: {
      ...named(name, 'Tell who gives tokens for the Model Context Protocol (RFC 9728)'),
      security: [],
      responses: {
        200: { description: 'The metadata.', headers: headersOf(components), content: json(metadata) },
        ...own.openFailures(404, 405),
      },
    },
  });
  const path = '/.well-known/oauth-protected-resource';
  return { [path]: item('protected-resource'), [`${path}/mcp`]: item('protected-resource-mcp') };
}
