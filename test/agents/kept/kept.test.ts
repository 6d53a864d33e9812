// How long runs are kept, and how many tokens a user may use in a day.

import { expect, test } from 'vitest';
import { world } from '../../access/people.ts';
import { serve } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { modelServer } from '../../support/model-server.ts';

const desk = `module desk
entity Note { id Int @id, text String }
@public agent clerk { instruction "Work.", tools [desk/Note] }
`;

const day = 24 * 60 * 60 * 1000;

test('a run is removed after llm.keep days, with its steps, calls and what was said in it; what it did stays', async () => {
  const model = await modelServer();
  const clock = testClock();
  const app = await serve(desk, { llm: { ...model.settings, keepDays: 30 }, parts: { clock } });
  model.says({ tool: 'desk_Note_create', arguments: { id: 1, text: 'stays' } }, 'Noted.');
  const { headers } = await app.post('/desk/clerk', { message: 'note it' }, { 'idempotency-key': 'k' });
  clock.advance(29 * day);
  await app.reload(desk);
  await app.post('/desk/clerk', { message: 'again' });
  await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toHaveLength(2);
  clock.advance(2 * day);
  await app.reload(desk);
  await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toHaveLength(1);
  const run = `/platform.ai/Run/${headers['platform-run-id']}`;
  expect((await app.get(run)).status).toBe(404);
  expect((await app.get(`${run}/RunStep/Step/1/StepToolCall/ToolCall`)).status).toBe(404);
  for (const table of ['Step', 'ToolCall'])
    expect(await app.kept.rows(`SELECT * FROM "platform.ai/${table}" WHERE "__key" LIKE '%${headers['platform-run-id']}%'`)).toEqual([]);
  expect((await app.get('/desk/Note')).body).toEqual([{ id: 1, text: 'stays' }]);
});

test('old runs that are not over keep no other from being removed', async () => {
  const model = await modelServer();
  const clock = testClock();
  const project = desk.replace('String }', 'String, @meta {"approve": ["create"]} }');
  const app = await serve(project, { llm: { ...model.settings, keepDays: 0.5 }, parts: { clock } });
  for (let id = 1; id <= 16; id += 1) {
    model.says({ tool: 'desk_Note_create', arguments: { id, text: 'waits' } });
    expect((await app.post('/desk/clerk', { message: 'note it' })).status).toBe(202);
  }
  model.says('Done.');
  await app.post('/desk/clerk', { message: 'go' });
  expect((await app.get('/platform.ai/Run')).body).toHaveLength(17);
  // Longer than runs are kept, and not yet as long as they wait.
  clock.advance(0.75 * day);
  await app.reload(project);
  await expect.poll(async () => (await app.get('/platform.ai/Run')).body).toHaveLength(16);
  expect((await app.get('/platform.ai/Run')).body).toEqual(Array(16).fill(expect.objectContaining({ status: 'waiting' })));
});

test('whoever has used up the tokens of a day is 429 until the next one, others are not, and no model is asked', async () => {
  const model = await modelServer();
  const clock = testClock('2026-01-02T03:04:05.000Z');
  const { served, join, enter } = await world(desk, 'current', {
    llm: { ...model.settings, limits: { dailyTokens: 30 } },
    parts: { clock },
  });
  const [ann, ben] = [await join('ann'), await join('ben')];
  model.says('Done.');
  const ask = (headers: Readonly<Record<string, string>>) => served.post('/desk/clerk', { message: 'go' }, headers);
  expect([(await ask(ann.headers)).status, (await ask(ann.headers)).status]).toEqual([200, 200]);
  const third = await ask(ann.headers);
  expect(third).toMatchObject({ status: 429, body: { code: 'llm-budget' }, headers: { 'retry-after': '75355' } });
  expect(model.asked()).toHaveLength(2);
  expect((await ask(ben.headers)).status).toBe(200);
  clock.advance(day);
  expect((await ask((await enter('ann')).headers)).status).toBe(200);
});

test('of many requests at the same moment no more begin than there may be', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: { ...model.settings, limits: { runs: 1 } } });
  model.says('Done.');
  const release = model.hold();
  const ask = () => app.post('/desk/clerk', { message: 'go' });
  let refused = 0;
  const asking = Array.from({ length: 4 }, async () => {
    const answer = await ask();
    if (answer.status === 429) refused += 1;
    return answer;
  });
  await expect.poll(() => refused).toBe(3);
  release();
  const answers = await Promise.all(asking);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429]);
});

test('a run ends where the tokens of the day end in it, and nobody takes it up that day', async () => {
  const model = await modelServer();
  const clock = testClock('2026-01-02T03:04:05.000Z');
  const llm = { ...model.settings, limits: { dailyTokens: 30 } };
  const { served, admin, join, enter } = await world(desk, 'current', { llm, parts: { clock } });
  const ann = await join('ann');
  model.says(...[1, 2].map((id) => ({ tool: 'desk_Note_read', arguments: { id } })), 'Done.');
  const answer = await served.post('/desk/clerk', { message: 'go' }, ann.headers);
  expect(answer).toMatchObject({ status: 429, body: { code: 'llm-budget' } });
  const resume = `/platform.ai/Run/${answer.headers['platform-run-id']}/resume`;
  for (const { headers } of [ann, admin])
    expect(await served.post(resume, {}, headers)).toMatchObject({ status: 429, body: { code: 'llm-budget' } });
  expect(model.asked()).toHaveLength(2);
  clock.advance(22 * 60 * 60 * 1000);
  expect((await served.post(resume, {}, (await enter('ann')).headers)).body).toMatchObject({ status: 'succeeded', result: 'Done.' });
});

test('what a run has used counts before it ends: whoever cancels it has used that', async () => {
  const model = await modelServer();
  const { served, join } = await world(desk, 'current', { llm: model.settings });
  const ann = await join('ann');
  model.says({ tool: 'desk_Note_read', arguments: { id: 1 } }, 'late');
  model.hold(1);
  const asking = served.post('/desk/clerk', { message: 'go' }, ann.headers);
  const spent = () => served.kept.rows('SELECT "tokens" FROM "__platform_spent"');
  await expect.poll(async () => (await spent()).length).toBe(1);
  const [{ id, status }] = Object((await served.get('/platform.ai/Run', ann.headers)).body);
  expect(status).toBe('running');
  await served.post(`/platform.ai/Run/${id}/cancel`, {}, ann.headers);
  expect((await asking).status).toBe(409);
  expect((await spent()).map(({ tokens }) => Number(tokens))).toEqual([18]);
});
