// The description of what is not plain REST: GraphQL, the Model Context Protocol, and the streams of agents, each called and answered as described.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';
import { at, resolved } from './openapi-client.ts';

const model = `module desk
entity Note { id Int @id, text String }
@public agent clerk { instruction "Work." }
`;

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const calls: readonly (readonly [path: string, body: object, accept: string])[] = [
  ['/graphql', { query: '{ noteList { id } }' }, 'application/json'],
  ['/graphql', { query: '{ noteList { id } }' }, 'application/graphql-response+json'],
  ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 'application/json, text/event-stream'],
  ['/desk/clerk', { message: 'Hello' }, 'application/json'],
  ['/desk/clerk', { message: 'Hello' }, 'text/event-stream'],
  ['/desk/clerk', { message: 'Hello' }, 'text/plain'],
];

test.each(calls)('POST %s with %o is described, and answered as %s', async (path, body, accept) => {
  const language = await modelServer();
  language.says('Good day.');
  const served = await serve(model, { graphql: true, mcp: true, llm: language.settings });
  const { body: document } = await served.get('/openapi.json');
  const answer = await served.post(path, body, { ...json, accept });
  const described = resolved(document, at(document, 'paths', path, 'post', 'responses')[String(answer.status)]);
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
  expect([answer.status, Object.keys(at(described, 'content'))]).toEqual([200, expect.arrayContaining([type])]);
});

test('what is not switched on is not described', async () => {
  const { body: document } = await (await serve(model)).get('/openapi.json');
  const paths = Object.keys(at(document, 'paths'));
  expect([paths.includes('/desk/clerk'), paths.includes('/graphql'), paths.includes('/mcp')]).toEqual([true, false, false]);
});
