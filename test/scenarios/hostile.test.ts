// Hostile input: whatever is sent, the answer is one of the table of errors, tells nothing of our inside, and changes nothing it should not.
// What is accepted is read back exactly.

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { errorCodes } from '../../src/errors.ts';
import { statusOf } from '../../src/http/problem.ts';
import { type Answer, open, type Served } from '../support/app.ts';
import { counted, isLarge } from '../support/form.ts';
import { property } from '../support/table.ts';

const model = `
module m
record Address { city String, zip Int @optional, more Map @optional }
entity E {
  id String @id,
  s String @optional,
  i Int @optional,
  f Float @optional,
  d Decimal @optional,
  b Boolean @optional,
  u UUID @optional,
  e Email @optional,
  day Date @optional,
  at DateTime @optional,
  t Time @optional,
  url URL @optional,
  a Any @optional,
  m Map @optional,
  l String[] @optional,
  r Address @optional,
  k @enum("x", "y") @optional,
  w String @writeonly @optional,
  p String @secret @optional
}
entity P { id Int @id, n Int @default(1) }
entity K { id String @id, n Int @optional }
relationship R contains(P, K)
relationship L between(P, E)
relationship Own between(P @as first, P @as second) { note String @optional }
`;
const attributes = ['id', 's', 'i', 'f', 'd', 'b', 'u', 'e', 'day', 'at', 't', 'url', 'a', 'm', 'l', 'r', 'k', 'w', 'p'];

let served: Served;
const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort());

beforeAll(async () => {
  served = await open(model);
});
// Some of what is asked deletes, as it may.
beforeEach(async () => {
  await served.remove('/m/P/1');
  await served.remove('/m/E/e');
  expect((await served.post('/m/P', { id: 1, R: [{ id: 'k' }], L: [{ id: 'e' }] })).status).toBe(201);
});
afterAll(() => served.close());

const nasty = fc.constantFrom(
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__path__',
    '__version',
    '__key',
    '__Id__',
    '__parent_m$R',
    '__defineGetter__',
  ],
  ...["'", '"', '`', ';', '--', "' OR 1=1 --", '"; DROP TABLE "m/E"; --', '%27', 'NULL', 'rowid', 'sqlite_master', '$1', '?1', ':x', '@x'],
  ...[
    '..',
    '.',
    '%2e%2e',
    '%2F',
    '%5C',
    '%00',
    '%',
    '%%',
    '%zz',
    '%C0%80',
    '%ED%A0%80',
    '//',
    '\\',
    ';a=b',
    '$',
    '$$',
    'm$E',
    'm$K',
    '__tree',
    '*',
    '#',
    '?',
  ],
  ...[
    '\u0000',
    '\u0001',
    '\u0002',
    '\ud800',
    '\udfff',
    '\ufeff',
    '\u202e',
    'e\u0301',
    'İ',
    'ß',
    '😀',
    '\u2028',
    '\uffff',
    ' ',
    '\t',
    '\n',
    '\r\n',
  ],
  ...[
    '0',
    '-0',
    '1',
    '1e400',
    '-1',
    '9007199254740993',
    '9223372036854775808',
    '1.0',
    '0x10',
    '٣',
    'NaN',
    'Infinity',
    'true',
    'null',
    '{}',
    '[]',
    'undefined',
  ],
);
const word = fc.oneof(
  nasty,
  fc.constantFrom('m', 'E', 'P', 'K', 'R', 'L', 'Own', 'first', 'second', 'e', 'k', ...attributes),
  fc.string({ maxLength: 8 }),
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'get', '');
const path = fc
  .tuple(
    fc.constantFrom('', '/m', '/m/E', '/m/E/e', '/m/P/1', '/m/P/1/R/K', '/m/P/1/L/E', '/m/Own', '/'),
    fc.array(word, { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([start, words, encoded]) => `${start}/${words.map((each) => (encoded ? encodeSafely(each) : each)).join('/')}`);
const operator = fc.oneof(
  fc.constantFrom('', '[eq]', '[ne]', '[lt]', '[gte]', '[in]', '[like]', '[between]', '[null]', '[', ']', '[]', '[eq][eq]'),
  nasty.map((each) => `[${each}]`),
);
const option = fc.constantFrom('@sort', '@limit', '@offset', '@after', '@select', '@include', '@count', '@tree', '@', '@@', '%40sort');
const query = fc
  .array(
    fc.oneof(
      fc.tuple(word, operator, word).map(([name, op, value]) => `${name}${op}=${encodeSafely(value)}`),
      fc.tuple(option, fc.array(word, { maxLength: 3 })).map(([name, values]) => `${name}=${values.join(',')}`),
      fc.tuple(option, word).map(([name, value]) => `${name}=${encodeSafely(`-${value}`)}`),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join('&'));
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 12 })) },
  { weight: 2, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.dictionary(fc.oneof(fc.constantFrom(...attributes), nasty), value, { maxKeys: 6 }).map((each) => JSON.stringify(each)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...attributes), fc.constantFrom(...numbers()))
      .map(([name, token]) => `{"id":"n","${name}":${token}}`),
  },
  { weight: 1, arbitrary: fc.json({ stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: nasty.map((each) => `{"id":"x","L":[{"id":${JSON.stringify(each)}}],"R":{"__proto__":{"n":1}}}`) },
);
const contentType = fc.constantFrom(
  'application/json',
  'application/json;charset=utf-8',
  'text/plain',
  'application/json; charset=utf-16',
  '',
);

test('hostile paths and methods', () => always(fc.tuple(method, path), ([name, target]) => served.ask({ method: name, target })));

test('hostile query strings', () =>
  always(fc.tuple(fc.constantFrom('/m/E', '/m/E/e', '/m/P/1/R/K', '/m/P/1/L/E', '/m/Own', '/m/K'), query), ([target, text]) =>
    served.ask({ method: 'GET', target: `${target}?${text}` }),
  ));

test('hostile bodies', () =>
  always(
    fc.tuple(
      fc.constantFrom('POST', 'PUT', 'PATCH'),
      fc.constantFrom('/m/E', '/m/E/e', '/m/P', '/m/P/1/R/K', '/m/P/1/L/E', '/m/Own', '/m/K/k'),
      body,
      contentType,
    ),
    ([name, target, text, type]) => served.ask({ method: name, target, headers: { 'content-type': type }, text }),
  ));

test('hostile headers', () =>
  always(
    fc.tuple(
      method,
      fc.constantFrom('/m/E', '/m/E/e'),
      fc.dictionary(fc.constantFrom('if-match', 'if-none-match', 'accept', 'idempotency-key', 'content-encoding'), word),
    ),
    ([name, target, headers]) =>
      served.ask({ method: name, target, headers: { 'content-type': 'application/json', ...headers }, text: '{"s":"x"}' }),
  ));

test('what is accepted is read back exactly', async () => {
  const accepted = new Map<string, number>();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...attributes.slice(1, -2)), value, async (name, sent) => {
      count += 1;
      const made = await served.post('/m/E', { id: `exact${count}`, [name]: sent });
      isSound(made);
      if (made.status !== 201) return;
      accepted.set(name, (accepted.get(name) ?? 0) + 1);
      const { body: read } = await served.get(`/m/E/exact${count}`);
      expect(read).toEqual(made.body);
      if (!['d', 'at', 't', 'r'].includes(name)) expect(property(read, name)).toEqual(JSON.parse(JSON.stringify(sent, withoutMinusZero)));
    }),
    { numRuns: counted({ long: 4000, short: 130 }) },
  );
  // A few values need not have one that fits each attribute.
  for (const name of isLarge ? ['s', 'i', 'f', 'b', 'a', 'm'] : ['s']) expect([name, accepted.get(name) ?? 0]).not.toEqual([name, 0]);
});

test('every identifier that is accepted is found at its address, and only there', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 10 })), async (id) => {
      count += 1;
      const parent = 1000 + count;
      await served.post('/m/P', { id: parent });
      const made = await served.post(`/m/P/${parent}/R/K`, { id });
      isSound(made);
      if (made.status !== 201) return;
      const location = made.headers['location'] ?? '';
      const read = await served.get(location);
      expect([read.status, read.body]).toEqual([200, made.body]);
      expect(property(read.body, 'id')).toBe(id);
      expect((await served.get(`/m/P/${parent}/R/K`)).body).toEqual([made.body]);
      expect((await served.get(`/m/P/${parent}?@tree=true`)).body).toMatchObject({ R: [made.body] });
      expect((await served.remove(location)).status).toBe(200);
      expect((await served.get(location)).status).toBe(404);
    }),
    { numRuns: counted({ long: 1500, short: 50 }) },
  );
});

test('nothing was logged as a fault of ours, and the data is what it was', async () => {
  expect(served.failures).toEqual([]);
  expect((await served.get('/m/P/1?@tree=true')).body).toEqual({ id: 1, n: 1, R: [expect.objectContaining({ id: 'k' })] });
  expect((await served.get('/health')).status).toBe(200);
});

async function always<T>(input: fc.Arbitrary<T>, ask: (input: T) => Promise<Answer>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(input, async (each) => {
      isSound(await ask(each));
      expect(served.failures).toEqual([]);
    }),
    { numRuns: counted({ long: 15_000, short: 200, postgres: 70 }) },
  );
}

const leaks = /SELECT |INSERT |sqlite|SQLITE|node_modules|\/src\/|\.ts:|at Object\.|at async|Error:|constraint failed/;

/** A success, or a problem whose code and status stand in the table, and which tells nothing of our inside. */
function isSound(answer: Answer): void {
  expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort())).toBe(prototype);
  if (answer.status < 400) {
    expect([200, 201, 204, 304]).toContain(answer.status);
    return;
  }
  const code = String(property(answer.body, 'code'));
  expect(Object.hasOwn(errorCodes, code), answer.text).toBe(true);
  expect([code, answer.status]).toEqual([code, property(statusOf, code)]);
  expect(answer.status, answer.text).toBeLessThan(500);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  const { instance: _, ...own } = Object(answer.body);
  expect(JSON.stringify({ ...own, errors: undefined })).not.toMatch(leaks);
}

function encodeSafely(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function withoutMinusZero(_key: string, each: unknown): unknown {
  return Object.is(each, -0) ? 0 : each;
}

function numbers(): readonly string[] {
  return [
    '0',
    '-0',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '1.0',
    '0.1',
    `1${'0'.repeat(500)}`,
    `0.${'1'.repeat(900)}`,
    '01',
    '+1',
    '.5',
    'NaN',
    '--1',
    '1e',
    `${'9'.repeat(2000)}`,
  ];
}
