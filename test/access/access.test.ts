// Roles and owners decide, on either surface and on every path.

import { describe, expect, test } from 'vitest';
import { instances, statuses, surfaces, valueIn, world } from './people.ts';

const blog = `module blog
entity Post { id Int @id, title String, @rbac [(roles: [user], allow: [create, read])] }
entity Note { id Int @id, text String @optional }
entity Comment { id Int @id, text String }
relationship PostComment contains(Post, Comment)
`;

describe.each(surfaces)('on the %s surface', (surface) => {
  test('any user in role `user` may create and read posts; only the creator may update or delete a post', async () => {
    const { join, admin } = await world(blog, surface);
    const [ann, bob, eve] = [await join('ann', 'user'), await join('bob', 'user'), await join('eve')];
    const made = await ann.create('/blog/Post', { id: 1, title: 'one' });
    expect([made.status, valueIn(made, 'title')]).toEqual([surface === 'current' ? 201 : 200, 'one']);
    const tries = (person: typeof ann) =>
      statuses(
        () => person.read('/blog/Post/1'),
        () => person.change('/blog/Post/1', { title: 'two' }),
        () => person.create('/blog/Post', { id: 2, title: 'x' }),
        () => person.remove('/blog/Post/2'),
      );
    const created = surface === 'current' ? 201 : 200;
    expect(await tries(bob)).toEqual([200, 403, created, 200]);
    expect(await tries(eve)).toEqual([404, 404, 403, 404]);
    expect(await tries(ann)).toEqual([200, 200, created, 200]);
    expect(await tries(admin)).toEqual([200, 200, created, 200]);
    expect((await bob.remove('/blog/Post/1')).status).toBe(403);
    expect(instances(await eve.read('/blog/Post'))).toEqual([]);
    expect(instances(await bob.read('/blog/Post')).map((each) => each['id'])).toEqual([1]);
  });

  test('an owner adds owners and grants operations to others, and takes both back', async () => {
    const { join, served } = await world(blog, surface);
    const [ann, bob, eve] = [await join('ann', 'user'), await join('bob'), await join('eve')];
    await ann.create('/blog/Post', { id: 1, title: 'one' });
    expect((await bob.read('/blog/Post/1')).status).toBe(404);
    const owned = await ann.assign('OwnershipAssignment', { resource: 'blog/Post', resourceId: '1', assignee: bob.email });
    expect(owned.text).toContain('bob@example.com');
    expect(
      await statuses(
        () => bob.read('/blog/Post/1'),
        () => bob.change('/blog/Post/1', { title: 'of bob' }),
        () =>
          bob.assign('InstancePrivilegeAssignment', { resource: 'blog/Post', resourceId: '1', assignee: eve.email, actions: ['update'] }),
        () => eve.read('/blog/Post/1'),
        () => eve.change('/blog/Post/1', { title: 'of eve' }),
        () => eve.remove('/blog/Post/1'),
        () => eve.assign('OwnershipAssignment', { resource: 'blog/Post', resourceId: '1', assignee: eve.email }),
      ),
    ).toEqual([200, 200, surface === 'current' ? 201 : 200, 200, 200, 403, 403]);
    expect(instances(await bob.read('/blog/Post')).map((each) => each['id'])).toEqual([1]);
    expect((await ann.remove(ann.at('OwnershipAssignment', String(valueIn(owned, 'id'))))).status).toBe(200);
    expect((await bob.read('/blog/Post/1')).status).toBe(404);
    expect(instances(await bob.read('/blog/Post'))).toEqual([]);
    expect(served.failures).toEqual([]);
  });

  test('owners of a parent own what it contains', async () => {
    const { join } = await world(blog, surface);
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    await ann.create('/blog/Post', { id: 1, title: 'one' });
    const created = surface === 'current' ? 201 : 200;
    expect(
      await statuses(
        () => ann.create('/blog/Post/1/PostComment/Comment', { id: 7, text: 'x' }),
        () => bob.create('/blog/Post/1/PostComment/Comment', { id: 8, text: 'x' }),
        () => ann.read('/blog/Post/1/PostComment/Comment/7'),
        () => bob.read('/blog/Post/1/PostComment/Comment/7'),
      ),
    ).toEqual([created, 403, 200, 404]);
    expect(instances(await bob.read('/blog/Post/1/PostComment/Comment'))).toEqual([]);
    expect(instances(await ann.read('/blog/Comment')).length).toBe(1);
  });
});
