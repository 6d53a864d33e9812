// Who did it, who tried, and who may read of it: with users and access control, on either surface.

import { describe, expect, test } from 'vitest';
import { instances, type Person, surfaces, valueIn, world } from '../access/people.ts';
import { clientOf, password } from '../identity/accounts.ts';

const blog = `module blog
entity Post { id Int @id, title String, @meta {"audit": true}, @rbac [(roles: [user], allow: [create, read])] }
entity Secret { id Int @id, text String, @meta {"audit": true} }
entity Open { id Int @id, @rbac [(roles: [user], allow: [create, read])] }
entity Comment { id Int @id, text String, @meta {"audit": true} }
entity Account { email Email @id, @meta {"audit": true} }
relationship PostComment contains(Post, Comment)
workflow rename { {Post {id? rename.id, title rename.title}} }
workflow platform.auth/PostSignUp { {Account {email PostSignUp.signupRequest.user.email}} }
`;

const entries = { current: '/platform.audit/Entry', earlier: '/Platform.Kernel.Audit/Entry' } as const;

async function told(reader: Person, surface: 'current' | 'earlier'): Promise<readonly string[]> {
  const all = instances(await reader.read(entries[surface]));
  return all.map((each) => {
    const value = (name: string): unknown => each[name] ?? each[`${name.charAt(0).toUpperCase()}${name.slice(1)}`] ?? '-';
    return ['user', 'operation', 'type', 'instance', 'outcome'].map((name) => String(value(name))).join(' ');
  });
}

describe.each(surfaces)('on the %s surface', (surface) => {
  test('an entry has the user, of what was done and of what was denied; what nobody may see is denied too', async () => {
    const { join, admin, served } = await world(blog, surface, { audit: {} });
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    await ann.create('/blog/Post', { id: 1, title: 'one' });
    await ann.create('/blog/Secret', { id: 1, text: 'x' });
    await admin.create('/blog/Secret', { id: 5, text: 'x' });
    await ann.change('/blog/Post/1', { title: 'two' });
    expect((await bob.change('/blog/Post/1', { title: 'no' })).status).toBe(403);
    expect((await bob.remove('/blog/Post/1')).status).toBe(403);
    expect((await bob.create('/blog/Post/1/PostComment/Comment', { id: 8, text: 'x' })).status).toBe(403);
    expect((await bob.remove('/blog/Secret/5')).status).toBe(404);
    expect((await bob.remove('/blog/Secret/6')).status).toBe(404);
    expect((await bob.create('/blog/Open', { id: 8 })).status).toBeLessThan(300);
    const expected = [
      'ann@example.com create blog/Post 1 done',
      'ann@example.com create blog/Secret 1 denied',
      'admin@example.com create blog/Secret 5 done',
      'ann@example.com update blog/Post 1 done',
      'bob@example.com update blog/Post 1 denied',
      'bob@example.com delete blog/Post 1 denied',
      'bob@example.com create blog/Comment - denied',
      'bob@example.com delete blog/Secret 5 denied',
    ];
    const ofAccounts = (line: string): boolean => line.includes('blog/Account');
    await expect.poll(async () => (await told(admin, surface)).filter((line) => !ofAccounts(line))).toEqual(expected);
    expect(served.failures).toEqual([]);
  });

  test('admin reads entries, and nobody else does', async () => {
    const { join, admin, served } = await world(blog, surface, { audit: {} });
    const ann = await join('ann', 'user');
    await ann.create('/blog/Post', { id: 1, title: 'canary' });
    const found = await admin.read(entries[surface]);
    const id = String(valueIn(found, 'id'));
    expect((await admin.read(`${entries[surface]}/${id}`)).status).toBe(200);
    for (const path of [entries[surface], `${entries[surface]}/${id}`, `${entries[surface]}?@count=true`]) {
      const { status, text, headers } = await ann.read(path);
      expect([403, 404, 200]).toContain(status);
      expect(`${text} ${JSON.stringify(headers)}`).not.toContain('canary');
      if (status === 200)
        expect([instances({ status, text, headers, body: JSON.parse(text) }), headers['x-total-count'] ?? '0']).toEqual([[], '0']);
      expect((await served.get(surface === 'current' ? path : `/api${path}`)).status).toBe(401);
    }
    expect((await admin.remove(`${entries[surface]}/${id}`)).status).toBe(405);
    expect((await ann.remove(`${entries[surface]}/${id}`)).status).toBeGreaterThanOrEqual(403);
  });

  test('what the model does with a new user is an entry, and neither sign-up nor login leave a secret in it', async () => {
    const { join, admin, served } = await world(blog, surface, { audit: {} });
    const ann = await join('ann', 'user');
    await ann.create('/blog/Post', { id: 1, title: 'x' });
    await clientOf(served, surface).login('ann@example.com', 'wrong');
    expect(await told(admin, surface)).toContain('- create blog/Account ann@example.com done');
    const { text } = await admin.read(entries[surface]);
    expect(text).not.toContain(password);
    expect(text).not.toMatch(/argon|eyJ/);
  });
});

test('of an array, who may not make one of the first is recorded, though nothing can be computed for a later one', async () => {
  const seats = `module hall
entity Seat { no Int @id, row Int @optional, code Int @expr(row * 10), owner String, @meta {"audit": true},
  @rbac [(roles: [user], allow: [create, read], where: auth.user = this.owner)] }
`;
  const { join, admin } = await world(seats, 'current', { audit: {} });
  const ann = await join('ann', 'user');
  const both = [
    { no: 1, row: 1, owner: 'bob@example.com' },
    { no: 2, owner: ann.email },
  ];
  expect((await ann.create('/hall/Seat', both)).status).toBe(403);
  expect(await told(admin, 'current')).toEqual([expect.stringContaining('create hall/Seat 1 denied')]);
});
