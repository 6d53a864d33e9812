// A service with GraphQL on, and a blog in it.

import { type Answer, type Served, serve } from '../support/app.ts';

export const blog = `module blog
record Place { city String, zip Int @optional }
entity Post { slug String @id, title String, likes Int @default(0), price Decimal @optional, state @enum("draft", "published") @default("draft"), place Place @optional, labels String[] @optional }
entity Author { id Int @id, name String, email Email @unique }
entity Comment { id Int @id, text String }
entity Reply { id Int @id, text String }
entity Tag { name String @id }
relationship PostComment contains(Post, Comment)
relationship CommentReply contains(Comment, Reply)
relationship AuthorPost between(Author, Post) @one_many
relationship PostTag between(Post, Tag) { since Int @optional }
@public event Rename { slug String, title String }
workflow Rename { {Post {slug? Rename.slug, title Rename.title}} }
`;

export interface Graphql {
  readonly served: Served;
  /** The whole answer as an object. */
  ask(query: string, variables?: unknown): Promise<Answer>;
  /** What `data` holds; fails where there are errors. */
  data(query: string, variables?: unknown): Promise<unknown>;
}

export async function serveGraphql(model = blog, options: Parameters<typeof serve>[1] = {}): Promise<Graphql> {
  const served = await serve(model, { graphql: true, ...options });
  const ask = (query: string, variables?: unknown): Promise<Answer> => served.post('/graphql', { query, variables });
  return {
    served,
    ask,
    async data(query, variables) {
      const { body, text } = await ask(query, variables);
      if (typeof body !== 'object' || body === null || 'errors' in body || !('data' in body)) throw new Error(text);
      return body.data;
    },
  };
}
