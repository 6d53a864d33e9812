// Events: their attributes, calls of one another, functions of the application, limits, all or nothing.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { counted, isLarge, isOnServer } from '../support/form.ts';
import { check, property } from '../support/table.ts';

describe('attributes of an event', () => {
  const model = `module m
record Part { city String, land String @default("DE") }
event e { title String, n Int @default(7), part Part @optional, kind String @enum("a", "b") @optional }
workflow e { {"title": e.title, "n": e.n, "city": e.part.city, "land": e.part.land} }
event silent { a Int }`;

  test('are checked like those of an entity, all faults at once', async () => {
    await check(await serve(model), [
      { ask: 'POST /m/e', body: { title: 'x' }, status: 200, is: { title: 'x', n: 7, city: null, land: null } },
      {
        ask: 'POST /m/e',
        body: { title: 'x', n: 1, part: { city: 'Ulm' } },
        status: 200,
        is: { title: 'x', n: 1, city: 'Ulm', land: 'DE' },
      },
      {
        ask: 'POST /m/e',
        body: { n: 'x', kind: 'c', other: 1 },
        status: 422,
        faults: ['title required', 'n type', 'kind value', 'other unknown'],
      },
      { ask: 'POST /m/e', body: [1], status: 400, code: 'body-invalid' },
      { ask: 'POST /m/e', body: null, status: 400, code: 'body-invalid' },
      { ask: 'POST /m/e', status: 422, faults: ['title required'] },
      { ask: 'GET /m/e', status: 405, code: 'method-not-allowed' },
      { ask: 'POST /m/silent', body: { a: 1 }, status: 200, is: { a: 1 } },
    ]);
  });

  test('of one that is not declared may be anything', async () => {
    const served = await serve('module m\nworkflow echo { echo.a }');
    await check(served, [
      { ask: 'POST /m/echo', body: { a: { b: [1, null, 'x'] }, c: 1 }, status: 200, is: { b: [1, null, 'x'] } },
      { ask: 'POST /m/echo', body: {}, status: 200, is: null },
    ]);
  });

  test('are just values: nothing that comes in a request is ever parsed as source', async () => {
    const served = await serve(
      'module m\nentity Post { id UUID @id @default(uuid()), text String }\nworkflow keep { {Post {text keep.text}} }',
    );
    const hostile = ['{Post? {}}', "'; DROP TABLE x; --", 'process.env', '#js process.exit(1)', '(defn f [] 1)', '{:m/Post {}}'];
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'grapheme' })), async (text) => {
        const answer = await served.post('/m/keep', { text });
        expect(answer.status).toBe(200);
        expect(property(answer.body, 'text')).toBe(text);
      }),
      { numRuns: counted({ long: 600, short: 20 }) },
    );
  });
});

test('a workflow calls others in the same transaction, with names of their own', async () => {
  const served = await serve(`module m
entity Post { id Int @id, title String }
event add { id Int, title String }
workflow add { {Post {id add.id, title add.title}} @as made }
workflow all { 5 @as made {add {id 1, title "one"}} @as p {add {id 2, title p.title + "!"}} made }
workflow failing { {add {id 3, title "three"}} {add {id failing.id, title "four"}} }
workflow forever { {forever {n 1}} }`);
  await check(served, [
    { ask: 'POST /m/all', body: {}, status: 200, is: 5 },
    { ask: 'POST /m/failing', body: { id: 'x' }, status: 422, faults: ['id type'] },
    {
      ask: 'GET /m/Post',
      status: 200,
      is: [
        { id: 1, title: 'one' },
        { id: 2, title: 'one!' },
      ],
    },
    { ask: 'POST /m/forever', body: {}, status: 422, code: 'dataflow-failed' },
  ]);
});

test('functions of imported modules are called, and waited for', async () => {
  const served = await serve({
    'core.al': `module m
import "f.js" @as f
entity Post { id Int @id, title String }
workflow twice { f.twice(twice.n) }
workflow later { {Post {id 1, title await f.later("x")}} }
workflow fails { {Post {id 2, title "y"}} f.fails() }`,
    'f.js': `export const twice = (n) => n * 2;
export const later = async (text) => { await new Promise((done) => setTimeout(done, 5)); return text + '!'; };
export const fails = () => { throw new Error('no luck'); };`,
  });
  await check(served, [
    { ask: 'POST /m/twice', body: { n: 4 }, status: 200, is: 8 },
    { ask: 'POST /m/later', body: {}, status: 200, is: { id: 1, title: 'x!' } },
    { ask: 'POST /m/fails', body: {}, status: 422, code: 'dataflow-failed', has: { detail: 'no luck' } },
    { ask: 'GET /m/Post', status: 200, is: [{ id: 1, title: 'x!' }] },
  ]);
});

/** So many fail, among as many that do not; of more at once some would wait for longer than they may. */
const failing = isLarge && !isOnServer ? 200 : 25;

test('a workflow that fails in its last step leaves no trace, however many run at once', async () => {
  const served = await serve(`module m
entity Post { id UUID @id @default(uuid()), n Int, @after {create jot} }
entity Note { id UUID @id @default(uuid()), n Int }
workflow jot { {Note {n jot.Post.n}} }
workflow w { {Post {n w.n}} {Post {n? w.n, n w.n + 1}}; if (w.bad == true) { throw("stop") } }`);
  const answers = await Promise.all(
    Array.from({ length: 2 * failing }, (_, index) => served.post('/m/w', { n: index * 10, bad: index % 2 === 0 })),
  );
  expect(answers.filter((each) => each.status === 422)).toHaveLength(failing);
  for (const type of ['Post', 'Note']) {
    const { headers } = await served.get(`/m/${type}?@limit=1&@count=true`);
    expect(headers['x-total-count']).toBe(String(failing));
  }
});

test('a loop ends at the limit with a clear error, while others are served', async () => {
  const flow = { steps: isLarge ? 100_000 : 8000, time: 600 };
  const served = await serve(
    `module m
entity Post { id Int @id, n Int @default(0) }
workflow fill { for x in fill.list { {Post {id x}} } 1 }
workflow loop { for a in {Post? {}} { for b in {Post? {}} { {Post {id? b.id, n a.id}} } } }
workflow spin { for a in {Post? {}} { for b in {Post? {}} { a.id + b.id } } }`,
    { limits: { flow } },
  );
  expect((await served.post('/m/fill', { list: Array.from({ length: 400 }, (_, index) => index) })).status).toBe(200);
  for (const event of ['loop', 'spin']) {
    let ended = false;
    const running = served.post(`/m/${event}`, {}).finally(() => {
      ended = true;
    });
    let reads = 0;
    while (!ended) {
      expect((await served.get('/m/Post/1')).status).toBe(200);
      reads += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await running).toMatchObject({ status: 422, body: { code: 'dataflow-limit' } });
    expect(reads).toBeGreaterThan(3);
  }
  expect((await served.get('/m/Post/1')).body).toEqual({ id: 1, n: 0 });
});

test('a service that traces tells everybody the time of each step, others operators alone, and never a statement', async () => {
  const model = 'module m\nentity Post { id Int @id }\nworkflow w {\n{Post {id w.id}}\n{Post? {}}\n}';
  const header = { 'platform-trace': '1' };
  const times = /^create-4;dur=\d+;start=0, find-5;dur=\d+;start=\d+$/;
  const [quiet, tracing] = [await serve(model), await serve(model, { traces: true })];
  const elsewhere = async ({ app }: Served) => {
    const request = { method: 'POST', path: '/m/w', query: '', id: 'test', remote: '192.0.2.1' };
    return (await app.respond({ ...request, headers: { ...header, 'content-type': 'application/json' }, body: Buffer.from('{"id": 2}') }))
      .headers;
  };
  // Without authentication an operator is who sits at the machine itself.
  expect((await quiet.post('/m/w', { id: 1 }, header)).headers['server-timing']).toMatch(times);
  expect((await elsewhere(quiet))['server-timing']).toBeUndefined();
  expect((await elsewhere(tracing))['server-timing']).toMatch(times);
  expect((await tracing.post('/m/w', { id: 1 })).headers['server-timing']).toBeUndefined();
});

test('work that is put off and sets itself off again is cut too', async () => {
  const served = await serve(`module m
entity Post { id Int @id, @after {create again @async} }
workflow again { {Post {id again.Post.id + 1}} }`);
  expect((await served.post('/m/Post', { id: 1 })).status).toBe(201);
  await expect.poll(() => served.failures.length).toBe(1);
  expect((await served.get('/m/Post?@limit=1&@count=true')).headers['x-total-count']).toBe('32');
});

test('a function that somebody forgot to wait for is told', async () => {
  const served = await serve({ 'core.al': 'module m\nimport "f.js" @as f\nworkflow forgot { f.never() }', 'f.js': neverAnswers });
  await check(served, [{ ask: 'POST /m/forgot', body: {}, status: 422, code: 'dataflow-failed' }]);
});

const neverAnswers = 'export const never = () => new Promise(() => {});';

test('a function that never answers ends at the limit of time, which is a setting', async () => {
  const model = { 'core.al': 'module m\nimport "f.js" @as f\nworkflow hang { await f.never() }', 'f.js': neverAnswers };
  const served = await serve(model, { limits: { flow: { steps: 100, time: 1 } } });
  const detail = 'It took longer than 1 seconds.';
  await check(served, [{ ask: 'POST /m/hang', body: {}, status: 422, code: 'dataflow-limit', has: { detail, pattern: 'call f.never' } }]);
});

test('the limit of steps is a setting', async () => {
  const model = 'module m\nworkflow count { for n in count.list { n } }';
  const served = await serve(model, { limits: { flow: { steps: 50, time: 600 } } });
  const detail = 'It took more than 50 steps.';
  await check(served, [
    { ask: 'POST /m/count', body: { list: [1, 2, 3] }, status: 200, is: [1, 2, 3] },
    { ask: 'POST /m/count', body: { list: Array(60).fill(1) }, status: 422, code: 'dataflow-limit', has: { detail } },
  ]);
});

test('a text that grows in a loop is refused before it takes all memory', async () => {
  const served = await serve(`module m
workflow plus { plus.text @as t for n in plus.list { t + t @as t } t }
workflow text { text.text @as t for n in text.list { str(t, t, n) @as t } t }`);
  const text = 'x'.repeat(1024);
  const detail = 'A text would have more than 16777216 characters.';
  for (const ask of ['POST /m/plus', 'POST /m/text'])
    await check(served, [
      { ask, body: { text, list: Array(3).fill(0) }, status: 200 },
      { ask, body: { text, list: Array(60).fill(0) }, status: 422, code: 'dataflow-limit', has: { detail } },
    ]);
});

test('a list that is longer than an event may read is refused before it is read, in whatever order', async () => {
  const served = await serve(
    `module m
entity Post { id Int @id, n Int }
workflow fill { for x in fill.list { {Post {id x, n 0 - x}} } }
workflow all { {Post? {}} }
workflow sorted { {Post? {}, @orderBy(n)} }
workflow some { {Post? {}, @orderBy(n), @limit(2500)} }`,
    { limits: { flow: { steps: 8000, time: 600 } } },
  );
  for (const start of [0, 3000, 6000])
    await check(served, [
      { ask: 'POST /m/fill', body: { list: Array.from({ length: 3000 }, (_, index) => start + index).slice(0, 2600) }, status: 200 },
    ]);
  await check(served, [
    { ask: 'POST /m/all', body: {}, status: 200 },
    { ask: 'POST /m/sorted', body: {}, status: 200 },
    { ask: 'POST /m/fill', body: { list: Array.from({ length: 2600 }, (_, index) => 9000 + index) }, status: 200 },
    { ask: 'POST /m/all', body: {}, status: 422, code: 'dataflow-limit' },
    { ask: 'POST /m/sorted', body: {}, status: 422, code: 'dataflow-limit' },
  ]);
  const { body } = await served.post('/m/some', {});
  expect(body).toHaveLength(2500);
  expect(Object(body)[0]).toEqual({ id: 11_599, n: -11_599 });
  expect(Object(body)[2499]).toEqual({ id: 9100, n: -9100 });
});
