// What crosses between the service and JavaScript functions: they can spoil nothing they are given, and give nothing but data.

import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AppParts } from '../../src/app.ts';
import type { Caller } from '../../src/engine/caller.ts';
import { isError } from '../../src/errors.ts';
import { fromJavaScript, toJavaScript } from '../../src/functions/javascript/values.ts';
import { ExactNumber } from '../../src/values/exact-number.ts';
import { writeJson } from '../../src/values/json/json.ts';
import type { Value } from '../../src/values/value.ts';
import { serve } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { check } from '../support/table.ts';

/** What a function gives, and what it becomes, as JSON. */
const kept: readonly (readonly [title: string, code: string, json: string])[] = [
  ['a text', '"a"', '"a"'],
  ['true and false', '[true, false]', '[true,false]'],
  ['a number', '1.5', '1.5'],
  ['nothing', 'null', 'null'],
  ['undefined', 'undefined', 'null'],
  ['NaN and infinities', '[NaN, Infinity, -Infinity]', '[null,null,null]'],
  ['a BigInt', '[5n, 12345678901234567890n]', '[5,12345678901234567890]'],
  ['a BigInt of too many digits', '10n ** 100001n', 'null'],
  ['a Date', 'new Date(0)', '"1970-01-01T00:00:00.000Z"'],
  ['an invalid Date', 'new Date(NaN)', 'null'],
  ['a URL', 'new URL("http://a.b/c")', '"http://a.b/c"'],
  ['what has toJSON', '({ a: 1, toJSON() { return { b: 2 }; } })', '{"b":2}'],
  ['a Map', 'new Map([["a", 1], [2, new Map()]])', '{"a":1,"2":{}}'],
  ['a Set', 'new Set([1, 1, "a"])', '[1,"a"]'],
  ['an instance of a class', 'new (class A { x = 1; #y = 2; get z() { return 3; } m() {} })()', '{"x":1}'],
  ['numbers and texts as objects', '[new Number(1), new String("a"), new Boolean(false)]', '[1,"a",false]'],
  ['a function', '() => 1', 'null'],
  ['a symbol', 'Symbol("a")', 'null'],
  ['functions, symbols and undefined among fields', '({ a: () => 1, b: Symbol("b"), c: undefined, d: 1, [Symbol("e")]: 1 })', '{"d":1}'],
  ['functions, symbols and undefined in a list', '[() => 1, Symbol("b"), undefined, 1]', '[null,null,null,1]'],
  ['a list with gaps', '[1, , 2]', '[1,null,2]'],
  ['keys of the language', 'JSON.parse(\'{"__proto__": {"a": 1}, "constructor": 2}\')', '{"__proto__":{"a":1},"constructor":2}'],
  ['what an object inherits', 'Object.create({ a: 1 })', '{}'],
  ['an object without a prototype', 'Object.assign(Object.create(null), { a: 1 })', '{"a":1}'],
  ['the same twice', '((a) => [a, a])({ b: 1 })', '[{"b":1},{"b":1}]'],
];

/** What a function gives that is no value, and what its caller is told. */
const refused: readonly (readonly [title: string, code: string, detail: string])[] = [
  ['what holds itself', '((a) => { a.a = a; return a; })({})', 'What the function gives is deeper than 200 levels.'],
  ['a list that holds itself', '((a) => { a.push(a); return a; })([])', 'What the function gives is deeper than 200 levels.'],
  ['toJSON that gives itself', '((a) => { a.toJSON = () => a; return a; })({})', 'What the function gives is deeper than 200 levels.'],
  ['a list that is too long', 'new Array(2 ** 31)', 'What the function gives has more than 1000000 parts.'],
  ['too many parts', 'Array(1001).fill(Array(1000).fill(0))', 'What the function gives has more than 1000000 parts.'],
  ['bytes', 'Buffer.from("a")', 'Bytes are no value; give a text or a list.'],
  ['a Map with objects as keys', 'new Map([[{}, 1]])', 'The keys of a Map become names; these are none.'],
  ['a promise inside', '({ a: Promise.resolve(1) })', 'A promise inside of what a function gives is not waited for.'],
  ['a getter that throws', '({ get a() { throw new Error("no a"); } })', 'no a'],
  ['a thrown text', '(() => { throw "just a text"; })()', 'just a text'],
  ['a thrown object', '(() => { throw { message: "told" }; })()', 'told'],
  ['a thrown nothing', '(() => { throw Object.create(null); })()', 'The function f failed.'],
  ['a thrown null', '(() => { throw null; })()', 'The function f failed.'],
  [
    'what the system says in its own words',
    '(() => { throw Object.assign(new Error("connect 10.0.0.1"), { syscall: "connect" }); })()',
    'The function f failed.',
  ],
  ['a message without an end', '(() => { throw new Error("x".repeat(1e6)); })()', 'x'.repeat(2000)],
];

async function served(code: string, waits: boolean) {
  const source = `module m\nimport "f.js" @as f\nworkflow w { ${waits ? 'await ' : ''}f.f() }`;
  const project = { 'core.al': source, 'f.js': `export const f = ${waits ? 'async ' : ''}() => (${code});` };
  return serve(project, { limits: { function: 60_000 } });
}

describe.each([
  ['at once', false],
  ['later', true],
])('what a function gives %s', (_, waits) => {
  test.each(kept)('%s', async (_title, code, json) => {
    expect((await (await served(code, waits)).post('/m/w', {})).text).toBe(json);
  });

  test.each(refused)('%s is refused', async (_title, code, detail) => {
    await check(await served(code, waits), [{ ask: 'POST /m/w', body: {}, status: 422, code: 'dataflow-failed', has: { detail } }]);
  });
});

test('what is not a promise but can be waited for is waited for', async () => {
  const source = 'module m\nimport "f.js" @as f\nworkflow w { await f.f() }';
  const project = { 'core.al': source, 'f.js': 'export const f = () => ({ then(done) { setTimeout(() => done([1]), 1); } });' };
  await check(await serve(project), [{ ask: 'POST /m/w', body: {}, status: 200, is: [1] }]);
});

test('a function knows for whom it is called, in workflows, checks and defaults; what is computed is the same for everybody', async () => {
  const project = {
    'core.al': `module m
import "f.js" @as f
entity Note { id Int @id @check(f.known), by String @default(f.who), open String @expr(f.whoEver(id)) }
workflow ask { f.who() }
workflow later { await f.whoLater() }
workflow gone { await f.gone() }
{Note {id 0, by f.who()}}`,
    'f.js': `export function who() { return String(this.user) + ' ' + this.requestId; }
export async function whoLater() { return this.user; }
export function whoEver() { return String(this); }
export function known(value) { return value === 0 || this.user !== null || 'is for users'; }
export async function gone() { return this.signal?.aborted; }`,
  };
  const parts: AppParts = {
    authenticate: ({ headers: { user } }) => (typeof user === 'string' ? userCalled(user) : { kind: 'anonymous' }),
  };
  const served = await serve(project, { parts });
  const send = { user: 'ann@example.com' };
  const made = { id: 1, by: 'ann@example.com test', open: 'undefined' };
  await check(served, [
    { ask: 'GET /m/Note', status: 200, is: [{ id: 0, by: 'null null', open: 'undefined' }] },
    { ask: 'POST /m/Note', body: { id: 1 }, status: 422, faults: ['id check'] },
    { ask: 'POST /m/Note', body: { id: 1 }, send, status: 201, is: made },
    { ask: 'POST /m/ask', body: {}, send, status: 200, is: 'ann@example.com test' },
    { ask: 'POST /m/ask', body: {}, status: 200, is: 'null test' },
    { ask: 'POST /m/later', body: {}, send, status: 200, is: 'ann@example.com' },
  ]);
  const request = { method: 'POST', path: '/m/gone', query: '', headers: {}, body: undefined, id: '1', remote: '' };
  const answers = [AbortSignal.abort(), new AbortController().signal].map((signal) => served.app.respond({ ...request, signal }));
  expect((await Promise.all(answers)).map((each) => each.body)).toEqual(['true', 'false']);
});

function userCalled(email: string): Caller {
  return { kind: 'user', id: 'an-id', email, roles: [], token: undefined };
}

/** Changes everything it can reach, also what it keeps from an earlier call. */
const spoiler = `const held = [];
export function spoil(...given) {
  held.push(...given);
  for (const each of held) ruin(each);
  return 'done';
}
function ruin(value) {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) { ruin(value[key]); value[key] = 'spoiled'; }
  if (Array.isArray(value)) value.push('spoiled'); else value.more = 'spoiled';
}
export const fine = (value, instance) => spoil(value, instance) === 'done';`;

test('a function cannot change what it was given: neither what is stored nor what later steps see', async () => {
  const instance = { id: 1, tags: ['a'], data: { b: { c: 1 } }, price: '1.50' };
  const project = {
    'core.al': `module m
import "f.js" @as f
entity Post { id Int @id, tags String[], data Map, price Decimal, note String @expr(f.spoil(this, tags, data)) }
entity Strict { id Int @id, data Map @check(f.fine) }
workflow @before create:Post { f.spoil(this) }
workflow @after create:Post { f.spoil(this) }
workflow @before update:Post { f.spoil(this) }
workflow event { f.spoil(event, event.list) event.list }
workflow found { {Post {id? 1}} @as posts; f.spoil(posts, posts.data) posts }
workflow list { [list.a, [list.a]] @as pair; f.spoil(pair) pair }
workflow made { {Post {id 2, tags made.tags, data made.data, price "2"}} @as post; f.spoil(post, made.data, made) post }`,
    'f.js': spoiler,
  };
  const stored = { ...instance, note: 'done' };
  await check(await serve(project), [
    { ask: 'POST /m/Post', body: instance, status: 201, is: stored },
    { ask: 'GET /m/Post/1', status: 200, is: stored },
    { ask: 'PUT /m/Post/1', body: { price: '1.75' }, status: 200, is: { ...stored, price: '1.75' } },
    { ask: 'POST /m/Strict', body: { id: 1, data: { a: [1] } }, status: 201, is: { id: 1, data: { a: [1] } } },
    { ask: 'POST /m/event', body: { list: [1, { a: 2 }] }, status: 200, is: [1, { a: 2 }] },
    { ask: 'POST /m/found', body: {}, status: 200, is: [{ ...stored, price: '1.75' }] },
    { ask: 'POST /m/list', body: { a: { b: 1 } }, status: 200, is: [{ b: 1 }, [{ b: 1 }]] },
    {
      ask: 'POST /m/made',
      body: { tags: ['x'], data: { y: 1 } },
      status: 200,
      is: { id: 2, tags: ['x'], data: { y: 1 }, price: '2', note: 'done' },
    },
    { ask: 'GET /m/Post/2', status: 200, is: { id: 2, tags: ['x'], data: { y: 1 }, price: '2', note: 'done' } },
  ]);
});

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'then')), tie('value'), { maxKeys: 4 }),
  ),
}));

test('every value goes in and comes back as it was, and shares nothing with what was given', () => {
  fc.assert(
    fc.property(value, (each) => {
      const text = writeJson(each);
      const given = toJavaScript(each);
      expect(writeJson(fromJavaScript(given))).toBe(text);
      ruin(given);
      expect(writeJson(each)).toBe(text);
    }),
    { numRuns: counted({ long: 5000, short: 170 }) },
  );
});

test('decimals are texts, also inside of lists and maps', () => {
  expect(toJavaScript([new ExactNumber('1.10'), { a: new ExactNumber('2.20') }])).toEqual(['1.10', { a: '2.20' }]);
});

function ruin(given: unknown): void {
  if (typeof given !== 'object' || given === null) return;
  for (const key of Reflect.ownKeys(given)) {
    ruin(Reflect.get(given, key));
    if (key !== 'length') Reflect.set(given, key, 'spoiled');
  }
}

const anything: Arbitrary<unknown> = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
});

test('whatever a function gives becomes a value that can be written, or is refused', () => {
  fc.assert(
    fc.property(anything, (each) => {
      const result = outcomeOf(each);
      if (!(result instanceof Error)) expect(typeof writeJson(result)).toBe('string');
    }),
    { numRuns: counted({ long: 20_000, short: 700 }) },
  );
});

function outcomeOf(given: unknown): Value | Error {
  try {
    return fromJavaScript(given);
  } catch (thrown) {
    if (isError(thrown, 'dataflow-failed')) return thrown;
    throw thrown;
  }
}
