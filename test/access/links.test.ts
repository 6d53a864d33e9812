// Links and the owners of their ends: what a link gives is held while it is there, and what was held otherwise stays.

import { expect, test } from 'vitest';
import { instances, statuses, world } from './people.ts';

const model = `module m
entity Doc { id Int @id, @rbac [(roles: [writer], allow: [create])] }
entity Team { id Int @id, @rbac [(roles: [writer], allow: [create])] }
relationship Shared between(Doc @as From, Team @as To) @owner(From) @assign(To -> From)
`;

test('what a link gives goes with it, and leaves what was held otherwise', async () => {
  const { join } = await world(model);
  const [ann, bob] = [await join('ann', 'writer'), await join('bob', 'writer')];
  const seen = async (person: typeof ann) => instances(await person.read('/m/Doc')).map((each) => each['id']);
  await ann.create('/m/Doc', { id: 1 });
  await bob.create('/m/Team', { id: 1 });
  await bob.create('/m/Team', { id: 2 });
  // Whoever owns the one end has to see the other one.
  const granted = { resource: 'm/Team', assignee: ann.email, actions: ['read'] };
  for (const resourceId of ['1', '2']) await bob.assign('InstancePrivilegeAssignment', { ...granted, resourceId });
  const link = (person: typeof ann, To: number) => person.create('/m/Shared', { From: 1, To });
  expect((await link(bob, 1)).status).toBe(422);
  expect((await link(ann, 1)).status).toBe(201);
  expect(await seen(bob)).toEqual([1]);
  // By the first link the owner of the team owns the document, and may link it further.
  expect((await link(bob, 2)).status).toBe(201);
  expect(
    await statuses(
      () => bob.remove('/m/Doc/1/Shared/Team/1'),
      () => bob.read('/m/Doc/1'),
      () => bob.remove('/m/Doc/1/Shared/Team/2'),
      () => bob.read('/m/Doc/1'),
    ),
  ).toEqual([200, 200, 200, 404]);
  expect((await link(ann, 1)).status).toBe(201);
  await ann.assign('OwnershipAssignment', { resource: 'm/Doc', resourceId: '1', assignee: bob.email });
  expect(
    await statuses(
      () => ann.remove('/m/Doc/1/Shared/Team/1'),
      () => bob.read('/m/Doc/1'),
    ),
  ).toEqual([200, 200]);
});
