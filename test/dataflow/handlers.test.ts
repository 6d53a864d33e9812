// Events that a part of the service does itself: reached from wherever the event is made, as the one who made it.

import { describe, expect, test } from 'vitest';
import type { AppParts } from '../../src/app.ts';
import { askerOf, type Caller } from '../../src/engine/caller.ts';
import type { EventHandler } from '../../src/engine/handlers.ts';
import type { Authenticate } from '../../src/http/endpoint.ts';
import { type Options, open, serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const model = `module m
entity Post { id Int @id, title String, @after {update jot, delete jot @async} }
entity Note { no Int @id @default(7), text String }
event tell { text String }
event jot { text String @optional }
workflow relay {
  {tell {text relay.text + "!"}} @as told
  {Note {no 2, text told}}
}
workflow deep { {relay {text deep.text}} }
workflow often { for n in [1, 2] { {tell {text "no " + n}} } }
workflow @after create:Post { {tell {text this.title}} }
{tell {text "start"}}
`;

interface Heard {
  readonly text: unknown;
  readonly caller: Caller;
  readonly request: string | undefined;
}

/** Knows everybody by a header. */
const authenticate: Authenticate = ({ headers }) => {
  const { user } = headers;
  return typeof user === 'string' ? { kind: 'user', id: 'an-id', email: user, roles: ['reader'], token: undefined } : { kind: 'anonymous' };
};

const ann: Caller = { kind: 'user', id: 'an-id', email: 'ann@example.com', roles: ['reader'], token: undefined };
const asAnn = { user: 'ann@example.com' };

function partsFor(heard: Heard[], waits: boolean): AppParts {
  const hear = (text: unknown, { caller, request }: { readonly caller: Caller; readonly request: { readonly id: string } | undefined }) =>
    heard.push({ text, caller: askerOf(caller), request: request?.id });
  const tell: EventHandler = {
    transaction: 'write',
    waits,
    async handle({ text = null }, context) {
      hear(text, context);
      if (text === 'no') throw new Error('it was told no');
      if (waits) await new Promise((done) => setTimeout(done, 1));
      return `heard ${String(text)}`;
    },
  };
  const jot: EventHandler = {
    transaction: 'write',
    waits: false,
    handle({ Post = null }, context) {
      hear(Post, context);
      return null;
    },
  };
  return {
    authenticate,
    handlers: new Map<string, EventHandler>([
      ['m/tell', tell],
      ['m/jot', jot],
    ]),
  };
}

async function served(heard: Heard[], waits = false, options: Options = {}) {
  const found = await serve(model, { ...options, parts: partsFor(heard, waits) });
  expect(heard.splice(0)).toEqual([{ text: 'start', caller: { kind: 'system' }, request: undefined }]);
  return found;
}

/** What is posted, what the handler hears of it, and what is answered. */
const rows: readonly (readonly [title: string, path: string, body: object, heard: readonly unknown[], answer?: unknown])[] = [
  ['a request', '/m/tell', { text: 'hello' }, ['hello'], 'heard hello'],
  ['a request of the earlier surface', '/api/m/tell', { 'm/tell': { text: 'hello' } }, ['hello'], 'heard hello'],
  ['a request by the name of the event alone', '/dynamic', { 'm/tell': { text: 'hello' } }, ['hello'], 'heard hello'],
  ['a workflow', '/m/relay', { text: 'hello' }, ['hello!'], { no: 2, text: 'heard hello!' }],
  ['a workflow that another one calls', '/m/deep', { text: 'hello' }, ['hello!'], { no: 2, text: 'heard hello!' }],
  ['a loop', '/m/often', {}, ['no 1', 'no 2'], ['heard no 1', 'heard no 2']],
  ['a trigger', '/m/Post', { id: 1, title: 'first' }, ['first']],
];

describe('the handler of an event is reached, as the one who asks, from', () => {
  for (const [title, path, body, expected, answer] of rows) {
    for (const waits of [false, true]) {
      test(`${title}${waits ? ', also where it waits' : ''}`, async () => {
        const heard: Heard[] = [];
        const { post, failures } = await served(heard, waits, { surfaces: ['current', 'earlier'] });
        const answered = await post(path, body, asAnn);
        expect(failures).toEqual([]);
        expect(answered.status, answered.text).toBeLessThan(300);
        if (answer !== undefined) expect(answered.body).toEqual(answer);
        expect(heard).toEqual(expected.map((text) => ({ text, caller: ann, request: 'test' })));
      });
    }
  }

  test('triggers that make the event, in the transaction and after it', async () => {
    const heard: Heard[] = [];
    const { post, put, remove, close } = await open(model, { parts: partsFor(heard, false) });
    await post('/m/Post', { id: 1, title: 'a' });
    heard.splice(0);
    await put('/m/Post/1', { title: 'b' }, asAnn);
    await remove('/m/Post/1', asAnn);
    // What was put off until after the answer is done before it ends.
    await close();
    expect(heard).toMatchObject([
      { text: { id: 1, title: 'b' }, caller: ann },
      { text: { id: 1, title: 'b' }, caller: ann },
    ]);
  });
});

test('what a handler throws rolls back all of the request, and is the fault of the service', async () => {
  const { ask, post, failures } = await served([]);
  expect((await post('/m/Post', { id: 1, title: 'no' })).status).toBe(500);
  expect((await ask({ method: 'GET', target: '/m/Post' })).body).toEqual([]);
  expect(failures).toHaveLength(1);
});

test('the attributes of a handled event are checked before its handler hears of it', async () => {
  const heard: Heard[] = [];
  const found = await served(heard);
  await check(found, [
    { ask: 'POST /m/tell', body: {}, status: 422, faults: ['text required'] },
    { ask: 'POST /m/tell', body: { text: 1, more: 2 }, status: 422, faults: ['text type', 'more unknown'] },
    { ask: 'GET /m/tell', status: 405 },
  ]);
  expect(heard).toEqual([]);
});

test('without a token, and with authentication off, the caller is anonymous', async () => {
  const heard: Heard[] = [];
  const { post } = await served(heard);
  await post('/m/tell', { text: 'who' });
  expect(heard[0]?.caller).toEqual({ kind: 'anonymous' });
});

test('an agent is reached as an event is, where a handler does it: posted, and in a workflow', async () => {
  const source =
    'module m\n@public agent echo { instruction "Say it again." }\nworkflow twice { {echo {message twice.text}} @as said\n said + said }\n';
  const echo: EventHandler = { transaction: 'read', waits: false, handle: ({ message = null }) => message };
  const { post } = await serve(source, { parts: { handlers: new Map([['m/echo', echo]]) } });
  expect((await post('/m/echo', { message: 'hi' })).body).toBe('hi');
  expect((await post('/m/twice', { text: 'hi' })).body).toBe('hihi');
  // Nobody said which language model answers.
  const without = await serve(source);
  expect((await without.post('/m/echo', { message: 'hi' })).status).toBe(503);
});

test('a handler of an event that the model has not is asked for nothing', async () => {
  const { post } = await serve('module m\nentity Post { id Int @id }\n', { parts: partsFor([], false) });
  expect((await post('/m/tell', { text: 'x' })).status).toBe(404);
  expect((await post('/m/Post', { id: 1 })).status).toBe(201);
});

test('a handler with transactions of its own is reached by requests; a model that makes its event in another transaction does not start', async () => {
  const think: EventHandler = {
    transaction: 'own',
    waits: true,
    handle: async ({ text = null }, { store, plan }) => {
      const note = plan.entities.get('m/Note');
      const found = note === undefined ? undefined : await store.read((tx) => tx.one(note.shapes.byKey, [1]));
      return [text, found?.json ?? null];
    },
  };
  const parts: AppParts = { handlers: new Map([['m/think', think]]) };
  const source = 'module m\nentity Note { no Int @id }\nevent think { text String }\n{Note {no 1}}\n';
  const { post } = await serve(source, { parts });
  expect((await post('/m/think', { text: 'x' })).body).toEqual(['x', '{"no":1}']);
  for (const more of [
    'workflow w { {think {text "x"}} }',
    'workflow @after create:Note { {think {text "x"}} }',
    '{think {text "x"}}',
    'entity Other { id Int @id, @after {create think} }',
  ])
    await expect(serve(`${source}${more}\n`, { parts })).rejects.toThrow('m/think, which cannot be part of a transaction');
});
