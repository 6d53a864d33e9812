// The whole service over real sockets: what only a connection shows.

import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';

let served: Served;
let url: string;

beforeAll(async () => {
  served = await open('module m\nentity E { id String @id, n Int @optional }', { limits: { body: 10_000, url: 1000 } });
  [url = ''] = await served.app.listen();
});
afterAll(() => served.close());

const json = { 'content-type': 'application/json' };
const post = (body: string) => fetch(`${url}/m/E`, { method: 'POST', headers: json, body });

test('CRUD over HTTP: statuses, headers and bodies arrive', async () => {
  const made = await post('{"id":"a/b %","n":1}');
  expect(made.status).toBe(201);
  expect(made.headers.get('location')).toBe('/m/E/a%2Fb%20%25');
  const etag = made.headers.get('etag') ?? '';
  const path = `${url}${made.headers.get('location')}`;
  const read = await fetch(path);
  expect([read.status, read.headers.get('etag'), await read.json()]).toEqual([200, etag, { id: 'a/b %', n: 1 }]);
  expect((await fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const put = await fetch(path, { method: 'PUT', headers: { ...json, 'if-match': etag }, body: '{"n":2}' });
  expect([put.status, await put.json()]).toEqual([200, { id: 'a/b %', n: 2 }]);
  expect((await fetch(path, { method: 'PATCH', headers: { ...json, 'if-match': etag }, body: '{"n":3}' })).status).toBe(412);
  expect((await fetch(path, { method: 'DELETE' })).status).toBe(200);
  expect((await fetch(path)).status).toBe(404);
});

test('HEAD has the headers of GET and no body', async () => {
  await post('{"id":"head"}');
  const answer = await fetch(`${url}/m/E/head`, { method: 'HEAD' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(answer.headers.get('etag')).toBe((await fetch(`${url}/m/E/head`)).headers.get('etag'));
  expect((await fetch(`${url}/m/E`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${url}/m/E/nobody`, { method: 'HEAD' })).status).toBe(404);
});

test('OPTIONS is 204 with Allow', async () => {
  const answer = await fetch(`${url}/m/E/head`, { method: 'OPTIONS' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS']);
});

test('too large a body is 413, too long a URL 414, too many headers 431, an unknown method 405', async () => {
  expect((await post(`{"id":"${'x'.repeat(20_000)}"}`)).status).toBe(413);
  expect((await fetch(`${url}/m/E/${'x'.repeat(2000)}`)).status).toBe(414);
  expect(
    (await fetch(`${url}/m/E`, { headers: Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x-${at}`, '1'])) })).status,
  ).toBe(431);
  expect(await statusOf('PROPFIND')).toBe(405);
  for (const answer of [await post(`{"id":"${'x'.repeat(20_000)}"}`), await fetch(`${url}/m/E/${'x'.repeat(2000)}`)]) {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ status: answer.status, code: expect.any(String) });
  }
});

test('every answer carries a request id, and takes over the caller’s', async () => {
  expect((await fetch(`${url}/m/E`)).headers.get('x-request-id')).toMatch(/./);
  expect((await fetch(`${url}/m/E`, { headers: { 'x-request-id': 'mine-1' } })).headers.get('x-request-id')).toBe('mine-1');
});

test('a list longer than a page arrives whole', async () => {
  const ids = Array.from({ length: 3000 }, (_, index) => `long${String(index).padStart(5, '0')}`);
  // Some at once: of thousands the last would wait longer than a store lets them.
  for (let start = 0; start < ids.length; start += 50)
    await Promise.all(ids.slice(start, start + 50).map((id) => served.post('/m/E', { id, n: 1 })));
  const answer = await fetch(`${url}/m/E?id[like]=long%25`);
  const list = await answer.json();
  expect(answer.headers.get('transfer-encoding')).toBe('chunked');
  expect(Array.isArray(list) && list.map((each) => each.id)).toEqual(ids);
});

function statusOf(method: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: '/m/E', method }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
      .on('error', reject)
      .end();
  });
}
