// Joins that compare more rows than an event has time for, and those that do not.

import { expect, test } from 'vitest';
import { open, type Served, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';
import { check } from '../support/table.ts';

const model = `module m
entity A { id Int @id, n Int, same Int @default(1) }
entity B { id Int @id, n Int, same Int @default(1) }
entity C { id Int @id, n Int, same Int @default(1) }
workflow fill { for x in fill.list { {A {id x, n x}} {B {id x, n x}} {C {id x, n x}} } 1 }
workflow two { for x in two.list { {A {id x, n x}} {B {id x, n x}} } 1 }
workflow one { {A {id? 5}, @join B {n?< A.n}, @into {c @count(B.id)}} }
workflow few { {A? {}, @join B {n?< A.n, id? 7}, @into {c @count(A.id)}} }
workflow equal { {A? {}, @join B {n? A.n}, @into {c @count(A.id)}} }
workflow first { {A? {}, @join B {n?!= A.n}, @into {one A.same}, @limit(2)} }
workflow sorted { {A? {}, @left_join B {n?!= A.n}, @into {one A.id}, @orderBy(A.n), @limit(2)} }
workflow pairs { {A? {}, @join B {n?< A.n}, @into {c @count(A.id)}} }
workflow same { {A? {}, @join B {same? A.same}, @join C {same? B.same}, @into {c @count(A.id)}} }
workflow less { {A? {}, @join B {n?< A.n}, @join C {n?< B.n}, @into {c @count(A.id)}} }
workflow none { {A? {}, @left_join B {n?< A.n}, @left_join C {n?> B.n, same?< A.same}, @into {c @count(C.id), a @count(A.id)}} }
workflow right { {A? {}, @right_join B {n?>= A.n}, @right_join C {n?>= B.n}, @into {c @count(A.id)}} }
workflow full { {A? {}, @full_join B {same? A.same}, @full_join C {same? B.same}, @into {c @count(A.id)}} }
workflow keep { {A {id 0 - 1, n 0}} {A? {}, @join B {n?<= A.n}, @join C {n?<= B.n}, @into {c @count(A.id)}} }`;

/** A server ends each of them in the same way, and only after the time that a statement has there. */
const events = storeOfRun() === 'postgres' ? ['keep'] : ['same', 'less', 'none', 'right', 'full', 'keep'];

test('a join whose rows are compared in time is answered', async () => {
  const served = await filled('fill', 20, 600);
  await check(served, [
    { ask: 'POST /m/pairs', body: {}, status: 200, is: [{ c: 190 }] },
    { ask: 'POST /m/same', body: {}, status: 200, is: [{ c: 8000 }] },
    { ask: 'POST /m/less', body: {}, status: 200, is: [{ c: 1140 }] },
    { ask: 'POST /m/none', body: {}, status: 200, is: [{ c: 0, a: 191 }] },
    { ask: 'POST /m/right', body: {}, status: 200, is: [{ c: 1540 }] },
    { ask: 'POST /m/full', body: {}, status: 200, is: [{ c: 8000 }] },
    { ask: 'POST /m/one', body: {}, status: 200, is: [{ c: 5 }] },
    { ask: 'POST /m/few', body: {}, status: 200, is: [{ c: 12 }] },
    { ask: 'POST /m/equal', body: {}, status: 200, is: [{ c: 20 }] },
    { ask: 'POST /m/first', body: {}, status: 200, is: [{ one: 1 }, { one: 1 }] },
    { ask: 'POST /m/keep', body: {}, status: 200, is: [{ c: 1541 }] },
  ]);
});

test('a join that compares rows for longer than an event may take is ended, nothing of it is kept, and the service goes on', async () => {
  const served = await filled('fill', 2000, 1);
  // On the embedded store all other writes wait for a workflow that writes, which may take less time.
  const detail = expect.stringMatching(/^(It|A query of a workflow that writes) took longer than (1 seconds|400 milliseconds)/);
  for (const event of events) {
    await check(served, [
      { ask: `POST /m/${event}`, body: {}, status: 422, code: 'dataflow-limit', has: { detail } },
      { ask: 'GET /m/A/-1', status: 404 },
      { ask: 'GET /m/A/1999', status: 200 },
      { ask: 'PUT /m/A/1999', body: { n: 1999 }, status: 200 },
    ]);
  }
  expect(served.failures).toEqual([]);
});

test('a join that must compare more pairs of rows than there is time for is refused before it begins', async () => {
  const served = await filled('two', 5500, 1);
  const detail = 'It would compare 30250000 pairs of rows, and 1 seconds are enough for 30000000 at the most.';
  await check(served, [
    { ask: 'POST /m/pairs', body: {}, status: 422, code: 'dataflow-limit', has: { detail, pattern: 'query m/A' } },
    { ask: 'POST /m/sorted', body: {}, status: 422, code: 'dataflow-limit', has: { detail } },
  ]);
  // What leaves rows out, finds them by an index or stops at the first is tried; on a busy machine a second may be over before it is done.
  for (const event of ['one', 'few', 'equal', 'first'])
    expect((await served.post(`/m/${event}`, {})).text, event).not.toContain('It would compare');
});

/** Filled without a hurry, then served with as many seconds for each event. */
async function filled(event: 'fill' | 'two', rows: number, time: number): Promise<Served> {
  const folder = folderForTest();
  const filling = await open(model, { folder });
  for (let start = 0; start < rows; start += 50) {
    const list = Array.from({ length: Math.min(50, rows - start) }, (_, index) => start + index);
    expect((await filling.post(`/m/${event}`, { list })).status).toBe(200);
  }
  await filling.close();
  return serve(model, { folder, limits: { flow: { steps: 100_000, time } }, postgres: { statementTimeout: 10 } });
}
