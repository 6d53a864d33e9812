// Runs that a timer does not try again, or not yet: agents that wait for somebody to approve or are cancelled, systems that do not answer in time.

import { expect, test } from 'vitest';
import { type Options, open, type Served, serve } from '../support/app.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';

const model = `module m
entity Note { id String @id }
entity Refund { id String @id, @meta {"approve": ["create"]} }
agent desk { instruction "Refund it.", tools [m/Refund] }
event jot { id String }
workflow jot { {Note {id jot.id}} }
event outside {}
workflow once { {platform/timer {name "once", duration 10, unit "millisecond", repeat false, trigger once.trigger}} }
workflow often { {platform/timer {name "once", duration 1, unit "second", trigger often.trigger}} }
workflow later { {platform/timer {name later.name, duration later.after, unit "millisecond", repeat false, trigger {"m/jot": {"id": later.name}}}} }
`;
const asked = { trigger: { 'm/desk': { message: 'Go.' } } };
const refund = { tool: 'm_Refund_create', arguments: { id: 'r' } } as const;

const patience = { timeout: 30_000, interval: 50 };
const day = 24 * 60 * 60 * 1000;

const timer = async (served: Served): Promise<Record<string, unknown>> => Object((await served.get('/platform/timer/once')).body);
const runs = async (served: Served): Promise<readonly Record<string, unknown>[]> =>
  Object((await served.get('/platform.ai/Run?@sort=started')).body);

/** Whatever is due by then has been looked at, and what another timer does is done. */
async function pass(served: Served, clock: TestClock, time: number): Promise<void> {
  clock.advance(time);
  for (let round = 0; round < 2; round += 1) {
    const name = clock.uuid();
    expect((await served.post('/m/later', { name, after: 10 })).status).toBe(200);
    clock.advance(10);
    await expect.poll(async () => (await served.get(`/m/Note/${name}`)).status, patience).toBe(200);
  }
}

interface Waiting {
  readonly served: Served;
  readonly clock: TestClock;
  readonly server: ModelServer;
  readonly run: string;
}

/** A timer whose agent waits for somebody to approve. */
async function waiting(event: 'once' | 'often', options: Options = {}): Promise<Waiting> {
  const [server, clock] = [await modelServer(), testClock()];
  server.says(refund, 'Done.');
  const served = await serve(model, { llm: server.settings, parts: { clock }, ...options });
  expect((await served.post(`/m/${event}`, asked)).status).toBe(200);
  clock.advance(1000);
  await pass(served, clock, 0);
  await expect.poll(() => runs(served), patience).toMatchObject([{ status: 'waiting' }]);
  const [first] = await runs(served);
  return { served, clock, server, run: `/platform.ai/Run/${String(first?.['id'])}` };
}

test('a run that waits for approval has not ended: its timer stays due, and what fails after the approval is tried again', async () => {
  const { served, clock, server, run } = await waiting('once');
  await pass(served, clock, 60_000);
  expect([await timer(served), await runs(served)]).toMatchObject([
    { due: expect.any(String), runs: 0, error: null },
    [{ status: 'waiting' }],
  ]);
  server.peer.nextRequestError(401, { message: 'no' });
  expect((await served.post(`${run}/approve`, {})).body).toMatchObject({ status: 'failed' });
  // It is not asked for all the time.
  await pass(served, clock, 0);
  expect(await timer(served)).toMatchObject({ runs: 0, error: null });
  server.says('Done.');
  await pass(served, clock, 30_000);
  await expect.poll(async () => (await timer(served))['error'], patience).toMatch(/^llm-auth-rejected: /);
  await pass(served, clock, 10_000);
  await expect.poll(async () => (await served.get('/platform/timer/once')).status, patience).toBe(404);
  expect(await runs(served)).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }]);
});

test('a timer that repeats begins no further run while one waits for approval', async () => {
  const { served, clock, run } = await waiting('often');
  const { due } = await timer(served);
  await pass(served, clock, 60_000);
  expect([await timer(served), await runs(served)]).toMatchObject([{ due, runs: 0 }, [{ status: 'waiting' }]]);
  expect((await served.post(`${run}/approve`, {})).body).toMatchObject({ status: 'succeeded' });
  await pass(served, clock, 60_000);
  await expect.poll(async () => (await timer(served))['due'], patience).not.toBe(due);
});

test('a timer that does not repeat and whose run nobody approves of in a day stays with that, and begins no other', async () => {
  const { served, clock } = await waiting('once');
  await pass(served, clock, day - 2000);
  expect(await runs(served)).toMatchObject([{ status: 'waiting' }]);
  clock.advance(60_000);
  await expect.poll(() => runs(served), patience).toMatchObject([{ status: 'cancelled' }]);
  await pass(served, clock, 60_000);
  await expect.poll(() => timer(served), patience).toMatchObject({ due: null, runs: 1, error: expect.stringMatching(/^run-state: /) });
  expect(await runs(served)).toHaveLength(1);
});

test('a timer that does not repeat and whose run is cancelled stays with that, and begins no other', async () => {
  const server = await modelServer();
  server.says('Done.');
  server.hold();
  const served = await serve(model, { llm: server.settings });
  expect((await served.post('/m/once', asked)).status).toBe(200);
  await expect.poll(() => runs(served), patience).toMatchObject([{ status: 'running' }]);
  const [run] = await runs(served);
  expect((await served.post(`/platform.ai/Run/${String(run?.['id'])}/cancel`, {})).status).toBe(200);
  await expect.poll(async () => (await timer(served))['error'], patience).toMatch(/^run-state: /);
  expect([await timer(served), await runs(served)]).toMatchObject([{ due: null, runs: 1 }, [{ status: 'cancelled' }]]);
  expect(served.warnings.filter((each) => each['timer'] === 'once')).toHaveLength(1);
});

test('an event of another system that does not answer in time is called once, and its timer stays with that', async () => {
  const resolver = 'import "other.js" @as other\nresolver others [m/outside] { eval other.run }\n';
  const served = await serve(
    {
      'core.al': model.replace('module m\n', `module m\n${resolver}`),
      'other.js': 'export const run = () => new Promise(() => {});',
    },
    { resolvers: [{ name: 'm/others', timeout: 1 }] },
  );
  expect((await served.post('/m/once', { trigger: 'm/outside' })).status).toBe(200);
  await expect.poll(async () => (await timer(served))['error'], patience).toMatch(/^resolver-timeout: /);
  expect(await timer(served)).toMatchObject({ due: null, runs: 1 });
});

test('what is due when a service is told to stop is left to the next one', async () => {
  const folder = temporaryFolder();
  const clock = testClock();
  let closing: Promise<void> | undefined;
  let isWatched = false;
  const now = (): Date => {
    // Whoever looks for what is due asks for the time first.
    if (isWatched) closing ??= served.app.close();
    return clock.now();
  };
  const text = model.replace(/^agent.*\n/m, '');
  const served = await open(text, { folder, parts: { clock: { ...clock, now } } });
  expect((await served.post('/m/later', { name: 'late', after: 1000 })).status).toBe(200);
  clock.advance(1000);
  isWatched = true;
  await expect.poll(() => closing !== undefined, patience).toBe(true);
  await closing;
  const next = await serve(text, { folder, timers: { enabled: false } });
  expect((await next.get('/m/Note')).body).toEqual([]);
});
