// What a caller may not see or do by REST, GraphQL neither shows nor does, on either surface.

import { describe, expect, test } from 'vitest';
import { type Person, surfaces, world } from '../access/people.ts';
import type { Answer, Served } from '../support/app.ts';

const model = `module blog
entity Author { id Int @id, name String, @rbac [(roles: [user], allow: [create])] }
entity Post { id Int @id, title String @unique, @rbac [(roles: [user], allow: [create])] }
entity Comment { id Int @id, text String }
relationship PostComment contains(Post, Comment)
relationship AuthorPost between(Author, Post) { since Int @optional, @rbac [(roles: [user], allow: [create])] }
`;

const canary = 'canary-7f3a';

const fields =
  'id title _version PostComment { id text PostComment { title } } AuthorPost { name AuthorPost { title } } AuthorPostLinks { since Author { name } Post { title } }';

/** Every way of GraphQL to what belongs to somebody else. */
const queries: readonly string[] = [
  `{ post(id: 1) { ${fields} } }`,
  `{ postList { ${fields} } }`,
  `{ postList(where: {title: {like: "canary%"}}, orderBy: [{title: DESC}]) { ${fields} } }`,
  '{ postCount authorCount commentCount authorPostCount }',
  '{ postList(where: {PostComment: {text: {like: "canary%"}}}) { id } }',
  '{ postList(where: {not: {AuthorPost: {name: {like: "canary%"}}}}) { id } }',
  '{ authorList { name AuthorPost { title PostComment(where: {text: {like: "c%"}}) { text } } } }',
  '{ commentList { text PostComment { title } } comment(path: "path://blog$Post/1/blog$PostComment/blog$Comment/1") { text } }',
  '{ authorPostList { since Author { name } Post { title } } }',
];

const writes: readonly (readonly [mutation: string, statuses: readonly number[]])[] = [
  ['mutation { updatePost(id: 1, changes: {title: "mine"}) { id title } }', [404]],
  ['mutation { deletePost(id: 1) { id title } }', [404]],
  ['mutation { createComment(parent: "path://blog$Post/1", input: {id: 9, text: "x"}) { id } }', [403, 404]],
  ['mutation { updateComment(path: "path://blog$Post/1/blog$PostComment/blog$Comment/1", changes: {text: "x"}) { id } }', [404]],
  ['mutation { createAuthorPost(input: {Author: 1, Post: 1}) { since } }', [403, 404, 422]],
  ['mutation { deleteAuthorPost(Author: 1, Post: 1) { since } }', [404]],
  ['mutation { createAuthor(input: {id: 5, name: "n", AuthorPost: [{id: 1}]}) { id } }', [403, 404, 409, 422]],
];

function graphql(served: Served, { headers }: Pick<Person, 'headers'>): (query: string) => Promise<Answer> {
  return (query) => served.post('/graphql', { query }, headers);
}

describe.each(surfaces)('on the %s surface', (surface) => {
  test('nothing of what is hidden appears in any answer, and nothing of it is changed', async () => {
    const { served, join, admin } = await world(model, surface, { graphql: true });
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    const made = await graphql(
      served,
      ann,
    )(`mutation {
      createPost(input: {id: 1, title: "${canary}", PostComment: [{id: 1, text: "${canary}"}]}) { ${fields} }
      createAuthor(input: {id: 1, name: "${canary}"}) { id }
      createAuthorPost(input: {Author: 1, Post: 1, since: 77777}) { since }
    }`);
    expect(made.text).not.toContain('errors');
    const asAnn = await graphql(served, ann)(`{ post(id: 1) { ${fields} } }`);
    expect(asAnn.body).toMatchObject({
      data: { post: { title: canary, PostComment: [{ text: canary }], AuthorPostLinks: [{ since: 77777 }] } },
    });
    for (const query of queries) {
      const { text, status } = await graphql(served, bob)(query);
      expect([query, status, text.includes('errors'), text.includes(canary), text.includes('77777')]).toEqual([
        query,
        200,
        false,
        false,
        false,
      ]);
      expect(text).not.toMatch(/Count":[1-9]/);
      expect((await graphql(served, admin)(query)).text).not.toContain('errors');
    }
    for (const [mutation, statuses] of writes) {
      const { text } = await graphql(served, bob)(mutation);
      expect(text).not.toContain(canary);
      expect([mutation, statuses.includes(Number(/"status":(\d+)/.exec(text)?.[1]))]).toEqual([mutation, true]);
    }
    expect((await graphql(served, ann)(`{ post(id: 1) { ${fields} } }`)).body).toEqual(asAnn.body);
    expect(served.failures).toEqual([]);
  });

  test('whoever is not signed in is told so by HTTP, for introspection too', async () => {
    const { served } = await world(model, surface, { graphql: true });
    expect((await graphql(served, { headers: {} })('{ __schema { queryType { name } } }')).status).toBe(401);
  });
});
