// What can be done about a run: approved or rejected where it waits, cancelled, taken up, asked for again by its key.

import { expect, test } from 'vitest';
import { type Answer, type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { modelServer } from '../support/model-server.ts';
import { otherTransaction } from '../support/postgres.ts';
import { storeOfRun } from '../support/store.ts';

const onServer = test.runIf(storeOfRun() === 'postgres');

const desk = `module desk
entity Refund { id Int @id, amount Int, @meta {"approve": ["create"]} }
entity Note { id Int @id, text String }
@public agent clerk { instruction "Work.", tools [desk/Refund, desk/Note] }
`;

const replies = [
  { tool: 'desk_Note_create', arguments: { id: 1, text: 'asked' } },
  { tool: 'desk_Refund_create', arguments: { id: 1, amount: 50 } },
  'Done.',
] as const;

async function waiting(): Promise<{ app: Served; answer: Answer; run: string; asked: () => number }> {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says(...replies);
  const answer = await app.post('/desk/clerk', { message: 'refund 50' });
  return { app, answer, run: answer.headers['platform-run-id'] ?? '', asked: () => model.asked().length };
}

test('a write that needs approval ends the request with 202, and is not done', async () => {
  const { app, answer, run } = await waiting();
  expect(answer).toMatchObject({
    status: 202,
    body: {
      runId: run,
      status: 'waiting',
      waitingFor: { step: 1, call: expect.any(String), tool: 'desk_Refund_create', arguments: { id: 1, amount: 50 } },
    },
  });
  expect((await app.get('/desk/Refund')).body).toEqual([]);
  expect((await app.get(`/platform.ai/Run/${run}`)).body).toMatchObject({ status: 'waiting', ended: null });
});

test('approved, the write is done once, and the run goes on from there', async () => {
  const { app, run, asked } = await waiting();
  expect(await app.post(`/platform.ai/Run/${run}/approve`, {})).toMatchObject({
    status: 200,
    body: { status: 'succeeded', result: 'Done.' },
  });
  expect((await app.get('/desk/Refund')).body).toEqual([{ id: 1, amount: 50 }]);
  expect((await app.get('/desk/Note')).body).toHaveLength(1);
  expect(asked()).toBe(3);
  expect(await app.post(`/platform.ai/Run/${run}/approve`, {})).toMatchObject({ status: 409, body: { code: 'run-state' } });
});

test.each(['approve', 'reject'])('who names the call that was seen can %s no other one that waits by now', async (action) => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says(...[1, 2].map((id) => ({ tool: 'desk_Refund_create', arguments: { id, amount: id } })), 'Done.');
  const { body } = await app.post('/desk/clerk', { message: 'refund both' });
  const { runId, waitingFor } = Object(body);
  const { call, step } = waitingFor;
  const decide = (named: object) => app.post(`/platform.ai/Run/${runId}/${action}`, named);
  expect(await decide({ call, step: step + 1 })).toMatchObject({ status: 409, body: { code: 'run-state' } });
  expect(await decide({ call, step })).toMatchObject({ status: 200, body: { status: 'waiting' } });
  expect(await decide({ call })).toMatchObject({ status: 409, body: { code: 'run-state', runId } });
  expect((await app.get(`/platform.ai/Run/${runId}`)).body).toMatchObject({ status: 'waiting' });
  expect(await decide({})).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  expect((await app.get('/desk/Refund')).body).toHaveLength(action === 'approve' ? 2 : 0);
});

test('a decision is told of a call and nothing else', async () => {
  const { app, run } = await waiting();
  const bodies: readonly (readonly [string, unknown])[] = [
    ['approve', { id: 'x' }],
    ['approve', { call: 1 }],
    ['reject', { step: '1' }],
    ['approve', { step: true }],
    ['approve', { step: 1.5 }],
    ['approve', { step: 1e300 }],
    ['reject', { step: -1 }],
    ['cancel', { call: 'x' }],
  ];
  for (const [action, body] of bodies)
    expect(await app.post(`/platform.ai/Run/${run}/${action}`, body)).toMatchObject({ status: 422, body: { code: 'attributes-invalid' } });
  expect((await app.get(`/platform.ai/Run/${run}`)).body).toMatchObject({ status: 'waiting' });
});

test('numbers of any size in arguments are kept with all their digits until somebody approves', async () => {
  const model = await modelServer();
  const app = await serve(desk.replace('amount Int', 'amount Decimal'), { llm: model.settings });
  const written = '{"id":9007199254740993,"amount":0.12345678901234567891}';
  model.says({ tool: 'desk_Refund_create', arguments: written }, 'Done.');
  const answer = await app.post('/desk/clerk', { message: 'refund it' });
  expect([answer.status, answer.text]).toMatchObject([202, expect.stringContaining(written)]);
  const run = `/platform.ai/Run/${answer.headers['platform-run-id']}`;
  expect((await app.post(`${run}/approve`, {})).body).toMatchObject({ status: 'succeeded', result: 'Done.' });
  expect((await app.get('/desk/Refund')).text).toContain('"id":9007199254740993');
  expect((await app.get('/desk/Refund')).text).toContain('0.12345678901234567891');
  // What the model hears of its own call has been rounded by nobody, either.
  expect(JSON.stringify(model.asked().at(-1))).toContain('9007199254740993');
});

test('rejected, the model hears of it, and the run goes on', async () => {
  const { app, run } = await waiting();
  expect(await app.post(`/platform.ai/Run/${run}/reject`, {})).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  expect((await app.get('/desk/Refund')).body).toEqual([]);
  // Calls of one moment have no order.
  const { body: calls } = await app.get(`/platform.ai/Run/${run}/RunStep/Step/1/StepToolCall/ToolCall`);
  const [rejected, others] = [true, false].map((is) =>
    Array.isArray(calls) ? calls.filter(({ status }) => (status === 'rejected') === is) : [],
  );
  expect([rejected, others]).toMatchObject([[{ result: { error: 'rejected' } }], [{ status: 'done' }]]);
});

test('cancelled, it ends there, and can neither be approved nor taken up', async () => {
  const { app, run } = await waiting();
  expect(await app.post(`/platform.ai/Run/${run}/cancel`, {})).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  for (const action of ['approve', 'reject', 'resume', 'cancel'])
    expect(await app.post(`/platform.ai/Run/${run}/${action}`, {})).toMatchObject({ status: 409, body: { code: 'run-state' } });
});

test('a run that failed is taken up behind its last finished step', async () => {
  const model = await modelServer();
  const flow = 'agent second { instruction "Second." }\n@public agent both { role "x" }\nflow both { clerk --> second }\n';
  const app = await serve(desk + flow, { llm: model.settings });
  model.says(replies[0], 'Noted.', '');
  const answer = await app.post('/desk/both', { message: 'go' });
  expect(answer).toMatchObject({ status: 502, body: { code: 'llm-empty', step: 'second' } });
  const asked = model.asked().length;
  model.says('Done.');
  const run = `/platform.ai/Run/${answer.headers['platform-run-id']}`;
  expect(await app.post(`${run}/resume`, {})).toMatchObject({ status: 200, body: { status: 'succeeded', result: 'Done.' } });
  expect(model.asked().slice(asked)).toMatchObject([{ messages: [{ content: expect.stringContaining('Second.') }, {}] }]);
  const steps = [
    { no: 1, name: 'desk/clerk', status: 'succeeded', result: 'Noted.' },
    { no: 2, name: 'desk/second', status: 'succeeded', result: 'Done.' },
  ];
  expect((await app.get(`${run}/RunStep/Step`)).body).toMatchObject(steps);
  expect((await app.get('/desk/Note')).body).toHaveLength(1);
});

test('an agent that has used its turns up is not begun anew: its run fails again, and nothing is done twice', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: { ...model.settings, limits: { turns: 1 } } });
  model.says(replies[0], 'Done.');
  const answer = await app.post('/desk/clerk', { message: 'go' });
  expect(answer).toMatchObject({ status: 422, body: { code: 'agent-turn-limit' } });
  const resumed = await app.post(`/platform.ai/Run/${answer.headers['platform-run-id']}/resume`, {});
  expect(resumed).toMatchObject({ status: 200, body: { status: 'failed', error: { code: 'agent-turn-limit' } } });
  expect(model.asked()).toHaveLength(1);
  expect((await app.get('/desk/Note')).body).toHaveLength(1);
});

test('an equal request with the same key is answered the same, by the same run; another body is refused', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says('First.', 'Second.');
  const key = { 'idempotency-key': 'k' };
  const [first, second] = [await app.post('/desk/clerk', { message: 'a' }, key), await app.post('/desk/clerk', { message: 'a' }, key)];
  expect(second).toMatchObject({ status: 200, text: '"First."', headers: { 'platform-run-id': first.headers['platform-run-id'] } });
  expect(model.asked()).toHaveLength(1);
  expect(await app.post('/desk/clerk', { message: 'b' }, key)).toMatchObject({ status: 422, body: { code: 'key-reused' } });
});

test('while the first of equal requests is under way the second is 409, with its run', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says('First.');
  const release = model.hold();
  const key = { 'idempotency-key': 'k' };
  const first = app.post('/desk/clerk', { message: 'a' }, key);
  await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toHaveLength(1);
  const second = await app.post('/desk/clerk', { message: 'a' }, key);
  expect(second).toMatchObject({ status: 409, body: { code: 'request-in-progress' } });
  release();
  expect(second.headers['platform-run-id']).toBe((await first).headers['platform-run-id']);
});

test('an unknown run, and an unknown action, are not there', async () => {
  const { app, run } = await waiting();
  expect(await app.post('/platform.ai/Run/00000000-0000-7000-8000-000000000000/cancel', {})).toMatchObject({ status: 404 });
  expect(await app.post(`/platform.ai/Run/${run}/forget`, {})).toMatchObject({ status: 404 });
  expect(await app.get(`/platform.ai/Run/${run}/cancel`)).toMatchObject({ status: 405 });
});

test('more runs at once than there may be are refused', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: { ...model.settings, limits: { runs: 1 } } });
  model.says('Done.');
  const release = model.hold();
  const first = app.post('/desk/clerk', { message: 'a' });
  await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toHaveLength(1);
  expect(await app.post('/desk/clerk', { message: 'b' })).toMatchObject({ status: 429, body: { code: 'too-many-requests' } });
  release();
  expect(await first).toMatchObject({ status: 200 });
});

test.each(['approve', 'reject', 'resume'])(
  'while all places are taken, nobody can %s a run: nothing is decided, and later it goes on',
  async (action) => {
    const model = await modelServer();
    const app = await serve(desk, { llm: { ...model.settings, limits: { runs: 1, turns: action === 'resume' ? 1 : 9 } } });
    const note = { tool: 'desk_Note_create', arguments: { id: 1, text: 'once' } };
    model.says(action === 'resume' ? note : replies[1], 'Done.');
    const { headers } = await app.post('/desk/clerk', { message: 'a' });
    const run = `/platform.ai/Run/${headers['platform-run-id']}`;
    const before = await app.get(run);
    const [first, replied] = gate();
    model.peer.clearFixtures();
    model.peer.on({ predicate: () => true }, () => replied.then(() => ({ content: 'Done.' })));
    const other = app.post('/desk/clerk', { message: 'b' });
    await expect.poll(async () => (await app.get('/platform.ai/Run?status=running')).body).toHaveLength(1);
    for (const _ of [1, 2])
      expect(await app.post(`${run}/${action}`, {})).toMatchObject({
        status: 429,
        body: { code: 'too-many-requests' },
        headers: { 'retry-after': '1' },
      });
    expect((await app.get(run)).body).toEqual(before.body);
    first();
    expect(await other).toMatchObject({ status: 200 });
    expect(await app.post(`${run}/${action}`, {})).toMatchObject({ status: 200 });
    expect((await app.get('/desk/Refund')).body).toHaveLength(action === 'approve' ? 1 : 0);
    expect(await app.post('/desk/clerk', { message: 'c' })).toMatchObject({ status: 200 });
  },
);

test('of many runs that are approved at the same moment no more go on than there may be', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: { ...model.settings, limits: { runs: 1 } } });
  const runs: string[] = [];
  for (const id of [1, 2, 3]) {
    model.says({ tool: 'desk_Refund_create', arguments: { id, amount: id } });
    runs.push((await app.post('/desk/clerk', { message: 'a' })).headers['platform-run-id'] ?? '');
  }
  const [reply, replied] = gate();
  model.peer.clearFixtures();
  model.peer.on({ predicate: () => true }, () => replied.then(() => ({ content: 'Done.' })));
  const answers = runs.map((run) => app.post(`/platform.ai/Run/${run}/approve`, {}));
  const refused = new Set<string>();
  for (const [at, each] of answers.entries()) void each.then(({ status }) => status === 429 && refused.add(runs[at] ?? ''));
  await expect.poll(() => refused.size).toBe(2);
  reply();
  expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
  expect((await app.get('/desk/Refund')).body).toHaveLength(1);
  // Two decisions about one run need one place.
  const [again] = refused;
  const both = await Promise.all([1, 2].map(() => app.post(`/platform.ai/Run/${again}/approve`, {})));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

/** What waits, and how it is let on. */
function gate(): readonly [open: () => void, opened: Promise<void>] {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [() => open(), opened];
}

test('an equal request of a run that waits is answered 202 with the same run, and with its result once somebody has approved', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says(...replies);
  const key = { 'idempotency-key': 'k' };
  const first = await app.post('/desk/clerk', { message: 'refund 50' }, key);
  const again = await app.post('/desk/clerk', { message: 'refund 50' }, key);
  expect([first.status, again.status]).toEqual([202, 202]);
  expect(again.body).toEqual(first.body);
  expect(again.headers['platform-run-id']).toBe(first.headers['platform-run-id']);
  expect(model.asked()).toHaveLength(2);
  await app.post(`/platform.ai/Run/${first.headers['platform-run-id']}/approve`, {});
  const last = await app.post('/desk/clerk', { message: 'refund 50' }, key);
  expect([last.status, last.text, last.headers['platform-run-id']]).toEqual([200, '"Done."', first.headers['platform-run-id']]);
  expect(model.asked()).toHaveLength(3);
  expect((await app.get('/desk/Refund')).body).toHaveLength(1);
});

test('a run that is cancelled while the model thinks ends at once: whoever waits hears 409, and nothing of it is done any more', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says(...replies);
  model.hold();
  const asking = app.post('/desk/clerk', { message: 'a' });
  await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toMatchObject([{ status: 'running' }]);
  const [{ id }] = Object((await app.get('/platform.ai/Run')).body);
  expect(await app.post(`/platform.ai/Run/${id}/cancel`, {})).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  expect(await asking).toMatchObject({ status: 409, body: { code: 'run-state' } });
  expect((await app.get(`/platform.ai/Run/${id}`)).body).toMatchObject({ status: 'cancelled' });
  expect((await app.get(`/platform.ai/Run/${id}/RunStep/Step`)).body).toMatchObject([{ status: 'cancelled' }]);
  expect((await app.get('/desk/Note')).body).toEqual([]);
});

/** Holds what runs go on from: whoever writes of a run waits, in the order in which they came. */
async function runsHeld(app: Served) {
  const other = await otherTransaction(app);
  await other.query('SELECT 1 FROM __platform_runs FOR UPDATE');
  const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    waitedForBy: (count: number) => expect.poll(() => app.kept.rows(waiting)).toHaveLength(count),
    release: () => other.query('COMMIT'),
  };
}

onServer('a run that succeeds in the moment in which it is cancelled has succeeded, and whoever cancels hears 409', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  const [reply, replied] = gate();
  model.peer.clearFixtures();
  model.peer.on({ predicate: () => true }, () => replied.then(() => ({ content: 'Done.' })));
  const asking = app.post('/desk/clerk', { message: 'a' });
  await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toMatchObject([{ status: 'running' }]);
  const [{ id }] = Object((await app.get('/platform.ai/Run')).body);
  const held = await runsHeld(app);
  reply();
  await held.waitedForBy(1);
  const cancelling = app.post(`/platform.ai/Run/${id}/cancel`, {});
  await held.waitedForBy(2);
  await held.release();
  expect(await asking).toMatchObject({ status: 200, body: 'Done.' });
  expect(await cancelling).toMatchObject({ status: 409, body: { code: 'run-state', runId: id } });
  expect((await app.get(`/platform.ai/Run/${id}`)).body).toMatchObject({ status: 'succeeded', result: 'Done.' });
});

onServer('an approval in the moment in which nobody is waited for any more counts where it came first', async () => {
  const model = await modelServer();
  const clock = testClock();
  const app = await serve(desk, { llm: model.settings, parts: { clock } });
  model.says(replies[1], 'Done.');
  const { headers } = await app.post('/desk/clerk', { message: 'refund 50' });
  const held = await runsHeld(app);
  const approving = app.post(`/platform.ai/Run/${headers['platform-run-id']}/approve`, {});
  await held.waitedForBy(1);
  // Whoever looks for such runs, every five seconds, finds it as it is until then.
  clock.advance(25 * 60 * 60 * 1000);
  await held.waitedForBy(2);
  await held.release();
  expect(await approving).toMatchObject({ status: 200, body: { status: 'succeeded', result: 'Done.' } });
  expect((await app.get('/desk/Refund')).body).toHaveLength(1);
});
