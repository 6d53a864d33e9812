// Types that contain themselves, several parents, other modules, children that outlive their parent.

import { test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const blog: Project = `
module blog
entity Post { id Int @id, title String }
entity Comment { id String @id, text String @optional }
entity Reply { id Int @id, text String @optional }
relationship PostComment contains(Post, Comment)
relationship CommentReply contains(Comment, Reply)
`;

const kept: Project = `
module m
entity P { id String @id }
entity K { id String @id, text String @optional }
entity L { id String @id }
relationship R contains(P, K) @cascade(false)
relationship S contains(K, L)
`;

test('children kept by @cascade(false) have no parent, are reached at their own path, and block no identifier under a parent', async () => {
  const served = await serve(kept);
  await check(served, [
    { ask: 'POST /m/P', body: { id: 'p', R: [{ id: 'k', text: 'old', S: [{ id: 'l' }] }, { id: 'k2' }] }, status: 201 },
    { ask: 'DELETE /m/P/p', status: 200, is: { id: 'p' } },
    { ask: 'GET /m/P/p/R/K', status: 404 },
    { ask: 'GET /m/K/k', status: 200, is: { id: 'k', text: 'old', __path__: null } },
    { ask: 'GET /m/K?@select=id', status: 200, has: [{ id: 'k' }, { id: 'k2' }] },
    { ask: 'GET /m/K/k/S/L', status: 200, has: [{ id: 'l' }] },
    { ask: 'GET /m/K/k/S/L/l', status: 200, has: { id: 'l' } },
    { ask: 'GET /m/K/k?@tree=true', status: 200, has: { id: 'k', S: [{ id: 'l' }] } },
    { ask: 'PUT /m/K/k', body: { text: 'still' }, status: 200, has: { text: 'still' } },
    { ask: 'POST /m/P', body: { id: 'p' }, status: 201 },
    { ask: 'GET /m/P/p/R/K', status: 200, is: [] },
    { ask: 'GET /m/P/p/R/K/k', status: 404 },
    { ask: 'POST /m/P/p/R/K', body: { id: 'k', text: 'new' }, status: 201 },
    { ask: 'GET /m/P/p/R/K/k', status: 200, has: { text: 'new' } },
    { ask: 'GET /m/K/k', status: 200, has: { text: 'still', __path__: null } },
    { ask: 'GET /m/K/k/S/L', status: 200, has: [{ id: 'l' }] },
    { ask: 'GET /m/P/p?@tree=true', status: 200, has: { R: [{ id: 'k', text: 'new', S: [] }] } },
    // Under no parent it could not be told from the other one.
    { ask: 'DELETE /m/P/p', status: 409, code: 'instance-referenced', holds: 'The K k would outlive its parent' },
    { ask: 'GET /m/P/p/R/K/k', status: 200, has: { text: 'new' } },
    { ask: 'POST /m/P', body: { id: 'q' }, status: 201 },
    { ask: 'PUT /m/K/k', body: { '@parent': 'path://m$P/q' }, status: 200, has: { __path__: 'path://m$P/q/m$R/m$K/k' } },
    { ask: 'GET /m/K/k', status: 409, code: 'identifier-ambiguous' },
    { ask: 'DELETE /m/P/p', status: 200 },
    { ask: 'GET /m/K/k', status: 200, has: { text: 'new', __path__: null } },
    { ask: 'POST /m/P', body: { id: 'p' }, status: 201 },
    { ask: 'DELETE /m/P/p', status: 200 },
    { ask: 'DELETE /m/K/k2', status: 200 },
    { ask: 'GET /m/K?@count=true', status: 200, headers: { 'x-total-count': '2' } },
  ]);
});

test('a kept child may itself be deleted, with what it contains', async () => {
  const served = await serve(kept);
  await check(served, [
    { ask: 'POST /m/P', body: { id: 'p', R: [{ id: 'k', S: [{ id: 'l' }] }] }, status: 201 },
    { ask: 'DELETE /m/P/p', status: 200 },
    { ask: 'POST /m/K/k/S/L', body: { id: 'l2' }, status: 201 },
    { ask: 'DELETE /m/K/k', status: 200, has: { id: 'k' } },
    { ask: 'GET /m/L', status: 200, is: [] },
    { ask: 'GET /m/K', status: 200, is: [] },
  ]);
});

const folders: Project = `
module m
entity Folder { name String @id, size Int @default(0) }
relationship Sub contains(Folder @as parent, Folder @as child)
`;

test('an entity may contain itself: a root is posted flat, the rest below', async () => {
  const served = await serve(folders);
  const inner = 'path://m$Folder/a/m$Sub/m$Folder/b';
  await check(served, [
    {
      ask: 'POST /m/Folder',
      body: { name: 'a', Sub: [{ name: 'b', Sub: [{ name: 'c' }] }] },
      status: 201,
      headers: { location: '/m/Folder/a' },
    },
    { ask: 'GET /m/Folder/a/Sub/Folder', status: 200, is: [{ name: 'b', size: 0, __path__: inner }] },
    { ask: 'GET /m/Folder/a/Sub/child', status: 200, is: [{ name: 'b', size: 0, __path__: inner }] },
    { ask: 'POST /m/Folder/a/Sub/child/b/Sub/child', body: { name: 'd' }, status: 201, has: { __path__: `${inner}/m$Sub/m$Folder/d` } },
    { ask: 'GET /m/Folder/a/Sub/Folder/b/Sub/Folder?@select=name', status: 200, has: [{ name: 'c' }, { name: 'd' }] },
    {
      ask: 'GET /m/Folder/a?@tree=true',
      status: 200,
      has: { name: 'a', Sub: [{ name: 'b', Sub: [{ name: 'c', Sub: [] }, { name: 'd' }] }] },
    },
    { ask: 'GET /m/Folder?@select=name', status: 200, has: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }] },
    { ask: 'GET /m/Folder/d', status: 200, has: { name: 'd' } },
    { ask: 'DELETE /m/Folder/a/Sub/Folder/b', status: 200 },
    { ask: 'GET /m/Folder', status: 200, is: [{ name: 'a', size: 0, __path__: null }] },
  ]);
});

test('nested paths always work: a root is reached although a child elsewhere has its identifier', async () => {
  const served = await serve(folders);
  await check(served, [
    { ask: 'POST /m/Folder', body: { name: 'a', size: 1, Sub: [{ name: 'x', size: 2 }] }, status: 201 },
    { ask: 'POST /m/Folder', body: { name: 'b', Sub: [{ name: 'a', size: 3, Sub: [{ name: 'x', size: 4 }] }] }, status: 201 },
    { ask: 'GET /m/Folder/a/Sub/Folder/x', status: 200, has: { size: 2 } },
    { ask: 'GET /m/Folder/b/Sub/Folder/a/Sub/Folder/x', status: 200, has: { size: 4 } },
    { ask: 'GET /m/Folder/a', status: 200, has: { size: 1 } },
    { ask: 'GET /m/Folder/x', status: 409, code: 'identifier-ambiguous' },
  ]);
});

test('a tree read deeper than 10 levels is 422 tree-too-large', async () => {
  const served = await serve(folders);
  const chain = (levels: number): object => (levels === 1 ? { name: `f${levels}` } : { name: `f${levels}`, Sub: [chain(levels - 1)] });
  await check(served, [
    { ask: 'POST /m/Folder', body: chain(10), status: 201 },
    { ask: 'GET /m/Folder/f10?@tree=true', status: 200 },
    { ask: 'DELETE /m/Folder/f10', status: 200 },
    { ask: 'POST /m/Folder', body: chain(20), status: 201 },
    { ask: 'GET /m/Folder/f20?@tree=true', status: 422, code: 'tree-too-large' },
    {
      ask: `GET /m/Folder/f20${Array.from({ length: 19 }, (_, index) => `/Sub/Folder/f${19 - index}`).join('')}`,
      status: 200,
      has: { name: 'f1' },
    },
    { ask: 'DELETE /m/Folder/f20', status: 200 },
    { ask: 'GET /m/Folder', status: 200, is: [] },
  ]);
});

test('a tree read larger than configured is 422 tree-too-large', async () => {
  const served = await serve(blog, { limits: { tree: { depth: 10, size: 5, bytes: 1_000_000 } } });
  const children = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `c${index}` }));
  await check(served, [
    { ask: 'POST /blog/Post', body: { id: 1, title: 'a', PostComment: children(4) }, status: 201 },
    { ask: 'POST /blog/Post', body: { id: 2, title: 'b', PostComment: children(6) }, status: 201 },
    { ask: 'GET /blog/Post/1?@tree=true', status: 200 },
    { ask: 'GET /blog/Post/2?@tree=true', status: 422, code: 'tree-too-large' },
    { ask: 'GET /blog/Post/2/PostComment/Comment/c0?@tree=true', status: 200 },
  ]);
});

test('an entity may have several types of parent, and the same child several relationships', async () => {
  const served = await serve(`
module m
entity A { id String @id }
entity B { id String @id }
entity K { id String @id, n Int @default(0) }
relationship AK contains(A, K)
relationship AK2 contains(A, K)
relationship BK contains(B, K)
`);
  await check(served, [
    { ask: 'POST /m/A', body: { id: 'x', AK: [{ id: 'k', n: 1 }], AK2: [{ id: 'k', n: 2 }] }, status: 201 },
    { ask: 'POST /m/B', body: { id: 'x', BK: [{ id: 'k', n: 3 }] }, status: 201 },
    { ask: 'GET /m/A/x/AK/K/k', status: 200, has: { n: 1 } },
    { ask: 'GET /m/A/x/AK2/K/k', status: 200, has: { n: 2 } },
    { ask: 'GET /m/B/x/BK/K/k', status: 200, has: { n: 3 } },
    { ask: 'GET /m/A/x/BK/K', status: 404, code: 'path-unknown' },
    { ask: 'GET /m/A/x?@tree=true', status: 200, has: { AK: [{ n: 1 }], AK2: [{ n: 2 }] } },
    { ask: 'GET /m/A/x?@include=AK2', status: 200, has: { AK2: [{ n: 2 }] } },
    { ask: 'GET /m/K?@count=true', status: 200, headers: { 'x-total-count': '3' } },
    { ask: 'DELETE /m/A/x', status: 200 },
    { ask: 'GET /m/K', status: 200, has: [{ n: 3 }] },
  ]);
});

const across: Project = {
  'a.al': `
module shop.core
entity Order { id Int @id }
relationship Lines contains(Order, shop.stock/Line)
relationship Same contains(Order, shop.stock/Line)
`,
  'b.al': `
module shop.stock
entity Line { id Int @id, text String @optional }
entity Bin { id Int @id }
relationship Same contains(Bin, Line)
relationship Seen between(shop.core/Order, Bin)
`,
};

test('parent and child of different modules: the child is module$Entity', async () => {
  const served = await serve(across);
  const line = { id: 5, text: null, __path__: 'path://shop.core$Order/1/shop.core$Lines/shop.stock$Line/5' };
  await check(served, [
    { ask: 'POST /shop.core/Order', body: { id: 1 }, status: 201 },
    {
      ask: 'POST /shop.core/Order/1/Lines/shop.stock$Line',
      body: { id: 5 },
      status: 201,
      is: line,
      headers: { location: '/shop.core/Order/1/Lines/shop.stock%24Line/5' },
    },
    { ask: 'GET /shop.core/Order/1/Lines/shop.stock$Line', status: 200, is: [line] },
    { ask: 'GET /shop.core/Order/1/Lines/shop.stock%24Line/5', status: 200, is: line },
    { ask: 'GET /shop.core/Order/1/shop.core$Lines/shop.stock$Line/5', status: 200, is: line },
    { ask: 'GET /shop.stock/Line/5', status: 200, is: line },
    { ask: 'GET /shop.core/Line/5', status: 404, code: 'path-unknown' },
    { ask: 'GET /shop.core/Order/1/Lines/nothing$Line', status: 404, code: 'path-unknown' },
    { ask: 'GET /shop.core/Order/1?@tree=true', status: 200, is: { id: 1, Lines: [line], Same: [] } },
  ]);
});

test('relationships of two modules may have the same name and the same child', async () => {
  const served = await serve(across);
  await check(served, [
    { ask: 'POST /shop.core/Order', body: { id: 1, Same: [{ id: 1, text: 'order' }] }, status: 201 },
    { ask: 'POST /shop.stock/Bin', body: { id: 1, Same: [{ id: 1, text: 'bin' }] }, status: 201 },
    { ask: 'GET /shop.core/Order/1/Same/shop.stock$Line/1', status: 200, has: { text: 'order' } },
    { ask: 'GET /shop.stock/Bin/1/Same/Line/1', status: 200, has: { text: 'bin' } },
    { ask: 'DELETE /shop.core/Order/1', status: 200 },
    { ask: 'GET /shop.stock/Line', status: 200, has: [{ text: 'bin' }] },
  ]);
});
