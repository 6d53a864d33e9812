// GraphQL: queries, mutations, events, errors and limits, on the same engine as REST.

import { expect, test } from 'vitest';
import { type Graphql, serveGraphql } from './support.ts';

async function filled(): Promise<Graphql> {
  const graphql = await serveGraphql();
  const { post } = graphql.served;
  for (const id of [1, 2]) await post('/blog/Author', { id, name: `Author ${id}`, email: `a${id}@example.com` });
  for (const n of [1, 2, 3, 4]) {
    const place = n === 1 ? { city: 'Bonn', zip: 53111 } : null;
    await post('/blog/Post', { slug: `p${n}`, title: `Title ${n}`, likes: n * 10, price: `${n}.50`, place, labels: ['x', `l${n}`] });
    await post('/blog/AuthorPost', { Author: n > 2 ? 2 : 1, Post: `p${n}` });
    for (const id of [1, 2, 3]) {
      await post(`/blog/Post/p${n}/PostComment/Comment`, {
        id,
        text: `comment ${n}.${id}`,
        CommentReply: [{ id: 1, text: `reply ${n}.${id}` }],
      });
    }
  }
  await post('/blog/Post/p1/PostTag/Tag', { name: 'news', '@link': { since: 2020 } });
  return graphql;
}

test('a query gives what it selects, under its own names and in its own order, for one instance, a list and a count', async () => {
  const { data } = await filled();
  expect(
    await data(`{
      one: post(slug: "p1") { headline: title slug likes price state labels place { city } _version __typename }
      postList(where: {likes: {gt: 20}}, orderBy: [{likes: DESC}]) { slug }
      postCount(where: {or: [{slug: {eq: "p1"}}, {title: {like: "%3"}}]})
      none: post(slug: "nowhere") { slug }
    }`),
  ).toEqual({
    one: {
      headline: 'Title 1',
      slug: 'p1',
      likes: 10,
      price: '1.50',
      state: 'draft',
      labels: ['x', 'l1'],
      place: { city: 'Bonn' },
      _version: expect.any(Number),
      __typename: 'Post',
    },
    postList: [{ slug: 'p4' }, { slug: 'p3' }],
    postCount: 2,
    none: null,
  });
});

test('relationships are fields of both ends, with filters, orders and limits of their own', async () => {
  const { data, served } = await filled();
  const query = `query ($text: String!) {
    authorList(orderBy: [{id: ASC}]) {
      name
      AuthorPost(orderBy: [{slug: DESC}], limit: 1) {
        slug
        AuthorPost { id }
        first: PostComment(where: {text: {like: $text}}, limit: 5) { id CommentReply { text } _path }
        rest: PostComment(offset: 1, orderBy: [{id: DESC}]) { id PostComment { slug } }
        PostTag { name }
      }
    }
    postList(where: {PostComment: {text: {eq: "comment 3.1"}}}) { slug }
  }`;
  expect(await data(query, { text: '%.2' })).toEqual({
    authorList: [1, 2].map((author) => ({
      name: `Author ${author}`,
      AuthorPost: [
        {
          slug: `p${author * 2}`,
          AuthorPost: { id: author },
          first: [
            {
              id: 2,
              CommentReply: [{ text: `reply ${author * 2}.2` }],
              _path: `path://blog$Post/p${author * 2}/blog$PostComment/blog$Comment/2`,
            },
          ],
          rest: [2, 1].map((id) => ({ id, PostComment: { slug: `p${author * 2}` } })),
          PostTag: [],
        },
      ],
    })),
    postList: [{ slug: 'p3' }],
  });
  expect(served.failures).toEqual([]);
});

test('mutations create with what they contain, change, and delete, each in its own transaction', async () => {
  const { data, ask } = await filled();
  expect(
    await data(`mutation {
      createPost(input: {slug: "n", title: "New", PostComment: [{id: 7, text: "hi", CommentReply: [{id: 1, text: "ho"}]}], PostTag: [{name: "a", _link: {since: 5}}]}) {
        slug state PostComment { id CommentReply { text } } PostTag { name }
      }
      createComment(parent: "path://blog$Post/n", input: {id: 8, text: "later"}) { id PostComment { slug } }
      updatePost(slug: "n", changes: {title: "Newer"}) { title PostComment { id } _version }
      deleteComment(path: "path://blog$Post/n/blog$PostComment/blog$Comment/7") { id text }
      Rename(input: {slug: "p1", title: "renamed"}) { slug title }
    }`),
  ).toMatchObject({
    createPost: { slug: 'n', state: 'draft', PostComment: [{ id: 7, CommentReply: [{ text: 'ho' }] }], PostTag: [{ name: 'a' }] },
    createComment: { id: 8, PostComment: { slug: 'n' } },
    updatePost: { title: 'Newer', PostComment: [{ id: 7 }, { id: 8 }] },
    deleteComment: { id: 7, text: 'hi' },
  });
  expect((await ask('mutation { updatePost(slug: "n", changes: {likes: 1}, version: 99) { slug } }')).body).toMatchObject({
    errors: [{ path: ['updatePost'], extensions: { code: 'version-mismatch', status: 412 } }],
    data: { updatePost: null },
  });
  expect(await data('{ post(slug: "p1") { title } comment(path: "path://blog$Post/n/blog$PostComment/blog$Comment/8") { text } }')).toEqual(
    {
      post: { title: 'renamed' },
      comment: { text: 'later' },
    },
  );
});

test('links are fields and entities of their own, with their attributes and both ends', async () => {
  const { data } = await filled();
  expect(
    await data(`{
      post(slug: "p1") { PostTagLinks(where: {since: {gt: 2000}}) { since Tag { name } Post { slug } } }
      postTagList(where: {Post: {eq: "p1"}}) { since Tag { name PostTag { slug } } }
    }`),
  ).toEqual({
    post: { PostTagLinks: [{ since: 2020, Tag: { name: 'news' }, Post: { slug: 'p1' } }] },
    postTagList: [{ since: 2020, Tag: { name: 'news', PostTag: [{ slug: 'p1' }] } }],
  });
  expect(await data('mutation { createPostTag(input: {Post: "p2", Tag: "news", since: 1}) { since Post { slug } } }')).toEqual({
    createPostTag: { since: 1, Post: { slug: 'p2' } },
  });
});

test('a public agent is a field that takes a message, and gives what it answers', async () => {
  const model =
    'module shop\nentity Item { id Int @id }\n@public agent greeter { instruction "Greet.", scenarios [{"user": "Hello", "ai": "Good day"}] }\nagent hidden { instruction "No." }\n';
  const { data, ask } = await serveGraphql(model, { llm: { provider: 'scripted' } });
  expect(await data('mutation { greeter(message: "hello!") }')).toEqual({ greeter: 'Good day' });
  expect((await ask('mutation { hidden(message: "hello!") }')).text).toContain('errors');
  expect((await ask(`mutation { greeter(message: "${'x'.repeat(100_000)}") }`)).body).toMatchObject({
    errors: [{ extensions: { status: 413 } }],
  });
});

test('an empty or holds for nothing, an empty and for everything; absent values are asked for by null', async () => {
  const { data } = await filled();
  expect(
    await data(
      '{ none: postCount(where: {or: []}) all: postCount(where: {and: []}) every: postCount(where: {}) absent: postCount(where: {place: {null: true}}) also: postCount(where: {price: {eq: null}}) }',
    ),
  ).toEqual({ none: 0, all: 4, every: 4, absent: 3, also: 0 });
});
