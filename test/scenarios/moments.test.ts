// Dates and times are compared by moment, however they are written; answers show them as they were sent.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const model = `module m
entity E { id Int @id, at DateTime @optional @indexed, tm Time @optional }
entity U { id Int @id, at DateTime @unique, tm Time @unique }
entity K { at DateTime @id, n Int @optional }
entity C { id Int @id }
relationship KC contains(K, C)
relationship KE between(K, E)
entity S { at Time @id, n Int @optional }
entity L { id Int @id }
relationship CS contains(C, S)
relationship SL contains(S, L)
relationship SE between(S, E)
entity R { id Int @id, at DateTime @ref(U.at) @optional, k DateTime @ref(K.at) @optional, price Decimal @ref(P.price) @optional }
entity P { id Int @id, price Decimal @unique }
workflow put { {C {id? 1}, CS [{S {at put.at, n put.n}, @upsert}]} }`;

test('moments and decimals are the same however they are written, in filters, orders, pages, uniqueness, identifiers and references', async () => {
  const served = await serve(model);
  const times = [
    null,
    '2024-01-01T00:00:00.5Z',
    '2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00.000',
    '2024-01-01T00:00:00.50',
    '2023-12-31T23:59:10Z',
  ];
  for (const [index, at] of times.entries())
    await served.post('/m/E', { id: index + 1, at, tm: at === null ? null : at.slice(11).replace('Z', '') });
  const idsIn = (text: string): readonly number[] => [...text.matchAll(/"id":(\d+)/g)].map((each) => Number(each[1]));
  const found = async (query: string) => idsIn((await served.get(`/m/E?${query}`)).text);
  expect(await found('at=2024-01-01T02:00:00.0%2B02:00')).toEqual([3, 4]);
  expect(await found('at[ne]=2024-01-01T00:00:00')).toEqual([1, 2, 5, 6]);
  expect(await found('at[gt]=2024-01-01T00:00:00')).toEqual([2, 5]);
  expect(await found('at[in]=2024-01-01T00:00:00.5,2023-12-31T23:59:10.0Z')).toEqual([2, 5, 6]);
  expect(await found('tm=00:00')).toEqual([3, 4]);
  expect(await found('tm[between]=00:00:00.000,00:00:00.5')).toEqual([2, 3, 4, 5]);
  expect(await found('@sort=at')).toEqual([1, 6, 3, 4, 2, 5]);
  expect(await found('@sort=-tm')).toEqual([6, 2, 5, 3, 4, 1]);
  for (const sort of ['at', '-at', 'tm', '-tm']) {
    const whole = await found(`@sort=${sort}`);
    const paged: number[] = [];
    for (let next: string | undefined = `/m/E?@sort=${sort}&@limit=1`; next !== undefined; ) {
      const answer: Awaited<ReturnType<typeof served.get>> = await served.get(next);
      paged.push(...idsIn(answer.text));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
    }
    expect(paged, sort).toEqual(whole);
  }
  const slots = '/m/K/2024-01-01T00:00:00/KC/C/1/CS/S';
  const slotsPath = 'path://m$K/2024-01-01T00%3A00%3A00.0Z/m$KC/m$C/1/m$CS/m$S';
  await check(served, [
    { ask: 'POST /m/U', body: { id: 1, at: '2024-01-01T00:00:00.10Z', tm: '12:30' }, status: 201 },
    { ask: 'POST /m/U', body: { id: 2, at: '2024-01-01T00:00:00.1', tm: '12:31' }, status: 409, code: 'duplicate' },
    { ask: 'POST /m/U', body: { id: 2, at: '2024-01-01T00:00:00', tm: '12:30:00.0' }, status: 409, code: 'duplicate' },
    { ask: 'POST /m/K', body: { at: '2024-01-01T00:00:00.0Z' }, status: 201 },
    { ask: 'POST /m/K', body: { at: '2024-01-01T00:00:00Z' }, status: 409, code: 'duplicate' },
    { ask: 'GET /m/K/2024-01-01T00:00:00', status: 200, has: { at: '2024-01-01T00:00:00.0Z' } },
    { ask: 'PUT /m/K/2024-01-01T01:00:00+01:00', body: { n: 1 }, status: 200, has: { at: '2024-01-01T00:00:00.0Z', n: 1 } },
    { ask: 'POST /m/K/2024-01-01T00:00:00/KC/C', body: { id: 1 }, status: 201 },
    { ask: 'GET /m/K/2024-01-01T00:00:00Z/KC/C', status: 200, has: [{ id: 1 }] },
    { ask: 'POST /m/KE', body: { K: '2024-01-01T00:00:00', E: 1 }, status: 201 },
    { ask: 'GET /m/K/2024-01-01T00:00:00.00Z/KE/E', status: 200, has: [{ id: 1 }] },
    { ask: `POST ${slots}`, body: { at: '06:00:00.0' }, status: 201, has: { at: '06:00:00.0', __path__: `${slotsPath}/06%3A00%3A00.0` } },
    { ask: `POST ${slots}`, body: { at: '06:00' }, status: 409, code: 'duplicate' },
    { ask: `GET ${slots}/06:00`, status: 200, has: { at: '06:00:00.0' } },
    { ask: `PUT ${slots}/06:00:00`, body: { at: '06:00', n: 1 }, status: 200, has: { at: '06:00:00.0', n: 1 } },
    { ask: `POST ${slots}/06:00/SL/L`, body: { id: 1 }, status: 201, has: { __path__: `${slotsPath}/06%3A00%3A00.0/m$SL/m$L/1` } },
    { ask: 'POST /m/SE', body: { S: `${slotsPath}/06:00:00`, E: 1 }, status: 201, has: { S: `${slotsPath}/06%3A00%3A00.0` } },
    { ask: 'POST /m/put', body: { at: '06:00', n: 2 }, status: 200 },
    { ask: 'POST /m/put', body: { at: '05:59:59.5', n: 3 }, status: 200 },
    { ask: 'GET /m/S', status: 200, has: [{ at: '05:59:59.5' }, { at: '06:00:00.0', n: 2 }] },
    { ask: `DELETE ${slots}/06:00:00.000`, status: 200, has: { at: '06:00:00.0' } },
    { ask: 'GET /m/L', status: 200, is: [] },
    { ask: 'POST /m/P', body: { id: 1, price: '1.50' }, status: 201 },
    { ask: 'POST /m/P', body: { id: 2, price: '1.5' }, status: 409, code: 'duplicate' },
    { ask: 'POST /m/R', body: { id: 1, at: '2024-01-01T00:00:00.100', k: '2024-01-01T00:00:00', price: '1.500' }, status: 201 },
    { ask: 'POST /m/R', body: { id: 2, price: '1.6' }, status: 422, faults: ['price reference'] },
    { ask: 'PUT /m/R/1', body: { at: '2024-01-01T00:00:00.1000Z' }, status: 200, has: { at: '2024-01-01T00:00:00.10Z' } },
    { ask: 'DELETE /m/P/1', status: 409 },
    { ask: 'DELETE /m/U/1', status: 409 },
  ]);
});

test('children are told apart by the moment of their identifier, found by either way to write it, and sorted by it', async () => {
  const served = await serve(`module m
entity P { id Int @id }
entity D { at DateTime @id, n Int @optional }
entity T { tm Time @id }
entity X { id Int @id }
relationship PD contains(P, D)
relationship DT contains(D, T)
relationship TX contains(T, X)
workflow find { {D {at? find.at}} }
workflow add { {P {id? 1}, PD [{D {at add.at}}]} }`);
  const [first, other] = ['/m/P/1/PD/D/2024-01-01T00:00:00.500Z', '/m/P/1/PD/D/2024-01-01T01:00:00.5+01:00'];
  const path = 'path://m$P/1/m$PD/m$D/2024-01-01T00%3A00%3A00.500Z';
  await check(served, [
    { ask: 'POST /m/P', body: { id: 1 }, status: 201 },
    { ask: 'POST /m/P/1/PD/D', body: { at: '2024-01-01T00:00:00.500Z' }, status: 201, has: { __path__: path } },
    { ask: 'POST /m/P/1/PD/D', body: { at: '2024-01-01T00:00:00.5' }, status: 409, code: 'duplicate' },
    { ask: 'POST /m/add', body: { at: '2024-01-01T00:00:00.5' }, status: 409 },
    { ask: 'POST /m/P/1/PD/D', body: { at: '2024-01-01T00:00:00Z' }, status: 201 },
    { ask: 'POST /m/P/1/PD/D', body: { at: '2024-01-01T00:00:00.12Z' }, status: 201 },
    { ask: `GET ${first}`, status: 200, has: { at: '2024-01-01T00:00:00.500Z' } },
    { ask: `GET ${other}`, status: 200, has: { at: '2024-01-01T00:00:00.500Z', __path__: path } },
    { ask: `PUT ${other}`, body: { n: 1 }, status: 200, has: { n: 1, __path__: path } },
    { ask: `POST ${other}/DT/T`, body: { tm: '12:30' }, status: 201, has: { __path__: `${path}/m$DT/m$T/12%3A30%3A00` } },
    { ask: `POST ${first}/DT/T`, body: { tm: '12:30:00.0' }, status: 409 },
    {
      ask: `POST ${other}/DT/T/12:30:00.00/TX/X`,
      body: { id: 1 },
      status: 201,
      has: { __path__: `${path}/m$DT/m$T/12%3A30%3A00/m$TX/m$X/1` },
    },
    { ask: `GET ${first}/DT/T/12:30/TX/X/1`, status: 200 },
    { ask: 'GET /m/D/2024-01-01T00:00:00.50', status: 200, has: { __path__: path } },
    { ask: 'POST /m/find', body: { at: '2024-01-01T00:00:00.5' }, status: 200, has: [{ __path__: path }] },
    { ask: `DELETE ${other}`, status: 200 },
    { ask: `GET ${first}`, status: 404 },
  ]);
  const sorted = (await served.get('/m/P/1/PD/D')).text.match(/"at":"[^"]+"/g);
  expect(sorted).toEqual(['"at":"2024-01-01T00:00:00Z"', '"at":"2024-01-01T00:00:00.12Z"']);
});

test('a date beside a moment is its midnight in UTC, in patterns, conditions, joins, loops, filters and queries of the earlier surface', async () => {
  const served = await serve(
    `module m
entity Sale { id Int @id, at DateTime, on Date, said String @optional, later Boolean @expr(at > on) }
entity Month { first Date @id }
event ask { day Date, time DateTime }
workflow ask {
  {Sale {at?>= ask.day}} @as since
  {Sale {at? ask.day}} @as exactly
  {Sale {at?>= "2026-01-02"}} @as literal
  {Sale {on?<= ask.time}} @as until
  {Sale {on?< ask.time}} @as before
  {Sale {on? ask.time}} @as sameDay
  {Sale {at?in [ask.day, "2026-01-03"]}} @as listed
  {Sale {at?between [ask.day, dateFns.addDays(ask.day, 1)]}} @as between
  {Sale? {}, @where(Sale.at > Sale.on)} @as columns
  {Sale? {}, @where(not (Sale.at == Sale.on))} @as differing
  {Sale? {}, @where(Sale.said >= Sale.at)} @as said
  {Sale? {}, @join Month {first?<= Sale.at}, @into {id Sale.id}} @as joined
  if (ask.time > ask.day) { "after" } else if (ask.time == ask.day) { "midnight" } else { "before" } @as order
  {"since": since, "exactly": exactly, "literal": literal, "until": until, "before": before, "sameDay": sameDay, "listed": listed,
   "between": between, "columns": columns, "differing": differing, "said": said, "joined": joined, "order": order}
}`,
    { surfaces: ['current', 'earlier'] },
  );
  const sales = [
    { id: 1, at: '2026-01-01T23:59:59Z', on: '2026-01-01', said: '2026-01-02' },
    { id: 2, at: '2026-01-02T00:00:00.0', on: '2026-01-02', said: '2026-01-02' },
    { id: 3, at: '2026-01-02T12:00:00+14:00', on: '2026-01-02', said: '2026-01-01T22:00Z' },
    { id: 4, at: '2026-01-03T00:00:01Z', on: '2026-01-03', said: 'soon' },
  ];
  for (const sale of sales) {
    const made = await served.post('/m/Sale', sale);
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ later: sale.id === 1 || sale.id === 4 })]);
  }
  await served.post('/m/Month', { first: '2026-01-03' });
  const idsIn = (value: unknown): readonly number[] =>
    [...JSON.stringify(value).matchAll(/"id":(\d+)/g)].map((each) => Number(each[1])).sort();
  const answer = await served.post('/m/ask', { day: '2026-01-02', time: '2026-01-02T00:00:01Z' });
  expect(answer.status, answer.text).toBe(200);
  const { order, ...found } = JSON.parse(answer.text);
  expect(order).toBe('after');
  expect(Object.fromEntries(Object.entries(found).map(([name, rows]) => [name, idsIn(rows)]))).toEqual({
    since: [2, 4],
    exactly: [2],
    literal: [2, 4],
    until: [1, 2, 3],
    before: [1, 2, 3],
    sameDay: [],
    listed: [2],
    between: [2],
    columns: [1, 4],
    differing: [1, 3, 4],
    said: [1, 2, 3],
    joined: [4],
  });
  const midnight = await served.post('/m/ask', { day: '2026-01-02', time: '2026-01-02T01:00+01:00' });
  expect(JSON.parse(midnight.text)).toMatchObject({ order: 'midnight', before: [{ id: 1 }], sameDay: [{ id: 2 }, { id: 3 }] });
  const filters: readonly (readonly [query: string, q: readonly unknown[], ids: readonly number[]])[] = [
    ['at=2026-01-02', ['=', 'at', '2026-01-02'], [2]],
    ['at[ne]=2026-01-02', ['<>', 'at', '2026-01-02'], [1, 3, 4]],
    ['at[gte]=2026-01-02', ['>=', 'at', '2026-01-02'], [2, 4]],
    ['at[between]=2026-01-01,2026-01-02', ['between', 'at', '2026-01-01', '2026-01-02'], [1, 2, 3]],
    ['at[in]=2026-01-02,2026-01-03', ['in', 'at', ['2026-01-02', '2026-01-03']], [2]],
    ['on[gt]=2026-01-02T00:00:01', ['>', 'on', '2026-01-02T00:00:01'], [4]],
    ['on[gte]=2026-01-02T00:00:01', ['>=', 'on', '2026-01-02T00:00:01'], [4]],
    ['on[lt]=2026-01-02T00:00:01', ['<', 'on', '2026-01-02T00:00:01'], [1, 2, 3]],
    ['on[lte]=2026-01-02T00:00', ['<=', 'on', '2026-01-02T00:00'], [1, 2, 3]],
    ['on[ne]=2026-01-02T00:00:01', ['<>', 'on', '2026-01-02T00:00:01'], [1, 2, 3, 4]],
    ['on[in]=2026-01-02T00:00:01,2026-01-03T00:00', ['in', 'on', ['2026-01-02T00:00:01', '2026-01-03T00:00']], [4]],
    ['on[in]=2026-01-02T00:00:01', ['in', 'on', ['2026-01-02T00:00:01']], []],
    ['on[between]=2026-01-01T12:00,2026-01-02T12:00', ['between', 'on', '2026-01-01T12:00', '2026-01-02T12:00'], [2, 3]],
    ['on[lt]=9999-12-31T12:00', ['<', 'on', '9999-12-31T12:00'], [1, 2, 3, 4]],
    ['on[gte]=9999-12-31T12:00', ['>=', 'on', '9999-12-31T12:00'], []],
  ];
  for (const [query, where, ids] of filters) {
    const listed = await served.get(`/m/Sale?${query}`);
    expect([listed.status, idsIn(listed.body)], query).toEqual([200, ids]);
    const queried = await served.post('/q', { Query: { from: 'm/Sale', where } });
    expect([queried.status, idsIn(queried.body)], JSON.stringify(where)).toEqual([200, ids]);
  }
  await check(served, [
    { ask: 'GET /m/Sale?at=2026-02-30', status: 422, faults: ['at type'] },
    { ask: 'GET /m/Sale?on=12:00', status: 422, faults: ['on type'] },
    { ask: 'POST /m/Sale', body: { id: 5, at: '2026-01-01', on: '2026-01-01' }, status: 422, faults: ['at type'] },
  ]);
});
