// Timers that do not repeat and whose jobs fail, and those that ask agents: none is lost, none is begun twice, and what went wrong is shown.

import { expect, test } from 'vitest';
import { type Options, type Served, serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';

const model = `module m
entity Note { id String @id }
event jot {}
workflow jot { {Note {id "made"}} }
event outside {}
workflow once { {platform/timer {name "once", duration 10, unit "millisecond", repeat false, trigger once.trigger}} }
workflow again { {platform/timer {name? "once", duration 20}} }
`;

const desk = 'agent desk { instruction "Make a note.", tools [m/Note] }\n';

const patience = { timeout: 30_000, interval: 50 };

const timer = async (served: Served): Promise<Record<string, unknown>> => Object((await served.get('/platform/timer/once')).body);
const isGone = async (served: Served): Promise<boolean> => (await served.get('/platform/timer/once')).status === 404;
const notes = async (served: Served): Promise<unknown> => (await served.get('/m/Note')).body;

async function started(trigger: unknown, text = model, options: Options = {}): Promise<Served> {
  const served = await serve(text, options);
  expect((await served.post('/m/Note', { id: 'made' })).status).toBe(201);
  expect((await served.post('/m/once', { trigger })).status).toBe(200);
  return served;
}

test('a timer that does not repeat and whose job fails is logged, stays with its error, and is tried again until it is done', async () => {
  const served = await started('m/jot');
  await expect.poll(async () => (await timer(served))['runs'], patience).toBeGreaterThan(1);
  expect(await timer(served)).toMatchObject({ error: expect.stringMatching(/^duplicate: /), due: expect.any(String) });
  expect(served.warnings.filter((each) => each['timer'] === 'once').length).toBeGreaterThan(1);
  await served.remove('/m/Note/made');
  await expect.poll(() => isGone(served), patience).toBe(true);
  expect([await notes(served), served.failures]).toEqual([[{ id: 'made' }], []]);
});

test('after twenty tries it is not tried any more, stays with its error, and counts anew when it is changed', async () => {
  const served = await started('m/jot');
  await expect.poll(async () => (await timer(served))['error'], patience).not.toBe(null);
  await served.kept.execute(`UPDATE "platform/timer" SET runs = 19`);
  await expect.poll(async () => (await timer(served))['due'], patience).toBe(null);
  expect(await timer(served)).toMatchObject({ runs: 20, error: expect.stringMatching(/^duplicate: /) });
  await served.remove('/m/Note/made');
  expect((await served.post('/m/again', {})).status).toBe(200);
  await expect.poll(() => isGone(served), patience).toBe(true);
  expect(await notes(served)).toEqual([{ id: 'made' }]);
});

test('an agent that a timer runs is asked once, and one that fails is shown with the timer and asked again', async () => {
  const server = await modelServer();
  server.says({ tool: 'm_Note_create', arguments: { id: 'by the agent' } }, 'Done.');
  server.peer.nextRequestError(401, { message: 'no' });
  const served = await started({ 'm/desk': { message: 'Go.' } }, model + desk, { llm: server.settings });
  await expect.poll(async () => (await timer(served))['error'], patience).toMatch(/^llm-auth-rejected: /);
  await expect.poll(() => isGone(served), patience).toBe(true);
  expect(await notes(served)).toEqual([{ id: 'by the agent' }, { id: 'made' }]);
  const runs = (await served.get('/platform.ai/Run?@sort=started')).body;
  expect(runs).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }]);
  expect(served.failures).toEqual([]);
});

/** Fails once, then takes what it is given. */
const other = `let calls = 0;
export const run = () => { calls += 1; if (calls === 1) throw new Error('down'); return { calls }; };
export const asked = () => calls;
`;

test('an event that another system keeps is tried again where it fails, and done once where it does not', async () => {
  const resolver = 'import "other.js" @as other\nresolver others [m/outside] { eval other.run }\nworkflow asked { other.asked() }\n';
  const served = await serve({ 'core.al': model.replace('module m\n', `module m\n${resolver}`), 'other.js': other });
  expect((await served.post('/m/once', { trigger: 'm/outside' })).status).toBe(200);
  await expect.poll(async () => (await timer(served))['error'], patience).toMatch(/^resolver-failed: /);
  await expect.poll(() => isGone(served), patience).toBe(true);
  expect((await served.post('/m/asked', {})).text).toBe('2');
});
