// What a delete takes with it, what it leaves, and what refuses it; and creates that race with it.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { storeOfRun } from '../support/store.ts';
import { check, type Step } from '../support/table.ts';

test.each([
  ['first', 'relationship PA contains(P, A)\n', ''],
  ['last', '', 'relationship PA contains(P, A)\n'],
])('children that refer to each other are deleted with their parent: what they refer to comes %s', async (_, before, after) => {
  const served = await serve(`
module m
entity P { id Int @id }
entity A { id Int @id, code String @unique }
entity B { id Int @id, a String @ref(A.code) @optional }
entity C { id Int @id, a String @ref(A.code) @optional }
${before}relationship PC contains(P, C)
relationship PB contains(P, B)
relationship CB contains(C, B)
${after}`);
  await check(served, [
    { ask: 'POST /m/P', body: { id: 1, PA: [{ id: 1, code: 'x' }] }, status: 201 },
    { ask: 'POST /m/P/1/PB/B', body: { id: 1, a: 'x' }, status: 201 },
    { ask: 'POST /m/P/1/PC/C', body: { id: 1, a: 'x', CB: [{ id: 2, a: 'x' }] }, status: 201 },
    { ask: 'DELETE /m/A/1', status: 409, code: 'instance-referenced' },
    { ask: 'DELETE /m/P/1', status: 200 },
    { ask: 'GET /m/A', status: 200, is: [] },
    { ask: 'GET /m/B', status: 200, is: [] },
  ]);
});

test('a delete is refused, whole, when something that stays refers to what would go', async () => {
  const served = await serve(`
module m
entity P { id Int @id }
entity A { id Int @id, code String @unique }
entity Free { id Int @id, a String @ref(A.code) }
relationship PA contains(P, A)
`);
  await check(served, [
    {
      ask: 'POST /m/P',
      body: {
        id: 1,
        PA: [
          { id: 1, code: 'x' },
          { id: 2, code: 'y' },
        ],
      },
      status: 201,
    },
    { ask: 'POST /m/Free', body: { id: 1, a: 'y' }, status: 201 },
    { ask: 'DELETE /m/P/1', status: 409, code: 'instance-referenced' },
    { ask: 'GET /m/P/1?@tree=true', status: 200, has: { PA: [{ id: 1 }, { id: 2 }] } },
    { ask: 'DELETE /m/Free/1', status: 200 },
    { ask: 'DELETE /m/P/1', status: 200 },
  ]);
});

test('types deep in a tangle of relationships all go', async () => {
  const served = await serve(`
module m
entity A { id Int @id }
entity B { id Int @id }
entity C { id Int @id }
entity D { id Int @id }
entity E { id Int @id }
relationship AE contains(A, E)
relationship AB contains(A, B)
relationship BD contains(B, D)
relationship AC contains(A, C)
relationship CB contains(C, B)
relationship DE contains(D, E)
relationship BE contains(B, E)
relationship EE contains(E @as up, E @as down)
`);
  const e = [{ id: 1, EE: [{ id: 1, EE: [{ id: 2 }] }] }];
  const d = [{ id: 1, DE: e }];
  const b = [{ id: 1, BD: d, BE: e }];
  const whole = { id: 1, AE: e, AB: b, AC: [{ id: 1, CB: b }] };
  await check(served, [
    { ask: 'POST /m/A', body: whole, status: 201 },
    { ask: 'POST /m/A', body: { ...whole, id: 2 }, status: 201 },
    { ask: 'POST /m/E', body: { id: 1, EE: [{ id: 9 }] }, status: 201 },
    { ask: 'DELETE /m/A/1', status: 200 },
    { ask: 'GET /m/E?@count=true', status: 200, headers: { 'x-total-count': String(3 * 5 + 2) } },
    { ask: 'GET /m/D?@count=true', status: 200, headers: { 'x-total-count': '2' } },
    { ask: 'DELETE /m/A/2', status: 200 },
    { ask: 'GET /m/E?@count=true', status: 200, headers: { 'x-total-count': '2' } },
    { ask: 'GET /m/B', status: 200, is: [] },
  ]);
});

test('@cascade(false) at one level of many keeps that child with everything below it', async () => {
  const served = await serve(`
module m
entity A { id Int @id }
entity B { id Int @id }
entity C { id Int @id, n Int @optional }
entity D { id Int @id }
relationship AB contains(A, B)
relationship BC contains(B, C) @cascade(false)
relationship CD contains(C, D)
relationship Self contains(C @as up, C @as down) @cascade(false)
relationship Likes between(D, C)
`);
  await check(served, [
    {
      ask: 'POST /m/A',
      body: { id: 1, AB: [{ id: 1, BC: [{ id: 1, CD: [{ id: 1 }], Self: [{ id: 2, Self: [{ id: 3 }] }] }] }] },
      status: 201,
    },
    { ask: 'POST /m/Likes', body: { D: 1, C: 3 }, status: 201 },
    { ask: 'DELETE /m/A/1', status: 200 },
    { ask: 'GET /m/B', status: 200, is: [] },
    { ask: 'GET /m/C/1?@tree=true', status: 200, has: { id: 1, __path__: null, CD: [{ id: 1 }], Self: [{ id: 2, Self: [{ id: 3 }] }] } },
    { ask: 'GET /m/C/1/Self/C/2/Self/C/3', status: 200, has: { id: 3 } },
    { ask: 'GET /m/C/1/CD/D/1/Likes/C', status: 200, has: [{ id: 3 }] },
    { ask: 'GET /m/Likes', status: 200, has: [{ D: 'path://m$C/1/m$CD/m$D/1', C: 'path://m$C/1/m$Self/m$C/2/m$Self/m$C/3' }] },
    { ask: 'DELETE /m/C/1', status: 200 },
    { ask: 'GET /m/D', status: 200, is: [] },
    { ask: 'GET /m/C/2', status: 200, has: { __path__: null } },
    { ask: 'GET /m/C/2/Self/C', status: 200, has: [{ id: 3 }] },
    { ask: 'POST /m/C', body: { id: 2, n: 5 }, status: 409, code: 'duplicate' },
    { ask: 'GET /m/C/3', status: 200, has: { __path__: 'path://m$C/2/m$Self/m$C/3' } },
    { ask: 'POST /m/C', body: { id: 3, n: 5 }, status: 201 },
    { ask: 'DELETE /m/C/2', status: 409, code: 'instance-referenced' },
    { ask: 'DELETE /m/C/3', status: 200, has: { n: 5 } },
    { ask: 'DELETE /m/C/2', status: 200 },
    { ask: 'GET /m/C', status: 200, has: [{ id: 3, __path__: null }] },
  ]);
});

const sameIdentifiers = `
module u
entity A { id Int @id }
entity C { id Int @id, n Int @optional }
entity D { id Int @id }
relationship AC contains(A, C) @cascade(false)
relationship CD contains(C, D)
workflow clear { delete {A {id?in clear.ids}} }`;

test('two children with the same identifier do not both outlive their parents: the second delete is refused, and what is below the first stays its own', async () => {
  const served = await serve(sameIdentifiers);
  await check(served, [
    ...[20, 21, 22].map((id): Step => ({ ask: 'POST /u/A', body: { id, AC: [{ id: 60, n: id, CD: [{ id: 1 }] }] }, status: 201 })),
    { ask: 'DELETE /u/A/20', status: 200 },
    { ask: 'DELETE /u/A/21', status: 409, code: 'instance-referenced' },
    { ask: 'POST /u/clear', body: { ids: [21, 22] }, status: 409, code: 'instance-referenced' },
    { ask: 'GET /u/C/60', status: 200, has: { n: 20, __path__: null } },
    { ask: 'GET /u/C/60/CD/D', status: 200, is: [{ id: 1, __path__: 'path://u$C/60/u$CD/u$D/1' }] },
    { ask: 'GET /u/D?__path__=path://u$C/60/u$CD/u$D/1', status: 200, is: [{ id: 1, __path__: 'path://u$C/60/u$CD/u$D/1' }] },
    { ask: 'PUT /u/C/60', body: { '@parent': 'path://u$A/22' }, status: 409, code: 'duplicate' },
    { ask: 'DELETE /u/C/60', status: 200, has: { n: 20 } },
    { ask: 'GET /u/D', status: 200, has: [{}, {}] },
    { ask: 'POST /u/clear', body: { ids: [21, 22] }, status: 409, code: 'instance-referenced' },
    { ask: 'DELETE /u/A/21', status: 200 },
    { ask: 'GET /u/C/60', status: 200, has: { n: 21 } },
  ]);
  expect(await served.kept.dangling()).toEqual([]);
});

test('of children with the same identifier whose parents are deleted at once, one outlives its parent', async () => {
  const served = await serve(sameIdentifiers);
  const ids = [1, 2, 3, 4, 5, 6];
  for (const id of ids) await check(served, [{ ask: 'POST /u/A', body: { id, AC: [{ id: 60, CD: [{ id: 1 }] }] }, status: 201 }]);
  const answers = await Promise.all(ids.map((id) => served.remove(`/u/A/${id}`)));
  expect(answers.map((each) => each.status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  await check(served, [{ ask: 'GET /u/C/60/CD/D', status: 200, has: [{ id: 1 }] }]);
});

test('a link of a kept child stays', async () => {
  const served = await serve(`
module m
entity P { id Int @id }
entity K { id Int @id }
entity T { id Int @id }
relationship R contains(P, K) @cascade(false)
relationship L between(K, T)
`);
  await check(served, [
    { ask: 'POST /m/P', body: { id: 1, R: [{ id: 1, L: [{ id: 7 }] }] }, status: 201 },
    { ask: 'DELETE /m/P/1', status: 200 },
    { ask: 'GET /m/K/1/L/T', status: 200, is: [{ id: 7 }] },
    { ask: 'GET /m/T/7/L/K', status: 200, has: [{ id: 1 }] },
    { ask: 'GET /m/L', status: 200, has: [{ T: 7 }] },
    { ask: 'DELETE /m/T/7/L/K/1', status: 200 },
    { ask: 'GET /m/K/1', status: 200 },
  ]);
});

test('creates under a parent that is being deleted are made before it or refused: nothing is left without its parent', async () => {
  const served = await serve('module m\nentity P { id Int @id }\nentity K { id Int @id }\nrelationship R contains(P, K)');
  for (let round = 0; round < 10; round += 1) {
    await check(served, [{ ask: 'POST /m/P', body: { id: 1, R: [{ id: 0 }] }, status: 201 }]);
    const creates = Array.from({ length: 20 }, (_, id) => served.post('/m/P/1/R/K', { id: id + 1 }));
    const deleted = served.remove('/m/P/1');
    const more = Array.from({ length: 20 }, (_, id) => served.post('/m/P/1/R/K', { id: id + 100 }));
    expect((await deleted).status).toBe(200);
    for (const { status } of await Promise.all([...creates, ...more])) expect([201, 404]).toContain(status);
    await check(served, [{ ask: 'GET /m/K', status: 200, is: [] }]);
  }
  expect(await served.kept.dangling()).toEqual([]);
});

test('many changes of one instance are all made, one after the other', async () => {
  const served = await serve('module m\nentity P { id Int @id, n Int @default(0), text String @optional }');
  await served.post('/m/P', { id: 1 });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => served.put('/m/P/1', n % 2 === 0 ? { n } : { text: `t${n}` })));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  // The embedded store takes them in the order in which they came; a server takes them as its connections are free.
  const { n, text } = Object((await served.get('/m/P/1')).body);
  const last = storeOfRun() === 'sqlite' ? [38, 't39'] : [expect.toSatisfy(isEven), expect.stringMatching(/^t\d*[13579]$/)];
  expect([n, text]).toEqual(last);
  expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(40);
});

function isEven(value: unknown): boolean {
  return typeof value === 'number' && value % 2 === 0;
}
