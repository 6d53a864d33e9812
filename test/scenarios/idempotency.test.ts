// `Idempotency-Key` on POST.

import { expect, test } from 'vitest';
import { open, type Project, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { folderForTest } from '../support/folder.ts';
import { check } from '../support/table.ts';
import { until } from '../support/time.ts';

const model: Project = {
  'core.al': `
module m
import "rules.js" @as rules
entity E { id UUID @id @default(uuid()), n Int @optional }
entity P { id Int @id }
entity K { id Int @id @default(autoincrement()), n Int @optional }
entity Slow { id Int @id @check(rules.slow) }
workflow begun { rules.begun() }
workflow finish { rules.finish() }
relationship R contains(P, K)
relationship L between(P, E)
`,
  'rules.js': `let finished;
export const slow = () => new Promise((done) => { finished = () => done(true); });
export const begun = () => finished !== undefined;
export const finish = () => { finished(); return true; };`,
};
const key = (value: string) => ({ 'idempotency-key': value });

test('the same key, path and body replay the first answer, and nothing is done twice', async () => {
  const served = await serve(model);
  const first = await served.post('/m/E', { n: 1 }, key('a'));
  expect(first.status).toBe(201);
  for (let again = 0; again < 3; again += 1) {
    const second = await served.post('/m/E', { n: 1 }, key('a'));
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(second.headers).toMatchObject({
      location: first.headers['location'],
      etag: first.headers['etag'],
      'content-type': 'application/json',
    });
  }
  expect((await served.get('/m/E')).body).toEqual([first.body]);
});

test('the answer is replayed although the instance has changed or gone since', async () => {
  const served = await serve(model);
  const first = await served.post('/m/E', { n: 1 }, key('a'));
  await served.put(first.headers['location'] ?? '', { n: 2 });
  expect((await served.post('/m/E', { n: 1 }, key('a'))).text).toBe(first.text);
  await served.remove(first.headers['location'] ?? '');
  expect((await served.post('/m/E', { n: 1 }, key('a'))).text).toBe(first.text);
  expect((await served.get('/m/E')).body).toEqual([]);
});

test('another body under the same key is 422', async () => {
  const served = await serve(model);
  await check(served, [
    { ask: 'POST /m/E', body: { n: 1 }, send: key('a'), status: 201 },
    { ask: 'POST /m/E', body: { n: 2 }, send: key('a'), status: 422, code: 'key-reused' },
    { ask: 'POST /m/E', body: { n: 2 }, send: key('b'), status: 201 },
    { ask: 'GET /m/E?@count=true', status: 200, headers: { 'x-total-count': '2' } },
  ]);
});

test('a key belongs to its path, and means nothing on other methods', async () => {
  const served = await serve(model);
  await check(served, [
    { ask: 'POST /m/P', body: { id: 1 }, send: key('a'), status: 201 },
    { ask: 'POST /m/P/1/R/K', body: { id: 1 }, send: key('a'), status: 201, has: { id: 1 } },
    { ask: 'POST /m/P/1/R/K', body: { id: 1 }, send: key('a'), status: 201, has: { id: 1 } },
    { ask: 'POST /m/P/1/L/E', body: { n: 5 }, send: key('a'), status: 201, has: { n: 5 } },
    { ask: 'POST /m/P/1/L/E', body: { n: 5 }, send: key('a'), status: 201, has: { n: 5 } },
    { ask: 'GET /m/P/1/L/E?@count=true', status: 200, headers: { 'x-total-count': '1' } },
    { ask: 'PUT /m/P/1/R/K/1', body: { n: 1 }, send: key('a'), status: 200, has: { n: 1 } },
    { ask: 'PUT /m/P/1/R/K/1', body: { n: 2 }, send: key('a'), status: 200, has: { n: 2 } },
    { ask: 'DELETE /m/P/1/R/K/1', send: key('a'), status: 200 },
    { ask: 'DELETE /m/P/1/R/K/1', send: key('a'), status: 404 },
  ]);
});

test('while the first is still running, a second is 409 with Retry-After', async () => {
  const served = await serve(model);
  const first = served.post('/m/Slow', { id: 1 }, key('a'));
  await until(async () => (await served.post('/m/begun', {})).body === true);
  await check(served, [
    { ask: 'POST /m/Slow', body: { id: 1 }, send: key('a'), status: 409, code: 'request-in-progress', headers: { 'retry-after': /^\d+$/ } },
  ]);
  expect((await served.post('/m/finish', {})).status).toBe(200);
  expect((await first).status).toBe(201);
  await check(served, [{ ask: 'POST /m/Slow', body: { id: 1 }, send: key('a'), status: 201, is: { id: 1 } }]);
});

test('of many at once one is done', async () => {
  const served = await serve(model);
  const answers = await Promise.all(Array.from({ length: 30 }, () => served.post('/m/E', { n: 1 }, key('a'))));
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
  expect((await served.get('/m/E?@count=true')).headers['x-total-count']).toBe('1');
});

test('what failed is not kept as done: after the cause is gone the same request succeeds', async () => {
  const served = await serve(model);
  await check(served, [
    { ask: 'POST /m/P/1/R/K', body: { id: 1 }, send: key('a'), status: 404 },
    { ask: 'POST /m/P', body: { id: 1 }, status: 201 },
    { ask: 'POST /m/P/1/R/K', body: { id: 1 }, send: key('a'), status: 201 },
    { ask: 'POST /m/P', body: { id: 'x' }, send: key('a'), status: 422 },
  ]);
});

test('a key that is empty or too long is 400', async () => {
  const served = await serve(model);
  await check(served, [
    { ask: 'POST /m/E', body: {}, send: key(''), status: 400 },
    { ask: 'POST /m/E', body: {}, send: key('x'.repeat(256)), status: 400 },
    { ask: 'POST /m/E', body: {}, send: key('x'.repeat(255)), status: 201 },
    { ask: 'POST /m/E', body: {}, send: key(`'"; DROP TABLE "m/E" --`), status: 201 },
  ]);
});

test('the answer outlives a restart, and a changed model', async () => {
  const folder = folderForTest();
  const before = await open(model, { folder });
  const first = await before.post('/m/E', { n: 1 }, key('a'));
  await before.close();
  const after = await serve(model, { folder });
  expect((await after.post('/m/E', { n: 1 }, key('a'))).text).toBe(first.text);
  await after.reload({ ...Object(model), 'more.al': 'module more\nentity X { id Int @id }' });
  expect((await after.post('/m/E', { n: 1 }, key('a'))).text).toBe(first.text);
  expect((await after.get('/m/E')).body).toEqual([first.body]);
});

const day = 24 * 60 * 60 * 1000;

test('an answer is given again for 24 hours, and no longer', async () => {
  const clock = testClock();
  const served = await serve(model, { parts: { clock } });
  const step = { ask: 'POST /m/P', body: { id: 1 }, send: key('a') };
  await check(served, [{ ...step, status: 201 }]);
  clock.advance(day);
  await check(served, [{ ...step, status: 201 }]);
  clock.advance(1);
  await check(served, [{ ...step, status: 409 }]);
});

test('answers that have expired go a few with each new one, and are never all removed at once', async () => {
  const clock = testClock();
  const served = await serve(model, { parts: { clock } });
  for (let id = 0; id < 50; id += 1) await served.post('/m/P', { id }, key(`old ${id}`));
  clock.advance(day + 1);
  const left: number[] = [];
  for (let id = 50; id < 54; id += 1) {
    expect((await served.post('/m/P', { id }, key(`new ${id}`))).status).toBe(201);
    const [row] = await served.kept.rows(`SELECT count(*) AS n FROM "__platform_answers" WHERE "time" < ${clock.now().getTime()}`);
    left.push(Number(row?.['n']));
  }
  expect(left).toEqual([30, 10, 0, 0]);
});
