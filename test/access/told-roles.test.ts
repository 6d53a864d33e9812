// A role that somebody is given and that no rule names is kept, and told of once; what rules allow, and what links give, ends where it says.

import { expect, test } from 'vitest';
import { folderForTest } from '../support/folder.ts';
import { commandedAt } from './command.ts';
import { instances, statuses, surfaces, world } from './people.ts';

const source = `module m
entity Doc { id Int @id, @rbac [(roles: [editor], allow: [create, read]), (roles: [blind], allow: [update, delete])] }
`;

test.each(surfaces)('a role that no rule names is kept and told of once, on the %s surface', async (surface) => {
  const { join, admin, served } = await world(source, surface);
  const [ann] = [await join('ann', 'editor'), await join('ben', 'editr'), await join('eve', 'editr', 'admin')];
  const told = () => served.warnings.map(({ message, msg = message }) => String(msg)).filter((each) => each.includes('role'));
  const line = 'the role editr was given to a user, and no rule of the model names it; did you mean editor?';
  await expect.poll(told).toEqual([line]);
  await admin.assign('RoleAssignment', { role: 'guest', assignee: ann.email });
  await expect.poll(told).toEqual([line, 'the role guest was given to a user, and no rule of the model names it']);
  const roles = instances(await admin.read(admin.at('RoleAssignment'))).map((each) => String(each['role'] ?? each['Role']));
  expect(roles.sort()).toEqual(['admin', 'admin', 'editor', 'editr', 'editr', 'guest']);
});

test('an operator who gives a role that no rule names is told so', async () => {
  const folder = folderForTest();
  const { join, served } = await world(source, 'current', { folder, isOpen: true });
  await join('ann');
  await served.close();
  const { run } = commandedAt(source, served);
  expect(await run('users', 'role', 'ann@example.com', 'add', 'edtior')).toEqual({
    code: 0,
    out: 'ann@example.com has the role edtior\n',
    err: 'platform: the role edtior was given to a user, and no rule of the model names it; did you mean editor?\n',
  });
  expect((await run('users', 'role', 'ann@example.com', 'add', 'editor')).err).toBe('');
});

test('who may update and delete and not read, finds nothing to update and delete', async () => {
  const { join } = await world(source);
  const [ann, ben, eve] = [await join('ann', 'editor'), await join('ben', 'blind'), await join('eve', 'blind', 'editor')];
  await ann.create('/m/Doc', { id: 1 });
  expect(
    await statuses(
      () => ben.change('/m/Doc/1', {}),
      () => ben.remove('/m/Doc/1'),
      () => ann.read('/m/Doc/1'),
      () => eve.change('/m/Doc/1', {}),
      () => eve.remove('/m/Doc/1'),
    ),
  ).toEqual([404, 404, 200, 200, 200]);
});

test('what a link gives is not given on by another link', async () => {
  const { join, admin } = await world(`module m
entity Team { id Int @id, @rbac [(roles: [user], allow: [create])] }
entity Desk { id Int @id, @rbac [(roles: [user], allow: [create])] }
entity Post { id Int @id, @rbac [(roles: [user], allow: [create])] }
relationship TeamDesk between(Team, Desk) @assign(Team -> Desk)
relationship DeskPost between(Desk, Post) @assign(Desk -> Post)
`);
  const [ann, ben, eve] = [await join('ann', 'user'), await join('ben', 'user'), await join('eve', 'user')];
  expect(
    await statuses(
      () => ann.create('/m/Team', { id: 1 }),
      () => ben.create('/m/Desk', { id: 1 }),
      () => eve.create('/m/Post', { id: 1 }),
      () => admin.create('/m/TeamDesk', { Team: 1, Desk: 1 }),
      () => admin.create('/m/DeskPost', { Desk: 1, Post: 1 }),
      () => ann.change('/m/Desk/1', {}),
      () => ben.change('/m/Post/1', {}),
      () => ann.change('/m/Post/1', {}),
    ),
  ).toEqual([201, 201, 201, 201, 201, 200, 200, 404]);
});
