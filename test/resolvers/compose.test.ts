// Stored instances of which another system is told first: both have the same in the end, whatever fails on the way.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Options, type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { askFor, fits, type Step } from '../support/table.ts';
import { until } from '../support/time.ts';
import { catalogue, everything, shop } from './composing.ts';

/** Only where a handler is not to answer: where others answer, they have the time that a loaded machine takes. */
const impatient: Options = { resolvers: [{ name: 'shop/goods', timeout: 0.3 }] };

async function open(methods = everything, options: Options = {}): Promise<Served> {
  return serve({ 'core.al': shop(methods), 'catalogue.js': catalogue }, options);
}

/** What another system does wrong is logged: that is no failure of the test. */
async function check(served: Served, steps: readonly Step[]): Promise<void> {
  for (const step of steps) fits(step, await askFor(served, step));
}

const told = (...calls: readonly string[]): Step => ({ ask: 'POST /shop/told', body: {}, status: 200, is: calls });
const there = (...articles: readonly string[]): Step => ({ ask: 'POST /shop/all', body: {}, status: 200, is: articles });
const fails = (name: string, how: string): Step => ({ ask: 'POST /shop/fails', body: { name, how }, status: 200 });
const a = { id: 'a', name: 'A', price: 1 };
const refused = { ask: 'POST /shop/Article', body: a };
const made: Step = { ask: 'POST /shop/Article', body: a, status: 201, is: a };

async function here({ kept }: Served): Promise<readonly string[]> {
  const rows = await kept.rows('SELECT id, price FROM "shop/Article" ORDER BY id');
  return rows.map(({ id, price }) => `${id} ${price}`);
}

async function pending(served: Served): Promise<readonly unknown[]> {
  const { body } = await served.get('/platform.resolver/Pending?@select=resolver,type,instance,operation,attempts,error');
  return Array.isArray(body) ? body : [body];
}

const tables: readonly (readonly [title: string, steps: readonly Step[], stored: readonly string[]])[] = [
  [
    'the resolver is called first, then the local write is made with what it gave',
    [
      fails('create', 'other'),
      { ...made, is: { ...a, name: 'A!' } },
      fails('create', ''),
      told('create a'),
      { ask: 'PUT /shop/Article/a', body: { price: 5 }, status: 200, is: { id: 'a', name: 'A!', price: 5 } },
      there('a 5'),
      { ask: 'POST /shop/Article', body: { ...a, id: 'b' }, status: 201 },
      { ask: 'DELETE /shop/Article/b', status: 200 },
      told('update a', 'create b', 'delete b'),
      there('a 5'),
    ],
    ['a 5'],
  ],
  [
    'what the resolver refuses is not stored',
    [
      fails('create', 'refuse'),
      { ...refused, status: 409, code: 'resolver-refused' },
      told('create a'),
      fails('create', ''),
      made,
      fails('update', 'refuse'),
      { ask: 'PUT /shop/Article/a', body: { price: 5 }, status: 409 },
      fails('delete', 'refuse'),
      { ask: 'DELETE /shop/Article/a', status: 409 },
      there('a 1'),
    ],
    ['a 1'],
  ],
  [
    'an instance that is there is refused before the resolver is told',
    [made, told('create a'), { ...refused, status: 409, code: 'duplicate' }, told(), there('a 1')],
    ['a 1'],
  ],
  [
    'where the rest of a workflow fails, all calls are undone in reverse order',
    [
      { ask: 'POST /shop/sell', body: { id: 's', n: 11 }, status: 422 },
      told('create s', 'update s', 'update s', 'delete s'),
      there(),
      { ask: 'POST /shop/sell', body: { id: 's', n: 1 }, status: 200 },
      there('s 2'),
    ],
    ['s 2'],
  ],
  [
    'where the local write fails, the inverse handler is called',
    [
      { ask: 'POST /shop/sell', body: { id: 's', n: 1 }, status: 200 },
      told('create s', 'update s'),
      // A sale refers to it.
      { ask: 'DELETE /shop/Article/s', status: 409 },
      told('delete s', 'create s'),
      there('s 2'),
    ],
    ['s 2'],
  ],
  [
    'a failed statement of a workflow that goes on is undone alone',
    [
      fails('create', 'garbage'),
      { ask: 'POST /shop/tried', body: { id: 't' }, status: 200, is: [{ id: 'caught' }] },
      told('create t', 'delete t'),
      there(),
    ],
    [],
  ],
  [
    'a call that fails after it was done is undone, one that was not done is not',
    [
      fails('create', 'after'),
      { ...refused, status: 502 },
      told('create a', 'delete a'),
      fails('create', 'before'),
      { ...refused, status: 502 },
      told('create a'),
      fails('create', 'garbage'),
      { ...refused, status: 502, code: 'resolver-answer-invalid' },
      told('create a', 'delete a'),
      there(),
    ],
    [],
  ],
];

for (const [title, steps, stored] of tables) {
  test(title, async () => {
    const served = await open();
    await check(served, steps);
    expect(await here(served)).toEqual(stored);
    expect(await pending(served)).toEqual([]);
  });
}

test('an inverse that fails is shown as pending, and settled at the next start by what query finds', async () => {
  const served = await open();
  await check(served, [
    fails('delete', 'before'),
    { ask: 'POST /shop/sell', body: { id: 's', n: 11 }, status: 422 },
    there('s 1'),
    { ask: 'POST /platform.resolver/Pending', body: {}, status: 405 },
  ]);
  expect(await here(served)).toEqual([]);
  const shown = { resolver: 'shop/goods', type: 'shop/Article', instance: 's', operation: 'create', attempts: 1 };
  expect(await pending(served)).toMatchObject([{ ...shown, error: 'resolver-failed: The system that keeps this has failed.' }]);
  await served.reload({ 'core.al': shop(everything), 'catalogue.js': catalogue });
  await expect.poll(() => pending(served)).toEqual([]);
  expect(await here(served)).toEqual(['s 1']);
});

test('without the inverse handler, or without query, what cannot be undone is pending', async () => {
  const served = await open('create catalogue.add, update catalogue.change');
  await check(served, [{ ask: 'POST /shop/sell', body: { id: 's', n: 11 }, status: 422 }, there('s 1')]);
  await expect
    .poll(() => pending(served))
    .toMatchObject([{ operation: 'create', error: 'it cannot be undone: there is no handler for delete' }]);
  await check(served, [fails('create', 'after'), { ...refused, status: 502 }]);
  expect(await pending(served)).toMatchObject([{ instance: 's' }, { instance: 'a', error: expect.stringContaining('without query') }]);
});

test('a call that is never answered is settled when its time is over', async () => {
  const served = await open(everything, impatient);
  await check(served, [
    fails('create', 'late'),
    { ...refused, status: 504, code: 'resolver-timeout' },
    fails('create', 'never'),
    { ask: 'POST /shop/Article', body: { ...a, id: 'b' }, status: 504 },
    fails('create', ''),
  ]);
  // The one was done, the other was not.
  await expect.poll(() => here(served)).toEqual(['a 1']);
  await check(served, [fails('delete', 'late'), { ask: 'DELETE /shop/Article/a', status: 504 }]);
  await expect.poll(() => here(served)).toEqual([]);
  expect(await pending(served)).toEqual([]);
});

test('while the store cannot be asked for what is due, it is not asked again and again', async () => {
  const clock = testClock();
  const served = await open(everything, { ...impatient, parts: { clock } });
  await check(served, [fails('create', 'late')]);
  await served.kept.execute('ALTER TABLE "platform.resolver/Pending" RENAME TO "away"');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = () => served.failures.filter((each) => JSON.stringify(each).includes('settling calls'));
  /** So many milliseconds later; what is done then has the time that a read of the store takes. */
  const pass = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    vi.advanceTimersByTime(milliseconds);
    await served.get('/shop/Shelf');
  };
  try {
    let isOver = false;
    const asked = check(served, [{ ...refused, status: 504, code: 'resolver-timeout' }]).finally(() => {
      isOver = true;
    });
    for (; !isOver || failed().length === 0; await turn()) await pass(100);
    await asked;
    for (let seconds = 0; seconds < 25; seconds += 1) await pass(1000);
    expect(failed()).toHaveLength(1);
    await pass(5000);
    await until(() => failed().length > 1);
    expect(failed()).toHaveLength(2);
  } finally {
    vi.useRealTimers();
    await served.kept.execute('ALTER TABLE "away" RENAME TO "platform.resolver/Pending"');
  }
});

test('with a query handler reads ask it first, and the local store answers where it fails, with a header', async () => {
  const served = await open();
  await check(served, [
    made,
    { ask: 'POST /shop/put', body: { id: 'z', price: 9 }, status: 200 },
    { ask: 'GET /shop/Article?@sort=-price&@select=id', status: 200, is: [{ id: 'z' }, { id: 'a' }] },
    { ask: 'GET /shop/Article/z', status: 200, is: { id: 'z', name: 'z', price: 9 } },
    { ask: 'GET /shop/Article/nothing', status: 404 },
    fails('query', 'fails'),
    { ask: 'GET /shop/Article', status: 200, is: [a], headers: { 'platform-stale': 'true' } },
    { ask: 'GET /shop/Article/a', status: 200, is: a, headers: { 'platform-stale': 'true' } },
    fails('query', ''),
  ]);
  const { headers } = await served.get('/shop/Article/a');
  expect(headers['platform-stale']).toBeUndefined();
  expect((await served.put('/shop/Article/a', { price: 2 }, { 'if-match': String(headers['etag']) })).status).toBe(200);
  expect((await served.put('/shop/Article/a', { price: 3 }, { 'if-match': String(headers['etag']) })).status).toBe(412);
});

test('what goes with a deleted instance is told to its resolver', async () => {
  const source = `module m
import "catalogue.js" @as catalogue
entity Box { id String @id }
entity Thing { id String @id, name String, price Int }
relationship BoxThing contains(Box, Thing)
event told { }
workflow told { catalogue.told() }
resolver things [m/Thing] @compose { create catalogue.add, delete catalogue.drop }`;
  const served = await serve({ 'core.al': source, 'catalogue.js': catalogue });
  await check(served, [
    { ask: 'POST /m/Box', body: { id: 'box', BoxThing: [{ ...a }, { ...a, id: 'b' }] }, status: 201 },
    { ask: 'POST /m/Box/nowhere/BoxThing/Thing', body: a, status: 404 },
    { ask: 'DELETE /m/Box/box', status: 200 },
    { ask: 'POST /m/told', body: {}, status: 200, has: ['create a', 'create b', 'delete a', 'delete b'] },
    { ask: 'GET /m/Thing', status: 200, is: [] },
  ]);
});

test('on the earlier surface :compose? composes, with functions of the model', async () => {
  const source = `(component :M)
(entity :E {:Id {:type :String :guid true} :N :Int})
(def kept (atom {}))
(defn add [e] (swap! kept assoc (:Id e) e) (assoc e :N (inc (:N e))))
(event :Count {})
(dataflow :Count {:E? {}})
(resolver :R {:with-methods {:create add} :paths [:M/E] :compose? true})`;
  const served = await serve({ 'core.platform': source }, { surfaces: ['earlier'] });
  await check(served, [{ ask: 'POST /api/M/E', body: { 'M/E': { Id: 'a', N: 1 } }, status: 200 }]);
  const rows = await served.kept.rows('SELECT "Id", "N" FROM "M/E"');
  expect(rows.map((each) => `${each['Id']} ${each['N']}`)).toEqual(['a 2']);
  expect((await served.get('/api/Platform.Kernel.Resolver/Pending')).status).toBe(200);
});

test('an instance whose identifier is a number is told to its resolver, and stored', async () => {
  const served = await serve({
    'core.al': `module m
import "far.js" @as far
entity Item { id Int @id, text String }
resolver far [m/Item] @compose { create far.keep, update far.keep, delete far.keep }
`,
    'far.js': 'export const keep = (instance) => ({ ...instance, text: instance.text + "!" });',
  });
  expect(await served.post('/m/Item', { id: 7, text: 'a' })).toMatchObject({ status: 201, body: { id: 7, text: 'a!' } });
  expect(await served.put('/m/Item/7', { text: 'b' })).toMatchObject({ status: 200, body: { id: 7, text: 'b!' } });
  expect((await served.remove('/m/Item/7')).status).toBe(200);
});

test('more creates at once than there are connections are all told, and stored', async () => {
  const project = {
    'core.al': `module m
import "far.js" @as far
entity Item { id Int @id }
resolver far [m/Item] @compose { create far.keep, delete far.keep }
`,
    'far.js': 'export const keep = (instance) => new Promise((done) => setTimeout(() => done(instance), 20));',
  };
  const served = await serve(project, { postgres: { pool: 2 } });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, id) => served.post('/m/Item', { id })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
});
