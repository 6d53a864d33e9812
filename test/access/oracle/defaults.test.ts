// Roles that come by themselves: with the sign-up, by a dataflow that a superuser runs, and less of them by an API key.

import { describe, expect, test } from 'vitest';
import type { Project } from '../../support/app.ts';
import { instances, personOf, type Surface, statuses, surfaces, valueIn, world } from '../people.ts';

const projects: Readonly<Record<Surface, Project>> = {
  current: `module m
entity Doc { id Int @id, @rbac [(roles: [member], allow: [create, read]), (roles: [editor], allow: [read, update])], rank Int }
event promote { email String, role String }
workflow promote { {platform.rbac/RoleAssignment {role promote.role, assignee promote.email}} }
workflow count { {Doc? {}} }
workflow platform.auth/PostSignUp {
  {platform.auth/User {email? PostSignUp.signupRequest.user.email}} @as [user]
  {platform.rbac/RoleAssignment {role "member", assignee user.email}}
  user
}
`,
  earlier: {
    'core.platform': `(component :m)
(entity :m/Doc {:id {:type :Int :guid true} :rank :Int
  :rbac [{:roles ["member"] :allow [:create :read]} {:roles ["editor"] :allow [:read :update]}]})
(event :m/promote {:email :String :role :String})
(dataflow :m/promote {:Platform.Kernel.Rbac/RoleAssignment {:Role :m/promote.role :Assignee :m/promote.email}})
(dataflow :Platform.Kernel.Identity/PostSignUp
  {:Platform.Kernel.Identity/User {:Email? :Platform.Kernel.Identity/PostSignUp.SignupRequest.User.Email} :as [:U]}
  {:Platform.Kernel.Rbac/RoleAssignment {:Role "member" :Assignee :U.Email}}
  :U)
`,
  },
};

describe.each(surfaces)('on the %s surface', (surface) => {
  const created = surface === 'current' ? 201 : 200;

  test('a default role is given to each new user by PostSignUp', async () => {
    const { join, served } = await world(projects[surface], surface);
    const [ann, bob] = [await join('ann'), await join('bob')];
    expect(
      await statuses(
        () => ann.create('/m/Doc', { id: 1, rank: 1 }),
        () => bob.read('/m/Doc/1'),
        () => bob.change('/m/Doc/1', { rank: 2 }),
        () => ann.change('/m/Doc/1', { rank: 2 }),
      ),
    ).toEqual([created, 200, 403, 200]);
    expect(served.failures).toEqual([]);
  });

  test('a superuser runs a dataflow that adds a user to a further role, and nobody else does', async () => {
    const { join, admin } = await world(projects[surface], surface);
    const [ann, bob] = [await join('ann'), await join('bob')];
    await ann.create('/m/Doc', { id: 1, rank: 1 });
    const promote = (role: string) => ({ email: bob.email, role });
    expect(
      await statuses(
        () => bob.create('/m/promote', promote('editor')),
        () => ann.create('/m/promote', promote('admin')),
        () => bob.change('/m/Doc/1', { rank: 2 }),
        () => admin.create('/m/promote', promote('editor')),
        () => bob.change('/m/Doc/1', { rank: 2 }),
        () => bob.remove('/m/Doc/1'),
      ),
    ).toEqual([403, 403, 403, 200, 200, 403]);
  });

  test('a key has the roles that it was made for, and no other of its owner', async () => {
    const { join, served, admin } = await world(projects[surface], surface);
    const [ann, bob] = [await join('ann'), await join('bob', 'editor')];
    await ann.create('/m/Doc', { id: 1, rank: 1 });
    const users = surface === 'current' ? 'platform.auth' : 'Platform.Kernel.Identity';
    const key = async (...roles: readonly string[]) => {
      const names = surface === 'current' ? { name: 'key', roles } : { Name: 'key', Roles: roles };
      const answer = await bob.create(`/${users}/ApiKey`, names);
      return personOf(served, surface, bob.email, { authorization: `Bearer ${String(valueIn(answer, 'key'))}` });
    };
    const uses = (person: typeof bob) =>
      statuses(
        () => person.read('/m/Doc/1'),
        () => person.change('/m/Doc/1', { rank: 2 }),
        () => person.create('/m/Doc', { id: 2, rank: 1 }),
        () => admin.remove('/m/Doc/2'),
      );
    expect(await uses(bob)).toEqual([200, 200, created, 200]);
    expect(await uses(await key('member')), 'member').toEqual([200, 403, created, 200]);
    expect(await uses(await key('editor')), 'editor').toEqual([200, 200, 403, 404]);
    const both = await key('editor', 'member');
    const [{ id, Id = id } = {}] = instances(
      await admin.read(`${admin.at('RoleAssignment')}?${surface === 'current' ? 'role=editor' : 'Role=editor'}`),
    );
    expect((await admin.remove(admin.at('RoleAssignment', String(Id)))).status).toBe(200);
    expect(await uses(both), 'a role that the owner no longer has').toEqual([200, 403, created, 200]);
  });
});
