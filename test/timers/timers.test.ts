// What happens by the clock: timers that workflows make, and schedules of events, on both surfaces.

import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Options, open, type Project, type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/time.ts';

const current = `module m
entity Note { id UUID @id @default(uuid()), text String }
event jot { text String @default("tick") }
workflow jot { {Note {text jot.text}} }
event fail {}
workflow fail { {Note {text "never"}}; throw("not now") }
workflow once { {platform/timer {name "once", duration 20, unit "millisecond", repeat false, trigger {"m/jot": {"text": once.text}}}} }
workflow often { {platform/timer {name often.name, duration 1, unit "second", trigger often.trigger}} }
workflow stop { delete {platform/timer {name? stop.name}} }
`;

const earlier = `(component :M)
(entity :Note {:Id :Identity :Text :String})
(event :OnTick {:X :String})
(dataflow :OnTick {:Note {:Text :OnTick.X}})
(event :Start {:X :String})
(dataflow :Start
  {:Platform.Kernel.Lang/Timer
   {:Expiry 50 :ExpiryUnit "Milliseconds" :ExpiryEvent [:q# {:M/OnTick {:X [:uq# :Start.X]}}]}})
`;

const texts = async (served: Served, path = '/m/Note'): Promise<readonly string[]> => {
  const { body } = await served.get(path);
  return Array.isArray(body) ? body.map((each: Record<string, unknown>) => String(each['text'] ?? each['Text'])) : [];
};

test('a timer that does not repeat runs its event once, with its attributes, and is gone', async () => {
  const served = await serve(current);
  expect((await served.post('/m/once', { text: 'now' })).status).toBe(200);
  const isGone = async (): Promise<boolean> => (await served.get('/platform/timer')).text === '[]';
  await until(isGone);
  expect(await texts(served)).toEqual(['now']);
  // Another one that is due later, and is done, says that the first was not done again.
  expect((await served.post('/m/once', { text: 'then' })).status).toBe(200);
  await until(isGone);
  expect((await texts(served)).toSorted()).toEqual(['now', 'then']);
});

test('a timer of the earlier surface fires once, with what was quoted', async () => {
  const served = await serve({ 'm.platform': earlier }, { surfaces: ['earlier'] });
  expect((await served.post('/api/M/Start', { 'M/Start': { X: 'hello' } })).status).toBe(200);
  await until(async () => (await texts(served, '/api/M/Note')).length > 0);
  await until(async () => (await served.get('/api/Platform.Kernel.Lang/Timer')).text === '[]');
  expect(await texts(served, '/api/M/Note')).toEqual(['hello']);
});

test('a timer repeats until its row is deleted, and what is kept of it is read like any other data', async () => {
  const clock = testClock();
  const served = await serve(current, { parts: { clock } });
  /** What is due by then is done, and what came before it: the last is due later than all the others. */
  const pass = async (seconds: number): Promise<number> => {
    clock.advance(seconds * 1000);
    const text = `after ${clock.now().toISOString()}`;
    expect((await served.post('/m/once', { text })).status).toBe(200);
    clock.advance(20);
    await until(async () => (await texts(served)).includes(text));
    return (await texts(served)).filter((each) => each === 'tick').length;
  };
  const { body } = await served.post('/m/often', { name: 't', trigger: 'm/jot' });
  expect(body).toMatchObject({ name: 't', duration: 1, unit: 'second', trigger: 'm/jot', repeat: true, user: null, runs: 0, error: null });
  expect(body).not.toHaveProperty('caller');
  expect([await pass(1), await pass(1)]).toEqual([1, 2]);
  const timer = await served.get('/platform/timer/t');
  expect(timer.body).toMatchObject({ name: 't', last: expect.any(String), due: expect.any(String), error: null });
  expect((await served.remove('/platform/timer/t')).status).toBe(405);
  expect((await served.post('/m/stop', { name: 't' })).status).toBe(200);
  expect([await pass(1), await pass(5)]).toEqual([2, 2]);
});

test('a job that fails is logged, leaves nothing behind, and is tried again at its next time', async () => {
  const served = await serve(current);
  await served.post('/m/often', { name: 't', trigger: 'm/fail' });
  const timer = async () => (await served.get('/platform/timer/t')).body;
  await until(async () => Number(Object(await timer()).runs) > 1);
  expect(await timer()).toMatchObject({ error: 'dataflow-failed: not now' });
  expect(await texts(served)).toEqual([]);
  expect(served.warnings.filter((each) => each['timer'] === 't').length).toBeGreaterThan(1);
  expect(served.failures).toEqual([]);
});

const refused: readonly [title: string, body: object, faults: readonly string[]][] = [
  ['an event that there is not', { name: 't', trigger: 'm/missing' }, ['trigger value']],
  ['attributes that the event does not take', { name: 't', trigger: { 'm/jot': { text: 5 } } }, ['trigger.text type']],
  ['a name of a schedule', { name: 'm/jot', trigger: 'm/jot' }, ['name value']],
  ['no name at all', { name: '', trigger: 'm/jot' }, ['name value']],
  ['what is no event at all', { name: 't', trigger: 5 }, ['trigger value']],
];
test.each(refused)('a timer for %s is refused with 422', async (_, body, faults) => {
  const served = await serve(current);
  const answer = await served.post('/m/often', body);
  expect([
    answer.status,
    (answer.body as { errors: { attribute: string; code: string }[] }).errors.map((each) => `${each.attribute} ${each.code}`),
  ]).toEqual([422, faults]);
});

test('there are at most so many timers as timers.most says, and the same name is taken', async () => {
  const served = await serve(current, { timers: { most: 2, enabled: false } });
  const make = async (name: string) => (await served.post('/m/often', { name, trigger: 'm/jot' })).status;
  expect([await make('a'), await make('a'), await make('b'), await make('c')]).toEqual([200, 409, 200, 422]);
});

const scheduled = (schedule: string, title = 'note') =>
  `module m
entity Note { id UUID @id @default(uuid()), text String }
@schedule("${schedule}") event jot { text String @default("tick") }
workflow jot { {Note {text "${title}"}} }
`;

/** The same folder and database, one start after the other. */
async function kept(run: (start: (project: Project, options?: Options) => Promise<Served>) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const opened: Served[] = [];
  try {
    await run(async (project, options = {}) => {
      await opened.pop()?.close();
      const served = await open(project, { ...options, folder });
      opened.push(served);
      return served;
    });
  } finally {
    await opened.pop()?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('an event with a schedule runs by itself, on the earlier surface too', async () => {
  const served = await serve(scheduled('every second'));
  await until(async () => (await texts(served)).length > 1);
  expect((await texts(served)).slice(0, 2)).toEqual(['note', 'note']);
  const text =
    '(component :M) (entity :Note {:Id :Identity :Text :String}) (event :Tick {:meta {:schedule "every second"}}) (dataflow :Tick {:Note {:Text "tock"}})';
  const other = await serve({ 'm.platform': text }, { surfaces: ['earlier'] });
  await until(async () => (await texts(other, '/api/M/Note')).length > 0);
  expect((await texts(other, '/api/M/Note'))[0]).toBe('tock');
  expect((await other.get('/api/Platform.Kernel.Lang/Timer')).body).toMatchObject([
    { Name: 'M/Tick', Schedule: 'every second', Repeat: true },
  ]);
});

test('times that were missed while nobody served are made up by one run after the start', async () => {
  const clock = testClock();
  const due = async (served: Served): Promise<number> => Date.parse(Object((await served.get('/platform/timer')).body)[0].due);
  await kept(async (start) => {
    const first = await start(scheduled('every second'), { parts: { clock } });
    clock.advance(1000);
    await until(async () => (await texts(first)).length > 0);
    const idle = await start(scheduled('every second'), { parts: { clock }, timers: { enabled: false } });
    clock.advance(60_000);
    const [before, missed] = [(await texts(idle)).length, await due(idle)];
    expect(missed).toBeLessThan(clock.now().getTime() - 50_000);
    const second = await start(scheduled('every second'), { parts: { clock } });
    // All of them by one run: the next time is to come.
    await until(async () => (await due(second)) !== missed);
    expect(await due(second)).toBeGreaterThan(clock.now().getTime());
    expect(await texts(second)).toHaveLength(before + 1);
    clock.advance(1000);
    await until(async () => (await texts(second)).length > before + 1);
    expect(await texts(second)).toHaveLength(before + 2);
  });
});

test('a schedule that is changed in the model is changed, and one that is taken out is gone', async () => {
  await kept(async (start) => {
    const timers = async (served: Served) => (await served.get('/platform/timer')).body;
    const first = await start(scheduled('0 3 * * *'));
    expect(await timers(first)).toMatchObject([{ name: 'm/jot', schedule: '0 3 * * *', due: expect.stringMatching(/T03:00:00.000Z$/) }]);
    await first.reload(scheduled('30 4 * * *'));
    expect(await timers(first)).toMatchObject([{ schedule: '30 4 * * *', due: expect.stringMatching(/T04:30:00.000Z$/) }]);
    await first.reload(`${scheduled('30 4 * * *').replace(/@schedule\(.*?\) /, '')}\nworkflow x { delete {platform/timer {name? "x"}} }`);
    expect(await timers(first)).toEqual([]);
  });
});

test('a timer of a start-up statement is the same timer at each start', async () => {
  await kept(async (start) => {
    const project = `${current}{platform/timer {name "daily", duration 1, unit "day", trigger "m/jot"}}`;
    const first = await start(project);
    const [before] = (await first.get('/platform/timer')).body as { due: string }[];
    const second = await start(project);
    expect((await second.get('/platform/timer')).body).toMatchObject([{ name: 'daily', due: before?.due }]);
    const third = await start(project.replace('"daily", duration 1,', '"daily", duration 2,'));
    const [after] = (await third.get('/platform/timer')).body as { due: string }[];
    expect(Date.parse(after?.due ?? '') - Date.parse(before?.due ?? '')).toBeGreaterThan(23 * 3600 * 1000);
  });
});

test('a model without timers and schedules has no table of them', async () => {
  const served = await serve('module m\nentity Note { id Int @id }');
  expect((await served.get('/platform/timer')).status).toBe(404);
  await expect(served.kept.rows('SELECT * FROM "platform/timer"')).rejects.toThrow();
});
