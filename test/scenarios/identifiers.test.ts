// Identifiers of every type, in bodies, paths and keys.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

/** As sent in JSON, as it stands in a path, and what no longer names it. */
const identifiers: readonly (readonly [type: string, sent: string, path: string, others: readonly string[]])[] = [
  ['Int', '0', '0', ['00', '-0', '0.0', '+0', '%200']],
  ['Int', '-7', '-7', ['--7', '7', '−7']],
  ['Int', '9007199254740993', '9007199254740993', ['9007199254740992', '9007199254740994', '9.007199254740993e15']],
  ['Int', '9223372036854775807', '9223372036854775807', ['9223372036854775808', '99999999999999999999']],
  ['Int', '-9223372036854775808', '-9223372036854775808', ['-9223372036854775809']],
  ['String', '"a/b"', 'a%2Fb', ['a', 'A%2Fb']],
  ['String', '"100%"', '100%25', ['100']],
  ['String', '"%2F"', '%252F', ['%2F']],
  ['String', '"m$E"', 'm$E', ['m']],
  ['String', '" "', '%20', ['+', '%20%20']],
  ['String', '"+"', '+', ['%20']],
  ['String', '"é"', '%C3%A9', ['e%CC%81']],
  ['String', '"e\u0301"', 'e%CC%81', ['%C3%A9']],
  ['String', '"😀"', '%F0%9F%98%80', []],
  ['String', '"\\u0001"', '%01', []],
  ['String', '"__tree"', '__tree', []],
  ['String', '"constructor"', 'constructor', ['__proto__', 'toString']],
  ['String', '"null"', 'null', ['undefined']],
  ['String', '"\'; DROP TABLE \\"m/String0\\"; --"', "'%3B%20DROP%20TABLE%20%22m%2FString0%22%3B%20--", ["'"]],
  ['UUID', '"0190d5a2-1234-7abc-8def-0123456789ab"', '0190d5a2-1234-7abc-8def-0123456789ab', ['0190d5a212347abc8def0123456789ab']],
  ['Email', '"Some.One@Example.org"', 'Some.One@Example.org', ['some.one@example.org', 'Some.One']],
  ['Date', '"2024-02-29"', '2024-02-29', ['2024-2-29', '2024-02-30']],
  ['DateTime', '"2024-05-01T10:00:00Z"', '2024-05-01T10:00:00Z', ['2024-05-01', '2024-05-01T10:00:00.5Z']],
  ['@enum("a", "b")', '"a"', 'a', ['b', 'c']],
  ['Any', '1', '1', ['%221%22', '01', '%22', '2']],
  ['Any', '"1"', '%221%22', ['%22%31', '%222%22', '%221%22%22', '01']],
  ['Any', '-0.5', '-0.5', ['%22-0.5%22', '-.5', '0.5']],
  ['Any', '9007199254740993', '9007199254740993', ['9007199254740992', '9.007199254740992e15', '99999999999999999999999']],
  ['Any', 'true', 'true', ['%22true%22', 'True', 'false']],
  ['Any', '"a b/c"', 'a%20b%2Fc', ['a', '%22a%22']],
  ['Any', '"1e999"', '%221e999%22', ['1e998']],
  ['Any', '"null"', 'null', ['undefined']],
  ['Any', '"\\"x"', '%22%5C%22x%22', ['x', '%22x%22']],
  ['Any', '"\\u0001"', '%01', []],
];

test('an instance is found, changed and deleted by its identifier, under a parent too, and by nothing else', async () => {
  const types = [...new Set(identifiers.map(([type]) => type))];
  const entities = types.map(
    (type, at) =>
      `entity E${at} { id ${type} @id, n Int @optional }\nentity K${at} { id ${type} @id }\nrelationship R${at} contains(E${at}, K${at})`,
  );
  const served = await serve(`module m\n${entities.join('\n')}`);
  for (const [type, sent, path, others] of identifiers) {
    const at = types.indexOf(type);
    const own = `/m/E${at}/${path}`;
    await check(served, [
      { ask: `POST /m/E${at}`, text: `{"id":${sent}}`, status: 201, holds: `"id":${sent},`, headers: { location: /./ } },
      { ask: `POST /m/E${at}`, text: `{"id":${sent},"n":2}`, status: 409, code: 'duplicate' },
      { ask: `GET ${own}`, status: 200, holds: `"id":${sent},` },
      { ask: `PUT ${own}`, text: `{"id":${sent},"n":1}`, status: 200, has: { n: 1 } },
      { ask: `POST ${own}/R${at}/K${at}`, text: `{"id":${sent}}`, status: 201 },
      { ask: `GET ${own}/R${at}/K${at}/${path}`, status: 200, holds: `"id":${sent},` },
      { ask: `GET ${own}?@tree=true`, status: 200, holds: `"R${at}":[{"id":${sent},` },
      ...others.map((other): Step => ({ ask: `GET /m/E${at}/${other}`, status: 404 })),
      { ask: `DELETE ${own}`, status: 200 },
      { ask: `GET /m/K${at}`, status: 200, is: [] },
    ]);
  }
});

test('Location leads to what was made, for every identifier', async () => {
  const served = await serve('module m\nentity E { id String @id }\nentity K { id String @id }\nrelationship R contains(E, K)');
  for (const id of ['a', 'a b', 'ä/ö', '?', '#', '%', '%41', '100%', '"', "'", '\\', '\n', '😀', '...', '$', '&=+,;:@', '~']) {
    for (const target of ['/m/E', `/m/E/${encodeURIComponent(id)}/R/K`]) {
      const made = await served.post(target, { id });
      expect(made.status, id).toBe(201);
      const location = made.headers['location'] ?? '';
      expect(location).toMatch(/^[\x21-\x7e]+$/);
      expect((await served.get(location)).body).toEqual(made.body);
    }
  }
});

const scalars = `module m
entity E { id Any @id, n Int @optional }
entity K { id Any @id, n Int @optional }
entity L { id Any @id }
entity P { no Int @id, e Any @ref(E.id) @optional, one @oneof(E.id) @optional, f @ref(E.id) @optional }
entity G { no Int @id, code Any @guid }
relationship EK contains(E, K)
relationship KL contains(K, L)
relationship EG contains(E, G)
relationship EP between(E, P)
relationship EE between(E @as from, E @as to) { id Any @id, w Int @optional }
relationship GP between(G, P)
workflow find { {E {id? find.id}} }
workflow above { {E {id?> above.id}} }
workflow make { {E {id make.id, n 7}, EK [{K {id make.id}}]} }
workflow same {
  {E {id? same.id}} @as [e]
  {P {e? e.id}}
}
workflow joined { {E {n? joined.n}, @join P {e? E.id}, @into {id E.id, no P.no}} }
workflow isOne {
  {E {n? isOne.n}} @as [e]
  if (e.id == 1) { "one" } else { "other" }
}`;

test('an identifier of the type Any is a text, a number or a boolean: 1 is not "1", and 1.0 is 1', async () => {
  const served = await serve(scalars);
  const ids = (text: string) => [...text.matchAll(/"id":("[^"]*"|[^,}]*)/g)].map((each) => each[1]);
  const listed = async (query: string) => ids((await served.get(`/m/E?${query}`)).text);
  await check(served, [
    {
      ask: 'POST /m/E',
      text: '[{"id":1,"n":1},{"id":"1","n":2},{"id":true,"n":3},{"id":"a","n":4},{"id":2.50,"n":5},{"id":"7","n":6}]',
      status: 201,
    },
    ...['1.0', '1e0', '10e-1', '"1"', 'true', '2.5', '25e-1'].map(
      (id): Step => ({ ask: 'POST /m/E', text: `{"id":${id}}`, status: 409, code: 'duplicate' }),
    ),
    ...['null', '[1]', '{"a":1}', '1e400', '99999999999999999999', '"a\\u0000"', '0.12345678901234567890123'].map(
      (id): Step => ({ ask: 'POST /m/E', text: `{"id":${id}}`, status: 422 }),
    ),
    { ask: 'GET /m/E/1', status: 200, has: { id: 1, n: 1 } },
    { ask: 'GET /m/E/1.0', status: 200, has: { id: 1 } },
    { ask: 'GET /m/E/%221%22', status: 200, has: { id: '1', n: 2 } },
    // What reads as a number is the text only where there is no such number.
    { ask: 'GET /m/E/7', status: 200, has: { id: '7' } },
    { ask: 'GET /m/E/8', status: 404 },
    {
      ask: 'POST /m/E/1/EK/K',
      body: { id: 1 },
      status: 201,
      has: { __path__: 'path://m$E/1/m$EK/m$K/1' },
      headers: { location: '/m/E/1/EK/K/1' },
    },
    {
      ask: 'POST /m/E/%221%22/EK/K',
      body: { id: '1' },
      status: 201,
      has: { __path__: 'path://m$E/%221%22/m$EK/m$K/%221%22' },
      headers: { location: '/m/E/%221%22/EK/K/%221%22' },
    },
    { ask: 'POST /m/E/7/EK/K', body: { id: 'x' }, status: 201, has: { __path__: 'path://m$E/%227%22/m$EK/m$K/x' } },
    { ask: 'GET /m/E/1/EK/K', status: 200, has: [{ id: 1 }] },
    { ask: 'GET /m/E/1/EK/K/1', status: 200, has: { id: 1 } },
    { ask: 'GET /m/E/7/EK/K', status: 200, has: [{ id: 'x' }] },
    { ask: 'GET /m/E/1/EK/K/%221%22', status: 404 },
    { ask: 'POST /m/E/1/EK/K/1/KL/L', body: { id: false }, status: 201 },
    { ask: 'GET /m/K?__path__=path://m$E/%25221%2522/m$EK/m$K/%25221%2522', status: 200, has: [{ id: '1' }] },
    { ask: 'GET /m/E/1?@tree=true', status: 200, has: { EK: [{ id: 1, KL: [{ id: false }] }] } },
    { ask: 'PUT /m/K/%221%22', body: { '@parent': 'path://m$E/true' }, status: 200, has: { __path__: 'path://m$E/true/m$EK/m$K/%221%22' } },
    { ask: 'PUT /m/E/1', body: { id: 1, n: 11 }, status: 200 },
    { ask: 'PUT /m/E/1', body: { id: '1' }, status: 422 },
  ]);
  expect(await listed('@sort=id')).toEqual(['"1"', '"7"', '"a"', '1', '2.5', 'true']);
  expect(await listed('id=1')).toEqual(['1']);
  expect(await listed('id=%221%22')).toEqual(['"1"']);
  expect(await listed('id[in]=1,true,%25221%2522,a&@sort=id')).toEqual(['"1"', '"a"', '1', 'true']);
  expect(await listed('id[ne]=1&@sort=-id')).toEqual(['true', '2.5', '"a"', '"7"', '"1"']);
  expect((await served.get('/m/E?id[gt]=1')).status).toBe(422);
  expect((await served.get('/m/E?id[like]=1')).status).toBe(422);
  for (const [sort, expected] of [
    ['id', ['"1"', '"7"', '"a"', '1', '2.5', 'true']],
    ['-id', ['true', '2.5', '1', '"a"', '"7"', '"1"']],
  ] as const) {
    const paged: unknown[] = [];
    for (let next: string | undefined = `/m/E?@limit=1&@sort=${sort}`; next !== undefined; ) {
      const answer: Awaited<ReturnType<typeof served.get>> = await served.get(next);
      paged.push(...ids(answer.text));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
    }
    expect(paged).toEqual(expected);
  }
  await check(served, [
    { ask: 'POST /m/P', body: { no: 1, e: 1, one: 'a', f: true }, status: 201, has: { e: 1, one: 'a', f: true } },
    { ask: 'POST /m/P', body: { no: 2, e: '1' }, status: 201 },
    { ask: 'POST /m/P', body: { no: 3, e: 'true' }, status: 422, faults: ['e reference'] },
    { ask: 'POST /m/P', body: { no: 3, e: 7 }, status: 422, faults: ['e reference'] },
    { ask: 'GET /m/P?e=%221%22', status: 200, has: [{ no: 2 }] },
    { ask: 'DELETE /m/E/%221%22', status: 409 },
    { ask: 'POST /m/EP', body: { E: 1, P: 1 }, status: 201, has: { E: 1, P: 1 } },
    { ask: 'POST /m/EP', body: { E: '1', P: 1 }, status: 201, has: { E: '1', P: 1 } },
    { ask: 'POST /m/EP', body: { E: 7, P: 1 }, status: 422 },
    { ask: 'GET /m/EP?E=%221%22', status: 200, has: [{ E: '1' }] },
    { ask: 'GET /m/P/1/EP/E?@sort=id', status: 200, has: [{ id: '1' }, { id: 1 }] },
    { ask: 'GET /m/P/1/EP/E/1', status: 200, has: { id: 1 } },
    { ask: 'POST /m/EE', body: { from: 1, to: '1', id: 'x', w: 5 }, status: 201, has: { from: 1, to: '1' } },
    { ask: 'GET /m/E/1/EE/E?@include=EP', status: 200 },
    { ask: 'GET /m/EE/x', status: 200, has: { w: 5 } },
    { ask: 'GET /m/E/1/EE/E/%221%22', status: 200, has: { id: '1', '@link': { w: 5 } } },
    { ask: 'POST /m/find', body: { id: 1 }, status: 200, has: [{ id: 1 }] },
    { ask: 'POST /m/find', body: { id: '1' }, status: 200, has: [{ id: '1' }] },
    { ask: 'POST /m/find', body: { id: '8' }, status: 200, is: [] },
    { ask: 'POST /m/same', body: { id: '1' }, status: 200, has: [{ no: 2 }] },
    { ask: 'POST /m/joined', body: { n: 2 }, status: 200, is: [{ id: '1', no: 2 }] },
    { ask: 'POST /m/isOne', body: { n: 2 }, status: 200, is: 'other' },
    { ask: 'POST /m/isOne', body: { n: 11 }, status: 200, is: 'one' },
    { ask: 'POST /m/above', body: { id: 1 }, status: 200, has: [{ id: 2.5 }] },
    { ask: 'POST /m/above', body: { id: '1' }, status: 200, has: [{ id: '7' }, { id: 'a' }] },
    { ask: 'POST /m/E/1/EG/G', body: { no: 1, code: 1 }, status: 201 },
    { ask: 'POST /m/E/1/EG/G', body: { no: 2, code: '1' }, status: 201 },
    { ask: 'POST /m/E/2.5/EG/G', body: { no: 3, code: 1.0 }, status: 409, code: 'duplicate' },
    { ask: 'GET /m/G/%221%22', status: 200, has: { no: 2 } },
    { ask: 'GET /m/G/1', status: 200, has: { no: 1 } },
    { ask: 'POST /m/GP', body: { G: '1', P: 2 }, status: 201, has: { G: '1' } },
    { ask: 'GET /m/GP?G=%221%22', status: 200, has: [{ G: '1' }] },
    { ask: 'GET /m/GP?G=1', status: 200, is: [] },
    { ask: 'POST /m/make', body: { id: 3.25 }, status: 200, has: { id: 3.25 } },
    { ask: 'GET /m/E/3.25/EK/K/3.25', status: 200 },
    { ask: 'DELETE /m/E/true', status: 409 },
    { ask: 'DELETE /m/P/1', status: 200 },
    { ask: 'DELETE /m/E/1', status: 200 },
    { ask: 'GET /m/E/%221%22', status: 200 },
    { ask: 'GET /m/K/x', status: 200 },
    // Now it is the text that is meant.
    { ask: 'DELETE /m/E/1', status: 409, code: 'instance-referenced' },
  ]);
});

test('a date-time names the same instance in every zone', async () => {
  const served = await serve('module m\nentity E { at DateTime @id }');
  await check(served, [
    {
      ask: 'POST /m/E',
      body: { at: '2024-05-01T10:00:00+02:00' },
      status: 201,
      is: { at: '2024-05-01T08:00:00Z' },
      headers: { location: /08%3A00%3A00Z$/ },
    },
    { ask: 'GET /m/E/2024-05-01T08:00:00Z', status: 200 },
    { ask: 'GET /m/E/2024-05-01T09:00:00%2B01:00', status: 200 },
    { ask: 'POST /m/E', body: { at: '2024-05-01T08:00:00Z' }, status: 409 },
    { ask: 'PUT /m/E/2024-05-01T08:00:00Z', body: { at: '2024-05-01T10:00:00+02:00' }, status: 200 },
  ]);
});

test('identifiers are in the order of their type, in lists and under parents', async () => {
  const served = await serve('module m\nentity P { id Int @id }\nentity K { id Int @id }\nrelationship R contains(P, K)');
  const sorted = ['-9223372036854775808', '-10', '-9', '0', '9', '10', '9007199254740993', '9223372036854775807'];
  for (const id of sorted.toReversed()) await check(served, [{ ask: 'POST /m/P', text: `{"id":${id}}`, status: 201 }]);
  for (const id of sorted.toReversed()) await check(served, [{ ask: 'POST /m/P/0/R/K', text: `{"id":${id}}`, status: 201 }]);
  const idsIn = (text: string) => [...text.matchAll(/"id":(-?\d+)/g)].map((match) => match[1]);
  expect(idsIn((await served.get('/m/P')).text)).toEqual(sorted);
  expect(idsIn((await served.get('/m/P/0/R/K')).text)).toEqual(sorted);
  expect(idsIn((await served.get('/m/P/0?@include=R')).text)).toEqual(['0', ...sorted]);
  expect(idsIn((await served.get('/m/P/0?@tree=true')).text)).toEqual(['0', ...sorted]);
});

const longest = `module m
entity P { id String @id, code String @unique @optional, tag String @indexed @optional, a String @optional, b String @optional, text String @optional, @with_unique(a, b) }
entity K { id String @id }
relationship R contains(P, K)
relationship L between(P, K)
`;
/** What cannot be compressed, of so many bytes. */
const text = (bytes: number, from = ''): string =>
  (
    from +
    Array.from({ length: bytes / 32 + 1 }, (_, index) => createHash('sha256').update(`${index}`).digest('base64').slice(0, 32)).join('')
  )
    .replaceAll('/', '_')
    .slice(0, bytes);

const lengths: readonly (readonly [title: string, body: object, status: number])[] = [
  ['an identifier of 2,600 bytes', { id: text(2600) }, 201],
  ['a longer identifier', { id: text(2601) }, 422],
  ['an identifier of fewer letters that have more bytes', { id: 'é'.repeat(1301) }, 422],
  ['a unique attribute of 2,600 bytes', { id: 'a', code: text(2600) }, 201],
  ['a longer unique attribute', { id: 'b', code: text(2601, '!') }, 422],
  ['an indexed attribute of 2,600 bytes', { id: 'c', tag: text(2600) }, 201],
  ['a longer indexed attribute, even one that could be compressed', { id: 'd', tag: 'x'.repeat(10_000) }, 422],
  ['two that are unique together share it', { id: 'e', a: text(1300), b: text(1300) }, 201],
  ['two that are unique together and are longer', { id: 'f', a: text(1301), b: 'x' }, 422],
  ['any other attribute', { id: 'g', text: text(100_000) }, 201],
];

test('what instances are found by can have 2,600 bytes, on every store', async () => {
  const served = await serve(longest);
  const found = await Promise.all(lengths.map(async ([title, body]) => [title, (await served.post('/m/P', body)).status]));
  expect(found).toEqual(lengths.map(([title, , status]) => [title, status]));
  await check(served, [
    { ask: 'PUT /m/P/g', body: { code: text(2601, '?') }, status: 422, code: 'limit-exceeded' },
    { ask: 'POST /m/P/g/R/K', body: { id: text(2500) }, status: 201 },
    { ask: 'POST /m/P/g/R/K', body: { id: text(2601) }, status: 422, code: 'limit-exceeded' },
    { ask: 'POST /m/P', body: { id: 'h', R: [{ id: text(2500) }] }, status: 201 },
  ]);
  const { body } = await served.put('/m/P/g', { code: text(2601, '?') });
  expect(body).toMatchObject({ detail: 'code is too long: what instances are found by can have 2600 bytes.' });
});
