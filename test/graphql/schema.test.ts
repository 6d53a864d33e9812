// The schema: what things are called where two would have one name, and what fields of it do that REST has in other ways.

import { expect, test } from 'vitest';
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

test('a delete gives the instance as it was, with what was around it', async () => {
  const { data } = await filled();
  expect(await data('mutation { deletePost(slug: "p6") { slug PostComment { text } } }')).toEqual({
    deletePost: { slug: 'p6', PostComment: [{ text: 'x' }] },
  });
  expect(await data('{ postCount commentCount }')).toEqual({ postCount: 6, commentCount: 0 });
});
