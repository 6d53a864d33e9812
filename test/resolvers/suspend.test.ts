// `context.suspend()` in the handler of a resolver: the workflow stops there, and goes on with the data that its run is resumed with.

import { expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { type Answer, type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { modelServer } from '../support/model-server.ts';

const source = `module m
import "desk.js" @as desk

entity Order { id Int @id, price Decimal, placed DateTime @optional, state String @optional }
entity Note { id UUID @id @default(uuid()), text String }
entity Slip { id Int @id, text String }
entity Watched { id Int @id }
entity Copied { id Int @id }
event ask { about String }
event count { }

workflow count { desk.calls() }
event told { }
workflow told { desk.runs() }
event atOnce { }
workflow atOnce { {ask {about "plain"}} @as said @then { {Note {text said.word}} } }

event buy { id Int, price Decimal }
workflow buy {
  {Order {id buy.id, price buy.price, placed "2026-01-02T03:04:05.678Z"}} @as order;
  {ask {about "price " + buy.price}} @as said @then {
    {Note {text said.word}};
    {order {state said.word, price order.price + said.more}}
  }
}

event file { id Int }
workflow file {
  {Slip {id file.id, text "a"}} @as slip;
  {Note {text Slip.text}};
  slip
}

event twice { }
workflow twice {
  for each in [1, 2] {
    {ask {about "round " + each}} @as said;
    {Note {text said}};
    said
  }
}

event inner { about String }
workflow inner {
  {Note {text "inner before"}};
  {ask {about inner.about}} @as said @catch { error {Note {text "refused"}} };
  {Note {text "inner after"}};
  said
}
event outer { }
workflow outer { {inner {about "x"}} @as got; {Note {text "outer"}}; got }

event reading { }
workflow reading { {ask {about "r"}} @as said; said }

event embedded { }
workflow embedded { {Note {text {ask {about "e"}}}} }
event failing { }
workflow failing { {ask {about "throw"}} @as said; said }
event caught { }
workflow caught { {ask {about "throw"}} @as said @catch { error {Note {text "caught"}} } }
event watching { }
workflow watching { {Watched {id 1}} }
event found { }
workflow found { {Slip? {}} }
event copying { }
workflow copying { {Copied {id 1}} }
event open { secret Password }
workflow open { {ask {about "s"}} @as said; said }

workflow @after create:Watched { {Note {text "seen"}} }
event noted { text String }
workflow noted { {Order {id 90, price 1}} }
workflow @after create:Order { if (Order.id == 90) { {ask {about "t"}} } }

resolver asked [m/ask] { eval desk.ask }
resolver slips [m/Slip, m/Watched] { create desk.create, query desk.query }
resolver copies [m/Copied] @compose { create desk.create }
`;

const desk = `
let count = 0;
const told = [];
export const calls = () => count;
export const runs = () => told;
export function ask(event, context) {
  count += 1;
  if (event.about === 'plain') return { word: 'at once' };
  told.push(context.suspend());
  if (event.about === 'throw') throw new Error('after all');
  return { word: 'never seen' };
}
export async function create(instance, { suspend }) { await null; suspend(); return instance; }
export function query(question, context) { context.suspend(); return []; }
`;

const files = { 'core.al': source, 'desk.js': desk };

const resume = (app: Served, run: string, body: unknown): Promise<Answer> => app.post(`/platform.ai/Run/${run}/resume`, body);
const runOf = (answer: Answer): string => String(Object(answer.body).runId);
const notes = async (app: Served): Promise<readonly string[]> =>
  Object(await app.get('/m/Note'))
    .body.map(({ text }: { text: string }) => text)
    .toSorted();

test('a resolver that suspends ends the request with 202, and what came before is committed', async () => {
  const app = await serve(files);
  const answer = await app.post('/m/buy', { id: 1, price: '12.10' });
  expect(answer).toMatchObject({
    status: 202,
    headers: { 'platform-run-id': runOf(answer) },
    body: { runId: expect.any(String), status: 'waiting', waitingFor: { step: 2, type: 'm/ask' } },
  });
  expect((await app.get('/m/Order')).body).toEqual([{ id: 1, price: '12.10', placed: '2026-01-02T03:04:05.678Z', state: null }]);
  expect(await notes(app)).toEqual([]);
  expect((await app.get(`/platform.ai/Run/${runOf(answer)}`)).body).toMatchObject({ status: 'waiting', agent: 'm/buy', kind: 'workflow' });
});

test('resumed, it goes on after the suspended step with the data as its result, once', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/buy', { id: 1, price: '12.10' }));
  const given = { data: { word: 'approved', more: 0.05 } };
  expect(await resume(app, run, given)).toMatchObject({
    status: 200,
    body: { status: 'succeeded', result: [{ id: 1, state: 'approved' }] },
  });
  expect((await app.get('/m/Order/1')).body).toMatchObject({ price: '12.15', state: 'approved' });
  expect(await notes(app)).toEqual(['approved']);
  expect(await resume(app, run, given)).toMatchObject({ status: 409, body: { code: 'run-state' } });
  expect(await notes(app)).toEqual(['approved']);
});

test('of two that resume at once, one is refused, and the rest is done once', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/buy', { id: 1, price: 1 }));
  const both = await Promise.all(['one', 'two'].map((word) => resume(app, run, { data: { word, more: 1 } })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await notes(app)).toHaveLength(1);
});

test('a resolver that does not suspend leaves the workflow one transaction, and no run', async () => {
  const app = await serve(files);
  expect(await app.post('/m/atOnce', {})).toMatchObject({ status: 200, body: { text: 'at once' } });
  expect((await app.get('/platform.ai/Run')).body).toEqual([]);
});

test('the handler is told the run that waits, and is called once', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/reading', {}));
  expect((await app.post('/m/told', {})).body).toEqual([run]);
  expect(await resume(app, run, { data: [1, '2', null] })).toMatchObject({
    status: 200,
    body: { status: 'succeeded', result: [1, '2', null] },
  });
  expect((await app.post('/m/count', {})).body).toBe(1);
});

test('numbers and texts of the data are those that were sent', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/reading', {}));
  const text = '{"data":{"n":12345678901234567890.10,"when":"2026-01-02T03:04:05.678901Z","long":9007199254740993}}';
  const headers = { 'content-type': 'application/json' };
  const answer = await app.ask({ method: 'POST', target: `/platform.ai/Run/${run}/resume`, headers, text });
  // No store holds such a number as JSON: as a text it keeps its digits.
  expect(Object(answer.body)).toMatchObject({ status: 'succeeded', result: expect.stringMatching(/12345678901234567890\.10/) });
  expect(answer.text).toContain('9007199254740993');
});

test('a create that its resolver suspends gives the data, also by the name of its type', async () => {
  const app = await serve(files);
  const answer = await app.post('/m/file', { id: 7 });
  expect(answer).toMatchObject({ status: 202, body: { waitingFor: { type: 'm/Slip' } } });
  expect(await resume(app, runOf(answer), { data: { text: 'filed' } })).toMatchObject({ body: { result: { text: 'filed' } } });
  expect(await notes(app)).toEqual(['filed']);
});

test('each round of a loop may be suspended, and no round is done again', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/twice', {}));
  expect(await resume(app, run, { data: 'one' })).toMatchObject({ status: 200, body: { status: 'waiting' } });
  expect(await notes(app)).toEqual(['one']);
  expect(await resume(app, run, { data: 'two' })).toMatchObject({ body: { status: 'succeeded', result: ['one', 'two'] } });
  expect(await notes(app)).toEqual(['one', 'two']);
});

test('a workflow inside of another is suspended together with it', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/outer', {}));
  expect(await notes(app)).toEqual(['inner before']);
  expect(await resume(app, run, { data: 'yes' })).toMatchObject({ body: { status: 'succeeded', result: 'yes' } });
  expect(await notes(app)).toEqual(['inner after', 'inner before', 'outer']);
});

test('an event that a resolver does by itself waits too', async () => {
  const app = await serve(files);
  const answer = await app.post('/m/ask', { about: 'x' });
  expect(answer).toMatchObject({ status: 202, body: { waitingFor: { type: 'm/ask' } } });
  expect(await resume(app, runOf(answer), { data: 5 })).toMatchObject({ body: { status: 'succeeded', result: 5 } });
});

test.each([
  ['a value inside of another statement', 'embedded', /step of its own/],
  ['a create that triggers follow', 'watching', /has triggers/],
  ['a query', 'found', /cannot suspend/],
  ['a resolver that composes', 'copying', /cannot suspend/],
  ['a trigger', 'noted', /part of anything else/],
])('%s cannot be suspended, and nothing is kept', async (_, event, detail) => {
  const app = await serve(files);
  expect(await app.post(`/m/${event}`, event === 'noted' ? { text: 'a' } : {})).toMatchObject({
    status: 422,
    body: { code: 'suspension-refused', detail: expect.stringMatching(detail) },
  });
  expect((await app.get('/m/Order')).body).toEqual([]);
  expect((await app.get('/platform.ai/Run')).body).toEqual([]);
});

test('an event with a secret cannot be suspended, as what it goes on from is written down', async () => {
  const app = await serve(files);
  expect(await app.post('/m/open', { secret: 'hush hush' })).toMatchObject({ status: 422, body: { code: 'suspension-refused' } });
});

test('a handler that fails after it has suspended has failed', async () => {
  const app = await serve(files);
  expect(await app.post('/m/failing', {})).toMatchObject({ status: 502, body: { code: 'resolver-failed' } });
  expect(await app.post('/m/caught', {})).toMatchObject({ status: 200 });
  expect(await notes(app)).toEqual(['caught']);
  expect((await app.get('/platform.ai/Run')).body).toEqual([]);
});

test('resume needs the data, and a run that waits for data is not approved', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/reading', {}));
  for (const [action, body] of [
    ['resume', {}],
    ['approve', {}],
    ['reject', {}],
  ] as const)
    expect(await app.post(`/platform.ai/Run/${run}/${action}`, body)).toMatchObject({ status: 409, body: { code: 'run-state' } });
  expect(await resume(app, run, { other: 1 })).toMatchObject({ status: 422 });
  expect(await app.post(`/platform.ai/Run/${run}/cancel`, {})).toMatchObject({ body: { status: 'cancelled' } });
  expect(await resume(app, run, { data: 1 })).toMatchObject({ status: 409 });
});

test('after 24 hours nobody can give the data any more', async () => {
  const clock = testClock();
  const app = await serve(files, { parts: { clock } });
  const run = runOf(await app.post('/m/reading', {}));
  clock.advance(24 * 60 * 60 * 1000 + 1);
  expect(await resume(app, run, { data: 1 })).toMatchObject({ status: 409, body: { code: 'run-state' } });
});

test.each([
  ['a key that no store takes', '{"word": "w", "more": 1, "__proto__": {"x": 1}}', '13.10'],
  ['a number that no double holds', '{"word": "w", "more": 0.12345678901234567890123}', '12.22345678901234567890123'],
])('data with %s is taken exactly', async (_, data, price) => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/buy', { id: 1, price: '12.10' }));
  const headers = { 'content-type': 'application/json' };
  const answer = await app.ask({ method: 'POST', target: `/platform.ai/Run/${run}/resume`, headers, text: `{"data": ${data}}` });
  expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  expect((await app.get('/m/Order/1')).body).toMatchObject({ price, state: 'w' });
});

test('data may be nothing, which is the result then', async () => {
  const app = await serve(files);
  expect(await resume(app, runOf(await app.post('/m/reading', {})), { data: null })).toMatchObject({
    body: { status: 'succeeded', result: null },
  });
});

test('where the data does not fit what follows, the run says which attribute, and nothing behind the suspension is kept', async () => {
  const app = await serve(files);
  const run = runOf(await app.post('/m/buy', { id: 1, price: '12.10' }));
  expect(await resume(app, run, { data: { word: 5, more: 1 } })).toMatchObject({
    body: { status: 'failed', error: { code: 'attributes-invalid', errors: [{ attribute: 'text', code: 'type' }] } },
  });
  expect(await notes(app)).toEqual([]);
});

test('a workflow that has become another one is not resumed', async () => {
  const app = await serve(files);
  const [run, other] = [runOf(await app.post('/m/reading', {})), runOf(await app.post('/m/ask', { about: 'x' }))];
  await app.reload({
    ...files,
    'core.al': source.replace('@as said; said }\n\nevent embedded', '@as said; {Note {text "new"}}; said }\n\nevent embedded'),
  });
  expect(await resume(app, run, { data: 1 })).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/model has changed/) } });
  expect(await notes(app)).toEqual([]);
  expect(await resume(app, other, { data: 1 })).toMatchObject({ body: { status: 'succeeded' } });
  await app.reload(files);
  expect(await resume(app, run, { data: 1 })).toMatchObject({ body: { status: 'succeeded', result: 1 } });
});

test.each([
  ['that writes', 'buy', { id: 1, price: 1 }],
  ['that only reads', 'reading', {}],
  ['of a resolver', 'ask', { about: 'x' }],
])('an equal request with the same Idempotency-Key is told the same run, of an event %s', async (_, event, body) => {
  const app = await serve(files);
  const post = () => app.post(`/m/${event}`, body, { 'idempotency-key': 'k1' });
  const [first, second] = [await post(), await post()];
  expect([second.status, runOf(second)]).toEqual([202, runOf(first)]);
  expect((await app.post('/m/count', {})).body).toBe(1);
  expect((await app.get('/platform.ai/Run')).body).toHaveLength(1);
});

test('where nothing is declared but an event that a resolver does, it waits too', async () => {
  const alone = 'module m\nimport "desk.js" @as desk\nevent ask { about String }\nresolver asked [m/ask] { eval desk.ask }\n';
  const app = await serve({ 'core.al': alone, 'desk.js': desk });
  const answer = await app.post('/m/ask', { about: 'x' });
  expect(answer.status).toBe(202);
  expect(await resume(app, runOf(answer), { data: 5 })).toMatchObject({ body: { status: 'succeeded', result: 5 } });
});

test('a handler that has answered suspends nothing any more', async () => {
  const late = `let refused;
export const calls = () => refused;
export const runs = () => [];
export function ask(event, context) {
  setTimeout(() => { try { context.suspend(); refused = 'suspended'; } catch (thrown) { refused = String(thrown.message); } }, 1);
  return 'at once';
}
export const create = (instance) => instance;
export const query = () => [];
`;
  const app = await serve({ ...files, 'desk.js': late });
  expect(await app.post('/m/ask', { about: 'x' })).toMatchObject({ status: 200, body: 'at once' });
  await expect.poll(async () => (await app.post('/m/count', {})).body, { timeout: 30_000 }).toEqual(expect.stringMatching(/is over/));
});

test('what a timer runs cannot be suspended, and its error says so', async () => {
  const timed = `${source}
event soon { }
workflow soon { {platform/timer {name "soon", duration 1, unit "second", trigger {"m/ask": {"about": "timed"}}}} }
`;
  const app = await serve({ ...files, 'core.al': timed });
  await app.app.listen();
  expect((await app.post('/m/soon', {})).status).toBe(200);
  const failure = async (): Promise<unknown> => Object((await app.get('/platform/timer/soon')).body).error;
  await expect.poll(failure, { timeout: 60_000 }).toMatch(/^suspension-refused: /);
  expect((await app.get('/platform.ai/Run')).body).toEqual([]);
});

test('a trigger that asks agents is a run of its own, and cannot be suspended', async () => {
  const model = await modelServer();
  model.says('x');
  const watched = `${source}
entity Parcel { id Int @id }
agent classify { instruction "x" }
workflow @after create:Parcel { {classify {message "a"}} @as kind; {ask {about kind}} }
`;
  const app = await serve({ ...files, 'core.al': watched }, { llm: model.settings });
  expect((await app.post('/m/Parcel', { id: 1 })).status).toBe(201);
  const runs = async (): Promise<unknown> => (await app.get('/platform.ai/Run')).body;
  await expect.poll(runs, { timeout: 60_000 }).toMatchObject([{ status: 'failed', error: { code: 'suspension-refused' } }]);
});

test('a workflow without agents is resumed also by a user who has used up the tokens of the day', async () => {
  const { join } = await world({ ...guarded, 'core.al': `${guarded['core.al']}@public agent chat { instruction "x" }\n` }, 'current', {
    llm: { provider: 'scripted', limits: { dailyTokens: 1 } },
  });
  const ann = await join('ann', 'writer');
  const run = runOf(await ann.create('/m/go', {}));
  expect((await ann.create('/m/chat', { message: 'Hello there, this is more than one token.' })).status).toBe(200);
  expect((await ann.create('/m/chat', { message: 'Hello' })).status).toBe(429);
  expect(await ann.create(`/platform.ai/Run/${run}/resume`, { data: 'x' })).toMatchObject({ status: 200, body: { status: 'succeeded' } });
});

const flowing = {
  'core.al': `module m
import "desk.js" @as desk
entity Note { id UUID @id @default(uuid()), text String }
event ask { about String }
event prepare { message String }
workflow prepare { {Note {text "prepared"}}; "ready" }
event decide { message String }
workflow decide { {Note {text "asking"}}; {ask {about decide.message}} @as said; {Note {text "heard " + said}}; said }
event settle { }
workflow settle { {Note {text "settled"}}; "settled" }
event refuse { }
workflow refuse { {Note {text "refused"}}; "refused" }
@public agent work { role "x" }
flow work {
  prepare --> decide
  decide --> "yes" settle
  decide --> refuse
}
@public agent direct { role "x" }
flow direct {
  prepare --> sign
  sign --> "yes" settle
}
event sign { message String }
resolver asked [m/ask, m/sign] { eval desk.ask }
`,
  'desk.js': desk,
};

test('a workflow that is a step of a flow makes its run wait, and the flow goes on by what the data says', async () => {
  const app = await serve(flowing);
  const answer = await app.post('/m/work', { message: 'go' });
  expect(answer).toMatchObject({ status: 202, body: { status: 'waiting', waitingFor: { step: 3, type: 'm/ask' } } });
  expect(await notes(app)).toEqual(['asking', 'prepared']);
  expect(await resume(app, runOf(answer), { data: 'yes' })).toMatchObject({
    body: { status: 'succeeded', result: 'settled', kind: 'flow' },
  });
  expect(await notes(app)).toEqual(['asking', 'heard yes', 'prepared', 'settled']);
  const steps = await app.get(`/platform.ai/Run/${runOf(answer)}/RunStep/Step?@select=no,name,status,label`);
  expect(Object(steps.body).map(({ no, name, status, label }: Record<string, unknown>) => [no, name, status, label])).toEqual([
    [1, 'm/prepare', 'succeeded', null],
    [2, 'm/decide', 'succeeded', 'yes'],
    [3, 'm/ask', 'succeeded', null],
    [4, 'm/decide', 'succeeded', null],
    [5, 'm/settle', 'succeeded', null],
  ]);
});

test('an event that a resolver does waits as a step of a flow too', async () => {
  const app = await serve(flowing);
  const answer = await app.post('/m/direct', { message: 'go' });
  expect(answer).toMatchObject({ status: 202, body: { waitingFor: { step: 3, type: 'm/sign' } } });
  expect(await resume(app, runOf(answer), { data: 'yes' })).toMatchObject({ body: { status: 'succeeded', result: 'settled' } });
  expect(await notes(app)).toEqual(['prepared', 'settled']);
});

test('on the earlier surface a function of the model suspends, and the run is resumed at its own path', async () => {
  const app = await serve(
    {
      'c.platform': `(component :C)
(entity :Note {:Id {:type :Int :guid true} :Text :String})
(event :Ask {:About :String})
(event :Go {:Id :Int})
(dataflow :Go
  {:Ask {:About "x"} :as :Said}
  {:Note {:Id :Go.Id :Text :Said.Word}})
(resolver :R {:with-methods {:eval (fn [event context] ((:suspend context)) nil)} :paths [:C/Ask]})`,
    },
    { surfaces: ['earlier'] },
  );
  const answer = await app.post('/api/C/Go', { 'C/Go': { Id: 1 } });
  expect(answer).toMatchObject({ status: 202, body: { waitingFor: { type: 'C/Ask' } } });
  const resumed = await app.post(`/api/Platform.Core/Run/${runOf(answer)}/resume`, { data: { Word: 'said' } });
  expect(resumed).toMatchObject({
    status: 200,
    body: [{ status: 'ok', result: [{ '-*-type-*-': 'Platform.Core/Run', Id: runOf(answer), Status: 'succeeded' }] }],
  });
  expect((await app.get('/api/C/Note/1')).text).toContain('said');
});

const guarded = {
  'core.al': `module m
import "desk.js" @as desk
entity Note { id UUID @id @default(uuid()), text String, @rbac [(roles: [writer], allow: [create, read])] }
event ask { about String, @rbac [(roles: [writer], allow: [create])] }
event go { @rbac [(roles: [writer], allow: [create])] }
workflow go { {ask {about "x"}} @as said; {Note {text said}}; said }
resolver asked [m/ask] { eval desk.ask }
`,
  'desk.js': desk,
};

test('a run is resumed by its user and by admins; to others there is none', async () => {
  const { join, admin } = await world(guarded, 'current');
  const [ann, ben] = [await join('ann', 'writer'), await join('ben', 'writer')];
  const at = `/platform.ai/Run/${runOf(await ann.create('/m/go', {}))}/resume`;
  expect((await ben.create(at, { data: 'ben' })).status).toBe(404);
  expect(await ann.create(at, { data: 'ann' })).toMatchObject({ status: 200, body: { status: 'succeeded', result: 'ann' } });
  const second = `/platform.ai/Run/${runOf(await ann.create('/m/go', {}))}/resume`;
  expect(await admin.create(second, { data: 'admin' })).toMatchObject({ status: 200, body: { status: 'succeeded' } });
});

test('resumed by an admin, it goes on with the rights that its user has by then', async () => {
  const { join, admin } = await world(guarded, 'current');
  const ann = await join('ann', 'writer');
  const run = runOf(await ann.create('/m/go', {}));
  const { body } = await admin.read('/platform.rbac/RoleAssignment');
  const roles = Array.isArray(body) ? body.filter((each) => each.assignee === ann.email && each.role === 'writer') : [];
  for (const { id } of roles) expect((await admin.remove(`/platform.rbac/RoleAssignment/${id}`)).status).toBe(200);
  expect(await admin.create(`/platform.ai/Run/${run}/resume`, { data: 'x' })).toMatchObject({
    body: { status: 'failed', error: { code: 'access-denied' } },
  });
  expect((await admin.read('/m/Note')).body).toEqual([]);
});
