// Subscriptions: the changes of a type as results of a field, by the protocol of graphql-sse, with the rights of the caller.

import { expect, test } from 'vitest';
import { surfaces, world } from '../access/people.ts';
import { type Reading, watch } from '../realtime/support.ts';
import type { Served } from '../support/app.ts';
import { serveGraphql } from './support.ts';

type Headers = Readonly<Record<string, string>>;

function subscribe(served: Pick<Served, 'app'>, query: string, variables: object = {}, headers: Headers = {}): Promise<Reading> {
  return watch(served, '/graphql', { body: { query, variables }, headers });
}

/** What stands under the field, of each result. */
function told(reading: Reading, field: string): readonly unknown[] {
  return reading.told.map(({ event, data }) => (event === 'next' ? Reflect.get(Object(data['data']), field) : event));
}

test('each change is a result, with what is asked of the instance and of those around it', async () => {
  const { served, data } = await serveGraphql();
  const stream = await subscribe(
    served,
    'subscription { postChanges { kind identifier instance { ...post comments: PostComment { id } } __typename } } fragment post on Post { slug name: title likes }',
  );
  expect(stream.status).toBe(200);
  await stream.until(1);
  await data('mutation { createPost(input: {slug: "a", title: "A", PostComment: [{id: 1, text: "x"}]}) { slug } }');
  await data('mutation { updatePost(slug: "a", changes: {likes: "9007199254740993"}) { slug } }');
  await data('mutation { deletePost(slug: "a") { slug } }');
  await stream.until(4);
  const around = { identifier: 'a', __typename: 'PostChange' };
  expect(told(stream, 'postChanges')).toEqual([
    { kind: 'READY', identifier: null, instance: null, __typename: 'PostChange' },
    { kind: 'CREATE', ...around, instance: expect.objectContaining({ slug: 'a', name: 'A', likes: 0 }) },
    { kind: 'UPDATE', ...around, instance: expect.objectContaining({ slug: 'a', name: 'A', likes: '9007199254740993' }) },
    { kind: 'DELETE', ...around, instance: null },
  ]);
});

test('of what is included each subscription gets what it asks for, whoever asks the same with other values', async () => {
  const { served, data } = await serveGraphql();
  const comments = [1, 2, 3].map((id) => `{id: ${id}, text: "x"}`).join();
  await data(`mutation { createPost(input: {slug: "a", title: "A", PostComment: [${comments}]}) { slug } }`);
  const query = 'subscription ($limit: Int) { p: postChanges { kind instance { PostComment(limit: $limit) { id } } } }';
  const streams = [];
  for (const limit of [1, 2, 50]) streams.push(await subscribe(served, query, { limit }));
  for (const each of streams) await each.until(1);
  await data('mutation { updatePost(slug: "a", changes: {title: "B"}) { slug } }');
  for (const each of streams) await each.until(2);
  expect(streams.map((each) => told(each, 'p')[1])).toEqual(
    [[1], [1, 2], [1, 2, 3]].map((ids) => ({ kind: 'UPDATE', instance: { PostComment: ids.map((id) => ({ id })) } })),
  );
});

test('conditions keep others out, the present ones come first where that is asked for, and a cursor goes on', async () => {
  const { served, data } = await serveGraphql();
  const create = (slug: string, likes: number) =>
    data(`mutation { createPost(input: {slug: "${slug}", title: "t", likes: ${likes}}) { slug } }`);
  await create('a', 5);
  await create('b', 1);
  const query =
    'subscription ($after: String) { p: postChanges(where: {likes: {gte: 5}}, initial: true, after: $after) { kind cursor identifier } }';
  const first = await subscribe(served, query);
  await first.until(2);
  await create('c', 7);
  await first.until(3);
  const named = (reading: Reading) =>
    told(reading, 'p').map((each) => `${Reflect.get(Object(each), 'kind')} ${Reflect.get(Object(each), 'identifier')}`);
  expect(named(first)).toEqual(['READY null', 'PRESENT a', 'CREATE c']);
  // Whoever went on from it would miss the present ones.
  expect(told(first, 'p')[0]).toMatchObject({ cursor: null });
  await first.close();
  await data('mutation { updatePost(slug: "a", changes: {likes: 0}) { slug } }');
  const cursor: unknown = Reflect.get(Object(told(first, 'p')[2]), 'cursor');
  const second = await subscribe(served, query, { after: cursor });
  await second.until(2);
  expect(named(second)).toEqual(['READY null', 'GONE a']);
  const expired = await subscribe(served, query, { after: 'x' });
  await expired.until(2);
  expect(expired.told[0]?.data).toMatchObject({ errors: [{ path: ['p'], extensions: { code: 'cursor-expired', status: 410 } }] });
});

test('queries and mutations are answered by one result, and faults before anything is streamed', async () => {
  const { served } = await serveGraphql();
  const one = await subscribe(served, 'mutation { createPost(input: {slug: "a", title: "A"}) { slug } }');
  await one.ended;
  expect(one.told.map(({ event, data }) => [event, data])).toEqual([
    ['next', { data: { createPost: { slug: 'a' } } }],
    ['complete', {}],
  ]);
  const twice = '{ a: postChanges { kind } b: postChanges { kind } }';
  for (const query of ['subscription { nothing { kind } }', `subscription ${twice}`, 'subscription { __typename }']) {
    const refused = await subscribe(served, query);
    expect(`${refused.text}${JSON.stringify(refused.told)}`, query).toContain('errors');
    expect(refused.told.filter(({ data }) => 'data' in data)).toEqual([]);
  }
  const both = await subscribe(served, 'subscription { postChanges { kind a: instance { slug } b: instance { title } } }');
  await both.until(2);
  expect(both.told[0]?.data).toMatchObject({ errors: [{ extensions: { code: 'query-invalid', status: 422 } }] });
  const plain = await served.post('/graphql', { query: 'subscription { postChanges { kind } }' });
  expect(plain.body).toMatchObject({ errors: [{ message: expect.stringContaining('text/event-stream') }] });
  const byGet = await watch(served, `/graphql?query=${encodeURIComponent('subscription { postChanges { kind } }')}`);
  await byGet.until(1);
  expect(told(byGet, 'postChanges')).toEqual([{ kind: 'READY' }]);
  const mutation = encodeURIComponent('mutation { deletePost(slug: "a") { slug } }');
  expect((await watch(served, `/graphql?query=${mutation}`)).status).toBe(405);
});

test.each(surfaces)(
  'on the %s surface nothing is told of what the caller may not read, and of what is gone only its name',
  async (surface) => {
    const model = `module blog
entity Note { id Int @id, text String, public Boolean @default(false), @rbac [(roles: [user], allow: [create]), (roles: [user], allow: [read], where: this.public = true)] }
`;
    const { served, join } = await world(model, surface, { graphql: true });
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    expect((await subscribe(served, 'subscription { noteChanges { kind } }')).status).toBe(401);
    // Names that look like those by which an instance is named show nothing of one that is gone.
    const query = 'subscription { noteChanges { kind identifier path instance { id: text __path__: text text } } }';
    const stream = await subscribe(served, query, {}, bob.headers);
    await stream.until(1);
    await ann.create('/blog/Note', { id: 1, text: 'canary-1' });
    await ann.create('/blog/Note', { id: 2, text: 'open', public: true });
    await ann.change('/blog/Note/2', { text: 'canary-2', public: false });
    await ann.create('/blog/Note', { id: 3, text: 'last', public: true });
    await stream.until(4);
    expect(told(stream, 'noteChanges').slice(1)).toEqual([
      { kind: 'CREATE', identifier: 2, path: null, instance: { id: 'open', __path__: 'open', text: 'open' } },
      { kind: 'GONE', identifier: 2, path: null, instance: null },
      { kind: 'CREATE', identifier: 3, path: null, instance: { id: 'last', __path__: 'last', text: 'last' } },
    ]);
    expect(JSON.stringify(stream.told)).not.toContain('canary');
  },
);
