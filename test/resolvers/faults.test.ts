// What another system can do wrong, and what the service answers then.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { askFor, fits, type Step } from '../support/table.ts';

/** Each instance says what its system does when it is asked for it. */
const system = `
const given = {
  good: { id: 'good', rank: 1 },
  keyed: { 'm/Thing': { 'm/Thing.id': 'keyed', rank: 2, 'type-*-tag-*-': 'entity' } },
  more: { id: 'more', rank: 3, colour: 'red' },
  wrong: { id: 'wrong', rank: 'first' },
  missing: { rank: 4 },
  text: 'a text',
  proto: JSON.parse('{"__proto__": {"rank": 7}, "constructor": {"prototype": {"rank": 8}}, "id": "proto"}'),
  inherited: Object.create({ id: 'inherited', rank: 7 }),
  bytes: { id: 'bytes', rank: 1, note: new Uint8Array(3) },
};
export const asked = [];
export async function query([, { where }]) {
  const id = where?.[2] ?? 'all';
  asked.push(id);
  if (id === 'throws') throw new Error('the secret of the other system');
  if (id === 'refuses') throw { status: 403, message: 'not for you' };
  if (id === 'endless') for (;;) try { for (;;); } finally { continue; }
  if (id === 'getter') return { id, get rank() { for (;;); } };
  if (id === 'cyclic') { const thing = { id, rank: 1 }; thing.note = thing; return thing; }
  if (id === 'twice') return [{ id, rank: 1 }, { id, rank: 1 }];
  if (id === 'late') return new Promise(() => {});
  if (id === 'many') return Array.from({ length: 10_001 }, (_, index) => ({ id: 'many' + index, rank: index }));
  if (id === 'large') return { id: 'large', rank: 1, note: 'x'.repeat(17 * 1024 * 1024) };
  if (id === 'flaky') { if (asked.filter((each) => each === id).length < 3) throw new Error('not yet'); return [{ id, rank: 9 }]; }
  if (id === 'all') return (function* () { yield given.good; yield given.keyed; })();
  return given[id] ?? null;
}
export function create(thing) {
  if (thing.id === 'taken') throw Object.assign(new Error('there is one already'), { status: 409 });
  if (thing.id === 'broken') throw new TypeError('undefined is not a function');
  if (thing.id === 'odd') return { id: 'odd' };
  return { ...thing, id: thing.id + '-1' };
}
export function run() { return undefined; }
`;

const model = `
module m
import "system.js" @as system
entity Thing { id String @id, rank Int, note String @optional }
entity Half { id String @id }
event ping { }
resolver things [m/Thing] { query system.query, create system.create }
resolver halves [m/Half, m/ping] { create system.create, eval system.run }
`;

const failed = { 'content-type': 'application/problem+json' };
const cases: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'instances may come keyed by their type, from a generator, and with attributes that the model does not know',
    [
      {
        ask: 'GET /m/Thing',
        status: 200,
        is: [
          { id: 'good', rank: 1, note: null },
          { id: 'keyed', rank: 2, note: null },
        ],
      },
      { ask: 'GET /m/Thing/more', status: 200, is: { id: 'more', rank: 3, note: null } },
    ],
  ],
  [
    'what does not fit the attributes of the entity is 502 resolver-answer-invalid',
    [
      { ask: 'GET /m/Thing/wrong', status: 502, code: 'resolver-answer-invalid', headers: failed },
      { ask: 'GET /m/Thing/missing', status: 502, code: 'resolver-answer-invalid' },
      { ask: 'GET /m/Thing/text', status: 502, code: 'resolver-answer-invalid' },
      { ask: 'POST /m/Thing', body: { id: 'odd', rank: 1 }, status: 502, code: 'resolver-answer-invalid' },
    ],
  ],
  [
    'what is no data, or stands in no attribute of its own, does not fit',
    [
      ...['cyclic', 'proto', 'inherited', 'bytes'].map(
        (id): Step => ({ ask: `GET /m/Thing/${id}`, status: 502, code: 'resolver-answer-invalid' }),
      ),
      { ask: 'GET /m/Thing/good', status: 200 },
    ],
  ],
  [
    'an instance that is there twice is 502: it would be counted twice, and nobody knows which is meant',
    [{ ask: 'GET /m/Thing/twice', status: 502, code: 'resolver-answer-invalid' }],
  ],
  [
    'more than 10,000 instances or 16 MiB are 502 resolver-answer-too-large',
    [
      { ask: 'GET /m/Thing/many', status: 502, code: 'resolver-answer-too-large' },
      { ask: 'GET /m/Thing/large', status: 502, code: 'resolver-answer-too-large' },
    ],
  ],
  [
    'a handler that throws is 502 without its text, and a refusal has the status and the text of its author',
    [
      { ask: 'GET /m/Thing/throws', status: 502, code: 'resolver-failed', has: { detail: 'The system that keeps this has failed.' } },
      { ask: 'GET /m/Thing/refuses', status: 403, code: 'resolver-refused', has: { detail: 'not for you' } },
      {
        ask: 'POST /m/Thing',
        body: { id: 'taken', rank: 1 },
        status: 409,
        code: 'resolver-refused',
        has: { detail: 'there is one already' },
      },
      { ask: 'POST /m/Thing', body: { id: 'broken', rank: 1 }, status: 502, code: 'resolver-failed' },
    ],
  ],
  ['a read is tried up to three times', [{ ask: 'GET /m/Thing/flaky', status: 200, is: { id: 'flaky', rank: 9, note: null } }]],
  ['what takes too long is 504', [{ ask: 'GET /m/Thing/late', status: 504, code: 'resolver-timeout' }]],
  [
    'the other system may give an instance another identifier',
    [
      {
        ask: 'POST /m/Thing',
        body: { id: 'a', rank: 1 },
        status: 201,
        is: { id: 'a-1', rank: 1, note: null },
        headers: { location: '/m/Thing/a-1' },
      },
    ],
  ],
  [
    'a handler that is missing is 405',
    [
      { ask: 'PUT /m/Thing/good', body: { rank: 2 }, status: 405, code: 'method-not-allowed', headers: { allow: 'GET, HEAD, OPTIONS' } },
      { ask: 'DELETE /m/Thing/good', status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } },
      { ask: 'GET /m/Half', status: 405, headers: { allow: 'POST, OPTIONS' } },
      { ask: 'GET /m/Half/a', status: 405, headers: { allow: 'OPTIONS' } },
      { ask: 'POST /m/Half', body: { id: 'b' }, status: 201, is: { id: 'b-1' } },
    ],
  ],
  ['an event of which nothing comes gives null', [{ ask: 'POST /m/ping', body: {}, status: 200, is: null }]],
];

for (const [title, steps] of cases) {
  test(title, async () => {
    const served = await serve({ 'core.al': model, 'system.js': system }, { resolvers: [{ name: 'm/things', timeout: 2 }] });
    for (const step of steps) {
      const answer = await askFor(served, step);
      fits(step, answer);
      expect(answer.text).not.toContain('secret');
    }
  });
}

test('a handler that does not come back is ended: 504, and whoever asked at the same time is answered', async () => {
  const served = await serve({ 'core.al': model, 'system.js': system }, { limits: { function: 300 } });
  const paths = ['good', 'endless', 'more', 'getter', 'keyed'].map((id) => `/m/Thing/${id}`);
  const answers = await Promise.all(paths.map((each) => served.get(each)));
  expect(answers.map(({ status }) => status)).toEqual([200, 504, 200, 504, 200]);
  expect(answers[1]?.body).toMatchObject({ code: 'resolver-timeout' });
  expect((await served.get('/m/Thing/good')).status).toBe(200);
});

test('after five failures in a row nobody asks the other system for a while', async () => {
  const served = await serve({ 'core.al': model, 'system.js': system });
  const codes: unknown[] = [];
  for (let index = 0; index < 3; index += 1) codes.push((await served.get('/m/Thing/throws')).status);
  // Three tries, then two, and none after that.
  expect(codes).toEqual([502, 503, 503]);
  const refused = await served.get('/m/Thing/good');
  expect(refused.body).toMatchObject({ status: 503, code: 'resolver-unavailable' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20);
  expect(await served.get('/ready')).toMatchObject({ status: 200, body: { status: 'ready', unavailable: ['m/things'] } });
  const { text } = await served.get('/metrics');
  expect(text).toContain('resolver_calls_total{resolver="m/things",outcome="failed"} 5');
  expect(text).toContain('resolver_unavailable{resolver="m/things"} 1');
  // Another resolver has a breaker of its own.
  expect((await served.post('/m/Half', { id: 'c' })).status).toBe(201);
});
