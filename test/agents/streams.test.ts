// How agents are answered: as JSON, as a bare text, or as a stream of what happens; and what becomes of a run whose client goes away.

import { expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';

const desk = `module desk
entity Note { id Int @id, text String }
@public agent clerk { instruction "Work.", tools [desk/Note] }
agent first { instruction "One." }
agent second { instruction "Two." }
@public agent both { role "x" }
flow both { first --> "go" second }
`;

const events = { accept: 'text/event-stream' };

test('whoever asks for text/plain gets the bare text', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says('Good day');
  const answer = await app.post('/desk/clerk', { message: 'Hello' }, { accept: 'text/plain' });
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, 'Good day', 'text/plain; charset=utf-8']);
  expect((await app.post('/desk/clerk', { message: 'Hello' }, { accept: '*/*' })).text).toBe('"Good day"');
});

test('a stream tells of steps, text and tools as they happen, and names the run', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says({ tool: 'desk_Note_create', arguments: { id: 1, text: 'a' } }, 'Noted for you, as you wished.');
  const answer = await app.post('/desk/clerk', { message: 'note it' }, events);
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  const told = eventsIn(answer.text);
  const run = answer.headers['platform-run-id'];
  expect(told.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    'RUN_STARTED',
    'STEP_STARTED',
    'TOOL_CALL_START',
    'TOOL_CALL_RESULT',
    'TEXT_MESSAGE_CONTENT',
    'STEP_FINISHED',
    'RUN_FINISHED',
  ]);
  expect(told[0]).toMatchObject({ runId: run });
  expect(told.find(({ type }) => type === 'TOOL_CALL_START')).toMatchObject({ toolCallName: 'desk_Note_create', arguments: { id: 1 } });
  expect(
    told
      .filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT')
      .map(({ delta }) => delta)
      .join(''),
  ).toBe('Noted for you, as you wished.');
  expect(told.at(-1)).toMatchObject({ runId: run, status: 'succeeded', result: 'Noted for you, as you wished.' });
  expect((await app.get('/desk/Note')).body).toHaveLength(1);
});

for (const provider of ['openai', 'openai-responses', 'anthropic'] as const) {
  test(`the text of a stream comes in pieces, and calls of tools are made between them: ${provider}`, async () => {
    const model = await modelServer();
    const app = await serve(desk, { llm: { ...model.settings, provider, apiKey: 'k' } });
    const said = 'word '.repeat(40).trim();
    model.says({ tool: 'desk_Note_create', arguments: { id: 1, text: 'a' } }, said);
    const told = eventsIn((await app.post('/desk/clerk', { message: 'talk' }, events)).text);
    const pieces = told.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT').map(({ delta }) => delta);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(said);
    expect(told.find(({ type }) => type === 'TOOL_CALL_START')).toMatchObject({ arguments: { id: 1, text: 'a' } });
    expect(told.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: said });
    expect((await app.get('/desk/Note')).body).toHaveLength(1);
  });

  test(`a stream of a model that breaks off is no reply, and the problem is its last event: ${provider}`, async () => {
    const model = await modelServer();
    const app = await serve(desk, { llm: { ...model.settings, provider, apiKey: 'k' } });
    model.says('word '.repeat(40));
    model.peer.setChaos({ disconnectRate: 1 });
    const told = eventsIn((await app.post('/desk/clerk', { message: 'talk' }, events)).text);
    expect(told.at(-1)).toMatchObject({ type: 'RUN_ERROR', problem: { status: 502, code: 'llm-unavailable' } });
    expect((await app.get('/platform.ai/Run')).body).toMatchObject([{ status: 'failed', error: { code: 'llm-unavailable' } }]);
  });
}

test('each step of a flow is told', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says('go', 'done');
  const told = eventsIn((await app.post('/desk/both', { message: 'x' }, events)).text);
  expect(told.filter(({ type }) => type === 'STEP_STARTED').map(({ stepName }) => stepName)).toEqual(['desk/first', 'desk/second']);
});

test('what fails behind the beginning of a stream is its last event, a problem', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says('', '');
  const told = eventsIn((await app.post('/desk/clerk', { message: 'x' }, events)).text);
  expect(told.at(-1)).toMatchObject({ type: 'RUN_ERROR', problem: { status: 502, code: 'llm-empty' } });
});

test('what is refused before a run begins is no stream', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  expect(await app.post('/desk/clerk', { message: 7 }, events)).toMatchObject({ status: 422, body: { code: 'agent-message-invalid' } });
});

for (const accept of ['application/json', 'text/event-stream']) {
  test(`a client of ${accept} that goes away stops the call of the model, and the run is cancelled`, async () => {
    const model = await modelServer();
    const app = await serve(desk, { llm: model.settings });
    model.says('never');
    model.hold();
    const client = new AbortController();
    const answering = askedBy(app, accept, client.signal);
    await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toMatchObject([{ status: 'running' }]);
    client.abort();
    await answering;
    await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toMatchObject([{ status: 'cancelled' }]);
    const [run] = Object(await app.get('/platform.ai/Run')).body;
    expect((await app.get(`/platform.ai/Run/${run.id}/RunStep/Step`)).body).toMatchObject([{ status: 'cancelled' }]);
  });
}

async function askedBy(app: Served, accept: string, signal: AbortSignal): Promise<void> {
  const { body } = await app.app.respond({
    method: 'POST',
    path: '/desk/clerk',
    query: '',
    headers: { 'content-type': 'application/json', accept },
    body: Buffer.from('{"message": "x"}'),
    id: 'gone',
    remote: '127.0.0.1',
    signal,
  });
  if (typeof body === 'object' && !Buffer.isBuffer(body)) for await (const _ of body);
}

function eventsIn(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => JSON.parse(/^data: (.*)$/m.exec(each)?.[1] ?? '{}'));
}
