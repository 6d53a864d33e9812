// `platform access explain` says what the service does, and why: the rule with its place, the owners, the grants and the condition.

import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/app.ts';
import { isLarge } from '../support/form.ts';
import { commandedAt } from './command.ts';
import { instances, type Person, surfaces, world } from './people.ts';

const source = `module blog
entity Post {
  id Int @id, title String, author Email @optional,
  @rbac [(roles: [user], allow: [create, read]),
    (roles: [editor], allow: [update, delete], where: auth.user = this.author)]
}
entity Comment { id Int @id, text String @optional, @rbac [(roles: [guest], allow: [create, read])] }
entity Reply { id Int @id }
entity Team { id Int @id, @rbac [(roles: [user], allow: [create])] }
entity Folder { id Int @id, @rbac [(roles: [user], allow: [create])] }
relationship PostComment contains(Post, Comment) @inherit { @rbac [(roles: [guest], allow: [create])] }
relationship CommentReply contains(Comment, Reply)
relationship Within contains(Folder @as Outer, Folder @as Inner) @inherit
relationship TeamPost between(Team, Post) @assign(Team -> Post)
event publish { id Int }
workflow publish { {Post {id? publish.id}} }
event retract { id Int, @rbac [(roles: [editor], allow: [create])] }
workflow retract { {Post {id? retract.id}} }
entity Tag { id Int @id, @rbac [(roles: [user], allow: [create]), (roles: [guest], allow: [read])] }
relationship PostTag contains(Post, Tag)
`;

const targets = [
  '/blog/Post/1',
  '/blog/Post/2',
  '/blog/Post/1/PostComment/Comment/7',
  '/blog/Comment/7',
  '/blog/Post/1/PostComment/Comment/7/CommentReply/Reply/3',
  '/blog/Team/1',
  '/blog/Folder/1/Within/Folder/2',
  '/blog/Folder/2/Within/Folder/3',
  '/blog/Post/1/PostTag/Tag/5',
];
const collections = [
  '/blog/Post',
  '/blog/Post/1/PostComment/Comment',
  '/blog/Comment/7/CommentReply/Reply',
  '/blog/Folder/1/Within/Folder',
  '/blog/Post/1/PostTag/Tag',
  '/blog/Post/2/PostTag/Tag',
];

describe.each(surfaces)('on the %s surface', (surface) => {
  test('what is explained is what the service does', async () => {
    const { join, admin, served } = await world(source, surface);
    const [ann, bob, eve, gus, zoe] = [
      await join('ann', 'user'),
      await join('bob', 'user', 'editor'),
      await join('eve'),
      await join('gus', 'guest', 'user'),
      await join('zoe', 'editor'),
    ];
    const made = [
      await ann.create('/blog/Post', { id: 1, title: 'one', author: bob.email }),
      await bob.create('/blog/Post', { id: 2, title: 'two', author: eve.email }),
      await admin.create('/blog/Post/1/PostComment/Comment', { id: 7 }),
      await ann.create('/blog/Post/1/PostComment/Comment/7/CommentReply/Reply', { id: 3 }),
      await admin.create('/blog/Post/1/PostTag/Tag', { id: 5 }),
      await ann.create('/blog/Team', { id: 1 }),
      await bob.create('/blog/Folder', { id: 1 }),
      await bob.create('/blog/Folder/1/Within/Folder', { id: 2 }),
      await bob.create('/blog/Folder/2/Within/Folder', { id: 3 }),
      await bob.assign('InstancePrivilegeAssignment', { resource: 'blog/Post', resourceId: '2', assignee: eve.email, actions: ['update'] }),
      await admin.create('/blog/TeamPost', { Team: 1, Post: 2 }),
    ];
    expect(made.map(({ status }) => Math.floor(status / 100))).toEqual(made.map(() => 2));
    const { run } = commandedAt(source, served);
    const explained = async (person: Person, op: string, path: string): Promise<unknown> => {
      const on = surface === 'current' ? path : `/api${path}`;
      const { code, out, err } = await run('access', 'explain', '--user', person.email, '--op', op, '--on', on, '--json');
      expect([code, err]).toEqual([0, '']);
      const { allowed, status } = JSON.parse(out);
      return allowed === true ? 'allowed' : allowed === null ? 'depends' : status;
    };
    const answered = ({ status }: Answer): unknown => (status < 300 ? 'allowed' : status);
    let id = 100;
    // Which surface a path is of says only how it is read.
    for (const person of isLarge ? [ann, bob, eve, gus, zoe, admin] : surface === 'current' ? [bob, gus] : [eve]) {
      const said: unknown[] = [];
      const done: unknown[] = [];
      for (const path of targets) {
        said.push([person.email, path, await explained(person, 'read', path), await explained(person, 'update', path)]);
        done.push([person.email, path, answered(await person.read(path)), answered(await person.change(path, {}))]);
      }
      for (const path of collections) {
        said.push([person.email, path, await explained(person, 'create', path)]);
        id += 1;
        done.push([person.email, path, answered(await person.create(path, { id, ...(path === '/blog/Post' ? { title: 'x' } : {}) }))]);
      }
      expect(said).toEqual(done);
    }
    expect(instances(await eve.read('/blog/Post')).map((each) => each['id'])).toEqual([2]);
  });
});

test('what a user was granted is told also where many others were granted something', async () => {
  const { join, served } = await world(source);
  const [ann, eve] = [await join('ann', 'user'), await join('eve')];
  await ann.create('/blog/Post', { id: 1, title: 'one', author: ann.email });
  const grant = (assignee: string) =>
    ann.assign('InstancePrivilegeAssignment', { resource: 'blog/Post', resourceId: '1', assignee, actions: ['read'] });
  for (let index = 0; index < 25; index += 1) await grant(`other${index}@example.com`);
  await grant(eve.email);
  const { run } = commandedAt(source, served);
  const { out } = await run('access', 'explain', '--user', eve.email, '--op', 'read', '--on', '/blog/Post/1');
  expect(out).toContain('✓ granted by an owner: read to eve@example.com');
});

test('the rule, the chain of owners, the grants and the condition are printed, for what is allowed and what is denied', async () => {
  const { join, served, admin } = await world(source);
  const [ann, bob, eve] = [await join('ann', 'user'), await join('bob', 'user', 'editor'), await join('eve')];
  await ann.create('/blog/Post', { id: 1, title: 'one', author: ann.email });
  await admin.create('/blog/Post/1/PostComment/Comment', { id: 7 });
  await ann.assign('InstancePrivilegeAssignment', { resource: 'blog/Post', resourceId: '1', assignee: eve.email, actions: ['read'] });
  const { run } = commandedAt(source, served);
  const told = async (person: Person, op: string, on: string, ...more: readonly string[]): Promise<string> => {
    const { out, err } = await run('access', 'explain', '--user', person.email, '--op', op, '--on', on, ...more);
    return err + out;
  };
  expect(await told(bob, 'update', '/blog/Post/1')).toBe(`update /blog/Post/1 by bob@example.com (roles: editor, user): denied, 403
✗ admin
    ✗ has the role admin
✗ role editor
    src/core.al:5  (roles: [editor], allow: [update, delete], where: auth.user = this.author)
    ✓ has the role editor
    ✗ auth.user = this.author (this.author is "ann@example.com")
✗ owner: blog/Post 1 is owned by ann@example.com
✗ owner of blog/Team (assigned by blog/TeamPost)
✗ granted by an owner: nothing to bob@example.com
`);
  expect(
    await told(eve, 'read', '/api/blog/Post/1'),
  ).toBe(`read /api/blog/Post/1 by eve@example.com (no roles): allowed by granted by an owner
✗ admin
    ✗ has the role admin
✗ role user
    src/core.al:4  (roles: [user], allow: [create, read])
    ✗ has the role user
✗ owner: blog/Post 1 is owned by ann@example.com
✗ owner of blog/Team (assigned by blog/TeamPost)
✓ granted by an owner: read to eve@example.com
`);
  expect(await told(ann, 'delete', '/blog/Post/1/PostComment/Comment/7')).toContain(
    '✓ owner of blog/Post (in blog/PostComment): blog/Post 1 is owned by ann@example.com\n',
  );
  expect(await told(bob, 'create', '/blog/Post/1/PostComment/Comment')).toContain(`role guest, and of blog/PostComment: role guest
    src/core.al:7  (roles: [guest], allow: [create, read])
    src/core.al:11  (roles: [guest], allow: [create])
    ✗ has the role guest
    ✗ has the role guest
`);
  expect(await told(ann, 'create', '/blog/Post/1/PostTag/Tag')).toContain(`
✓ role user, and owner of blog/Post (in blog/PostTag): blog/Post 1 is owned by ann@example.com
    src/core.al:19  (roles: [user], allow: [create])
    ✓ has the role user
    ✓ owner of blog/Post (in blog/PostTag)
✗ role user, and owner of blog/Team (in blog/PostTag, assigned by blog/TeamPost)
    src/core.al:19  (roles: [user], allow: [create])
    ✓ has the role user
    ✗ owner of blog/Team (in blog/PostTag, assigned by blog/TeamPost)
`);
  expect(await told(bob, 'read', '/blog/Post/1', '--roles', 'editor')).toContain('(roles: editor): denied, 404');
  expect(await told(eve, 'execute', '/blog/retract')).toBe(`execute /blog/retract by eve@example.com (no roles): denied, 403
✗ admin
    ✗ has the role admin
✗ role editor
    src/core.al:17  (roles: [editor], allow: [create])
    ✗ has the role editor
`);
  expect((await eve.create('/blog/retract', { id: 1 })).status).toBe(403);
  expect(await told(bob, 'execute', '/api/blog/retract')).toContain('allowed by role editor');
  expect((await bob.create('/blog/retract', { id: 1 })).status).toBe(200);
  expect(await told(eve, 'execute', '/blog/publish')).toBe(
    'execute /blog/publish by eve@example.com (no roles): allowed\nWhoever is signed in may run it. What it reads and writes is what the user may read and write.\n',
  );
});

test('what cannot be explained is said in one line', async () => {
  const { join, served } = await world(source);
  await join('ann', 'user');
  const { run } = commandedAt(source, served);
  const said = async (user: string, op: string, on: string): Promise<string> =>
    (await run('access', 'explain', '--user', user, '--op', op, '--on', on)).err.trim();
  const cases = [
    [await said('nobody@example.com', 'read', '/blog/Post/1'), 'platform: There is no user nobody@example.com.'],
    [await said('ann@example.com', 'read', '/blog/Post/1'), 'platform: /blog/Post/1: there is no such instance.'],
    [
      await said('ann@example.com', 'read', '/blog/Pots/1'),
      'platform: /blog/Pots/1: there is no instance, collection or event at this path.',
    ],
    [
      await said('ann@example.com', 'read', '/blog/Post'),
      'platform: /blog/Post is a collection: name one of its instances. A list shows those that the user may read.',
    ],
    [
      await said('ann@example.com', 'execute', '/blog/Post'),
      'platform: /blog/Post is not run: what is asked of it is create, read, update or delete.',
    ],
    [await said('ann@example.com', 'read', '/blog/publish'), 'platform: /blog/publish is run: what is asked of it is execute.'],
  ];
  for (const [is, expected] of cases) expect(is).toBe(expected);
  expect(await said('ann@example.com', 'chmod', '/blog/Post')).toContain('Allowed choices are create, read, update, delete, execute');
});
