// What goes wrong between the service and a language model: each failure has its answer, and leaves nothing behind but what was finished.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { type ModelServer, modelServer, type ServerReply } from '../support/model-server.ts';

const shop = `module shop
entity Ticket { id Int @id, title String }
@public agent clerk { instruction "Work on tickets.", tools [shop/Ticket] }
`;

const key = 'sk-this-is-a-secret';

const wrongCalls: readonly [title: string, reply: ServerReply, error: string][] = [
  ['a tool that there is not', { tool: 'shop_Ticket_delete', arguments: { id: 1 } }, 'path-unknown'],
  ['arguments that are no JSON', { tool: 'shop_Ticket_create', arguments: '{"id": 1,' }, 'body-unreadable'],
  ['arguments that are no object', { tool: 'shop_Ticket_create', arguments: '[1]' }, 'body-unreadable'],
  ['an attribute that there is not', { tool: 'shop_Ticket_create', arguments: { id: 1, title: 'a', owner: 'me' } }, 'attributes-invalid'],
  ['a value of another type', { tool: 'shop_Ticket_create', arguments: { id: 'one', title: 'a' } }, 'attributes-invalid'],
  ['what is missing', { tool: 'shop_Ticket_create', arguments: {} }, 'attributes-invalid'],
  ['an instance that there is not', { tool: 'shop_Ticket_update', arguments: { id: 9, title: 'a' } }, 'instance-not-found'],
];

for (const [title, reply, code] of wrongCalls) {
  test(`a model that asks for ${title} is told ${code}, nothing is done, and the run goes on`, async () => {
    const server = await modelServer();
    const app = await serve(shop, { llm: server.settings });
    server.says(reply, 'Sorry.');
    const answer = await app.post('/shop/clerk', { message: 'go on' });
    expect([answer.status, answer.text]).toEqual([200, '"Sorry."']);
    expect((await app.get('/shop/Ticket')).body).toEqual([]);
    const calls = await app.get(`/platform.ai/Run/${answer.headers['platform-run-id']}/RunStep/Step/1/StepToolCall/ToolCall`);
    expect(calls.body).toMatchObject([{ status: 'refused', result: { error: code } }]);
  });
}

for (const [title, fail, status, code] of [
  ['fails', ({ peer }: ModelServer) => peer.setChaos({ dropRate: 1 }), 502, 'llm-unavailable'],
  ['says nothing', (server: ModelServer) => server.says('', ''), 502, 'llm-empty'],
] as const) {
  test(`of a flow whose last model ${title} the finished steps stay, and the answer is ${status} ${code} with the step`, async () => {
    const server = await modelServer();
    const app = await serve(
      `module shop
entity Ticket { id Int @id, title String }
event open { }
workflow open { {Ticket {id 1, title "kept"}} }
agent last { instruction "Say something." }
@public agent all { role "x" }
flow all { open --> last }`,
      { llm: server.settings },
    );
    server.says('x');
    fail(server);
    const answer = await app.post('/shop/all', { message: 'go' });
    expect(answer).toMatchObject({ status, body: { code, step: 'last' } });
    expect((await app.get('/shop/Ticket')).body).toEqual([{ id: 1, title: 'kept' }]);
    const steps = await app.get(`/platform.ai/Run/${answer.headers['platform-run-id']}/RunStep/Step`);
    expect(steps.body).toMatchObject([{ status: 'succeeded' }, { status: 'failed' }]);
  });
}

const failures: readonly [title: string, fail: (server: ModelServer) => void, status: number, code: string][] = [
  ['a key that is not accepted', ({ peer }) => peer.nextRequestError(401, { message: key }), 502, 'llm-auth-rejected'],
  ['too many requests, each time', ({ peer }) => peer.setChaos({ rateLimitRate: 1 }), 503, 'llm-busy'],
  ['a failing server', ({ peer }) => peer.setChaos({ dropRate: 1 }), 502, 'llm-unavailable'],
  ['answers that are no JSON', ({ peer }) => peer.setChaos({ malformedRate: 1 }), 502, 'llm-unavailable'],
  ['connections that break', ({ peer }) => peer.setChaos({ disconnectRate: 1 }), 502, 'llm-unavailable'],
  ['a model that takes too long', ({ peer }) => peer.setChaos({ latencyMs: 20_000 }), 504, 'llm-timeout'],
  [
    'a message that is too long for the model',
    ({ peer }) => peer.nextRequestError(400, { message: 'maximum context length', code: 'context_length_exceeded' }),
    422,
    'llm-input-too-long',
  ],
  ['a request that is refused', ({ peer }) => peer.nextRequestError(404, { message: 'no such model' }), 502, 'llm-unavailable'],
  ['nothing but empty answers', (server) => server.says(''), 502, 'llm-empty'],
  ['the same call again and again', (server) => server.says({ tool: 'shop_Ticket_read', arguments: {} }), 422, 'agent-turn-limit'],
  ['calls without an end', (server) => server.says(...manyCalls), 422, 'agent-turn-limit'],
];

const manyCalls: readonly ServerReply[] = Array.from({ length: 20 }, (_, id) => ({ tool: 'shop_Ticket_read', arguments: { id } }));

for (const [title, fail, status, code] of failures) {
  test(`${title}: ${status} ${code}, a failed run, and no word of the vendor or of the key`, async () => {
    const server = await modelServer();
    const app = await serve(shop, {
      llm: { ...server.settings, apiKey: key, limits: code === 'llm-timeout' ? { ...quick, call: 1 } : quick },
    });
    server.says('Done.');
    fail(server);
    const answer = await app.post('/shop/clerk', { message: 'go on' });
    const run = answer.headers['platform-run-id'];
    expect(answer).toMatchObject({ status, body: { code, runId: run } });
    const kept = await app.get(`/platform.ai/Run/${run}`);
    expect(kept.body).toMatchObject({ status: 'failed', error: { code } });
    const steps = await app.get(`/platform.ai/Run/${run}/RunStep/Step`);
    expect(steps.body).toMatchObject([{ no: 1, status: 'failed' }]);
    const logged = [...app.failures, ...app.warnings].map((each) => inspect(each, { depth: null, showHidden: true }));
    const said = `${JSON.stringify([answer, kept, steps, app.lines])} ${logged.join('\n')}`;
    expect(said).not.toContain(key);
  });
}

const quick = { turns: 5 };

test.each([
  ['in less than that it is read', 9999, { status: 'done', result: { instances: [] } }],
  ['then the model is told request-timeout, and the run goes on', 10_000, { status: 'refused', result: { error: 'request-timeout' } }],
] as const)('what a tool reads has ten seconds: %s', async (_, milliseconds, call) => {
  const tickets = createServer();
  const port = await listen(tickets);
  const server = await modelServer();
  const config = { baseUrl: `http://127.0.0.1:${port}`, path: 'tickets' };
  const resolvers = [{ name: 'shop/tickets', kind: 'rest', types: ['shop/Ticket'], timeout: 60, config }] as const;
  const app = await serve(shop, { llm: server.settings, resolvers });
  server.says({ tool: 'shop_Ticket_read', arguments: {} }, 'Well.');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answering = app.post('/shop/clerk', { message: 'go on' });
  const [, read] = await once(tickets, 'request');
  vi.advanceTimersByTime(milliseconds);
  vi.useRealTimers();
  if (call.status === 'done') read.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  const answer = await answering;
  expect([answer.status, answer.text]).toEqual([200, '"Well."']);
  const calls = await app.get(`/platform.ai/Run/${answer.headers['platform-run-id']}/RunStep/Step/1/StepToolCall/ToolCall`);
  expect(calls.body).toMatchObject([call]);
});

test('a failure that passes is not seen: the same request is made again', async () => {
  const server = await modelServer();
  const app = await serve(shop, { llm: server.settings });
  server.says('Done.');
  server.peer.nextRequestError(503);
  expect(await app.post('/shop/clerk', { message: 'go on' })).toMatchObject({ status: 200, text: '"Done."' });
});

test('what a tool had done before the model failed stays, and stands in the run', async () => {
  const server = await modelServer();
  const app = await serve(shop, { llm: { ...server.settings, limits: quick } });
  server.says({ tool: 'shop_Ticket_create', arguments: { id: 1, title: 'kept' } }, '', '');
  const answer = await app.post('/shop/clerk', { message: 'go on' });
  expect(answer).toMatchObject({ status: 502, body: { code: 'llm-empty' } });
  expect((await app.get('/shop/Ticket')).body).toEqual([{ id: 1, title: 'kept' }]);
});

test('a run ends where its tokens are used up', async () => {
  const server = await modelServer();
  const app = await serve(shop, { llm: { ...server.settings, limits: { ...quick, tokens: 30 } } });
  server.says(...manyCalls);
  const answer = await app.post('/shop/clerk', { message: 'go on' });
  expect(answer).toMatchObject({ status: 429, body: { code: 'llm-budget' } });
  expect(answer.headers['retry-after']).toBeUndefined();
  expect(server.asked()).toHaveLength(2);
});

test('a write beyond the limit of a run is refused to the model, and the run goes on', async () => {
  const server = await modelServer();
  const app = await serve(shop, { llm: { ...server.settings, limits: { ...quick, writes: 1 } } });
  const create = (id: number): ServerReply => ({ tool: 'shop_Ticket_create', arguments: { id, title: 'a' } });
  server.says(create(1), create(2), 'Done.');
  expect(await app.post('/shop/clerk', { message: 'go on' })).toMatchObject({ status: 200 });
  expect((await app.get('/shop/Ticket')).body).toEqual([{ id: 1, title: 'a' }]);
});

test('where one model gives no reply the next of the fallbacks is asked', async () => {
  const [broken, working] = [await modelServer(), await modelServer()];
  const { baseUrl, settings } = working;
  const app = await serve(shop, {
    llm: { ...broken.settings, models: new Map([['other', { ...other, ...settings, baseUrl }]]), fallbacks: ['other'] },
  });
  broken.peer.setChaos({ dropRate: 1 });
  working.says('From the other.');
  expect(await app.post('/shop/clerk', { message: 'go on' })).toMatchObject({ status: 200, text: '"From the other."' });
});

const other = { provider: 'openai', model: 'other-model', baseUrl: undefined, apiKey: undefined } as const;

test('five failures in a row close a model for a while: it is not asked, and the answer says when to come again', async () => {
  const server = await modelServer();
  const app = await serve(shop, { llm: server.settings });
  server.peer.setChaos({ dropRate: 1 });
  await app.post('/shop/clerk', { message: 'one' });
  await app.post('/shop/clerk', { message: 'two' });
  const before = server.peer.getRequests().length;
  const answer = await app.post('/shop/clerk', { message: 'three' });
  expect(answer).toMatchObject({ status: 503, body: { code: 'llm-suspended' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(server.peer.getRequests()).toHaveLength(before);
});
