// Owners, grants and roles belong to instances and users, whatever becomes of these: names that the model changes, parents, another database, deletion.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { commandedAt } from './command.ts';
import { instances, type Person, statuses, valueIn, type World, world } from './people.ts';

const first = `module blog
entity Post { id Int @id, title String @optional, author String @optional, @rbac [(roles: [writer], allow: [create]), (roles: [editor], allow: [update], where: auth.user = this.author)] }
entity Note { id String @id, text String @optional }
entity Line { id Int @id }
entity Tag { id Int @id, @rbac [(roles: [writer], allow: [create])] }
relationship PostNote contains(Post, Note)
relationship NoteLine contains(Note, Line)
`;
/** Every name is another one. */
const second = `module blog
entity Article { @was("Post"), id Int @id, heading String @optional @was("title"), by String @optional @was("author"), @rbac [(roles: [writer], allow: [create]), (roles: [editor], allow: [update], where: auth.user = this.by)] }
entity Remark { @was("Note"), id String @id, text String @optional }
entity Row { @was("Line"), id Int @id }
entity Tag { id Int @id, @rbac [(roles: [writer], allow: [create])] }
relationship ArticleRemark contains(Article, Remark) @was("PostNote")
relationship RemarkRow contains(Remark, Row) @was("NoteLine")
`;

/** Ann has a post with a note and a line, Ben another one, and may read the first and change its note. */
async function written({ join: signUp }: World): Promise<void> {
  const [ann, ben] = [await signUp('ann', 'writer'), await signUp('ben', 'writer', 'editor')];
  await signUp('eve');
  const tree = { id: 1, title: 'a', author: ben.email, PostNote: [{ id: 'é/1', NoteLine: [{ id: 7 }] }] };
  const made = [
    await ann.create('/blog/Post', tree),
    await ann.create('/blog/Tag', { id: 1 }),
    await ben.create('/blog/Post', { id: 2, PostNote: [{ id: 'two' }] }),
    await ann.assign('InstancePrivilegeAssignment', { resource: 'blog/Post', resourceId: '1', assignee: ben.email, actions: ['read'] }),
    await ann.assign('InstancePrivilegeAssignment', {
      ...{ resource: 'blog/Note', resourceId: String(valueIn(await ann.read('/blog/Note?id=%C3%A9%2F1'), '__path__')) },
      ...{ assignee: ben.email, actions: ['update'] },
    }),
  ];
  expect(made.map((each) => each.status)).toEqual([201, 201, 201, 201, 201]);
}

const seen = async (person: Person, ...types: readonly string[]): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (const type of types) found.push(instances(await person.read(`/blog/${type}`)).map((each) => each['id']));
  return found;
};

async function people({ enter }: World): Promise<readonly [Person, Person, Person]> {
  return [await enter('ann'), await enter('ben'), await enter('eve')];
}

test('owners, grants and conditions follow entities, relationships and attributes that get other names', async () => {
  const folder = folderForTest();
  const before = await world(first, 'current', { folder, isOpen: true });
  await written(before);
  await before.served.close();
  const after = await world(second, 'current', { folder });
  const [ann, ben, eve] = await people(after);
  const types = ['Article', 'Remark', 'Row', 'Tag'];
  expect(await seen(ann, ...types)).toEqual([[1], ['é/1'], [7], [1]]);
  expect(await seen(ben, ...types)).toEqual([[1, 2], ['é/1', 'two'], [], []]);
  expect(await seen(eve, ...types)).toEqual([[], [], [], []]);
  const remark = '/blog/Article/1/ArticleRemark/Remark/%C3%A9%2F1';
  expect(
    await statuses(
      () => ben.change('/blog/Article/1', { heading: 'by the rule' }),
      () => ben.change('/blog/Tag/1', {}),
      () => ben.change(remark, { text: 'granted' }),
      () => ben.remove(remark),
      () => ann.change(`${remark}/RemarkRow/Row/7`, {}),
      () => ann.remove('/blog/Article/2'),
      () => ann.create('/blog/Article/1/ArticleRemark/Remark', { id: 'new' }),
      () => ben.remove('/blog/Article/2'),
    ),
  ).toEqual([200, 404, 200, 403, 200, 404, 201, 200]);
  const about = instances(await after.admin.read(`${after.admin.at('OwnershipAssignment')}?@limit=100`)).map(
    (each) => `${String(each['resource'])} ${String(each['resourceId'])} ${String(each['assignee'])}`,
  );
  expect(about.sort()).toEqual([
    'blog/Article 1 ann@example.com',
    'blog/Remark path://blog$Article/1/blog$ArticleRemark/blog$Remark/%C3%A9%2F1 ann@example.com',
    'blog/Remark path://blog$Article/1/blog$ArticleRemark/blog$Remark/new ann@example.com',
    'blog/Row path://blog$Article/1/blog$ArticleRemark/blog$Remark/%C3%A9%2F1/blog$RemarkRow/blog$Row/7 ann@example.com',
    'blog/Tag 1 ann@example.com',
  ]);
});

const flat = `module blog
entity Post { id Int @id, slug String, @rbac [(roles: [writer], allow: [create])] }
entity Note { id Int @id, @rbac [(roles: [writer], allow: [create])] }
relationship PostNote between(Post, Note) @one_many
`;
const changes = [
  {
    what: 'get another identifier',
    next: flat.replace('id Int @id, slug String', 'id Int, slug String @id'),
    paths: ['/blog/Post/one', '/blog/Post/two', '/blog/Note/5'],
  },
  {
    what: 'come to stand under a parent',
    next: flat
      .replace('entity Note { id Int @id, @rbac [(roles: [writer], allow: [create])] }', 'entity Note { id Int @id }')
      .replace('between(Post, Note) @one_many', 'contains(Post, Note)'),
    paths: ['/blog/Post/1', '/blog/Post/2', '/blog/Post/1/PostNote/Note/5'],
  },
] as const;

test.each(changes)('owners follow instances that $what', async ({ next, paths: [one, two, note] }) => {
  const folder = folderForTest();
  const before = await world(flat, 'current', { folder, isOpen: true });
  const [ann, ben] = [await before.join('ann', 'writer'), await before.join('ben', 'writer')];
  expect(
    await statuses(
      () => ann.create('/blog/Post', { id: 1, slug: 'one' }),
      () => ben.create('/blog/Post', { id: 2, slug: 'two' }),
      () => ann.create('/blog/Note', { id: 5 }),
      () => ann.create('/blog/PostNote', { Post: 1, Note: 5 }),
    ),
  ).toEqual([201, 201, 201, 201]);
  await before.served.close();
  const applied = await commandedAt(next, before.served).run('migrate', 'apply', '--yes');
  expect([applied.code, applied.err]).toEqual([0, '']);
  const after = await world(next, 'current', { folder });
  const [anna, benno] = [await after.enter('ann'), await after.enter('ben')];
  expect(
    await statuses(
      () => anna.change(one, {}),
      () => anna.change(two, {}),
      () => benno.change(two, {}),
      () => anna.change(note, {}),
      () => benno.change(note, {}),
    ),
  ).toEqual([200, 404, 200, 200, 404]);
});

test('what was exported and is imported elsewhere has the users, roles, owners and grants that it had', async () => {
  const before = await world(first, 'current', { folder: folderForTest(), isOpen: true });
  await written(before);
  await before.served.close();
  const exported = commandedAt(first, before.served);
  expect(await exported.run('export', '--out', 'all')).toMatchObject({ code: 0 });
  const folder = folderForTest();
  const empty = await open(first, { folder });
  await empty.close();
  const imported = await commandedAt(first, empty).run('import', join(exported.folder, 'all'));
  expect([imported.code, imported.err]).toEqual([0, '']);
  const after = await world(first, 'current', { folder });
  const [ann, ben, eve] = await people(after);
  const types = ['Post', 'Note', 'Line', 'Tag'];
  expect(await seen(ann, ...types)).toEqual([[1], ['é/1'], [7], [1]]);
  expect(await seen(ben, ...types)).toEqual([[1, 2], ['é/1', 'two'], [], []]);
  expect(await seen(eve, ...types)).toEqual([[], [], [], []]);
  expect(
    await statuses(
      () => ben.change('/blog/Post/1', { title: 'as editor' }),
      () => ben.remove('/blog/Post/1'),
      () => eve.change('/blog/Post/1', {}),
      () => ann.remove('/blog/Post/1'),
    ),
  ).toEqual([200, 403, 404, 200]);
});

test('what a user alone owned is the admins’ when the user is deleted, and nothing of it comes back with the address', async () => {
  const all = await world(first);
  await written(all);
  const [ann, ben] = await people(all);
  const { admin } = all;
  await ann.assign('OwnershipAssignment', { resource: 'blog/Tag', resourceId: '1', assignee: ben.email });
  await ben.assign('InstancePrivilegeAssignment', { resource: 'blog/Post', resourceId: '2', assignee: ann.email, actions: ['*'] });
  expect((await admin.remove('/platform.auth/User/ann@example.com')).status).toBe(200);
  const again = await all.join('ann');
  expect(await seen(again, 'Post', 'Note', 'Line', 'Tag')).toEqual([[], [], [], []]);
  expect(
    await statuses(
      () => again.change('/blog/Post/1', {}),
      () => again.create('/blog/Post', { id: 3 }),
      () => ben.change('/blog/Tag/1', {}),
      () => ben.remove('/blog/Post/1'),
      () => admin.change('/blog/Post/1', {}),
      () => admin.remove('/blog/Post/1'),
    ),
  ).toEqual([404, 403, 200, 403, 200, 200]);
});

test('what moves to another parent is owned by the owners of that one, and by its own', async () => {
  const all = await world(first);
  await written(all);
  const [ann, ben, eve] = await people(all);
  const { admin } = all;
  const [from, to] = ['/blog/Post/1/PostNote/Note', '/blog/Post/2/PostNote/Note'];
  const place = { '@parent': 'path://blog$Post/2' };
  expect((await admin.create(from, { id: 'by admin', NoteLine: [{ id: 1 }] })).status).toBe(201);
  await admin.assign('OwnershipAssignment', {
    ...{ resource: 'blog/Note', resourceId: 'path://blog$Post/1/blog$PostNote/blog$Note/by%20admin', assignee: eve.email },
  });
  const line = '/by%20admin/NoteLine/Line/1';
  expect(
    await statuses(
      () => ann.change(`${from}${line}`, {}),
      () => ben.change(`${from}${line}`, {}),
      () => ann.change(`${from}/by%20admin`, place),
      () => ben.change(`${from}/by%20admin`, place),
      () => admin.change(`${from}/by%20admin`, place),
      () => ann.change(`${to}${line}`, {}),
      () => ben.change(`${to}${line}`, {}),
      () => eve.change('/blog/Line/1', {}),
      () => ann.change(`${from}${line}`, {}),
    ),
  ).toEqual([200, 404, 422, 404, 200, 404, 200, 200, 404]);
  // The path as it was is free, and whoever makes something there is its owner.
  expect((await ann.create(from, { id: 'by admin' })).status).toBe(201);
  expect(await seen(eve, 'Note')).toEqual([['by admin']]);
});

test('a cascade takes along what others own below, and with it who owned it', async () => {
  const all = await world(first);
  await written(all);
  const [ann, ben, eve] = await people(all);
  const note = { resource: 'blog/Note', resourceId: 'path://blog$Post/1/blog$PostNote/blog$Note/%C3%A9%2F1', assignee: eve.email };
  await ann.assign('OwnershipAssignment', note);
  expect(await seen(eve, 'Note', 'Line')).toEqual([['é/1'], [7]]);
  expect((await ann.remove('/blog/Post/1')).status).toBe(200);
  const tree = { id: 1, PostNote: [{ id: 'é/1', NoteLine: [{ id: 7 }] }] };
  expect((await ben.create('/blog/Post', tree)).status).toBe(201);
  expect(await seen(eve, 'Post', 'Note', 'Line')).toEqual([[], [], []]);
  expect(await seen(ann, 'Post', 'Note', 'Line')).toEqual([[], [], []]);
});

test('conditions on versions and keys of requests tell nothing of what may not be read', async () => {
  const all = await world(first);
  await written(all);
  const [ann, , eve] = await people(all);
  const { served } = all;
  const told = async (method: string, id: number, headers: Readonly<Record<string, string>>) => {
    const sent = { ...eve.headers, ...headers, 'content-type': 'application/json' };
    const { status, headers: given, text } = await served.ask({ method, target: `/blog/Post/${id}`, headers: sent, text: '{"title":"x"}' });
    const { etag, location } = given;
    return { status, etag, location, text: text.replaceAll(/\/Post\/\d+/g, '/Post/N') };
  };
  const { etag = '' } = (await served.get('/blog/Post/1', ann.headers)).headers;
  expect(etag).not.toBe('');
  const conditions = [
    {},
    { 'if-match': etag },
    { 'if-match': '"1"' },
    { 'if-match': '*' },
    { 'if-none-match': '*' },
    { 'if-none-match': etag },
  ];
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    for (const each of conditions) {
      const hidden = await told(method, 1, each);
      expect([method, each, hidden.status], method).toEqual([method, each, 404]);
      expect(hidden).toEqual(await told(method, 999, each));
    }
  }
  // A key belongs to who sent it: the answer that another one got is not given for it.
  const key = { 'idempotency-key': 'abc' };
  const post = (person: Person, body: unknown) => served.post('/blog/Post', body, { ...person.headers, ...key });
  const mine = await post(ann, { id: 10, title: 'secret' });
  const others = await post(eve, { id: 10, title: 'secret' });
  expect([mine.status, others.status]).toEqual([201, 403]);
  expect(others.text).not.toContain('secret');
  expect(others.headers['location']).toBeUndefined();
  expect((await post(ann, { id: 10, title: 'secret' })).text).toBe(mine.text);
});
