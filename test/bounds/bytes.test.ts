// What is large in bytes and not in rows: lists, includes and trees come in parts that a request may hold, or are refused.

import { expect, test } from 'vitest';
import { type Project, type Served, serve } from '../support/app.ts';

const blog: Project = `
module blog
entity Author { id Int @id, name String }
entity Post { id Int @id, title String, body String @optional }
entity Comment { id Int @id, text String }
relationship AuthorPost between(Author, Post) @one_many
relationship PostComment contains(Post, Comment)
`;

const megabyte = 'x'.repeat(1_000_000);
/** The bytes that a request may hold, and some. */
const tooMany = 18;
const largestPiece = 2.5 * 1024 * 1024;

async function made(served: Served, target: string, bodies: readonly object[]): Promise<void> {
  for (const body of bodies) expect((await served.post(target, body)).status).toBe(201);
}

/** The pieces that an answer is sent in. */
async function piecesOf(served: Served, target: string): Promise<readonly string[]> {
  const [path = '', query = ''] = target.split('?');
  const request = { method: 'GET', path, query, headers: {}, body: undefined, id: 'test', remote: '127.0.0.1' };
  const { status, body } = await served.app.respond(request);
  expect(status).toBe(200);
  if (body === undefined || Buffer.isBuffer(body)) throw new Error('a list is a text');
  const pieces: string[] = [];
  if (typeof body === 'string') pieces.push(body);
  else for await (const piece of body) pieces.push(piece);
  return pieces;
}

function parsed(pieces: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  return JSON.parse(pieces.join(''));
}

function longest(pieces: readonly string[]): number {
  return Math.max(...pieces.map((each) => each.length));
}

test.each([
  ['as a whole', '', 1, 300],
  ['as far as asked for', '@limit=200', 1, 200],
  ['behind others', '@offset=20', 21, 300],
])('a list that is read the first time, of instances larger than it assumes, has each of them once: %s', async (_, query, from, to) => {
  const served = await serve(blog);
  const posts = Array.from({ length: 300 }, (_, index) => ({ id: index + 1, title: 't', body: 'x'.repeat(4000) }));
  expect((await served.post('/blog/Post', posts)).status).toBe(201);
  const ids = parsed(await piecesOf(served, `/blog/Post?${query}`)).map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: to - from + 1 }, (_, index) => from + index));
});

const lists: readonly (readonly [what: string, query: string, ids: readonly number[]])[] = [
  ['in the order of the identifier', '', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['from the last', '?@sort=-id', [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
  ['in another order', '?@sort=title', [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
  ['in an order of texts that are large', '?@sort=body,-id&@select=id', [10, 8, 6, 4, 2, 9, 7, 5, 3, 1]],
  ['behind others', '?@offset=3', [4, 5, 6, 7, 8, 9, 10]],
  ['behind others in another order', '?@sort=title&@offset=3', [7, 6, 5, 4, 3, 2, 1]],
  ['as far as asked for', '?@limit=7', [1, 2, 3, 4, 5, 6, 7]],
];

test('a list of small and large instances is complete, in order, and comes in parts of about 256 KiB or one instance', async () => {
  const served = await serve(blog);
  const posts = Array.from({ length: 10 }, (_, index) => ({
    id: index + 1,
    title: `t${9 - index}`,
    body: index % 2 === 0 ? megabyte.repeat(2) : 'small',
  }));
  await made(served, '/blog/Post', posts);
  for (const [what, query, ids] of lists) {
    const pieces = await piecesOf(served, `/blog/Post${query}`);
    expect(
      parsed(pieces).map(({ id }) => id),
      what,
    ).toEqual(ids);
    expect(longest(pieces), what).toBeLessThan(largestPiece);
  }
  expect(served.failures).toEqual([]);
});

test('an instance that alone is more than a request may hold is read, and stands in its list', async () => {
  const served = await serve(blog);
  const body = megabyte.repeat(tooMany);
  await made(served, '/blog/Post', [
    { id: 1, title: 'a' },
    { id: 2, title: 'b', body },
    { id: 3, title: 'c' },
  ]);
  for (const query of ['', '?@sort=-title', '?title[like]=%25']) {
    const found = parsed(await piecesOf(served, `/blog/Post${query}`));
    expect(found.map(({ id }) => id).toSorted()).toEqual([1, 2, 3]);
    expect(found.find(({ id }) => id === 2)?.['body'] === body).toBe(true);
  }
  const read = await served.get('/blog/Post/2');
  expect([read.status, read.text.length > body.length]).toEqual([200, true]);
});

test('the same large instance included in many comes once for each, and never all at once', async () => {
  const served = await serve(blog);
  await made(served, '/blog/Author', [{ id: 1, name: megabyte }]);
  await made(
    served,
    '/blog/Author/1/AuthorPost/Post',
    Array.from({ length: 25 }, (_, id) => ({ id, title: 'a' })),
  );
  const pieces = await piecesOf(served, '/blog/Post?@include=AuthorPost');
  expect(parsed(pieces)).toHaveLength(25);
  expect(longest(pieces)).toBeLessThan(largestPiece);
});

test('an instance that includes more than a request may hold is 422 include-too-large, which says where to read it', async () => {
  const served = await serve(blog);
  await made(served, '/blog/Author', [{ id: 1, name: 'Ann' }]);
  await made(
    served,
    '/blog/Author/1/AuthorPost/Post',
    Array.from({ length: tooMany }, (_, id) => ({ id, title: 'a', body: megabyte })),
  );
  const detail = expect.stringContaining('/blog/Author/{id}/AuthorPost/Post');
  for (const target of [
    '/blog/Author/1?@include=AuthorPost',
    '/blog/Author?@include=AuthorPost',
    '/blog/Author?@include=AuthorPost&@sort=name',
  ]) {
    const { status, body } = await served.get(target);
    expect([status, body], target).toEqual([422, expect.objectContaining({ code: 'include-too-large', detail })]);
  }
  expect(parsed(await piecesOf(served, '/blog/Author/1/AuthorPost/Post'))).toHaveLength(tooMany);
});

test('an instance that includes more than 10,000 others is 422 include-too-large; 10,000 are answered', async () => {
  const served = await serve(blog, { limits: { keys: 1_000_000 } });
  const comments = Array.from({ length: 10_000 }, (_, id) => ({ id, text: '' }));
  await made(served, '/blog/Post', [{ id: 1, title: 'a', PostComment: comments }]);
  expect((await served.get('/blog/Post/1?@include=PostComment')).status).toBe(200);
  await made(served, '/blog/Post/1/PostComment/Comment', [{ id: 10_000, text: '' }]);
  expect(await served.get('/blog/Post/1?@include=PostComment')).toMatchObject({ status: 422, body: { code: 'include-too-large' } });
});

test('a tree of more bytes than service.limits.tree.bytes is 422 tree-too-large', async () => {
  const served = await serve(blog);
  await made(served, '/blog/Post', [{ id: 1, title: 'a' }]);
  const comments = Array.from({ length: tooMany }, (_, id) => ({ id, text: megabyte }));
  await made(served, '/blog/Post/1/PostComment/Comment', comments.slice(0, 3));
  expect(await served.get('/blog/Post/1?@tree=true')).toMatchObject({ status: 200, body: { PostComment: { length: 3 } } });
  await made(served, '/blog/Post/1/PostComment/Comment', comments.slice(3));
  expect(await served.get('/blog/Post/1?@tree=true')).toMatchObject({ status: 422, body: { code: 'tree-too-large' } });
});
