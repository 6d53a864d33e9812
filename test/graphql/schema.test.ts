// The schema: what things are called where two would have one name, and what fields of it do that REST has in other ways.

import { expect, test } from 'vitest';
import { clashingNames } from '../support/clashing-names.ts';
import { serveGraphql } from './support.ts';

test('what clashes with something that is made for a type gets its module in front, and events give way to instances', async () => {
  const model = `module m
record PostWhere { a Int @optional }
entity Post { id Int @id, where PostWhere @optional }
entity PostList { id Int @id }
entity PostInput { id Int @id }
entity PostChange { id Int @id }
event createPost { id Int }
workflow createPost { 2 }
entity StringFilter { id Int @id }
`;
  const { data } = await serveGraphql(model);
  const types = await data('{ __schema { types { name } queryType { fields { name } } mutationType { fields { name } } } }');
  const text = JSON.stringify(types);
  for (const name of ['Post', 'm_PostList', 'm_PostInput', 'm_PostChange', 'm_PostWhere', 'postList', 'm_createPost', 'createPost'])
    expect(text).toContain(`"name":"${name}"`);
  expect(await data('mutation { createPost(input: {id: 1, where: {a: 5}}) { id where { a } } x: m_createPost(input: {id: 3}) }')).toEqual({
    createPost: { id: 1, where: { a: 5 } },
    x: 2,
  });
  expect(await data('{ postList { id } m_PostListList { id } }')).toEqual({ postList: [{ id: 1 }], m_PostListList: [] });
});

const named = `${clashingNames}entity Gate { id Int @id, and Int, and_ Int, or Int @optional, not_ Int @optional }
relationship not between(Gate, File)
relationship Pair between(File @as version, Folder @as version_)
entity Doc { _id String @id, _version Int, _cursor String @optional, _path String @optional, _version_ Int @optional, _link Int @optional }
relationship DocFile between(File, Doc)
entity Loose { _id Int, title String @optional }
event latest { }
workflow latest { {Doc {_id? "a"}} }
`;

const filling = `mutation {
  a: createRelease(input: {version: 7, title: "seven"}) { version }
  b: createDiff(input: {changes: "c", title: "see"}) { changes }
  c: createFile(input: {path: "p/1", title: "one", DocFile: [{_id: "a", _version_: 0, _version__: 9, _path_: "here", _link_: 4}]}) { path }
  d: createFolder(input: {id: 1, Holds: [{path: "e", title: "entry"}]}) { id }
  e: createGate(input: {id: 1, and: 10, and_: 20, or: 30, not_: 40, not: [{path: "p/1"}]}) { id }
  f: createPair(input: {version: "p/1", version_: 1}) { _id }
  g: createLoose(input: {_id_: 5, title: "l"}) { _id_ }
}`;

const clashing: readonly (readonly [query: string, expected: unknown])[] = [
  ['{ x: release(version: 7) { version title _version } }', { version: 7, title: 'seven', _version: expect.any(Number) }],
  ['mutation { x: updateRelease(version_: 7, changes: {title: "new"}, version: $version) { title } }', { title: 'new' }],
  ['mutation { x: updateRelease(version_: 7, changes: {title: "new"}) { title } }', { title: 'new' }],
  ['mutation { x: deleteRelease(version_: 7, version: $version) { version } }', { version: 7 }],
  ['mutation { x: updateDiff(changes_: "c", changes: {title: "new"}) { title } }', { title: 'new' }],
  ['mutation { x: deleteDiff(changes: "c") { title } }', { title: 'see' }],
  ['{ x: file(path: "p/1") { title } }', { title: 'one' }],
  ['mutation { x: updateFile(path: "p/1", changes: {title: "new"}) { title } }', { title: 'new' }],
  ['{ x: entry(path_: "e") { path title } }', { path: 'e', title: 'entry' }],
  ['{ x: entry(path: "path://m$Folder/1/m$Holds/m$Entry/e") { title } }', { title: 'entry' }],
  ['mutation { x: updateEntry(path_: "e", changes: {title: "new"}) { title } }', { title: 'new' }],
  ['mutation { x: deleteEntry(path_: "e") { title } }', { title: 'entry' }],
  ['mutation { x: deletePair(version__: "p/1", version_: 1) { __typename } }', { __typename: 'Pair' }],
  ['{ x: gateList(where: {and__: {eq: 10}}) { id } }', [{ id: 1 }]],
  ['{ x: gateList(where: {and_: {eq: 20}, not_: {eq: 40}}) { and and_ } }', [{ and: 10, and_: 20 }]],
  ['{ x: gateList(where: {and_: {eq: 10}}) { id } }', []],
  ['{ x: gateList(where: {or_: {eq: 30}}) { id } }', [{ id: 1 }]],
  ['{ x: gateList(where: {not__: {path: {eq: "p/1"}}}) { id } }', [{ id: 1 }]],
  ['{ x: gateList(where: {not__: {path: {eq: "p/2"}}}) { id } }', []],
  ['{ x: gateList(where: {not: {not__: {path: {eq: "p/2"}}}}) { id } }', [{ id: 1 }]],
  [
    '{ x: doc(_id: "a") { _id _version _version_ _version__ _path_ } }',
    { _id: 'a', _version: expect.any(Number), _version_: 0, _version__: 9, _path_: 'here' },
  ],
  ['{ x: docList(where: {_version__: {eq: 9}, _id: {eq: "a"}}, orderBy: [{_path_: DESC}]) { _link_ } }', [{ _link_: 4 }]],
  [
    'mutation { x: updateDoc(_id: "a", changes: {_version__: 8}) { _version _version__ } }',
    { _version: expect.any(Number), _version__: 8 },
  ],
  ['mutation { x: latest { _version__ _path_ } }', [{ _version__: 9, _path_: 'here' }]],
  ['{ x: looseList(where: {_id_: {eq: 5}}, orderBy: [{_id: ASC}]) { _id_ title } }', [{ _id_: 5, title: 'l' }]],
];

test('a name of the model that the schema needs itself gets an underscore behind it, in answers, inputs, conditions and arguments', async () => {
  for (const [query, expected] of clashing) {
    const { data } = await serveGraphql(named);
    await data(filling);
    const { release } = Object(await data('{ release(version: 7) { _version } }'));
    expect([query, await data(query.replace('$version', release._version))]).toEqual([query, { x: expected }]);
  }
});

const blog = `module blog
entity Author { id Int @id, name String }
entity Post { slug String @id, title String }
entity Comment { id Int @id, text String }
relationship AuthorPost between(Author, Post) @one_many
relationship PostComment contains(Post, Comment)
event best { }
workflow best { {Post {slug? "p2"}} }
event count { n Int }
workflow count { count.n + 1 }
event any { }
workflow any { {Post {slug? "p2"}} @as [p]; {"of": p.title} }
`;

async function filled() {
  const served = await serveGraphql(blog);
  const posts = (from: number): string => [0, 1, 2].map((n) => `{slug: "p${from + n}", title: "t${(from + n) % 4}"}`).join(', ');
  await served.data(`mutation {
    a: createAuthor(input: {id: 1, name: "Zoe", AuthorPost: [${posts(0)}]}) { id }
    b: createAuthor(input: {id: 2, name: "Ann", AuthorPost: [${posts(3)}]}) { id }
    c: createPost(input: {slug: "p6", title: "t", PostComment: [{id: 1, text: "x"}]}) { slug }
  }`);
  return served;
}

test('an order goes along relationships that lead to one instance', async () => {
  const { data, ask } = await filled();
  const slugs = async (order: string): Promise<unknown> =>
    Object(await data(`{ x: postList(orderBy: ${order}) { slug } }`))
      .x.map(({ slug }: { slug: string }) => slug)
      .join(' ');
  expect(await slugs('[{AuthorPost: {name: ASC}}, {title: DESC}]')).toBe('p6 p3 p5 p4 p2 p1 p0');
  expect(await slugs('[{AuthorPost: {name: DESC}}, {slug: DESC}]')).toBe('p2 p1 p0 p5 p4 p3 p6');
  expect(await data('{ x: commentList(orderBy: [{PostComment: {AuthorPost: {name: ASC}}}]) { text } }')).toEqual({ x: [{ text: 'x' }] });
  for (const order of ['[{title: ASC, slug: ASC}]', '[{AuthorPost: {name: ASC, id: ASC}}]'])
    expect((await ask(`{ x: postList(orderBy: ${order}) { slug } }`)).body).toMatchObject({ errors: [{ extensions: { status: 422 } }] });
  expect((await ask('{ x: authorList(orderBy: [{AuthorPost: {title: ASC}}]) { id } }')).text).toContain('errors');
});

test('_cursor is what after takes: pages neither repeat nor skip, whatever the order', async () => {
  const { data } = await filled();
  for (const order of ['[]', '[{title: DESC}]', '[{AuthorPost: {name: DESC}}, {title: ASC}]']) {
    const whole: { x: { slug: string }[] } = Object(await data(`{ x: postList(orderBy: ${order}) { slug } }`));
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const given: string = after === null ? '' : `, after: "${after}"`;
      const page: { x: { slug: string; c: string; AuthorPost: { _cursor: null } | null }[] } = Object(
        await data(`{ x: postList(limit: 2, orderBy: ${order}${given}) { slug c: _cursor AuthorPost { _cursor } } }`),
      );
      seen.push(...page.x.map(({ slug }) => slug));
      after = page.x.at(-1)?.c ?? null;
      if (page.x.length < 2) break;
    }
    expect(seen).toEqual(whole.x.map(({ slug }) => slug));
  }
});

test('what an event gives has a type where it is known, and is JSON where it is not', async () => {
  const { data, ask } = await filled();
  expect(await data('mutation { best { slug name: title __typename } count(input: {n: 41}) any }')).toEqual({
    best: [{ slug: 'p2', name: 't2', __typename: 'PostResult' }],
    count: 42,
    any: { of: 't2' },
  });
  expect((await ask('mutation { best { AuthorPost { name } } }')).text).toContain('errors');
});

const numbers: readonly (readonly [given: string, result: string, query: string, expected: unknown])[] = [
  ['f Float', 'give.f / 4', 'give(input: {f: 1})', 0.25],
  ['f Float', 'give.f', 'give(input: {f: 0.5})', 0.5],
  ['n Int', 'give.n + 1', 'give(input: {n: 9007199254740992})', '9007199254740993'],
  ['d Decimal', 'give.d * 2', 'give(input: {d: "1.10"})', '2.20'],
  ['b Boolean', 'give.b', 'give(input: {b: true})', true],
];

test.each(numbers)(
  'an event of %s that gives %s has a type beside attributes of all types of numbers',
  async (given, result, query, expected) => {
    const model = `module m
entity T { id Int @id, f Float @optional, d Decimal @optional }
event give { ${given} }
workflow give { ${result} }
`;
    const { data } = await serveGraphql(model);
    expect(await data(`mutation { x: ${query} }`)).toEqual({ x: expected });
  },
);

test('a delete gives the instance as it was, with what was around it', async () => {
  const { data } = await filled();
  expect(await data('mutation { deletePost(slug: "p6") { slug PostComment { text } } }')).toEqual({
    deletePost: { slug: 'p6', PostComment: [{ text: 'x' }] },
  });
  expect(await data('{ postCount commentCount }')).toEqual({ postCount: 6, commentCount: 0 });
});
