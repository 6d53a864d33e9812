// ETag and conditional requests.

import { expect, test } from 'vitest';
import { type Project, type Served, serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const model: Project = `
module m
entity P { id Int @id, n Int @default(0) }
entity K { id Int @id, n Int @default(0) }
relationship R contains(P, K)
`;

async function withOne(): Promise<{ readonly served: Served; readonly etag: string }> {
  const served = await serve(model);
  const { headers } = await served.post('/m/P', { id: 1 });
  return { served, etag: headers['etag'] ?? '' };
}

test('the ETag of a create is that of the read, and changes with every change', async () => {
  const { served, etag } = await withOne();
  await check(served, [
    { ask: 'GET /m/P/1', status: 200, headers: { etag } },
    { ask: 'HEAD /m/P/1', status: 200, headers: { etag } },
  ]);
  const seen = new Set([etag]);
  for (let n = 1; n <= 20; n += 1) seen.add((await served.put('/m/P/1', { n })).headers['etag'] ?? '');
  expect(seen.size).toBe(21);
  const { headers } = await served.get('/m/P/1');
  expect([...seen].at(-1)).toBe(headers['etag']);
});

test('If-None-Match with the version that a caller has is 304 without a body', async () => {
  const { served, etag } = await withOne();
  await check(served, [
    { ask: 'GET /m/P/1', send: { 'if-none-match': etag }, status: 304, is: undefined, headers: { etag } },
    { ask: 'HEAD /m/P/1', send: { 'if-none-match': etag }, status: 304 },
    { ask: 'GET /m/P/1', send: { 'if-none-match': `"other", W/${etag}` }, status: 304 },
    { ask: 'GET /m/P/1', send: { 'if-none-match': '*' }, status: 304 },
    { ask: 'GET /m/P/1', send: { 'if-none-match': '"other"' }, status: 200, is: { id: 1, n: 0 } },
    { ask: 'GET /m/P/2', send: { 'if-none-match': '*' }, status: 404 },
    { ask: 'PUT /m/P/1', body: { n: 1 }, status: 200 },
    { ask: 'GET /m/P/1', send: { 'if-none-match': etag }, status: 200, is: { id: 1, n: 1 } },
  ]);
});

test('If-Match makes a change only to the version that was read, else 412', async () => {
  const { served, etag } = await withOne();
  await check(served, [
    { ask: 'PUT /m/P/1', body: { n: 1 }, send: { 'if-match': '"other"' }, status: 412, code: 'version-mismatch' },
    { ask: 'PUT /m/P/1', body: { n: 1 }, send: { 'if-match': `W/${etag}` }, status: 412 },
    { ask: 'PATCH /m/P/1', body: { n: 1 }, send: { 'if-match': '"other"' }, status: 412 },
    { ask: 'DELETE /m/P/1', send: { 'if-match': '"other"' }, status: 412 },
    { ask: 'GET /m/P/1', status: 200, is: { id: 1, n: 0 }, headers: { etag } },
    { ask: 'PUT /m/P/1', body: { n: 1 }, send: { 'if-match': `"other", ${etag}` }, status: 200 },
    { ask: 'PUT /m/P/1', body: { n: 2 }, send: { 'if-match': etag }, status: 412 },
    { ask: 'PUT /m/P/1', body: { n: 3 }, send: { 'if-match': '*' }, status: 200 },
    { ask: 'PUT /m/P/2', body: { n: 3 }, send: { 'if-match': '*' }, status: 404 },
    { ask: 'DELETE /m/P/1', send: { 'if-match': etag }, status: 412 },
    { ask: 'DELETE /m/P/1', send: { 'if-match': '*' }, status: 200, is: { id: 1, n: 3 } },
  ]);
});

test('If-Match is honoured on a read, and If-None-Match on a write', async () => {
  const { served, etag } = await withOne();
  await check(served, [
    { ask: 'GET /m/P/1', send: { 'if-match': '"other"' }, status: 412 },
    { ask: 'GET /m/P/1', send: { 'if-match': etag }, status: 200 },
    { ask: 'PUT /m/P/1', body: { n: 1 }, send: { 'if-none-match': '*' }, status: 412 },
    { ask: 'PUT /m/P/1', body: { n: 1 }, send: { 'if-none-match': `W/${etag}` }, status: 412 },
    { ask: 'DELETE /m/P/1', send: { 'if-none-match': etag }, status: 412 },
    { ask: 'PUT /m/P/1', body: { n: 1 }, send: { 'if-none-match': '"other"' }, status: 200 },
  ]);
});

test('conditions hold on nested paths, links and flat paths of children alike', async () => {
  const { served } = await withOne();
  const { headers } = await served.post('/m/P/1/R/K', { id: 5 });
  const etag = headers['etag'] ?? '';
  await check(served, [
    { ask: 'GET /m/K/5', status: 200, headers: { etag } },
    { ask: 'GET /m/P/1/R/K/5', send: { 'if-none-match': etag }, status: 304 },
    { ask: 'PUT /m/P/1/R/K/5', body: { n: 1 }, send: { 'if-match': '"x"' }, status: 412 },
    { ask: 'PUT /m/K/5', body: { n: 1 }, send: { 'if-match': etag }, status: 200 },
    { ask: 'DELETE /m/K/5', send: { 'if-match': etag }, status: 412 },
  ]);
});

test('a tree or an embedded list is not called unchanged because its root is', async () => {
  const { served, etag } = await withOne();
  await check(served, [
    { ask: 'POST /m/P/1/R/K', body: { id: 5 }, status: 201 },
    { ask: 'GET /m/P/1?@tree=true', send: { 'if-none-match': etag }, status: 200, has: { R: [{ id: 5 }] } },
    { ask: 'GET /m/P/1?@include=R', send: { 'if-none-match': etag }, status: 200, has: { R: [{ id: 5 }] } },
    { ask: 'GET /m/P/1?@select=n', send: { 'if-none-match': etag }, status: 304 },
  ]);
});

test('of many changes with one If-Match exactly one is made', async () => {
  const { served, etag } = await withOne();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => served.put('/m/P/1', { n: n + 1 }, { 'if-match': etag })));
  const made = answers.filter((each) => each.status === 200);
  expect(made).toHaveLength(1);
  expect(answers.filter((each) => each.status === 412)).toHaveLength(39);
  expect((await served.get('/m/P/1')).body).toEqual(made[0]?.body);
});
