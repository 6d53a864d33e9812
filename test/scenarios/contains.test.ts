// Contained instances at any depth, trees and cascades: service.md 2 and 4, decisions 3 (6b) and 5.

import { expect, test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const blog: Project = `
module blog
entity Post { id Int @id, title String }
entity Comment { id String @id, text String @optional }
entity Reply { id Int @id, text String @optional }
relationship PostComment contains(Post, Comment)
relationship CommentReply contains(Comment, Reply)
`;

const path = 'path://blog$Post/1/blog$PostComment/blog$Comment/a';
const replyPath = `${path}/blog$CommentReply/blog$Reply/7`;
const posts: readonly Step[] = [
  { ask: 'POST /blog/Post', body: { id: 1, title: 'one' }, status: 201 },
  { ask: 'POST /blog/Post', body: { id: 2, title: 'two' }, status: 201 },
];
const comment: Step = {
  ask: 'POST /blog/Post/1/PostComment/Comment',
  body: { id: 'a', text: 'x' },
  status: 201,
  is: { id: 'a', text: 'x', __path__: path },
  headers: { location: '/blog/Post/1/PostComment/Comment/a', etag: /./ },
};
const reply: Step = {
  ask: 'POST /blog/Post/1/PostComment/Comment/a/CommentReply/Reply',
  body: { id: 7 },
  status: 201,
  is: { id: 7, text: null, __path__: replyPath },
  headers: { location: '/blog/Post/1/PostComment/Comment/a/CommentReply/Reply/7' },
};

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'a child is created, read, listed, changed and deleted under its parent, at any depth',
    [
      ...posts,
      comment,
      reply,
      { ask: 'GET /blog/Post/1/PostComment/Comment', status: 200, is: [{ id: 'a', text: 'x', __path__: path }] },
      { ask: 'GET /blog/Post/2/PostComment/Comment', status: 200, is: [] },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a', status: 200, is: { id: 'a', text: 'x', __path__: path } },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a/CommentReply/Reply', status: 200, is: [{ id: 7, text: null, __path__: replyPath }] },
      { ask: 'PUT /blog/Post/1/PostComment/Comment/a/CommentReply/Reply/7', body: { text: 'y' }, status: 200, has: { id: 7, text: 'y' } },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a/CommentReply/Reply/7', status: 200, has: { id: 7, text: 'y' } },
      { ask: 'DELETE /blog/Post/1/PostComment/Comment/a/CommentReply/Reply/7', status: 200, has: { id: 7, text: 'y' } },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a/CommentReply/Reply/7', status: 404 },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a/CommentReply/Reply', status: 200, is: [] },
    ],
  ],
  [
    'a parent that does not exist is 404, whatever is asked below it',
    [
      ...posts,
      { ask: 'GET /blog/Post/3/PostComment/Comment', status: 404, code: 'instance-not-found' },
      { ask: 'POST /blog/Post/3/PostComment/Comment', body: { id: 'a' }, status: 404, code: 'instance-not-found' },
      { ask: 'GET /blog/Post/3/PostComment/Comment/a', status: 404 },
      { ask: 'POST /blog/Post/1/PostComment/Comment/z/CommentReply/Reply', body: { id: 1 }, status: 404 },
      { ask: 'GET /blog/Post/x/PostComment/Comment', status: 404 },
      { ask: 'GET /blog/Comment', status: 200, is: [] },
    ],
  ],
  [
    'a child is found only under its own parent and relationship',
    [
      ...posts,
      comment,
      { ask: 'GET /blog/Post/2/PostComment/Comment/a', status: 404 },
      { ask: 'PUT /blog/Post/2/PostComment/Comment/a', body: { text: 'q' }, status: 404 },
      { ask: 'DELETE /blog/Post/2/PostComment/Comment/a', status: 404 },
      { ask: 'GET /blog/Post/1/PostComment/Post', status: 404, code: 'path-unknown' },
      { ask: 'GET /blog/Post/1/CommentReply/Reply', status: 404, code: 'path-unknown' },
      { ask: 'GET /blog/Comment/a/PostComment/Post', status: 404, code: 'path-unknown' },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a', status: 200, has: { text: 'x' } },
    ],
  ],
  [
    '@id is unique within the parent',
    [
      ...posts,
      comment,
      { ...comment, is: undefined, has: {}, headers: {}, status: 409, code: 'duplicate' } satisfies Step,
      { ask: 'POST /blog/Post/2/PostComment/Comment', body: { id: 'a', text: 'other' }, status: 201 },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a', status: 200, has: { text: 'x' } },
      { ask: 'GET /blog/Post/2/PostComment/Comment/a', status: 200, has: { text: 'other' } },
    ].map((step) => (step.status === 409 ? { ask: step.ask, body: step.body, status: 409, code: 'duplicate' } : step)),
  ],
  [
    'the flat path of a child works while its id is unambiguous, else 409',
    [
      ...posts,
      comment,
      reply,
      { ask: 'GET /blog/Comment/a', status: 200, is: { id: 'a', text: 'x', __path__: path } },
      { ask: 'PUT /blog/Comment/a', body: { text: 'y' }, status: 200, is: { id: 'a', text: 'y', __path__: path } },
      { ask: 'GET /blog/Comment/a/CommentReply/Reply/7', status: 200, is: { id: 7, text: null, __path__: replyPath } },
      { ask: 'GET /blog/Reply/7', status: 200, is: { id: 7, text: null, __path__: replyPath } },
      { ask: 'POST /blog/Comment/a/CommentReply/Reply', body: { id: 8 }, status: 201, has: { __path__: replyPath.replace(/7$/, '8') } },
      { ask: 'POST /blog/Post/2/PostComment/Comment', body: { id: 'a' }, status: 201 },
      { ask: 'GET /blog/Comment/a', status: 409, code: 'identifier-ambiguous' },
      { ask: 'PUT /blog/Comment/a', body: { text: 'z' }, status: 409, code: 'identifier-ambiguous' },
      { ask: 'DELETE /blog/Comment/a', status: 409, code: 'identifier-ambiguous' },
      { ask: 'GET /blog/Comment/a/CommentReply/Reply', status: 409, code: 'identifier-ambiguous' },
      { ask: 'DELETE /blog/Post/2/PostComment/Comment/a', status: 200 },
      { ask: 'DELETE /blog/Comment/a', status: 200, has: { text: 'y' } },
      { ask: 'GET /blog/Comment/a', status: 404 },
    ],
  ],
  [
    'the flat list gives the children of all parents, in the order of the parent, then of the identifier',
    [
      { ask: 'POST /blog/Post', body: { id: 10, title: 'ten' }, status: 201 },
      ...posts,
      { ask: 'POST /blog/Post', body: { id: -1, title: 'minus' }, status: 201 },
      ...[10, 2, -1, 1].flatMap((post): Step[] =>
        ['b', 'a'].map((id) => ({ ask: `POST /blog/Post/${post}/PostComment/Comment`, body: { id, text: `${post}${id}` }, status: 201 })),
      ),
      {
        ask: 'GET /blog/Comment?@select=text',
        status: 200,
        has: ['-1a', '-1b', '1a', '1b', '2a', '2b', '10a', '10b'].map((text) => ({ text })),
      },
      { ask: 'GET /blog/Post?@select=id', status: 200, is: [{ id: -1 }, { id: 1 }, { id: 2 }, { id: 10 }] },
    ],
  ],
  [
    'a child without a parent is refused: flat POST is 422 parent-required',
    [
      { ask: 'POST /blog/Comment', body: { id: 'a' }, status: 422, code: 'parent-required' },
      { ask: 'POST /blog/Reply', body: { id: 1 }, status: 422, code: 'parent-required' },
    ],
  ],
  [
    '__path__ is the service’s own: 422 on create, and on update when it changes',
    [
      ...posts,
      { ask: 'POST /blog/Post/1/PostComment/Comment', body: { id: 'a', __path__: path }, status: 422, faults: ['__path__ system'] },
      comment,
      { ask: 'PUT /blog/Comment/a', body: { id: 'a', text: 'y', __path__: path }, status: 200, is: { id: 'a', text: 'y', __path__: path } },
      { ask: 'PUT /blog/Comment/a', body: { __path__: replyPath }, status: 422, faults: ['__path__ system'] },
      { ask: 'PUT /blog/Comment/a', body: { __path__: null }, status: 422, faults: ['__path__ system'] },
    ],
  ],
  [
    'a body may hold children under relationship names, and creates all of it',
    [
      {
        ask: 'POST /blog/Post',
        body: { id: 1, title: 'a', PostComment: [{ id: 'a', CommentReply: [{ id: 7 }, { id: 3 }] }, { id: 'b' }] },
        status: 201,
        is: {
          id: 1,
          title: 'a',
          PostComment: [
            {
              id: 'a',
              text: null,
              __path__: path,
              CommentReply: [
                { id: 7, text: null, __path__: replyPath },
                { id: 3, text: null, __path__: replyPath.replace(/7$/, '3') },
              ],
            },
            { id: 'b', text: null, __path__: path.replace(/a$/, 'b') },
          ],
        },
      },
      {
        ask: 'GET /blog/Post/1?@tree=true',
        status: 200,
        is: {
          id: 1,
          title: 'a',
          PostComment: [
            {
              id: 'a',
              text: null,
              __path__: path,
              CommentReply: [
                { id: 3, text: null, __path__: replyPath.replace(/7$/, '3') },
                { id: 7, text: null, __path__: replyPath },
              ],
            },
            { id: 'b', text: null, __path__: path.replace(/a$/, 'b'), CommentReply: [] },
          ],
        },
      },
      { ask: 'GET /blog/Post/1', status: 200, is: { id: 1, title: 'a' } },
      { ask: 'GET /blog/Post/1/PostComment/Comment/b?@tree=true', status: 200, has: { id: 'b', CommentReply: [] } },
      { ask: 'GET /blog/Comment/a?@tree=true', status: 200, has: { id: 'a', CommentReply: [{ id: 3 }, { id: 7 }] } },
      { ask: 'GET /blog/Post/2?@tree=true', status: 404 },
    ],
  ],
  [
    'a tree with a fault anywhere creates nothing, and names every fault by its path',
    [
      {
        ask: 'POST /blog/Post',
        body: {
          id: 'x',
          PostComment: [{ id: 'a' }, { text: 4, CommentReply: [{ id: 'no', what: 1 }] }, 5],
          Nothing: [],
        },
        status: 422,
        faults: [
          'id type',
          'title required',
          'Nothing unknown',
          'PostComment[1].id required',
          'PostComment[1].text type',
          'PostComment[1].CommentReply[0].id type',
          'PostComment[1].CommentReply[0].what unknown',
          'PostComment[2] type',
        ],
      },
      { ask: 'POST /blog/Post', body: { id: 1, title: 'a', PostComment: [{ id: 'a' }, { id: 'a' }] }, status: 409, code: 'duplicate' },
      { ask: 'GET /blog/Post', status: 200, is: [] },
      { ask: 'GET /blog/Comment', status: 200, is: [] },
    ],
  ],
  [
    'deleting a parent deletes everything below it, and nothing else',
    [
      { ask: 'POST /blog/Post', body: { id: 1, title: 'a', PostComment: [{ id: 'a', CommentReply: [{ id: 7 }] }] }, status: 201 },
      { ask: 'POST /blog/Post', body: { id: 10, title: 'b', PostComment: [{ id: 'a', CommentReply: [{ id: 7 }] }] }, status: 201 },
      { ask: 'DELETE /blog/Post/1', status: 200, is: { id: 1, title: 'a' } },
      { ask: 'GET /blog/Comment?@select=id', status: 200, has: [{ __path__: expect.stringContaining('Post/10/') }] },
      { ask: 'GET /blog/Reply', status: 200, has: [{ __path__: expect.stringContaining('Post/10/') }] },
      { ask: 'GET /blog/Post/10?@tree=true', status: 200, has: { PostComment: [{ id: 'a', CommentReply: [{ id: 7 }] }] } },
      { ask: 'GET /blog/Post/1/PostComment/Comment', status: 404 },
      { ask: 'POST /blog/Post', body: { id: 1, title: 'again' }, status: 201 },
      { ask: 'GET /blog/Post/1/PostComment/Comment', status: 200, is: [] },
      { ask: 'DELETE /blog/Comment/a', status: 200 },
      { ask: 'GET /blog/Reply', status: 200, is: [] },
    ],
  ],
];

for (const [title, steps] of tables) {
  test(title, async () => check(await serve(blog), steps));
}

test('identifiers inside __path__ are percent-encoded, and every identifier can be a parent', async () => {
  const served = await serve('module m\nentity P { id String @id }\nentity K { id String @id }\nrelationship R contains(P, K)');
  for (const id of ['a/b', 'a%2Fb', 'ä ö', '\u0001', 'a\u0001R', '\u0002', '$', 'a', '😀', '~detached', '?x=1', '#', "'; --", '"']) {
    const encoded = encodeURIComponent(id);
    const child = { id, __path__: `path://m$P/${encoded}/m$R/m$K/${encoded}` };
    await check(served, [
      { ask: 'POST /m/P', body: { id }, status: 201, headers: { location: `/m/P/${encoded}` } },
      { ask: `GET /m/P/${encoded}/R/K`, status: 200, is: [] },
      { ask: `POST /m/P/${encoded}/R/K`, body: { id }, status: 201, is: child, headers: { location: `/m/P/${encoded}/R/K/${encoded}` } },
      { ask: `GET /m/P/${encoded}/R/K/${encoded}`, status: 200, is: child },
      { ask: `GET /m/P/${encoded}?@tree=true`, status: 200, is: { id, R: [child] } },
    ]);
  }
});

const kept: Project = `
module m
entity P { id String @id }
entity K { id String @id, text String @optional }
entity L { id String @id }
relationship R contains(P, K) @cascade(false)
relationship S contains(K, L)
`;

test('children kept by @cascade(false) have no parent, are reached at their own path, and block no identifier', async () => {
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
    { ask: 'GET /m/K/k', status: 409, code: 'identifier-ambiguous' },
    { ask: 'GET /m/P/p?@tree=true', status: 200, has: { R: [{ id: 'k', text: 'new', S: [] }] } },
    { ask: 'DELETE /m/P/p', status: 200 },
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
  const served = await serve(blog, { limits: { tree: { depth: 10, size: 5 } } });
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
