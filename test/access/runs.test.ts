// Events and dataflows run as their caller; who may run them can be said; new users get a default role, and a superuser gives further ones.

import { describe, expect, test, vi } from 'vitest';
import type { Project } from '../support/app.ts';
import { storeOfRun } from '../support/store.ts';
import { instances, type Surface, statuses, surfaces, world } from './people.ts';

const current = `module press
entity Post { id Int @id, title String, @rbac [(roles: [writer], allow: [create, read])] }
event write { id Int }
workflow write { {Post {id write.id, title "made"}} }
event overview {}
workflow overview { {Post? {}} }
event rename { id Int }
workflow rename { {Post {id? rename.id, title "renamed"}} }
event publish { id Int, @rbac [(roles: [editor], allow: [create])] }
workflow publish { publish.id }
workflow close @rbac [(roles: [editor], allow: [*])] { close.id }
event hurry { id Int }
workflow hurry { {publish {id hurry.id}} @as done; done }
event promote { email String, role String }
workflow promote { {platform.rbac/RoleAssignment {role promote.role, assignee promote.email}} }
workflow platform.auth/PostSignUp {
  {platform.auth/User {email? PostSignUp.signupRequest.user.email}} @as [user];
  {platform.rbac/RoleAssignment {role "writer", assignee PostSignUp.signupRequest.user.email}};
  user
}
`;

const earlier: Project = {
  'press.platform': `(component :press)
(entity :press/Post {:id {:type :Int :guid true} :title :String :rbac [{:roles ["writer"] :allow [:create :read]}]})
(event :press/write {:id :Int})
(dataflow :press/write {:press/Post {:id :press/write.id :title "made"}})
(event :press/overview {})
(dataflow :press/overview {:press/Post? {}})
(event :press/rename {:id :Int})
(dataflow :press/rename {:press/Post {:id? :press/rename.id :title "renamed"}})
(event :press/publish {:rbac [{:roles ["editor"] :allow [:create]}] :id :Int})
(dataflow :press/publish :press/publish.id)
(dataflow [:press/close :rbac [{:roles ["editor"] :allow [:*]}]] :press/close.id)
(event :press/hurry {:id :Int})
(dataflow :press/hurry {:press/publish {:id :press/hurry.id} :as :Done} :Done)
(event :press/promote {:email :String :role :String})
(dataflow :press/promote {:Platform.Kernel.Rbac/RoleAssignment {:Role :press/promote.role :Assignee :press/promote.email}})
(dataflow :Platform.Kernel.Identity/PostSignUp
  {:Platform.Kernel.Identity/User {:Email? :Platform.Kernel.Identity/PostSignUp.SignupRequest.User.Email} :as [:U]}
  {:Platform.Kernel.Rbac/RoleAssignment {:Role "writer" :Assignee :Platform.Kernel.Identity/PostSignUp.SignupRequest.User.Email}}
  :U)
`,
};

const cases: readonly (readonly [syntax: string, surface: Surface, project: Project])[] = [
  ...surfaces.map((surface) => ['current', surface, current] as const),
  ['earlier', 'earlier', earlier],
];

describe.each(cases)('in the %s syntax, on the %s surface', (_, surface, project) => {
  test('each new user gets the role that the dataflow on PostSignUp gives', async () => {
    const { join, admin } = await world(project, surface);
    const Ann = await join('Ann');
    expect((await Ann.create('/press/Post', { id: 1, title: 'x' })).status).toBe(surface === 'current' ? 201 : 200);
    const given = instances(await admin.read(admin.at('RoleAssignment'))).map((each) => each['role'] ?? each['Role']);
    expect(given.toSorted()).toEqual(['admin', 'writer']);
  });

  test('a dataflow runs as its caller: it sees what they see, owns what they own, and does no more', async () => {
    const { join, admin } = await world(project, surface);
    const [ann, bob] = [await join('ann'), await join('bob')];
    expect(
      await statuses(
        () => ann.create('/press/write', { id: 1 }),
        () => bob.create('/press/rename', { id: 1 }),
        () => ann.create('/press/rename', { id: 1 }),
        () => ann.create('/press/promote', { email: ann.email, role: 'editor' }),
      ),
    ).toEqual([200, 403, 200, 403]);
    const role = instances(
      await admin.read(`${admin.at('RoleAssignment')}?${surface === 'current' ? 'assignee' : 'Assignee'}=bob@example.com`),
    );
    await admin.remove(admin.at('RoleAssignment', String(role[0]?.['id'] ?? role[0]?.['Id'])));
    const [seen, unseen] = [await ann.create('/press/overview', {}), await bob.create('/press/overview', {})];
    expect([seen.text.includes('renamed'), unseen.text]).toEqual([true, '[]']);
    expect((await bob.create('/press/write', { id: 2 })).status).toBe(403);
    expect(instances(await admin.read('/press/Post'))).toHaveLength(1);
  });

  test('an event that says who may run it is posted by these and by admin, and logic runs it', async () => {
    const { join, admin } = await world(project, surface);
    const ann = await join('ann');
    const all = (person: typeof ann) =>
      statuses(
        () => person.create('/press/publish', { id: 1 }),
        () => person.create('/press/close', { id: 1 }),
        () => person.create('/press/hurry', { id: 1 }),
      );
    expect(await all(ann)).toEqual([403, 403, 200]);
    expect(await all(admin)).toEqual([200, 200, 200]);
    expect((await admin.create('/press/promote', { email: ann.email, role: 'editor' })).status).toBe(200);
    expect(await all(ann)).toEqual([200, 200, 200]);
  });
});

// On the server, writers do not wait for one another.
test.skipIf(storeOfRun() === 'postgres')('who loses the right to run an event while it waits for its turn does not run it', async () => {
  const { join, admin } = await world({
    'press.al': `module press
import "gate.js" @as gate
entity Post { id Int @id, @rbac [(roles: [*], allow: [create, read])] }
event hold { @rbac [(roles: [editor], allow: [create])] }
workflow hold { {Post {id 1}}; await gate.hold() }
event publish { @rbac [(roles: [editor], allow: [create])] }
workflow publish { {Post {id 2}} }
workflow isHeld { gate.isHeld() }
workflow release { gate.release() }
`,
    'gate.js': `let open;
export const hold = () => new Promise((done) => { open = () => done(true); });
export const isHeld = () => open !== undefined;
export const release = () => { open(); return true; };
`,
  });
  const ann = await join('ann', 'editor');
  const [role] = instances(await admin.read(`${admin.at('RoleAssignment')}?assignee=${ann.email}`));
  const holding = admin.create('/press/hold', {});
  await vi.waitUntil(async () => (await admin.create('/press/isHeld', {})).text === 'true');
  const removing = admin.remove(admin.at('RoleAssignment', String(role?.['id'])));
  const publishing = ann.create('/press/publish', {});
  await admin.create('/press/release', {});
  expect((await Promise.all([holding, removing, publishing])).map(({ status }) => status)).toEqual([200, 200, 403]);
  expect(instances(await admin.read('/press/Post'))).toHaveLength(1);
});
