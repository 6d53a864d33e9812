// Rows whose key or path is not that of their parents: found and mended at start, and carried nowhere else.

import { describe, expect, test } from 'vitest';
import { open, type Served, serve } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';

const model = `module m
entity Post { id String @id }
entity Comment { no Int @id, text String @optional }
entity Reply { name String @id }
entity Folder { name String @id }
entity Tag { id String @id }
entity Hour { at Time @id }
relationship PostHour contains(Post, Hour)
relationship PostComment contains(Post, Comment)
relationship CommentReply contains(Comment, Reply)
relationship Inside contains(Folder @as outer, Folder @as inner)
relationship Tagged between(Comment, Tag)
`;

const replyPath = 'path://m$Post/a%20b/m$PostComment/m$Comment/-3/m$CommentReply/m$Reply/x%2F%C3%BC';

async function filled(folder: string): Promise<Served> {
  const served = await open(model, { folder });
  const tree = {
    id: 'a b',
    PostComment: [{ no: -3, CommentReply: [{ name: 'x/ü' }, { name: 'plain' }] }, { no: 4 }],
    PostHour: [{ at: '06:00' }],
  };
  const folders = { name: 'a', Inside: [{ name: 'b', Inside: [{ name: 'c' }] }] };
  for (const [target, body] of [
    ['/m/Post', tree],
    ['/m/Folder', folders],
    ['/m/Tag', { id: 't' }],
    ['/m/Tagged', { Comment: 'path://m$Post/a%20b/m$PostComment/m$Comment/-3', Tag: 't' }],
  ] as const) {
    expect(await served.post(target, body)).toMatchObject({ status: 201 });
  }
  return served;
}

const lists = [
  '/m/Comment',
  '/m/Reply',
  '/m/Folder',
  '/m/Tagged',
  '/m/Hour',
  '/m/Post/a%20b/PostHour/Hour/06:00:00.0',
  '/m/Post/a%20b/PostComment/Comment/-3/CommentReply/Reply',
];

async function seen(served: Served): Promise<readonly unknown[]> {
  return Promise.all(lists.map(async (each) => (await served.get(each)).body));
}

const both = `UPDATE "m/Comment" SET "__path__" = 'a b/m$PostComment/m$Comment/' || "no"; `;
const damages: readonly (readonly [title: string, sql: string, types: readonly string[]])[] = [
  ['a path that begins with the identifier of the parent', both, ['m/Comment']],
  ['paths that were inherited', `${both}UPDATE "m/Reply" SET "__path__" = 'a b/m$PostComment/m$Comment/-3/x'`, ['m/Comment', 'm/Reply']],
  ['a path that ends otherwise', `UPDATE "m/Reply" SET "__path__" = "__path__" || 'y'`, ['m/Reply']],
  ['no path', `UPDATE "m/Comment" SET "__path__" = NULL WHERE "no" = 4`, ['m/Comment']],
  ['a path under no parent', `UPDATE "m/Folder" SET "__path__" = 'path://m$Folder/z' WHERE "name" = 'a'`, ['m/Folder']],
  ['paths in a type that contains itself', `UPDATE "m/Folder" SET "__path__" = 'x' WHERE "name" <> 'a'`, ['m/Folder']],
  ['another key', `UPDATE "m/Comment" SET "__key" = 'm/Post\u0001zz\u0001m/PostComment\u0001' || "no"`, ['m/Comment']],
  [
    'the key of a moment that was made from its text',
    `UPDATE "m/Hour" SET "__key" = 'm/Post\u0001a b\u0001m/PostHour\u000106:00:00'`,
    ['m/Hour'],
  ],
  ['another key in a type that contains itself', `UPDATE "m/Folder" SET "__key" = 'k' || "name"`, ['m/Folder']],
];

describe('a start', () => {
  test.each(damages)('mends %s, and says so', async (_, sql, types) => {
    const folder = temporaryFolder();
    const first = await filled(folder);
    const before = await seen(first);
    await first.close();
    // Keys that others point at change with these, as they do for whoever changes them by hand.
    await first.kept.execute(storeOfRun() === 'sqlite' ? `PRAGMA foreign_keys = ON; ${sql}` : sql);
    const second = await open(model, { folder });
    expect(second.warnings.map((each) => /rows? of (\S+) not at the path of/.exec(String(each['mended']))?.[1])).toEqual(types);
    expect(await seen(second)).toEqual(before);
    expect((await second.get(`/m/Reply?__path__=${encodeURIComponent(replyPath)}`)).body).toMatchObject([{ name: 'x/ü' }]);
    expect(await second.kept.dangling()).toEqual([]);
    await second.close();
    expect((await serve(model, { folder })).warnings).toEqual([]);
  });

  test('that finds every row right says nothing', async () => {
    const folder = temporaryFolder();
    await (await filled(folder)).close();
    expect((await serve(model, { folder })).warnings).toEqual([]);
  });

  test('refuses two rows that belong at the same place', async () => {
    const folder = temporaryFolder();
    const first = await filled(folder);
    await first.close();
    await first.kept.execute(`UPDATE "m/Comment" SET "no" = 4`);
    await expect(serve(model, { folder })).rejects.toThrow(/Two rows of m\/Comment belong at the same place, path:/);
  });

  test('changes the version of what it mends, so that nobody keeps the old path', async () => {
    const folder = temporaryFolder();
    const first = await filled(folder);
    const { etag } = (await first.get('/m/Post/a%20b/PostComment/Comment/4')).headers;
    await first.close();
    await first.kept.execute(both);
    const second = await serve(model, { folder });
    expect((await second.get('/m/Post/a%20b/PostComment/Comment/4', { 'if-none-match': etag ?? '' })).status).toBe(200);
  });
});
