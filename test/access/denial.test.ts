// The body of a 403 tells why only an admin who asks with fewer roles: what the model asks for, no owners and no values.

import { describe, expect, test } from 'vitest';
import type { Answer, Served } from '../support/app.ts';
import { property } from '../support/table.ts';
import { type Person, surfaces, valueIn, world } from './people.ts';

const source = `module blog
entity Post {
  id Int @id, title String, author Email @optional,
  @rbac [(roles: [user], allow: [create, read]), (roles: [user, editor], allow: [update], where: auth.user = this.author)]
}
entity Tag { id Int @id, @rbac [(roles: [user], allow: [read])] }
event publish { id Int, @rbac [(roles: [editor], allow: [create])] }
workflow publish { {Tag {id publish.id}} }
event label { id Int }
workflow label { {Tag {id label.id}} }
event spread { id Int }
workflow spread { {publish {id spread.id}} }
`;

describe.each(surfaces)('on the %s surface', (surface) => {
  const isCurrent = surface === 'current';
  const at = (path: string): string => (isCurrent ? path : `/api${path}`);

  async function keyOf(person: Person, roles: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const made = await person.create(
      isCurrent ? '/platform.auth/ApiKey' : '/Platform.Kernel.Identity/ApiKey',
      isCurrent ? { name: 'k', roles } : { Name: 'k', Roles: roles },
    );
    return { authorization: `Bearer ${String(valueIn(made, 'key'))}` };
  }

  const change = (served: Served, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    served.put(at('/blog/Post/1'), isCurrent ? { title: 'x' } : { Data: { title: 'x' } }, headers);

  const explanationOf = ({ body }: Answer): unknown => property(isCurrent ? body : property(body, '0'), 'explanation');

  test.each(['label', 'spread'])(
    'which step of the workflow %s is denied is told as why it is: to an admin with a key of fewer roles alone',
    async (event) => {
      const { admin, join, served } = await world(source, surface);
      const ann = await join('ann', 'user');
      await admin.assign('RoleAssignment', { role: 'user', assignee: admin.email });
      const run = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
        served.post(at(`/blog/${event}`), isCurrent ? { id: 1 } : { [`blog/${event}`]: { id: 1 } }, headers);
      const denied = await run(ann.headers);
      expect([denied.status, denied.text.includes('pattern'), /Tag|publish/.test(denied.text)]).toEqual([403, false, false]);
      const told = await run(await keyOf(admin, ['user']));
      expect([told.status, explanationOf(told)]).toEqual([403, expect.arrayContaining(['role admin: the API key does without it'])]);
      expect(property(isCurrent ? told.body : property(told.body, '0'), 'pattern')).toMatch(/blog\/(Tag|publish)/);
    },
  );

  test('an admin with a key of fewer roles is told what could have allowed it, and nobody else is', async () => {
    const { admin, join, served } = await world(source, surface);
    const ann = await join('ann', 'user');
    const bob = await join('bob', 'user', 'editor');
    await admin.assign('RoleAssignment', { role: 'user', assignee: admin.email });
    await ann.create('/blog/Post', { id: 1, title: 'one', author: 'secret@example.com' });
    const key = await keyOf(admin, ['user']);
    const refused = await change(served, key);
    expect([refused.status, explanationOf(refused)]).toEqual([
      403,
      [
        'role admin: the API key does without it',
        'role user or editor where auth.user = this.author (core.al:4): the condition does not hold',
        'owner: does not hold',
        'granted by an owner: does not hold',
      ],
    ]);
    expect(refused.text).not.toMatch(/secret@|ann@/);
    const made = await served.post(at('/blog/Tag'), isCurrent ? { id: 1 } : { 'blog/Tag': { id: 1 } }, key);
    expect([made.status, explanationOf(made)]).toEqual([403, ['role admin: the API key does without it']]);
    const run = await served.post(at('/blog/publish'), isCurrent ? { id: 1 } : { 'blog/publish': { id: 1 } }, key);
    expect([run.status, explanationOf(run)]).toEqual([
      403,
      ['role admin: the API key does without it', 'role editor (core.al:7): the user has no such role'],
    ]);
    for (const headers of [bob.headers, await keyOf(bob, ['user']), await keyOf(bob, [])]) {
      const other = await change(served, headers);
      expect([other.status === 403 || other.status === 404, explanationOf(other)]).toEqual([true, undefined]);
    }
    // Whoever is no longer an admin is told nothing more.
    const roles = await admin.read(`${admin.at('RoleAssignment')}?${isCurrent ? 'role' : 'Role'}=admin`);
    expect((await admin.remove(admin.at('RoleAssignment', String(valueIn(roles, 'id'))))).status).toBe(200);
    const later = await change(served, key);
    expect([later.status, explanationOf(later)]).toEqual([403, undefined]);
    expect(served.failures).toEqual([]);
  });
});
