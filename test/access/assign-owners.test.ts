// Access control switched on for data that has no owners: admins own it, until `platform access assign-owners` gives it the users whom an attribute names.

import { expect, test } from 'vitest';
import { open } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { commandedAt } from './command.ts';
import { instances, statuses, world } from './people.ts';

const source = `module blog
entity Post { id Int @id, title String @optional, author Email @optional, writer String @optional }
entity Comment { id Int @id, author Email @optional }
entity Tag { name String @id }
relationship PostComment contains(Post, Comment)
`;

test('what has no owner is the admins’, and gets the owners that an attribute names: in portions, repeatable, unknown ones are told', async () => {
  const folder = folderForTest();
  const before = await open(source, { folder });
  const posts = Array.from({ length: 450 }, (_, index) => ({
    id: index + 1,
    author: index < 430 ? 'Ann@Example.com' : 'gone@example.com',
  }));
  expect((await before.post('/blog/Post', posts)).status).toBe(201);
  await before.post('/blog/Post', { id: 900, title: 'no author' });
  await before.post('/blog/Post/1/PostComment/Comment', { id: 7, author: 'bob@example.com' });
  await before.post('/blog/Tag', { name: 'news' });
  await before.close();

  const first = await world(source, 'current', { folder, isOpen: true });
  const [ann, bob] = [await first.join('ann'), await first.join('bob')];
  expect([
    instances(await ann.read('/blog/Post?@limit=1000')).length,
    instances(await first.admin.read('/blog/Post?@limit=1000')).length,
  ]).toEqual([0, 451]);
  expect(
    await statuses(
      () => ann.change('/blog/Post/1', { title: 'x' }),
      () => first.admin.change('/blog/Post/1', { title: 'x' }),
    ),
  ).toEqual([404, 200]);
  // Somebody owns this one already.
  await first.admin.assign('OwnershipAssignment', { resource: 'blog/Post', resourceId: '2', assignee: bob.email });
  await first.served.close();

  const { run } = commandedAt(source, first.served);
  const trial = `blog/Post: 429 instances would get an owner; 1 instance without author; 20 instances name no user
  no user gone@example.com: 20 instances
blog/Comment: 1 instance would get an owner
`;
  expect(await run('access', 'assign-owners', '--from', 'author', '--dry-run')).toEqual({ code: 1, out: trial, err: '' });
  expect((await run('access', 'assign-owners', '--from', 'author', '--dry-run')).out).toBe(trial);
  expect((await run('access', 'assign-owners', '--from', 'author', '--entity', 'blog/Comment')).out).toBe(
    'blog/Comment: 1 instance has an owner now\n',
  );
  expect(
    (await run('access', 'assign-owners', '--from', 'author')).out,
  ).toBe(`blog/Post: 429 instances have an owner now; 1 instance without author; 20 instances name no user
  no user gone@example.com: 20 instances
blog/Comment: 0 instances have an owner now
`);
  const again = await run('access', 'assign-owners', '--from', 'author', '--json');
  expect(JSON.parse(again.out)).toEqual([
    { type: 'blog/Post', assigned: 0, empty: 1, unknown: { 'gone@example.com': 20 }, unknownCount: 20 },
    { type: 'blog/Comment', assigned: 0, empty: 0, unknown: {}, unknownCount: 0 },
  ]);
  expect((await run('access', 'assign-owners', '--from', 'autor')).err).toBe('platform: No entity has an attribute autor.\n');
  expect((await run('access', 'assign-owners', '--from', 'author', '--entity', 'blog/Tag')).err).toBe(
    'platform: blog/Tag has no attribute author.\n',
  );
  expect((await run('access', 'assign-owners', '--from', 'author', '--entity', 'blog/Pots')).err).toBe(
    'platform: There is no entity blog/Pots; there are blog/Post, blog/Comment, blog/Tag.\n',
  );

  const after = await world(source, 'current', { folder });
  const [owner, other] = [await after.enter('ann'), await after.enter('bob')];
  expect(instances(await owner.read('/blog/Post?@limit=1000')).length).toBe(429);
  expect(instances(await other.read('/blog/Post?@limit=1000')).map((each) => each['id'])).toEqual([2]);
  expect(instances(await other.read('/blog/Comment')).map((each) => each['id'])).toEqual([7]);
  expect(
    await statuses(
      () => owner.change('/blog/Post/1', { title: 'mine' }),
      () => owner.change('/blog/Post/440', { title: 'x' }),
      () => other.change('/blog/Comment/7', {}),
      () => owner.change('/blog/Comment/7', {}),
    ),
  ).toEqual([200, 404, 200, 200]);
});
