// Another system, with a document that describes it: pets over HTTP, for tests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../support/listen.ts';

export const document = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'page[size]', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } },
          { name: 'X-Trace-Id', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } } },
          },
        },
      },
      post: {
        operationId: 'addPet',
        summary: 'Adds a pet',
        requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        responses: { 201: { description: 'made', content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
      },
    },
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'get-pet', responses: { '2XX': { $ref: '#/components/responses/One' } } },
      put: {
        operationId: 'changePet',
        requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        responses: { default: { $ref: '#/components/responses/One' } },
      },
      delete: { responses: { 204: { description: 'gone' } } },
    },
    '/photos': {
      post: {
        operationId: 'upload',
        requestBody: { required: true, content: { 'multipart/form-data': { schema: { type: 'object' } } } },
        responses: { 200: { description: 'ok' } },
      },
    },
  },
  components: {
    responses: { One: { description: 'one', content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name', 'version'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string', minLength: 1 },
          kind: { type: 'string', enum: ['cat', 'dog'] },
          born: { type: 'string', format: 'date' },
          weight: { type: 'number', nullable: true },
          owner: { type: 'object', required: ['email'], properties: { email: { type: 'string' } }, additionalProperties: false },
          version: { type: 'integer', readOnly: true },
        },
      },
    },
  },
};

export interface Pets {
  readonly url: string;
  /** `GET /v1/pets key=k` and so on. */
  readonly asked: string[];
}

/** Some identifiers are answered in ways that a system should not. */
export async function servePets(text = JSON.stringify(document)): Promise<Pets> {
  const pets = new Map<string, object>([['a', { id: 'a', name: 'Ada', version: 1 }]]);
  const asked: string[] = [];
  const failures = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let sent = '';
    for await (const chunk of request) sent += String(chunk);
    asked.push(`${request.method} ${request.url} key=${request.headers['x-key'] ?? '-'} trace=${request.headers['x-trace-id'] ?? '-'}`);
    const send = (status: number, body?: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body === undefined ? '' : JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? '', 'http://pets');
    if (pathname === '/openapi.json') return void response.writeHead(200).end(text);
    const id = decodeURIComponent(pathname.replace(/^\/v1\/pets\/?/, ''));
    if (id === 'flaky') {
      failures.set(id, (failures.get(id) ?? 0) + 1);
      return (failures.get(id) ?? 0) < 3 ? send(503) : send(200, { id, name: 'Flaky', version: 1 });
    }
    if (id === 'nameless') return send(200, { id, version: 1 });
    if (id === 'page') return void response.writeHead(200, { 'content-type': 'image/png' }).end('x');
    if (id === 'away') return send(302, undefined, { location: 'http://elsewhere.example.com/' });
    if (id === 'broken') return send(500, { secret: 'stack' });
    if (id === 'slow') return;
    if (request.method === 'GET' && id === '') return send(200, [...pets.values()]);
    const found = pets.get(id);
    if (request.method === 'POST') {
      const body = JSON.parse(sent);
      if (pets.has(body.id)) return send(409, { why: 'there is one' });
      pets.set(body.id, { ...body, version: 1 });
      return send(201, pets.get(body.id));
    }
    if (found === undefined) return send(404);
    if (request.method === 'DELETE') {
      pets.delete(id);
      return send(204);
    }
    if (request.method === 'PUT') pets.set(id, { ...JSON.parse(sent), version: 2 });
    return send(200, pets.get(id));
  };
  const server = createServer((request, response) => void answer(request, response));
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, asked };
}
