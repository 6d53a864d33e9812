// GraphQL over HTTP: the public audit, methods and media types, faults and limits.

import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { blog, type Graphql, serveGraphql } from './support.ts';

test('every audit of graphql-http is passed', async () => {
  const { served } = await serveGraphql();
  const fetchFn = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const headers = Object.fromEntries(new Headers(init.headers));
    const text = typeof init.body === 'string' ? { text: init.body } : {};
    const answer = await served.ask({ method: init.method ?? 'GET', target: `${pathname}${search}`, headers, ...text });
    return new Response(answer.text, { status: answer.status, headers: answer.headers });
  };
  const audits = serverAudits({ url: 'http://localhost/graphql', fetchFn });
  const failed: string[] = [];
  for (const audit of audits) {
    const result = await audit.fn();
    if (result.status !== 'ok') failed.push(`${audit.id} ${audit.name}: ${result.status} ${result.reason}`);
  }
  console.info(`GraphQL over HTTP: ${audits.length - failed.length} of ${audits.length} audits ok`);
  expect(failed).toEqual([]);
});

test('while it is off there is nothing at its path', async () => {
  const { post } = await serve(blog);
  expect((await post('/graphql', { query: '{ __typename }' })).status).toBe(404);
});

const nested = (levels: number): string => (levels === 0 ? 'slug' : `AuthorPost { AuthorPost { ${nested(levels - 1)} } }`);

const refused: readonly (readonly [title: string, query: string, code: string])[] = [
  ['a field that is not there', '{ post(slug: "x") { nothing } }', 'query-invalid'],
  ['text that is no query', '{ post( }', 'query-invalid'],
  ['more than 10 levels', `{ postList { ${nested(5)} } }`, 'limit-exceeded'],
  ['more than 200 root fields', `{ ${Array.from({ length: 201 }, (_, n) => `a${n}: postCount`).join(' ')} }`, 'limit-exceeded'],
  ['more than 1,000 aliases', `{ postList { ${Array.from({ length: 1001 }, (_, n) => `a${n}: slug`).join(' ')} } }`, 'limit-exceeded'],
  [
    'more than 100 selections below the root, written out by fragments',
    `{ authorList(limit: 1) { ...f0 } } ${[0, 1, 2, 3].map((n) => `fragment f${n} on ${n % 2 === 0 ? 'Author' : 'Post'} { ${Array.from({ length: 5 }, (_, at) => `x${at}: AuthorPost { ...f${n + 1} }`).join(' ')} }`).join(' ')} fragment f4 on Author { __typename }`,
    'limit-exceeded',
  ],
  [
    'more than 15,000 fields of the schema, written out by fragments',
    `{ __schema { types { ...t0 } } } ${[0, 1, 2, 3, 4].map((n) => `fragment t${n} on __Type { ${Array.from({ length: 10 }, (_, at) => `x${at}: ofType { ...t${n + 1} }`).join(' ')} }`).join(' ')} fragment t5 on __Type { name }`,
    'limit-exceeded',
  ],
  ['more tokens than a query has', `{ ${'__typename '.repeat(20_000)} }`, 'limit-exceeded'],
  ['more faults than are told', `{ ${Array.from({ length: 101 }, (_, n) => `none${n}`).join(' ')} }`, 'limit-exceeded'],
  ['several operations, of which none is named', 'query a { postCount } query b { postCount }', 'query-invalid'],
  ['a subscription of which no stream is wanted', 'subscription { postChanges { kind } }', 'query-invalid'],
  [
    'fragments that go round in a circle',
    'query { postList { ...a } } fragment a on Post { ...b } fragment b on Post { ...a }',
    'query-invalid',
  ],
  ['10,000 directives', `{ postList { slug ${'@include(if: true) '.repeat(4000)} } }`, 'limit-exceeded'],
];

test.each(refused)('%s is refused before anything is read', async (_, query, code) => {
  const { served } = await serveGraphql();
  const headers = { accept: 'application/graphql-response+json' };
  const { status, body } = await served.post('/graphql', { query }, headers);
  expect([status, Object.keys(Object(body))]).toEqual([400, ['errors']]);
  const codes = Object(body).errors.map(({ extensions }: { extensions?: unknown }) => extensions);
  expect(codes.at(-1)).toEqual({ code, status: 422 });
  expect(codes.filter((each: unknown) => each === undefined)).toEqual([]);
});

const failing: readonly (readonly [title: string, query: string, status: number, code: string])[] = [
  ['more than 10,000 instances by the limits', '{ a: postList(limit: 200) { PostComment(limit: 51) { id } } }', 422, 'limit-exceeded'],
  ['a page beyond the limit', '{ a: postList(limit: 10001) { slug } }', 422, 'query-invalid'],
  ['a pattern with too many wildcards', `{ a: postList(where: {title: {like: "${'_%'.repeat(200)}"}}) { slug } }`, 422, 'query-invalid'],
  ['more than 20 comparisons', `{ a: postCount(where: {or: [${'{likes: {eq: 1}}'.repeat(21)}]}) }`, 422, 'query-invalid'],
  ['null in the place of a condition', '{ a: postCount(where: {title: null}) }', 422, 'query-invalid'],
  ['null in the place of a list', '{ a: postCount(where: {or: null}) }', 422, 'query-invalid'],
  ['null in the place of values', '{ a: postCount(where: {slug: {in: null}}) }', 422, 'query-invalid'],
  ['null in the place of a condition on others', '{ a: postCount(where: {PostComment: null}) }', 422, 'query-invalid'],
  ['a cursor of another list', '{ a: postList(after: "abc") { slug } }', 422, 'query-invalid'],
  ['a negative offset', '{ a: postList(offset: -1) { slug } }', 422, 'query-invalid'],
  [
    'an attribute that does not fit',
    'mutation { a: createAuthor(input: {id: 1, name: "n", email: "none"}) { id } }',
    422,
    'attributes-invalid',
  ],
  [
    'a child without its parent',
    'mutation { a: createComment(parent: "path://blog$Post/nowhere", input: {id: 1, text: "t"}) { id } }',
    404,
    'instance-not-found',
  ],
  ['a delete of what is not there', 'mutation { a: deletePost(slug: "nowhere") { slug } }', 404, 'instance-not-found'],
];

test.each(failing)('%s is an error of its field with the code and the status of REST', async (_, query, status, code) => {
  const { ask } = await serveGraphql();
  const { body } = await ask(query);
  expect(body).toMatchObject({ errors: [{ path: ['a'], extensions: { code, status } }], data: { a: null } });
});

test('faults of attributes are listed, and what was sent is repeated nowhere', async () => {
  const { ask } = await serveGraphql();
  const input = { id: 1, name: 'n', email: 'canary-value' };
  const { body, text } = await ask('mutation ($input: AuthorInput!) { createAuthor(input: $input) { id } }', { input });
  expect(body).toMatchObject({ errors: [{ extensions: { errors: [{ attribute: 'email' }] } }] });
  expect(text).not.toContain('canary');
  const wrong = await ask('query ($n: Int) { postList(limit: $n) { slug } }', { n: 'canary-value' });
  expect(wrong.body).toMatchObject({ errors: [{ extensions: { status: 422 } }] });
  expect(wrong.text).not.toContain('canary');
  const many = await ask('query ($n: [String!]) { postCount(where: {slug: {in: $n}}) }', { n: Array(30).fill(['canary-value']) });
  expect(Object(many.body).errors.at(-1)).toMatchObject({
    message: expect.stringContaining('aborted'),
    extensions: { code: 'limit-exceeded', status: 422 },
  });
  expect(many.text).not.toContain('canary');
  expect((await ask('{ postList(limit: "canary-value") { slug } }')).text).not.toContain('canary');
});

const named: readonly (readonly [operation: string, attributes: readonly string[], message: string])[] = [
  [
    'mutation { createBook(input: {isbn: "b", Cites: [{_path: "path://notes$Book/none/notes$BookPage/notes$Page/1"}]}) { isbn } }',
    ['Cites[0]._path'],
    'must be an existing notes/Page',
  ],
  [
    'mutation { createBook(input: {isbn: "b", Cites: [{no: 1, _link: {since: "x"}}]}) { isbn } }',
    ['Cites[0]._link.since'],
    'must be an integer of at most 64 bits',
  ],
  ['mutation { createNote(input: {_id: "x", text: "t"}) { _id } }', ['_id'], 'must be a UUID'],
  ['mutation { updatePage(no: 1, changes: {_parent: "x"}) { no } }', ['_parent'], 'must be the path of a notes/Book'],
  ['{ noteCount(where: {_id: {like: "x"}}) }', ['where'], '_id cannot be compared like this'],
];

test.each(named)('a fault of %s names what the service adds to a type as the schema does', async (operation, attributes, message) => {
  const { ask, data } = await serveGraphql(`module notes
entity Book { isbn String @id }
entity Page { no Int @id }
entity Note { text String }
relationship BookPage contains(Book, Page)
relationship Cites between(Book, Page) { since Int @optional }
`);
  await data('mutation { createBook(input: {isbn: "a", BookPage: [{no: 1}]}) { isbn } }');
  const [{ extensions }] = Object((await ask(operation)).body).errors;
  expect(extensions.errors.map(({ attribute }: { attribute: string }) => attribute)).toEqual(attributes);
  expect(extensions.errors[0].message).toBe(message);
});

test('an array of at most 10 requests is answered as an array', async () => {
  const { served } = await serveGraphql();
  const one = { query: '{ postCount }' };
  expect((await served.post('/graphql', [one, { query: '{ nothing }' }])).body).toEqual([
    { data: { postCount: 0 } },
    { errors: expect.any(Array) },
  ]);
  expect(
    (
      await served.post(
        '/graphql',
        Array.from({ length: 11 }, () => one),
      )
    ).status,
  ).toBe(422);
});

test('a mutation is not taken by GET', async () => {
  const { served } = await serveGraphql();
  expect((await served.get(`/graphql?query=${encodeURIComponent('mutation { deletePost(slug: "a") { slug } }')}`)).status).toBe(405);
  expect(
    (
      await served.get(
        `/graphql?query=${encodeURIComponent('query ($s: String!) { post(slug: $s) { slug } }')}&variables=${encodeURIComponent('{"s":"a"}')}`,
      )
    ).body,
  ).toEqual({ data: { post: null } });
});

async function introspected({ data }: Graphql): Promise<string> {
  return JSON.stringify(
    await data(
      '{ __schema { queryType { fields { name } } mutationType { fields { name } } } __type(name: "Post") { name fields { name } } }',
    ),
  );
}

test('the schema tells of itself', async () => {
  const names = await introspected(await serveGraphql());
  for (const name of ['postList', 'createPost', 'Rename', 'PostComment', '_version']) expect(names).toContain(`"${name}"`);
});

test('whole numbers beyond 2^53 are texts, and are taken as such', async () => {
  const { data } = await serveGraphql();
  const query = 'mutation ($likes: Long) { createPost(input: {slug: "big", title: "t", likes: $likes}) { likes } }';
  expect(await data(query, { likes: '9007199254740993' })).toEqual({ createPost: { likes: '9007199254740993' } });
  expect(await data('{ postList(where: {likes: {eq: 9007199254740993}}) { slug likes } }')).toEqual({
    postList: [{ slug: 'big', likes: '9007199254740993' }],
  });
});

test('a mutation that is sent again with its Idempotency-Key is done once', async () => {
  const { served, data } = await serveGraphql();
  const send = (query: string, key = 'k1') => served.post('/graphql', { query }, { 'idempotency-key': key });
  const create =
    'mutation { createPost(input: {slug: "once", title: "t", PostComment: [{id: 1, text: "c"}]}) { slug PostComment { text } } }';
  const [first, again] = [await send(create), await send(create)];
  expect(first.body).toEqual({ data: { createPost: { slug: 'once', PostComment: [{ text: 'c' }] } } });
  expect(again.text).toBe(first.text);
  expect((await send(create.replace('"t"', '"other"'))).body).toMatchObject({
    errors: [{ extensions: { code: 'key-reused', status: 422 } }],
  });
  const remove = 'mutation { deletePost(slug: "once") { slug title } }';
  expect([(await send(remove, 'k2')).text, (await send(remove, 'k2')).text]).toEqual(
    Array(2).fill('{"data":{"deletePost":{"slug":"once","title":"t"}}}'),
  );
  expect(await data('{ postCount }')).toEqual({ postCount: 0 });
});
