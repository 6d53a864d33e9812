// Queries that are made to cost more than they look: each is refused or answered at once, and changes nothing around it.

import { expect, test } from 'vitest';
import { watch } from '../realtime/support.ts';
import { serveGraphql } from './support.ts';

const times = (count: number, make: (n: number) => string): string => Array.from({ length: count }, (_, n) => make(n)).join(' ');

const attacks: readonly (readonly [title: string, query: string])[] = [
  ['one field 7,000 times', `{ postList { ${'slug '.repeat(7000)} } }`],
  ['one field with fields 2,000 times', `{ postList { ${'PostComment { id text } '.repeat(2000)} } }`],
  ['2,000 fragments', `{ postList { ${times(2000, (n) => `...f${n}`)} } } ${times(2000, (n) => `fragment f${n} on Post { slug }`)}`],
  ['one fragment 7,000 times', `{ postList { ${'...f '.repeat(7000)} } } fragment f on Post { slug }`],
  ['inline fragments in each other', `{ postList { ${'... { '.repeat(2000)} slug ${'} '.repeat(2000)} } }`],
  ['conditions in each other', `{ postCount(where: ${'{not: '.repeat(1000)}{likes: {eq: 1}}${'}'.repeat(1000)}) }`],
  ['a text without an end', `{ post(slug: "${'x'.repeat(100_000)}) { slug } }`],
  ['brackets without an end', '{'.repeat(14_000)],
  ['brackets behind a comment that a carriage return ends', `#\r{ postList(where: {or: ${'['.repeat(5000)}`],
  ['lists in each other', `{ postList(where: {or: ${'['.repeat(5000)}`],
  ['a whole number of 400,000 digits', `{ postCount(where: {likes: {eq: ${'9'.repeat(400_000)}}}) }`],
  ['a decimal of 400,000 digits', `{ postCount(where: {price: {eq: 0.${'9'.repeat(400_000)}}}) }`],
  ['a decimal with a large exponent', '{ postCount(where: {price: {eq: 1e999999999}}) }'],
  ['names that nobody has', `{ ${times(150, (n) => `nothing${n}`)} }`],
];

test.each(attacks)('%s: refused at once', async (_, query) => {
  const { ask, data } = await serveGraphql();
  const { text, status } = await ask(query);
  expect([status, text.includes('"errors"')]).toEqual([200, true]);
  expect(text.length).toBeLessThan(100_000);
  expect(await data('{ postCount }')).toEqual({ postCount: 0 });
});

test('fragments that double 40 times are answered as if they stood there once', async () => {
  const { data } = await serveGraphql();
  const doubling = times(40, (n) => `fragment f${n} on Post { ...f${n + 1} ...f${n + 1} }`);
  expect(await data(`{ postList { ...f0 } } ${doubling} fragment f40 on Post { slug }`)).toEqual({ postList: [] });
});

test('names of prototypes are names like others', async () => {
  const { data, ask } = await serveGraphql();
  await data('mutation { createPost(input: {slug: "a", title: "t", place: {city: "X"}}) { slug } }');
  const { text } = await ask(
    '{ __proto__: post(slug: "a") { __proto__: slug constructor: title toString: place { __proto__: city } } hasOwnProperty: postCount }',
  );
  expect(text).toBe('{"data":{"__proto__":{"__proto__":"a","constructor":"t","toString":{"__proto__":"X"}},"hasOwnProperty":1}}');
  expect(Reflect.get({}, 'slug')).toBe(undefined);
  for (const query of ['{ __proto__ { slug } }', '{ post(slug: "a") { constructor } }', '{ constructor }', 'mutation { toString }'])
    expect((await ask(query)).text).toContain('"errors"');
});

test('variables are bounded as bodies are, and none of them becomes a member of something else', async () => {
  const { served, ask } = await serveGraphql();
  const query = 'query ($in: [String!]) { postCount(where: {slug: {in: $in}}) }';
  expect((await ask(query, { in: Array.from({ length: 20_000 }, () => 'x') })).status).toBe(422);
  const text = `{"query": ${JSON.stringify(query)}, "variables": {"__proto__": {"in": ["a"]}, "in": ["b"]}}`;
  const { status } = await served.ask({ method: 'POST', target: '/graphql', headers: { 'content-type': 'application/json' }, text });
  expect([200, 400, 422]).toContain(status);
  expect(Reflect.get({}, 'in')).toBe(undefined);
});

test('a flood of streams is refused beyond what one address may have, and leaves nothing behind', async () => {
  const { served, data } = await serveGraphql(undefined, { limits: { streams: { open: 50, caller: 20, rows: 100 } } });
  const body = { query: 'subscription { postChanges { kind } }' };
  const all = await Promise.all(Array.from({ length: 60 }, () => watch(served, '/graphql', { body })));
  for (const each of all) await each.until(1);
  const open = all.filter(({ told }) => 'data' in (told[0]?.data ?? {}));
  expect(open.length).toBe(20);
  expect(JSON.stringify(all.filter((each) => !open.includes(each)).map(({ told }) => told[0]?.data))).not.toContain('"status":500');
  for (const each of open) await each.close();
  const again = await watch(served, '/graphql', { body });
  await again.until(1);
  await data('mutation { createPost(input: {slug: "a", title: "t"}) { slug } }');
  await again.until(2);
});
