// The description of what is not plain REST: GraphQL, the Model Context Protocol, and the streams of agents, each called and answered as described.

import { expect, test } from 'vitest';
import { openapiOf } from '../../src/http/openapi/openapi.ts';
import { compile } from '../../src/plan/compile.ts';
import { type Options, type Served, serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';
import { answerCheck, at, resolved } from './openapi-client.ts';
import { protocolCalls as calls, type ProtocolCall } from './openapi-protocols.ts';

const model = `module desk
entity Note { id Int @id, text String }
@public agent clerk { instruction "Work." }
`;

const titled = calls.map((each) => {
  const { path, body, query, accept, status = 200 } = each;
  const sent = body === undefined ? `GET ${path}${query === undefined ? '' : `?${query}`}` : `POST ${path} ${JSON.stringify(body)}`;
  return [`${sent} for ${accept}, ${status}`, each] as const;
});

test.each(titled)('%s: the answer is as it is described', async (_, call) => {
  const served = await serveDesk();
  const { path, body, query = '', accept, status = 200, type = accept } = call;
  const { body: document } = await served.get('/openapi.json');
  const answer = await asked(served, call);
  const method = body === undefined ? 'get' : 'post';
  const described = resolved(document, at(document, 'paths', path, method, 'responses')[String(status)]);
  const [given = ''] = (answer.headers['content-type'] ?? '').split(';');
  expect([answer.status, given], `${query} ${answer.text}`).toEqual([status, type]);
  if (type === '') return expect([described['content'], answer.text]).toEqual([undefined, '']);
  const { schema } = at(described, 'content', type);
  expect(answerCheck(document)(schema, type.endsWith('json') ? answer.body : answer.text)).toEqual([]);
});

test('every kind of answer of these operations is called above', async () => {
  const { body: document } = await (await serveDesk()).get('/openapi.json');
  const described = ['/graphql', '/mcp', '/desk/clerk'].flatMap((path) =>
    Object.entries(at(document, 'paths', path)).flatMap(([method, operation]) =>
      Object.keys(at(resolved(document, at(operation, 'responses')['200']), 'content')).map((type) => `${method} ${path} ${type}`),
    ),
  );
  const called = calls
    .filter(({ status = 200 }) => status === 200)
    .map(({ body, path, accept, type = accept }) => `${body === undefined ? 'get' : 'post'} ${path} ${type}`);
  expect(described.filter((each) => !called.includes(each))).toEqual([]);
});

test.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
  'where authentication is on, %s tells as described who gives tokens',
  async (path) => {
    const served = await serveDesk({ auth: {} });
    const document = openapiOf(compile(served.app.model, { identified: true }), { name: 'desk', version: '1', mcp: true, auth: true });
    const { status, body } = await served.get(path);
    const described = resolved(document, at(document, 'paths', path, 'get', 'responses')[String(status)]);
    expect([status, answerCheck(document)(at(described, 'content', 'application/json')['schema'], body)]).toEqual([200, []]);
  },
);

test('what is not switched on is not described', async () => {
  const { body: document } = await (await serve(model)).get('/openapi.json');
  const paths = Object.keys(at(document, 'paths'));
  expect([paths.includes('/desk/clerk'), ...paths.filter((path) => /graphql|mcp|well-known/.test(path))]).toEqual([true]);
});

async function serveDesk(options: Options = {}): Promise<Served> {
  const language = await modelServer();
  language.says('Good day.');
  return serve(model, { graphql: true, mcp: true, llm: language.settings, ...options });
}

function asked({ post, get }: Served, { path, body, query = '', accept }: ProtocolCall): ReturnType<Served['get']> {
  return body === undefined ? get(query === '' ? path : `${path}?${query}`, { accept }) : post(path, body, { accept });
}
