// A language model that is down, slow, or answers what it must not, in the middle of a flow: each fault has its answer, what was finished before it stays,
// nothing after it happens, a model that fails is left alone for a while and asked again later, and the key is in nothing that anybody is shown.

import { createServer, type ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { type Answer, type Served, serve } from '../../support/app.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { isLong } from '../../support/form.ts';
import { listen } from '../../support/listen.ts';

const desk = `module desk
entity Note { id UUID @id @default(uuid()), round String, by String }
event begin { message String }
workflow begin { {Note {round begin.message, by "begin"}} }
event finish { message String }
workflow finish { {Note {round finish.message, by "finish"}} }
agent first { instruction "First.", tools [desk/Note] }
agent second { instruction "Second.", tools [desk/Note], llm "other" }
@public agent work { role "x" }
flow work {
  begin --> first
  first --> second
  second --> finish
}
`;
const key = 'sk-canary-of-faults';
const streamed = { accept: 'text/event-stream' };

interface Fault {
  /** What the model of the second agent does; `turn` counts from 0 in each run. */
  answer(response: ServerResponse, turn: number): void;
  readonly status: number;
  readonly code?: string;
  /** What its calls of tools are told. */
  readonly told?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** After so many runs the model is not asked any more; absent where the fault says nothing of how the model does. */
  readonly closesAfter?: number;
  /** How many runs the short form makes. */
  readonly runs?: number;
}

const unavailable = { status: 502, code: 'llm-unavailable', closesAfter: 2 } as const;

const faults: Readonly<Record<string, Fault>> = {
  'is down': { ...unavailable, runs: 2, answer: (response) => response.destroy() },
  fails: { ...unavailable, answer: (response) => send(response, 500, { error: { message: key } }) },
  'has too many requests': {
    answer: (response) => send(response, 429, { error: { message: key } }, { 'retry-after': '900' }),
    status: 503,
    code: 'llm-busy',
    closesAfter: 5,
  },
  'takes too long': { answer: () => {}, status: 504, code: 'llm-timeout', closesAfter: 5 },
  'answers what is no JSON': {
    ...unavailable,
    answer: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id": "${key}`),
  },
  'breaks off in an answer': { ...unavailable, answer: (response) => breakOff(response, 'application/json', `{"id": "${key}", `) },
  'breaks off in a stream': {
    answer: (response) => breakOff(response, 'text/event-stream', chunk({ content: 'Good ' }) + chunk({ content: 'day' })),
    headers: streamed,
    status: 502,
    code: 'llm-unavailable',
    closesAfter: 5,
  },
  'breaks off in a stream before the first word': {
    ...unavailable,
    headers: streamed,
    answer: (response) => breakOff(response, 'text/event-stream', ': '),
  },
  'calls a tool that there is not': { answer: once('desk_Note_delete', '{"id": 1}'), status: 200, told: 'path-unknown' },
  'calls a tool with bad JSON': { answer: once('desk_Note_create', '{"round": "a",'), status: 200, told: 'body-unreadable' },
  'says 1 MiB': {
    answer: (response) => send(response, 200, completion({ content: 'word '.repeat(2 ** 18).slice(0, 2 ** 20) })),
    status: 200,
  },
  'calls tools without an end': {
    answer: (response, turn) => send(response, 200, calling('desk_Note_read', JSON.stringify({ round: String(turn) }))),
    status: 422,
    code: 'agent-turn-limit',
  },
  'makes the same call again and again': {
    answer: (response) => send(response, 200, calling('desk_Note_read', '{}')),
    status: 422,
    code: 'agent-turn-limit',
  },
  'says nothing': { answer: (response) => send(response, 200, completion({ content: '' })), status: 502, code: 'llm-empty' },
};

for (const [title, fault] of Object.entries(faults))
  test(`a model that ${title}: ${fault.code ?? 'the flow goes on'}, and nothing but what was finished stays`, async () => {
    const clock = testClock();
    const model = await modelOf();
    const named = { provider: 'openai', model: 'm', apiKey: key } as const;
    const app = await serve(desk, {
      llm: {
        ...named,
        baseUrl: `${model.url}/first/v1`,
        models: new Map([['other', { ...named, baseUrl: `${model.url}/second/v1` }]]),
        // The model that takes too long is the only one that this is short for.
        limits: fault.code === 'llm-timeout' ? { call: 2 } : {},
      },
      parts: { clock },
    });
    const runs = isLong ? 20 : (fault.runs ?? 1);
    for (let run = 1; run <= runs; run += 1) {
      model.fault = fault;
      await check(`round-${run}`, fault, app);
      if (run === fault.closesAfter) await checkClosed(app, () => model.asked);
      // Longer than a model is left alone.
      clock.advance(31_000);
    }
    await checkHealed(app, model, clock);
    const logged = inspect([app.failures, app.warnings, app.lines], { depth: null, showHidden: true, maxStringLength: null });
    expect(logged).not.toContain(key);
  });

async function check(round: string, { status, code, told, headers }: Fault, app: Served): Promise<void> {
  const answer = await app.post('/desk/work', { message: round }, headers);
  const id = answer.headers['platform-run-id'];
  const problem = headers === undefined ? answer.body : lastOf(answer)['problem'];
  if (code === undefined) expect(answer.status, answer.text.slice(0, 300)).toBe(status);
  else expect(problem, answer.text.slice(0, 300)).toMatchObject({ status, code, step: 'second', runId: id });
  const kept = await app.get(`/platform.ai/Run/${id}`);
  const steps = await app.get(`/platform.ai/Run/${id}/RunStep/Step`);
  const calls = await app.get(`/platform.ai/Run/${id}/RunStep/Step/3/StepToolCall/ToolCall`);
  const names = ['begin', 'first', 'second', ...(code === undefined ? ['finish'] : [])];
  expect(kept.body).toMatchObject(code === undefined ? { status: 'succeeded' } : { status: 'failed', error: { code } });
  expect(steps.body).toMatchObject(
    names.map((name, at) => ({
      no: at + 1,
      name: `desk/${name}`,
      status: code !== undefined && name === 'second' ? 'failed' : 'succeeded',
    })),
  );
  if (told !== undefined) expect(calls.body).toMatchObject([{ status: 'refused', result: { error: told } }]);
  const notes = await app.get(`/desk/Note?round=${round}&@select=by`);
  expect(bysOf(notes)).toEqual(names.filter((name) => name !== 'second').toSorted());
  expect([answer, kept, steps, calls].map(({ text, headers: told }) => `${text} ${JSON.stringify(told)}`).join()).not.toContain(key);
}

/** A model that has failed five times in a row is not asked. */
async function checkClosed(app: Served, asked: () => number): Promise<void> {
  const before = asked();
  const answer = await app.post('/desk/work', { message: 'closed' });
  expect(answer).toMatchObject({ status: 503, body: { code: 'llm-suspended', step: 'second' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(asked()).toBe(before);
}

async function checkHealed(app: Served, model: FaultyModel, clock: TestClock): Promise<void> {
  model.fault = undefined;
  for (const round of ['healed', 'again']) {
    expect(await app.post('/desk/work', { message: round })).toMatchObject({ status: 200 });
    expect(bysOf(await app.get(`/desk/Note?round=${round}&@select=by`))).toEqual(['begin', 'finish', 'first']);
    clock.advance(1);
  }
}

function bysOf({ body }: Answer): readonly unknown[] {
  return (Array.isArray(body) ? body : []).map(({ by }) => by).toSorted();
}

function lastOf({ text }: Answer): Record<string, unknown> {
  const last = text.trimEnd().split('\n\n').at(-1) ?? '';
  return JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? '{}');
}

interface FaultyModel {
  readonly url: string;
  /** Absent: it answers as it should. */
  fault: Fault | undefined;
  /** How often the model of the second agent was asked. */
  asked: number;
}

/** Two models by their paths: the first makes a note and is done, the second has the fault. */
async function modelOf(): Promise<FaultyModel> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      const { messages, stream = false } = JSON.parse(text);
      const turn = messages.filter(({ role }: { role: string }) => role === 'assistant').length;
      const round = /round-\d+|closed|healed|again/.exec(text)?.[0];
      if (request.url?.startsWith('/second') === true) {
        model.asked += 1;
        if (model.fault !== undefined) return model.fault.answer(response, turn);
      } else if (turn === 0) return say(response, stream, { tool: 'desk_Note_create', given: JSON.stringify({ round, by: 'first' }) });
      return say(response, stream, { content: 'Done.' });
    });
  });
  const port = await listen(server);
  const model: FaultyModel = {
    url: `http://127.0.0.1:${port}`,
    fault: undefined,
    asked: 0,
  };
  return model;
}

type Said = { readonly content: string } | { readonly tool: string; readonly given: string };

function say(response: ServerResponse, isStreamed: boolean, said: Said): void {
  const message = 'content' in said ? said : { content: null, tool_calls: [{ index: 0, ...toolCall(said.tool, said.given) }] };
  const end = chunk({}, 'content' in said ? 'stop' : 'tool_calls');
  if (isStreamed) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${chunk(message)}${end}data: [DONE]\n\n`);
  else send(response, 200, completion(message));
}

/** Calls a tool in its first turn, and is done. */
function once(tool: string, given: string): Fault['answer'] {
  return (response, turn) => send(response, 200, turn === 0 ? calling(tool, given) : completion({ content: 'Sorry.' }));
}

function calling(tool: string, given: string): object {
  return completion({ content: null, tool_calls: [toolCall(tool, given)] });
}

function toolCall(name: string, given: string): object {
  return { id: 'call_1', type: 'function', function: { name, arguments: given } };
}

function completion(message: object): object {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  return {
    id: 'r',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage,
  };
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'r', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

function send(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function breakOff(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type }).write(text, () => response.destroy());
}
