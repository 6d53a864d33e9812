// Long lists and large trees: streamed in bounded memory, deleted whole.

import { expect, test } from 'vitest';
import type { HttpResponse } from '../../src/http/exchange.ts';
import { open, type Project, type Served, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { isLarge } from '../support/form.ts';
import { check } from '../support/table.ts';

const listed = isLarge ? 1_000_000 : 50_000;
const descendants = isLarge ? 100_000 : 10_000;

const list: Project = 'module m\nentity Row { id Int @id, text String, n Int @optional }';
const tree: Project = `
module m
entity P { id Int @id }
entity K { id Int @id }
entity L { id Int @id, text String @default("leaf") }
entity Tag { name String @id }
relationship PK contains(P, K)
relationship KL contains(K, L)
relationship KT between(K, Tag)
entity Node { id Int @id }
relationship Sub contains(Node @as up, Node @as down)
entity Free { id Int @id }
relationship PF contains(P, Free) @cascade(false)
`;

/** Rows 1 to `count`, written past the service. */
async function withRows(count: number, text = `'text "' || i || '"'`): Promise<Served> {
  const folder = folderForTest();
  const empty = await open(list, { folder });
  await empty.close();
  await empty.kept.execute(
    `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < ${count})
     INSERT INTO "m/Row" ("id", "text", "n", "__version") SELECT i, ${text}, i % 7, 1 FROM r`,
  );
  return serve(list, { folder });
}

test(`a list of ${listed} instances is streamed in pieces of bounded size, and is one JSON array`, async () => {
  const served = await withRows(listed);
  const response = await served.app.respond({ method: 'GET', path: '/m/Row', query: '', headers: {}, body: undefined, id: '', remote: '' });
  const before = process.memoryUsage().rss;
  let largest = 0;
  let pieces = 0;
  let count = 0;
  let edge = '';
  for await (const piece of streamOf(response)) {
    pieces += 1;
    largest = Math.max(largest, piece.length);
    count += piece.split('"id":').length - 1;
    if (pieces <= 2 || piece.endsWith(']')) edge += piece;
    if (!isLarge) continue;
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  }
  expect(count).toBe(listed);
  expect(pieces).toBeGreaterThan(10);
  expect(largest).toBeLessThan(1024 * 1024);
  expect(edge.startsWith('[{"id":1,"text":"text \\"1\\"","n":1}')).toBe(true);
  expect(edge.endsWith(']')).toBe(true);
});

test('whatever the size of instances, the first piece of a list is half a megabyte at the most, and each further one two', async () => {
  for (const text of [
    `CASE WHEN i > 2000 THEN '${'x'.repeat(1700)}' ELSE 'small' END`,
    `'${'x'.repeat(900)}'`,
    `'${'x'.repeat(60_000)}'`,
  ]) {
    const served = await withRows(text.length > 10_000 ? 100 : 5000, text);
    const [first = 0, ...further] = await lengths(served);
    expect(first).toBeLessThanOrEqual(512 * 1024);
    expect(Math.max(...further)).toBeLessThanOrEqual(2 * 1024 * 1024);
    // What was read before changes nothing.
    expect(await lengths(served)).toEqual([first, ...further]);
  }
});

async function lengths(served: Served, query = ''): Promise<readonly number[]> {
  const request = { method: 'GET', path: '/m/Row', query, headers: {}, body: undefined, id: '', remote: '' };
  const found: number[] = [];
  for await (const piece of streamOf(await served.app.respond(request))) found.push(piece.length);
  return found;
}

test('a long list is whole JSON, in order, whatever it is sorted by, filtered and cut', async () => {
  const served = await withRows(5000);
  const ids = async (query: string) => {
    const { body } = await served.get(`/m/Row?@select=id&${query}`);
    return Array.isArray(body) ? body.map((each) => Number(each.id)) : [];
  };
  const all = Array.from({ length: 5000 }, (_, index) => index + 1);
  expect(await ids('')).toEqual(all);
  expect(await ids('@sort=-id')).toEqual(all.toReversed());
  expect(await ids('@sort=n')).toEqual(all.toSorted((a, b) => (a % 7) - (b % 7) || a - b));
  expect(await ids('@sort=-n,-id')).toEqual(all.toSorted((a, b) => (b % 7) - (a % 7) || b - a));
  expect(await ids('n=3')).toEqual(all.filter((id) => id % 7 === 3));
  expect(await ids('@offset=1000&@limit=3000')).toEqual(all.slice(1000, 4000));
  expect(await ids('@offset=4990')).toEqual(all.slice(4990));
  const cut = await served.get('/m/Row?@select=id&@limit=3000&@offset=500&@sort=-id');
  const next = /^<(.+)>; rel="next"$/.exec(cut.headers['link'] ?? '')?.[1];
  expect((await served.get(next ?? '')).body).toEqual(
    all
      .toReversed()
      .slice(3500)
      .map((id) => ({ id })),
  );
  expect((await served.get('/m/Row?@limit=5000')).headers['link']).toBeUndefined();
});

test('what is written while a list is read neither breaks nor repeats it', async () => {
  const served = await withRows(3000);
  const response = await served.app.respond({ method: 'GET', path: '/m/Row', query: '', headers: {}, body: undefined, id: '', remote: '' });
  let text = '';
  let id = 10_000;
  for await (const piece of streamOf(response)) {
    text += piece;
    id += 1;
    await check(served, [
      { ask: 'POST /m/Row', body: { id, text: 'new' }, status: 201 },
      { ask: `DELETE /m/Row/${id - 10_000}`, status: 200 },
      { ask: 'PUT /m/Row/2999', body: { text: `changed ${id}` }, status: 200 },
    ]);
  }
  const ids: readonly number[] = JSON.parse(text).map((each: { id: number }) => each.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((each) => each > 20 && each <= 3000)).toHaveLength(2980);
});

test('other requests are answered between two pages of a list', async () => {
  const served = await withRows(100_000);
  const [url = ''] = await served.app.listen();
  const read = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
  expect(await answeredDuring(read('/m/Row'), () => read('/m/Row/1'))).toBeGreaterThan(3);
});

test('other requests are answered while related instances of related instances are read', async () => {
  const served = await serve('module m\nentity N { id Int @id }\nrelationship L between(N @as a, N @as b)');
  // The last includes 9139 of them, which is as many as one may.
  const all = Array.from({ length: 40 }, (_, id) => ({ id }));
  for (const { id } of all) await check(served, [{ ask: 'POST /m/N', body: { id, L: all.slice(0, id) }, status: 201 }]);
  const reading = served.get('/m/N?@include=L.L.L');
  expect(await answeredDuring(reading, () => served.get('/m/N/1'))).toBeGreaterThan(3);
  expect((await reading).status).toBe(200);
  const one = await served.get('/m/N/39?@include=L.L.L');
  expect(one.body).toMatchObject({ id: 39, L: expect.arrayContaining([{ id: 1, L: [{ id: 0, L: [] }] }]) });
});

test(`deleting a parent with ${descendants} descendants deletes all of them, and their links, in one transaction`, async () => {
  const served = await serve(tree, { limits: { keys: 1_000_000, depth: 64 } });
  const branches = descendants / 100;
  const kids = Array.from({ length: branches }, (_, id) => ({ id, KL: leaves(99), KT: [{ name: `t${id % 50}` }] }));
  const tags = Array.from({ length: 50 }, (_, id) => ({ ask: 'POST /m/Tag', body: { name: `t${id}` }, status: 201 }));
  await check(served, [
    ...tags,
    { ask: 'POST /m/P', body: { id: 1, PK: kids }, status: 201 },
    { ask: 'POST /m/P', body: { id: 2, PK: [{ id: 0, KL: leaves(2), KT: [{ name: 't0' }] }] }, status: 201 },
    { ask: 'GET /m/L?@count=true&@limit=1', status: 200, headers: { 'x-total-count': String(branches * 99 + 2) } },
  ]);
  const reading = served.get('/m/P/2');
  const [deleted] = await Promise.all([served.remove('/m/P/1'), reading]);
  expect([deleted.status, deleted.body]).toEqual([200, { id: 1 }]);
  await check(served, [
    { ask: 'GET /m/L?@count=true&@limit=0', status: 200, headers: { 'x-total-count': '2' } },
    { ask: 'GET /m/K?@count=true', status: 200, headers: { 'x-total-count': '1' } },
    { ask: 'GET /m/KT?@count=true', status: 200, headers: { 'x-total-count': '1' } },
    { ask: 'GET /m/Tag?@count=true', status: 200, headers: { 'x-total-count': '50' } },
    { ask: 'GET /m/P/2?@tree=true', status: 200, has: { PK: [{ KL: [{ id: 0 }, { id: 1 }] }] } },
  ]);
  expect(await served.kept.dangling()).toEqual([]);
});

test('a chain of a type that contains itself is deleted from its root, however long', async () => {
  const served = await serve(tree, { limits: { depth: 1000, url: 65_536 } });
  const chain = (levels: number): object => (levels === 0 ? { id: 0 } : { id: levels, Sub: [chain(levels - 1)] });
  await check(served, [
    { ask: 'POST /m/Node', body: chain(200), status: 201 },
    { ask: 'POST /m/Node', body: { id: 1000, Sub: Array.from({ length: 3000 }, (_, id) => ({ id })) }, status: 201 },
    { ask: 'DELETE /m/Node/200', status: 200 },
    { ask: 'GET /m/Node?@count=true&@limit=1', status: 200, headers: { 'x-total-count': '3001' } },
    { ask: 'DELETE /m/Node/1000', status: 200 },
    { ask: 'GET /m/Node', status: 200, is: [] },
  ]);
});

test('many children that outlive their parent are set free, each once', async () => {
  const served = await serve(tree);
  const free = Array.from({ length: 2000 }, (_, id) => ({ id }));
  await check(served, [
    { ask: 'POST /m/P', body: { id: 1, PF: free }, status: 201 },
    { ask: 'POST /m/P', body: { id: 2 }, status: 201 },
  ]);
  const deleting = served.remove('/m/P/1');
  expect(await answeredDuring(deleting, () => served.get('/m/P/2'))).toBeGreaterThan(10);
  expect((await deleting).status).toBe(200);
  await check(served, [
    {
      ask: 'GET /m/Free?@count=true&@limit=2',
      status: 200,
      has: [{ __path__: null }, { __path__: null }],
      headers: { 'x-total-count': '2000' },
    },
    { ask: 'GET /m/Free/1999', status: 200, is: { id: 1999, __path__: null } },
  ]);
});

test('a create of many children is made whole or not at all', async () => {
  const served = await serve(tree);
  const kids = Array.from({ length: 5000 }, (_, id) => ({ id }));
  await check(served, [
    { ask: 'POST /m/P', body: { id: 1, PK: [...kids, { id: 4999 }] }, status: 409 },
    { ask: 'GET /m/K', status: 200, is: [] },
    { ask: 'POST /m/P', body: { id: 1, PK: kids }, status: 201 },
    { ask: 'GET /m/P/1/PK/K?@count=true&@limit=0', status: 200, headers: { 'x-total-count': '5000' } },
  ]);
});

/** How many others were answered, one after the other, before the long one was. */
async function answeredDuring(long: Promise<unknown>, other: () => Promise<unknown>): Promise<number> {
  let answered = 0;
  let done = false;
  void long.then(() => {
    done = true;
  });
  while (!done) {
    await other();
    answered += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return answered;
}

function leaves(count: number): readonly object[] {
  return Array.from({ length: count }, (_, id) => ({ id }));
}

function streamOf({ status, body }: HttpResponse): AsyncIterable<string> {
  expect(status).toBe(200);
  if (typeof body !== 'object' || Buffer.isBuffer(body)) throw new Error('the list is not streamed');
  return body;
}
