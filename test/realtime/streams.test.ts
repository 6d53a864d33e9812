// Streams of changes: what is told of which change, in which order, to whom, and where a stream goes on.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { brief, watch } from './support.ts';

const model = `module blog
entity Post { id Int @id, title String, likes Int @default(0), score Float @optional, price Decimal @optional, tags String[] @optional, about Map @optional }
entity Comment { id Int @id, text String }
entity Tag { name String @id }
relationship PostComment contains(Post, Comment)
relationship PostTag between(Post, Tag)
`;

test('a list tells what is created, updated and deleted, after it is committed, with the instance as it is shown', async () => {
  const served = await serve(model);
  const stream = await watch(served, '/blog/Post');
  expect(stream.status).toBe(200);
  await stream.until(1);
  const made = { id: 1, title: 'Say "hi"\nthere', score: 0.1, price: '10.50', tags: ['a', 'b'], about: { k: [1, { x: null }] } };
  await served.post('/blog/Post', made);
  await served.put('/blog/Post/1', { likes: 9007199254740991 });
  await served.remove('/blog/Post/1');
  const told = await stream.until(4);
  expect(told.map(({ event }) => event)).toEqual(['ready', 'create', 'update', 'delete']);
  expect(told[1]?.data).toEqual({ ...made, likes: 0 });
  expect(told[2]?.data).toEqual({ ...made, likes: 9007199254740991 });
  expect(told[3]?.data).toEqual({ id: 1 });
  expect(told[0]?.data).toEqual({ cursor: told[0]?.id });
});

test('a filter keeps others out: what comes to fit is created, what stops to fit is gone', async () => {
  const served = await serve(model);
  await served.post('/blog/Post', { id: 1, title: 'one', likes: 5 });
  const stream = await watch(served, '/blog/Post?likes[gte]=5&score[null]=true');
  await stream.until(1);
  await served.post('/blog/Post', { id: 2, title: 'two' });
  await served.put('/blog/Post/2', { likes: 7 });
  await served.put('/blog/Post/2', { title: 'zwei' });
  await served.put('/blog/Post/1', { likes: 1 });
  await served.put('/blog/Post/1', { title: 'eins' });
  await served.remove('/blog/Post/1');
  await served.remove('/blog/Post/2');
  const told = await stream.until(5);
  expect(brief(told)).toEqual(['create 2', 'update 2', 'gone 1', 'delete 2']);
  expect(told[3]?.data).toEqual({ id: 1 });
});

test('one instance is watched at its own path; without it there is nothing to watch', async () => {
  const served = await serve(model);
  for (const id of [1, 2]) await served.post('/blog/Post', { id, title: `${id}` });
  expect((await watch(served, '/blog/Post/9')).status).toBe(404);
  const stream = await watch(served, '/blog/Post/1?@select=title');
  await stream.until(1);
  await served.put('/blog/Post/2', { title: 'other' });
  await served.put('/blog/Post/1', { title: 'new' });
  await served.remove('/blog/Post/1');
  const told = await stream.until(3);
  expect(told.slice(1).map(({ event, data }) => [event, data])).toEqual([
    ['update', { id: 1, title: 'new' }],
    ['delete', { id: 1 }],
  ]);
});

test('with @initial=true the present instances come first, and then their changes', async () => {
  const served = await serve(model);
  for (let id = 1; id <= 450; id += 1) await served.post('/blog/Post', { id, title: `${id}` });
  const stream = await watch(served, '/blog/Post?@initial=true&id[gt]=10');
  await stream.until(441);
  await served.put('/blog/Post/11', { title: 'x' });
  const told = await stream.until(442);
  expect(told[0]).toMatchObject({ event: 'ready', id: undefined });
  expect(told.slice(1, 441).map(({ event, data }) => [event, data['id']])).toEqual(
    Array.from({ length: 440 }, (_, index) => ['present', index + 11]),
  );
  expect(told[441]).toMatchObject({ event: 'update', data: { title: 'x' } });
});

test('a stream is resumed behind the last event that was received, and nothing is lost or told twice', async () => {
  const served = await serve(model);
  await served.post('/blog/Post', { id: 1, title: 'one', likes: 5 });
  await served.post('/blog/Post', { id: 2, title: 'two', likes: 5 });
  const everything = await watch(served, '/blog/Post');
  const filtered = await watch(served, '/blog/Post?likes=5');
  await everything.until(1);
  await filtered.until(1);
  await served.put('/blog/Post/1', { title: 'eins' });
  await everything.until(2);
  await filtered.until(2);
  await everything.close();
  await filtered.close();
  await served.post('/blog/Post', { id: 3, title: 'three', likes: 5 });
  await served.put('/blog/Post/1', { likes: 6 });
  await served.remove('/blog/Post/2');
  await served.post('/blog/Post', { id: 4, title: 'four', likes: 5 });
  await served.remove('/blog/Post/4');
  const again = await watch(served, '/blog/Post', { after: everything.cursor() });
  const filteredAgain = await watch(served, '/blog/Post?likes=5', { after: filtered.cursor() });
  expect(brief(await again.until(6))).toEqual(['create 3', 'update 1', 'delete 2', 'create 4', 'delete 4']);
  expect(brief(await filteredAgain.until(6))).toEqual(['create 3', 'gone 1', 'delete 2', 'create 4', 'delete 4']);
  const third = again.told[3]?.id;
  const last = await watch(served, '/blog/Post', { after: third });
  expect(brief(await last.until(3))).toEqual(['create 4', 'delete 4']);
});

test('a cursor of another stream, or one that is none, is 410', async () => {
  const served = await serve(model);
  const posts = await watch(served, '/blog/Post');
  await posts.until(1);
  for (const after of [posts.cursor(), 'x', '0.0.', '1.zzzzzzzzzz.abc']) {
    const { status, text } = await watch(served, '/blog/Tag', { after });
    expect([after, status]).toEqual([after, 410]);
    expect(text).toContain('cursor-expired');
  }
});

test('a cursor says nothing about its place, and one that was altered anywhere is 410', async () => {
  const served = await serve(model);
  const posts = await watch(served, '/blog/Post');
  await served.post('/blog/Post', { id: 1, title: 'one' });
  const [ready, created] = (await posts.until(2)).map(({ id = '' }) => id);
  expect(created?.length).toBe(ready?.length);
  expect(created).toMatch(/^[\w-]{50,}$/);
  for (let index = 0; index < (created?.length ?? 0); index += 7) {
    const after = `${created?.slice(0, index)}${created?.[index] === 'A' ? 'B' : 'A'}${created?.slice(index + 1)}`;
    expect([after, (await watch(served, '/blog/Post', { after })).status]).toEqual([after, 410]);
  }
  const mixed = `${created?.slice(0, 20)}${ready?.slice(20)}`;
  expect((await watch(served, '/blog/Post', { after: mixed })).status).toBe(410);
  expect((await watch(served, '/blog/Post', { after: created })).status).toBe(200);
});

describe('nested lists', () => {
  test('of children tell of those under their parent, and one that is moved is gone there and created here', async () => {
    const served = await serve(model);
    for (const id of [1, 2]) await served.post('/blog/Post', { id, title: `${id}` });
    const first = await watch(served, '/blog/Post/1/PostComment/Comment');
    const second = await watch(served, '/blog/Post/2/PostComment/Comment');
    await first.until(1);
    await second.until(1);
    await served.post('/blog/Post/1/PostComment/Comment', { id: 7, text: 'hi' });
    await served.put('/blog/Post/1/PostComment/Comment/7', { '@parent': 'path://blog$Post/2' });
    await served.remove('/blog/Post/2');
    const path = (parent: number): string => `path://blog$Post/${parent}/blog$PostComment/blog$Comment/7`;
    expect(brief(await first.until(3))).toEqual(['create 7', 'gone 7']);
    expect(first.told[2]?.data).toEqual({ id: 7, __path__: path(1) });
    expect(brief(await second.until(3))).toEqual(['create 7', 'delete 7']);
    expect(second.told[2]?.data).toEqual({ id: 7, __path__: path(2) });
  });

  test('of what is linked tell of links that are made and removed', async () => {
    const served = await serve(model);
    await served.post('/blog/Post', { id: 1, title: 'one' });
    for (const name of ['a', 'b']) await served.post('/blog/Tag', { name });
    const stream = await watch(served, '/blog/Post/1/PostTag/Tag');
    await stream.until(1);
    const made = await served.post('/blog/PostTag', { Post: 1, Tag: 'a' });
    expect(made.status).toBe(201);
    await stream.until(2);
    expect((await served.remove('/blog/Post/1/PostTag/Tag/a')).status).toBeLessThan(300);
    const told = await stream.until(3);
    expect(brief(told, 'name')).toEqual(['create a', 'gone a']);
  });
});

test('what has no place in a stream is refused, and what is no list or instance is answered as ever', async () => {
  const served = await serve(model);
  for (const query of [
    '@sort=id',
    '@limit=1',
    '@after=x',
    '@search=a',
    '@initial=maybe',
    '@initial=true&@initial=true',
    '@initial=true&%40initial=false',
    'nothing=1',
  ]) {
    expect([query, (await watch(served, `/blog/Post?${query}`)).status]).toEqual([query, 422]);
  }
  expect((await watch(served, '/blog/Nothing')).status).toBe(404);
  const json = await watch(served, '/blog/Post', { headers: { accept: 'application/json, text/event-stream;q=0.5' } });
  expect(json.text).toBe('[]');
});

test('streams beyond the limit are refused with 503, and those that watch too many instances with 422', async () => {
  const served = await serve(model, { limits: { streams: { open: 2, caller: 100, rows: 3 } } });
  for (let id = 1; id <= 4; id += 1) await served.post('/blog/Post', { id, title: `${id}` });
  const first = await watch(served, '/blog/Post');
  const many = await watch(served, '/blog/Post?id[gt]=0');
  expect(many.status).toBe(422);
  const second = await watch(served, '/blog/Post?id[gt]=1');
  expect([first.status, second.status]).toEqual([200, 200]);
  expect((await watch(served, '/blog/Post')).status).toBe(503);
  await first.close();
  expect((await watch(served, '/blog/Post')).status).toBe(200);
});

test('before the first stream nothing is recorded; a changed model ends streams, and begins a log anew', async () => {
  const served = await serve(model);
  await served.post('/blog/Post', { id: 1, title: 'one' });
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  await served.post('/blog/Post', { id: 2, title: 'two' });
  await stream.until(2);
  await served.reload(model.replace('title String,', 'title String, extra String @optional,'));
  await stream.ended;
  expect((await watch(served, '/blog/Post', { after: stream.cursor() })).status).toBe(410);
  const again = await watch(served, '/blog/Post');
  await again.until(1);
  await served.put('/blog/Post/2', { extra: 'more' });
  expect((await again.until(2))[1]?.data).toMatchObject({ id: 2, extra: 'more' });
});
