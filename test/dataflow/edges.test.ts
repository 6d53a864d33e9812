// What lies at the edges of events: what was undone, what has no end, what is too large, and numbers that no double holds.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLike } from '../../src/values/like.ts';
import { type Served, serve } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { check } from '../support/table.ts';

test('what was undone sets nothing off after the commit', async () => {
  const served = await serve(`module m
entity Post { id Int @id, @after {create jot @async} }
entity Note { id Int @id }
workflow jot { {Note {id jot.Post.id}} }
workflow inner {
  {Post {id inner.id}}
  throw("no")
}
workflow both {
  {inner {id 1}} @catch {error 0}
  {Post {id 2}}
}`);
  await check(served, [{ ask: 'POST /m/both', body: {}, status: 200, is: { id: 2 } }]);
  await expect.poll(async () => (await served.get('/m/Note')).body).toEqual([{ id: 2 }]);
});

describe('what is put off', () => {
  const model = `(component :M)
(entity :T {:Id {:type :Int :guid true}})
(entity :Log {:Id :Identity :Text :String})
`;
  const logs = async (served: Served): Promise<number> => {
    const { body } = await served.get('/api/M/Log');
    return Array.isArray(body) ? body.length : -1;
  };

  test('calls its handler where it fails', async () => {
    const served = await serve(
      { 'm.platform': `${model}{:T {:Id 1}}\n(dataflow :Ev [:await {:T {:Id 1}} :ok {:T {:Id 2}} :error {:Log {:Text :Error.code}}])` },
      { surfaces: ['earlier'] },
    );
    expect((await served.post('/api/M/Ev', { 'M/Ev': {} })).body).toEqual(['await', 'ok']);
    await expect.poll(async () => (await served.get('/api/M/Log')).body).toMatchObject([{ Text: 'duplicate' }]);
    expect((await served.get('/api/M/T')).body).toMatchObject([{ Id: 1 }]);
  });

  test('sees its names as they were when it was put off, and does all of what it is', async () => {
    const served = await serve(
      {
        'm.platform': `${model}(dataflow :Ev
  [:for-each :Ev.List [:await {:Log {:Text :%}}]]
  [:await [:try {:T {:Id 1}} :ok {:Log {:Text "inside"}}] :ok {:Log {:Text "outside"}}])`,
      },
      { surfaces: ['earlier'] },
    );
    expect((await served.post('/api/M/Ev', { 'M/Ev': { List: ['a', 'b'] } })).status).toBe(200);
    const told = ['a', 'b', 'inside', 'outside'].map((text) => ({ Text: text }));
    await expect.poll(async () => (await served.get('/api/M/Log')).body).toMatchObject(told);
  });

  test('is cut where it puts itself off again and again', async () => {
    const served = await serve(
      { 'm.platform': `${model}(dataflow :Ev {:Log {:Text "again"}} [:await {:Ev {}}])` },
      { surfaces: ['earlier'] },
    );
    expect((await served.post('/api/M/Ev', { 'M/Ev': {} })).status).toBe(200);
    await expect.poll(() => served.failures.length).toBe(1);
    expect(await logs(served)).toBeLessThanOrEqual(32);
  });
});

test('what the model says about a failure keeps its numbers', async () => {
  const response = '{:Platform.Kernel.Lang/Response {:HTTP {:status 409 :body :Ev.X}}}';
  const served = await serve(
    {
      'm.platform': `(component :M)
(entity :T {:Id {:type :Int :guid true}})
(dataflow :Ev ${response})
(dataflow :Told {:T {:Id? 1} :throws {:not-found [:eval '(identity :Told.X)]}})`,
    },
    { surfaces: ['earlier'] },
  );
  await check(served, [
    { ask: 'POST /api/M/Ev', text: '{"M/Ev": {"X": {"n": 9007199254740993}}}', status: 409, holds: '"result":{"n":9007199254740993}' },
    { ask: 'POST /api/M/Told', text: '{"M/Told": {"X": [9007199254740993]}}', status: 422, holds: '"result":[9007199254740993]' },
  ]);
});

test('generated events and query objects take any value, and refuse what does not fit', async () => {
  const served = await serve(
    { 'm.platform': `(component :M)\n(entity :T {:Id {:type :Int :guid true} :N :Int :S {:type :String :optional true}})` },
    { surfaces: ['earlier'] },
  );
  const query = (where: unknown) => ({ Query: { from: 'M/T', where } });
  await check(served, [
    { ask: 'POST /api/M/Create_T', text: '{"M/Create_T": {"Instance": {"Id": 1, "N": 9223372036854775807}}}', status: 200 },
    { ask: 'POST /q', text: '{"Query": {"from": "M/T", "where": ["=", "N", 9223372036854775807]}}', status: 200, has: [{ Id: 1 }] },
    { ask: 'POST /q', body: query(['like', 'S', 'a'.repeat(1001)]), status: 422 },
    { ask: 'POST /q', body: query(['like', 'S', '_'.repeat(17)]), status: 422 },
    { ask: 'POST /q', body: query(['like', 'S', `\\_${'_'.repeat(16)}`]), status: 200 },
    { ask: 'POST /q', body: query(['or', ...Array.from({ length: 21 }, () => ['=', 'N', 1])]), status: 422 },
    { ask: 'POST /q', body: query(['or', ...Array.from({ length: 20 }, () => ['=', 'N', 1])]), status: 200 },
    { ask: 'POST /api/M/Lookup_T', body: { 'M/Lookup_T': { Id: { a: 1 } } }, status: 422 },
    { ask: 'POST /api/M/Lookup_T', text: '{"M/Lookup_T": {"Id": "\\ud800"}}', status: 422 },
    { ask: 'POST /api/M/Update_T', body: { 'M/Update_T': { __path__: 'path://M$T/%zz', Data: { N: 1 } } }, status: 404 },
    { ask: 'POST /api/M/Create_T', body: { 'M/Create_T': { __path__: '%E0', Instance: { Id: 2, N: 1 } } }, status: 404 },
  ]);
});

test('an attribute that is compared with itself is that of the instance known by the name of its type', async () => {
  const served = await serve(
    {
      'm.platform': `(component :M)
(entity :A {:Id {:type :Int :guid true} :T {:type :String :optional true}})
{:A {:Id 1}} {:A {:Id 2}} {:A {:Id 3}}
(dataflow :Change {:A {:Id? :Change.Id}} {:A {:Id? :A.Id :T "changed"}})
(dataflow :Above {:A {:Id? :Above.Id}} {:A {:Id? [:> :A.Id]}})
(dataflow :Remove {:A {:Id? :Remove.Id}} [:delete :A {:Id :A.Id}])
(dataflow :Nothing [:delete :A {:Id :A.Id}])`,
    },
    { surfaces: ['earlier'] },
  );
  await check(served, [
    { ask: 'POST /api/M/Change', body: { 'M/Change': { Id: 2 } }, status: 200, has: [{ Id: 2, T: 'changed' }] },
    { ask: 'POST /api/M/Above', body: { 'M/Above': { Id: 2 } }, status: 200, has: [{ Id: 3, T: null }] },
    { ask: 'POST /api/M/Remove', body: { 'M/Remove': { Id: 2 } }, status: 200, has: [{ Id: 2 }] },
    { ask: 'POST /api/M/Nothing', body: { 'M/Nothing': {} }, status: 200, is: [] },
    { ask: 'GET /api/M/A', status: 200, has: [{ Id: 1 }, { Id: 3 }] },
  ]);
});

test('values that grow without end, or are too many, end the event', async () => {
  const served = await serve(`module m
entity T { id Int @id, s String @optional }
workflow power {
  power.start @as x
  for i in power.list { x * x @as x }
  x
}
workflow like { like.a like like.b }
workflow find { {T {s?like find.s}} }
workflow within { {T {id?in within.list, id?!= 5}, @where(T.id in within.list or T.id in within.list)} }
workflow later { dateFns.addDays("2024-01-31", later.days) }`);
  const list = (length: number) => Array.from({ length }, (_, index) => index);
  const long = `%${'a'.repeat(30_000)}b`;
  await check(served, [
    { ask: 'POST /m/power', body: { start: 3, list: list(2) }, status: 200, is: 81 },
    { ask: 'POST /m/power', body: { start: 3, list: list(40) }, status: 200, is: null },
    {
      ask: 'POST /m/power',
      text: JSON.stringify({ start: 0, list: list(40) }).replace('0', '1.0000000000000000001'),
      status: 200,
      is: null,
    },
    { ask: 'POST /m/like', body: { a: 'a'.repeat(60_000), b: long }, status: 422, code: 'dataflow-failed' },
    { ask: 'POST /m/like', body: { a: 'a'.repeat(60_000), b: `%${'a'.repeat(990)}b` }, status: 200, is: false },
    { ask: 'POST /m/find', body: { s: long }, status: 422, faults: ['s limit'] },
    { ask: 'POST /m/within', body: { list: list(9000) }, status: 422, code: 'dataflow-failed' },
    { ask: 'POST /m/within', body: { list: list(5000) }, status: 200, is: [] },
    { ask: 'POST /m/later', body: { days: 30 }, status: 200, is: '2024-03-01' },
    { ask: 'POST /m/later', body: { days: 2_932_896 }, status: 422, code: 'dataflow-failed' },
  ]);
});

test('a sum of whole numbers is exact, however large', async () => {
  const served = await serve(`module m
entity T { id Int @id, g Int, n Int @optional }
workflow sums { {T? {}, @into {g T.g, s @sum(T.n)}, @groupBy(T.g), @orderBy(g)} }
workflow most { {T? {}, @into {g T.g, s @sum(T.n)}, @groupBy(T.g), @orderBy(s) @desc, @limit(1)} }`);
  const [most, least] = ['9223372036854775807', '-9223372036854775808'];
  const groups = [
    [],
    ['null'],
    ['1', '-2'],
    [most, '1', '-5'],
    [most, most, most],
    [least, least],
    [least, '-1', '1'],
    [most, least, most],
  ];
  for (const [index, [g, n]] of groups.flatMap((each, group) => each.map((value) => [group, value] as const)).entries()) {
    const answer = await served.ask({
      method: 'POST',
      target: '/m/T',
      headers: { 'content-type': 'application/json' },
      text: `{"id": ${index}, "g": ${g}, "n": ${n}}`,
    });
    expect(answer.status, answer.text).toBe(201);
  }
  const sums = groups.map((each) => (each[0] === 'null' ? null : each.reduce((sum, value) => sum + BigInt(value), 0n)));
  const told = sums.flatMap((sum, g) => (g === 0 ? [] : [`{"g":${g},"s":${sum}}`]));
  expect((await served.post('/m/sums', {})).text).toBe(`[${told.join(',')}]`);
  expect((await served.post('/m/most', {})).text).toBe(`[{"g":4,"s":${3n * BigInt(most)}}]`);
});

test('`like` means what its characters say, one after the other', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '%', '_', '\\', '😀'), { maxLength: 10 });
  fc.assert(
    fc.property(texts, texts, fc.nat(70), (text, pattern, before) => {
      const same = Array.from({ length: before }, () => 'a');
      expect(isLike([...same, ...text].join(''), [...same, ...pattern].join(''))).toBe(slowly(text, pattern));
    }),
    { numRuns: counted({ long: 20_000, short: 700 }) },
  );
});

/** The same, as it is defined. */
function slowly(text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === '%') return rest[0] === '%' ? slowly(text, rest) : text.some((_, at) => slowly(text.slice(at), rest)) || slowly([], rest);
  if (first === '_') return text.length > 0 && slowly(text.slice(1), rest);
  const escaped = first === '\\' && rest.length > 0;
  return text[0] === (escaped ? rest[0] : first) && slowly(text.slice(1), escaped ? rest.slice(1) : rest);
}
