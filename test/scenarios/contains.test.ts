// Contained instances at any depth, trees and cascades.

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
    'a create by two names of a relationship shows all that was made, under one',
    [
      {
        ask: 'POST /blog/Post',
        body: { id: 1, title: 'one', PostComment: [{ id: 'a' }], blog$PostComment: [{ id: 'b' }] },
        status: 201,
        has: { PostComment: [{ id: 'a' }, { id: 'b' }] },
      },
    ],
  ],
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
      { ask: comment.ask, body: comment.body, status: 409, code: 'duplicate' },
      { ask: 'POST /blog/Post/2/PostComment/Comment', body: { id: 'a', text: 'other' }, status: 201 },
      { ask: 'GET /blog/Post/1/PostComment/Comment/a', status: 200, has: { text: 'x' } },
      { ask: 'GET /blog/Post/2/PostComment/Comment/a', status: 200, has: { text: 'other' } },
    ],
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
