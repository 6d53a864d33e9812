// Links between instances.

import { expect, test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const blog: Project = `
module blog
entity Post { id Int @id, title String @optional }
entity Tag { name String @id, weight Int @default(1) }
entity User { email Email @id, age Int }
entity Comment { id Int @id, text String @optional }
relationship PostComment contains(Post, Comment)
relationship PostTag between(Post, Tag)
relationship Likes between(User, Comment)
relationship Wrote between(User @as author, Post @as work) { since Int @optional, kind String @default("main") }
`;

const start: readonly Step[] = [
  { ask: 'POST /blog/Post', body: { id: 1, title: 'one' }, status: 201 },
  { ask: 'POST /blog/Post', body: { id: 2, title: 'two' }, status: 201 },
  { ask: 'POST /blog/Tag', body: { name: 'a' }, status: 201 },
  { ask: 'POST /blog/User', body: { email: 'u@x.org', age: 5 }, status: 201 },
];
const link: Step = { ask: 'POST /blog/Post/1/PostTag/Tag', body: { name: 'a' }, status: 201, is: { name: 'a', weight: 1 } };

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'a nested POST creates a linked instance, which is read from both ends',
    [
      ...start,
      {
        ask: 'POST /blog/Post/1/PostTag/Tag',
        body: { name: 'new', weight: 4 },
        status: 201,
        is: { name: 'new', weight: 4 },
        headers: { location: '/blog/Tag/new', etag: /./ },
      },
      { ask: 'GET /blog/Post/1/PostTag/Tag', status: 200, is: [{ name: 'new', weight: 4 }] },
      { ask: 'GET /blog/Post/1/PostTag/Tag/new', status: 200, is: { name: 'new', weight: 4 } },
      { ask: 'GET /blog/Tag/new/PostTag/Post', status: 200, is: [{ id: 1, title: 'one' }] },
      { ask: 'GET /blog/Tag/new/PostTag/Post/1', status: 200, is: { id: 1, title: 'one' } },
      { ask: 'GET /blog/Post/2/PostTag/Tag', status: 200, is: [] },
      { ask: 'GET /blog/Tag/a/PostTag/Post', status: 200, is: [] },
      { ask: 'GET /blog/Tag/new', status: 200, is: { name: 'new', weight: 4 } },
    ],
  ],
  [
    'an existing instance is linked by its identifier alone',
    [
      ...start,
      link,
      { ask: 'POST /blog/Tag/a/PostTag/Post', body: { id: 2 }, status: 201, is: { id: 2, title: 'two' } },
      { ask: 'GET /blog/Tag/a/PostTag/Post?@select=id', status: 200, is: [{ id: 1 }, { id: 2 }] },
      { ask: 'GET /blog/Tag', status: 200, is: [{ name: 'a', weight: 1 }] },
    ],
  ],
  [
    'a missing instance is created when its identifier suffices, else 422',
    [
      ...start,
      { ask: 'POST /blog/Post/1/PostTag/Tag', body: { name: 'fresh' }, status: 201, is: { name: 'fresh', weight: 1 } },
      { ask: 'POST /blog/Post/1/Wrote/User', body: { email: 'new@x.org' }, status: 422, faults: ['age required'] },
      { ask: 'GET /blog/User', status: 200, has: [{ email: 'u@x.org' }] },
      { ask: 'GET /blog/Tag?@count=true', status: 200, headers: { 'x-total-count': '2' } },
    ],
  ],
  [
    'an existing identifier with other attributes is 409, and nothing is linked',
    [
      ...start,
      { ask: 'POST /blog/Post/1/PostTag/Tag', body: { name: 'a', weight: 2 }, status: 409, code: 'duplicate' },
      { ask: 'GET /blog/Post/1/PostTag/Tag', status: 200, is: [] },
      { ask: 'GET /blog/Tag/a', status: 200, has: { weight: 1 } },
    ],
  ],
  [
    'the same link twice is 409',
    [
      ...start,
      link,
      {
        ask: link.ask,
        body: link.body,
        status: 409,
        code: 'duplicate',
        has: { detail: 'This Post and this Tag are already linked by PostTag.' },
      },
      {
        ask: 'POST /blog/PostTag',
        body: { Post: 1, Tag: 'a' },
        status: 409,
        code: 'duplicate',
        has: { detail: 'This Post and this Tag are already linked by PostTag.' },
      },
      { ask: 'GET /blog/PostTag?@count=true', status: 200, headers: { 'x-total-count': '1' } },
    ],
  ],
  [
    'a link to a parent that does not exist is 404, and creates nothing',
    [
      ...start,
      { ask: 'POST /blog/Post/9/PostTag/Tag', body: { name: 'new' }, status: 404, code: 'instance-not-found' },
      { ask: 'GET /blog/Post/9/PostTag/Tag', status: 404 },
      { ask: 'GET /blog/Tag/new', status: 404 },
    ],
  ],
  [
    'an instance that is not linked is not found on the nested path',
    [
      ...start,
      { ask: 'GET /blog/Post/1/PostTag/Tag/a', status: 404 },
      { ask: 'PUT /blog/Post/1/PostTag/Tag/a', body: { weight: 3 }, status: 404 },
      { ask: 'DELETE /blog/Post/1/PostTag/Tag/a', status: 404 },
      { ask: 'GET /blog/Tag/a', status: 200, has: { weight: 1 } },
    ],
  ],
  [
    'PUT on the nested path changes the instance; DELETE unlinks, and the instance stays',
    [
      ...start,
      link,
      { ask: 'PUT /blog/Post/1/PostTag/Tag/a', body: { weight: 8 }, status: 200, is: { name: 'a', weight: 8 } },
      { ask: 'GET /blog/Tag/a', status: 200, is: { name: 'a', weight: 8 } },
      { ask: 'DELETE /blog/Post/1/PostTag/Tag/a', status: 200, is: { name: 'a', weight: 8 } },
      { ask: 'GET /blog/Post/1/PostTag/Tag', status: 200, is: [] },
      { ask: 'GET /blog/Tag/a', status: 200, is: { name: 'a', weight: 8 } },
      { ask: 'DELETE /blog/Post/1/PostTag/Tag/a', status: 404 },
      { ...link, is: { name: 'a', weight: 8 } },
      { ask: 'DELETE /blog/Tag/a/PostTag/Post/1', status: 200, is: { id: 1, title: 'one' } },
      { ask: 'GET /blog/Post/1', status: 200 },
      { ask: 'GET /blog/PostTag', status: 200, is: [] },
    ],
  ],
  [
    'deleting an end deletes its links and leaves the other end',
    [
      ...start,
      link,
      { ask: 'DELETE /blog/Tag/a', status: 200 },
      { ask: 'GET /blog/Post/1/PostTag/Tag', status: 200, is: [] },
      { ask: 'GET /blog/PostTag', status: 200, is: [] },
      { ask: 'GET /blog/Post/1', status: 200 },
    ],
  ],
  [
    'a between relationship is posted at its own path, one attribute per end',
    [
      ...start,
      {
        ask: 'POST /blog/PostTag',
        body: { Post: 1, Tag: 'a' },
        status: 201,
        is: { __Id__: expect.stringMatching(/^[0-9a-f-]{36}$/), Post: 1, Tag: 'a' },
        headers: { location: /^\/blog\/PostTag\/[0-9a-f-]{36}$/, etag: /./ },
      },
      { ask: 'GET /blog/PostTag', status: 200, has: [{ Post: 1, Tag: 'a' }] },
      { ask: 'GET /blog/PostTag?Post=1&Tag=a', status: 200, has: [{ Post: 1, Tag: 'a' }] },
      { ask: 'GET /blog/PostTag?Post=2', status: 200, is: [] },
      { ask: 'GET /blog/PostTag?Post=x', status: 422, faults: ['Post type'] },
      { ask: 'GET /blog/Post/1/PostTag/Tag', status: 200, is: [{ name: 'a', weight: 1 }] },
      { ask: 'POST /blog/PostTag', body: { Post: 1 }, status: 422, faults: ['Tag required'] },
      { ask: 'POST /blog/PostTag', body: {}, status: 422, faults: ['Post required', 'Tag required'] },
      { ask: 'POST /blog/PostTag', body: { Post: 9, Tag: 'a' }, status: 422, faults: ['Post reference'] },
      { ask: 'POST /blog/PostTag', body: { Post: 2, Tag: 'zz' }, status: 422, faults: ['Tag reference'] },
      { ask: 'POST /blog/PostTag', body: { Post: 'x', Tag: 5, more: 1 }, status: 422, faults: ['Post type', 'Tag type', 'more unknown'] },
      { ask: 'GET /blog/PostTag?@count=true', status: 200, headers: { 'x-total-count': '1' } },
    ],
  ],
  [
    'a link has its own attributes and roles, which are read, changed and checked',
    [
      ...start,
      { ask: 'POST /blog/Wrote', body: { author: 'u@x.org', work: 1, since: 1999 }, status: 201, has: { since: 1999, kind: 'main' } },
      {
        ask: 'POST /blog/Wrote',
        body: { User: 'u@x.org', Post: 2 },
        status: 422,
        faults: ['User unknown', 'Post unknown', 'author required', 'work required'],
      },
      { ask: 'POST /blog/Wrote', body: { author: 'u@x.org', work: 2, since: 'x' }, status: 422, faults: ['since type'] },
      { ask: 'GET /blog/User/u@x.org/Wrote/work', status: 200, has: [{ id: 1 }] },
      { ask: 'GET /blog/User/u%40x.org/Wrote/Post', status: 200, has: [{ id: 1 }] },
      { ask: 'GET /blog/Post/1/Wrote/author', status: 200, has: [{ email: 'u@x.org' }] },
      { ask: 'GET /blog/Post/1/Wrote/work', status: 404, code: 'path-unknown' },
      { ask: 'GET /blog/Wrote?since[gte]=1999', status: 200, has: [{ author: 'u@x.org', work: 1 }] },
      { ask: 'GET /blog/Wrote?@sort=-since&@select=since', status: 200, has: [{ since: 1999 }] },
      { ask: 'POST /blog/User/u@x.org/Wrote/Post', body: { id: 2 }, status: 201 },
      { ask: 'GET /blog/Wrote?@sort=since', status: 200, has: [{ work: 2, since: null, kind: 'main' }, { work: 1 }] },
    ],
  ],
  [
    'a body may hold links under relationship names, and links what exists',
    [
      ...start,
      {
        ask: 'POST /blog/Post',
        body: { id: 3, PostTag: [{ name: 'a' }, { name: 'b', weight: 2 }], PostComment: [{ id: 1 }] },
        status: 201,
        has: {
          id: 3,
          PostTag: [
            { name: 'a', weight: 1 },
            { name: 'b', weight: 2 },
          ],
          PostComment: [{ id: 1 }],
        },
      },
      { ask: 'GET /blog/Post/3/PostTag/Tag?@select=name', status: 200, is: [{ name: 'a' }, { name: 'b' }] },
      { ask: 'POST /blog/Post', body: { id: 4, PostTag: [{ name: 'c' }, { name: 'c' }] }, status: 409 },
      { ask: 'POST /blog/Post', body: { id: 4, PostTag: [{ name: 'a', weight: 9 }] }, status: 409 },
      { ask: 'POST /blog/Post', body: { id: 4, Wrote: [{ email: 'n@x.org' }] }, status: 422, faults: ['Wrote[0].age required'] },
      {
        ask: 'POST /blog/Post',
        body: { id: 4, Wrote: [{ email: 'bad', age: 'x' }] },
        status: 422,
        faults: ['Wrote[0].email type', 'Wrote[0].age type'],
      },
      { ask: 'GET /blog/Post/4', status: 404 },
      { ask: 'GET /blog/Tag/c', status: 404 },
    ],
  ],
  [
    'an end that is a contained child is held as its path; a client may send the path, or the id while it is unambiguous',
    [
      ...start,
      { ask: 'POST /blog/Post/1/PostComment/Comment', body: { id: 1, text: 'one' }, status: 201 },
      {
        ask: 'POST /blog/Likes',
        body: { User: 'u@x.org', Comment: 1 },
        status: 201,
        has: { User: 'u@x.org', Comment: 'path://blog$Post/1/blog$PostComment/blog$Comment/1' },
      },
      { ask: 'POST /blog/Post/2/PostComment/Comment', body: { id: 1, text: 'two' }, status: 201 },
      { ask: 'GET /blog/User/u@x.org/Likes/Comment', status: 200, has: [{ text: 'one' }] },
      { ask: 'GET /blog/User/u@x.org/Likes/Comment/1', status: 200, has: { text: 'one' } },
      { ask: 'POST /blog/Likes', body: { User: 'u@x.org', Comment: 1 }, status: 409, code: 'identifier-ambiguous' },
      {
        ask: 'POST /blog/Likes',
        body: { User: 'u@x.org', Comment: 'path://blog$Post/2/blog$PostComment/blog$Comment/1' },
        status: 201,
        has: { Comment: 'path://blog$Post/2/blog$PostComment/blog$Comment/1' },
      },
      {
        ask: 'POST /blog/Likes',
        body: { User: 'u@x.org', Comment: 'path://blog$Post/3/blog$PostComment/blog$Comment/1' },
        status: 422,
        faults: ['Comment reference'],
      },
      { ask: 'POST /blog/Likes', body: { User: 'u@x.org', Comment: 77 }, status: 422, faults: ['Comment reference'] },
      { ask: 'GET /blog/User/u@x.org/Likes/Comment?@sort=-text', status: 200, has: [{ text: 'two' }, { text: 'one' }] },
      { ask: 'GET /blog/User/u@x.org/Likes/Comment/1', status: 409, code: 'identifier-ambiguous' },
      { ask: 'GET /blog/Post/2/PostComment/Comment/1/Likes/User', status: 200, has: [{ email: 'u@x.org' }] },
      { ask: 'DELETE /blog/Post/2/PostComment/Comment/1', status: 200 },
      { ask: 'DELETE /blog/User/u@x.org/Likes/Comment/1', status: 200, has: { text: 'one' } },
      { ask: 'GET /blog/Likes', status: 200, is: [] },
      { ask: 'GET /blog/Comment/1', status: 200, has: { text: 'one' } },
    ],
  ],
];

for (const [title, steps] of tables) {
  test(title, async () => check(await serve(blog), steps));
}

test('a link is read, changed and deleted at its own path; what was read may be sent back, other ends are 422', async () => {
  const served = await serve(blog);
  await check(served, start);
  const { body, headers } = await served.post('/blog/Wrote', { author: 'u@x.org', work: 1 });
  const location = headers['location'];
  await check(served, [
    { ask: `GET ${location}`, status: 200, is: body },
    { ask: `PUT ${location}`, body: { ...Object(body), since: 7 }, status: 200, has: { since: 7 } },
    { ask: `PUT ${location}`, body: { work: 2 }, status: 422, faults: ['work system'] },
    { ask: `PUT ${location}`, body: { __Id__: 'x' }, status: 422 },
    { ask: `DELETE ${location}`, status: 200, has: { since: 7, author: 'u@x.org', work: 1 } },
    { ask: `GET ${location}`, status: 404 },
    { ask: 'GET /blog/Post/1', status: 200 },
  ]);
});

const people: Project = `
module m
entity User { id Int @id }
relationship Friend between(User @as me, User @as friend)
relationship Boss between(User @as chief, User @as report) @one_many
relationship Spouse between(User @as first, User @as second) @one_one
`;
const taken = (detail: string) => ({ status: 409, code: 'duplicate', has: { detail } });
const users: readonly Step[] = [1, 2, 3].map((id) => ({ ask: 'POST /m/User', body: { id }, status: 201 }));

test('a self-link is read from its first role to its second, and back by the name of the first role', async () => {
  const served = await serve(people);
  await check(served, [
    ...users,
    { ask: 'POST /m/Friend', body: { me: 1, friend: 2 }, status: 201, has: { me: 1, friend: 2 } },
    { ask: 'POST /m/User/1/Friend/User', body: { id: 3 }, status: 201, is: { id: 3 } },
    { ask: 'GET /m/User/1/Friend/User', status: 200, is: [{ id: 2 }, { id: 3 }] },
    { ask: 'GET /m/User/1/Friend/friend', status: 200, is: [{ id: 2 }, { id: 3 }] },
    { ask: 'GET /m/User/1/Friend/me', status: 200, is: [] },
    { ask: 'GET /m/User/2/Friend/User', status: 200, is: [] },
    { ask: 'GET /m/User/2/Friend/me', status: 200, is: [{ id: 1 }] },
    { ask: 'GET /m/User/2/Friend/me/1', status: 200, is: { id: 1 } },
    { ask: 'POST /m/User/2/Friend/me', body: { id: 3 }, status: 201, is: { id: 3 } },
    { ask: 'GET /m/Friend?me=3', status: 200, has: [{ me: 3, friend: 2 }] },
    { ask: 'GET /m/User/1?@include=Friend', status: 200, is: { id: 1, Friend: [{ id: 2 }, { id: 3 }] } },
    { ask: 'POST /m/Friend', body: { me: 2, friend: 1 }, status: 201 },
    { ask: 'POST /m/Friend', body: { me: 1, friend: 1 }, status: 201 },
    { ask: 'DELETE /m/User/2/Friend/me/1', status: 200, is: { id: 1 } },
    { ask: 'GET /m/User/1/Friend/friend', status: 200, is: [{ id: 1 }, { id: 3 }] },
    { ask: 'GET /m/User/1/Friend/me', status: 200, is: [{ id: 1 }, { id: 2 }] },
    { ask: 'DELETE /m/User/1', status: 200 },
    { ask: 'GET /m/Friend', status: 200, has: [{ me: 3, friend: 2 }] },
  ]);
});

test('a second link where one is allowed is 409, which says which end is taken', async () => {
  const served = await serve(people);
  await check(served, [
    ...users,
    { ask: 'POST /m/Boss', body: { chief: 1, report: 2 }, status: 201 },
    { ask: 'POST /m/Boss', body: { chief: 1, report: 3 }, status: 201 },
    {
      ask: 'POST /m/Boss',
      body: { chief: 3, report: 2 },
      ...taken('This report is already linked by Boss, which takes one chief for it.'),
    },
    {
      ask: 'POST /m/User/3/Boss/report',
      body: { id: 2 },
      ...taken('This report is already linked by Boss, which takes one chief for it.'),
    },
    { ask: 'POST /m/Spouse', body: { first: 1, second: 2 }, status: 201 },
    {
      ask: 'POST /m/Spouse',
      body: { first: 1, second: 3 },
      ...taken('This first is already linked by Spouse, which takes one second for it.'),
    },
    {
      ask: 'POST /m/Spouse',
      body: { first: 3, second: 2 },
      ...taken('This second is already linked by Spouse, which takes one first for it.'),
    },
    { ask: 'POST /m/Spouse', body: { first: 3, second: 1 }, status: 201 },
  ]);
});

test('ends of another module: the entity is module$Entity, the attribute its local name', async () => {
  const served = await serve({
    'a.al': 'module a\nentity P { id Int @id }\nrelationship R between(P, b.c/Q)',
    'b.al': 'module b.c\nentity Q { id Int @id }',
  });
  await check(served, [
    { ask: 'POST /a/P', body: { id: 1 }, status: 201 },
    { ask: 'POST /a/P/1/R/b.c$Q', body: { id: 2 }, status: 201, is: { id: 2 }, headers: { location: '/b.c/Q/2' } },
    { ask: 'GET /a/P/1/R/b.c%24Q', status: 200, is: [{ id: 2 }] },
    { ask: 'GET /b.c/Q/2/a$R/a$P', status: 200, is: [{ id: 1 }] },
    { ask: 'GET /b.c/Q/2/R/a$P/1', status: 200, is: { id: 1 } },
    { ask: 'GET /a/R', status: 200, has: [{ P: 1, Q: 2 }] },
  ]);
});

test('a linked list goes on from a linked instance: paths mix both kinds of relationship', async () => {
  const served = await serve(blog);
  await check(served, [
    ...start,
    { ask: 'POST /blog/Post/1/PostComment/Comment', body: { id: 1, text: 'c' }, status: 201 },
    link,
    { ask: 'GET /blog/Tag/a/PostTag/Post/1/PostComment/Comment', status: 200, has: [{ text: 'c' }] },
    { ask: 'GET /blog/Tag/a/PostTag/Post/1/PostComment/Comment/1', status: 200, has: { text: 'c' } },
    {
      ask: 'POST /blog/Tag/a/PostTag/Post/1/PostComment/Comment',
      body: { id: 2 },
      status: 201,
      headers: { location: '/blog/Post/1/PostComment/Comment/2' },
    },
    { ask: 'GET /blog/Tag/a/PostTag/Post/2/PostComment/Comment', status: 404 },
    { ask: 'POST /blog/Tag/a/PostTag/Post/2/PostComment/Comment', body: { id: 3 }, status: 404 },
  ]);
});
