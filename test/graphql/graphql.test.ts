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

test('a link is deleted by its two ends, named as they are when it is made, and given as it was', async () => {
  const { data, ask, served } = await filled();
  const remove = 'mutation { deletePostTag(Post: "p1", Tag: "news") { since Tag { name } } }';
  expect((await ask('mutation { deletePostTag(Post: "p1", Tag: "news", version: 99) { since } }')).body).toMatchObject({
    errors: [{ path: ['deletePostTag'], extensions: { code: 'version-mismatch', status: 412 } }],
  });
  expect(await data(remove)).toEqual({ deletePostTag: { since: 2020, Tag: { name: 'news' } } });
  expect(await data('{ postTagCount post(slug: "p1") { slug } tag(name: "news") { name } }')).toEqual({
    postTagCount: 0,
    post: { slug: 'p1' },
    tag: { name: 'news' },
  });
  for (const again of [remove, remove.replace('p1', 'nowhere'), 'mutation { deletePostTag(Post: [], Tag: {}) { since } }'])
    expect((await ask(again)).body).toMatchObject({ errors: [{ extensions: { code: 'instance-not-found', status: 404 } }] });
  expect((await ask('mutation { deletePostTag(_id: "x") { since } }')).body).toMatchObject({
    errors: [{ message: expect.stringContaining('_id') }, {}, {}],
  });
  expect(served.failures).toEqual([]);
});

const marked = `module notes
entity Book { isbn String @id }
entity Page { no Int @id }
entity Sheet { no Int @id, code UUID @guid }
relationship BookPage contains(Book, Page)
relationship BookSheet contains(Book, Sheet)
entity Mark { version Int @id }
relationship PageMark between(Page, Mark)
relationship SheetMark between(Sheet @as sheet, Mark @as version)
`;

test('an end that stands under a parent is filtered and deleted by its path, its guid, or its identifier while that is unambiguous', async () => {
  const { data, ask, served } = await serveGraphql(marked);
  const code = '0198aaaa-0000-7000-8000-000000000001';
  for (const isbn of ['a', 'b']) await served.post('/notes/Book', { isbn, BookPage: [{ no: 1 }, ...(isbn === 'a' ? [{ no: 2 }] : [])] });
  await served.post('/notes/Book/a/BookSheet/Sheet', { no: 7, code });
  for (const version of [1, 2]) await served.post('/notes/Mark', { version });
  const page = (isbn: string, no: number): string => `"path://notes$Book/${isbn}/notes$BookPage/notes$Page/${no}"`;
  const make = (given: string, mark: number): string => `createPageMark(input: {Page: ${given}, Mark: ${mark}}) { _id }`;
  await data(`mutation { a: ${make(page('a', 1), 1)} b: ${make(page('b', 1), 1)} c: ${make('2', 2)}
    createSheetMark(input: {sheet: "${code}", version: 2}) { _id } }`);
  const filters: readonly (readonly [string, readonly (readonly [string, number])[]])[] = [
    [`{eq: ${page('a', 1)}}`, [['a', 1]]],
    ['{eq: 2}', [['a', 2]]],
    [
      `{in: [${page('b', 1)}, 2]}`,
      [
        ['a', 2],
        ['b', 1],
      ],
    ],
    [
      `{ne: ${page('a', 1)}}`,
      [
        ['a', 2],
        ['b', 1],
      ],
    ],
    ['{null: true}', []],
  ];
  for (const [filter, found] of filters) {
    const list = `{ pageMarkList(where: {Page: ${filter}}) { Page { no BookPage { isbn } } } pageMarkCount(where: {Page: ${filter}}) }`;
    const { pageMarkList, pageMarkCount } = Object(await data(list));
    const places = pageMarkList.map(({ Page: { no, BookPage } }: { Page: { no: number; BookPage: { isbn: string } } }) => [
      BookPage.isbn,
      no,
    ]);
    expect([filter, places.toSorted(), pageMarkCount]).toEqual([filter, found, found.length]);
  }
  expect(await data(`{ sheetMarkCount(where: {sheet: {eq: "${code}"}, version: {gt: 1}}) }`)).toEqual({ sheetMarkCount: 1 });
  expect((await ask('mutation { deletePageMark(Page: 1, Mark: 1) { _id } }')).body).toMatchObject({
    errors: [{ extensions: { code: 'identifier-ambiguous', status: 409 } }],
  });
  expect(
    await data(`mutation { deletePageMark(Page: ${page('b', 1)}, Mark: 1) { Page { no BookPage { isbn } } }
      last: deletePageMark(Page: 2, Mark: 2) { Mark { version } }
      deleteSheetMark(sheet: "${code}", version_: 2) { version { version } } }`),
  ).toEqual({
    deletePageMark: { Page: { no: 1, BookPage: { isbn: 'b' } } },
    last: { Mark: { version: 2 } },
    deleteSheetMark: { version: { version: 2 } },
  });
  expect(await data('{ pageMarkList { Page { BookPage { isbn } } } sheetMarkCount }')).toEqual({
    pageMarkList: [{ Page: { BookPage: { isbn: 'a' } } }],
    sheetMarkCount: 0,
  });
  expect(served.failures).toEqual([]);
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

const doubles: readonly (readonly [number: string, kept: number | undefined])[] = [
  ['0.1', 0.1],
  ['1.50', 1.5],
  ['0.0', 0],
  ['-0.0', 0],
  ['1e21', 1e21],
  ['100000000000000000000', 1e20],
  ['0.10000000000000001', 0.1],
  ['0.1234567890123456789', undefined],
  ['123456789012345678901', undefined],
  ['1e400', undefined],
  ['1e-400', undefined],
];

test.each(doubles)('a Float is kept as it is or refused, as REST does, in a query and in a variable: %s', async (number, kept) => {
  const { served, ask } = await serveGraphql('module m\nentity T { id Int @id, f Float @optional }\n');
  const headers = { 'content-type': 'application/json' };
  const send = (target: string, text: string) => served.ask({ method: 'POST', target, headers, text });
  const expected = kept === undefined ? '"code":"attributes-invalid"' : `"f":${JSON.stringify(kept)}`;
  expect((await send('/m/T', `{"id": 1, "f": ${number}}`)).text).toContain(expected);
  expect((await ask(`mutation { createT(input: {id: 2, f: ${number}}) { f } }`)).text).toContain(expected);
  const query = 'mutation ($input: TInput!) { createT(input: $input) { f } }';
  expect((await send('/graphql', `{"query": "${query}", "variables": {"input": {"id": 3, "f": ${number}}}}`)).text).toContain(expected);
});

test('a number in a query has at most 1,000 digits', async () => {
  const { ask } = await serveGraphql();
  const { body } = await ask(`{ postCount(where: {likes: {eq: ${'9'.repeat(1001)}}}) }`);
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'limit-exceeded', status: 422 } }] });
});
