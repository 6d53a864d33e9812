// Roles: rights of several add up, `*` is any signed-in user, `admin` is everybody's superuser, and the condition of a rule is asked of the row as it is.

import { describe, expect, test } from 'vitest';
import { instances, statuses, surfaces, world } from '../people.ts';
import { decide, decideCreate, type Facts, type Row, type User } from './oracle.ts';
import { type ModelRules, type Operation, projectOf } from './rules.ts';

const model: ModelRules = {
  entities: [
    {
      name: 'Doc',
      rules: [
        { roles: ['maker'], allow: ['create'] },
        { roles: ['reader', 'guest'], allow: ['read'] },
        { roles: ['editor'], allow: ['read', 'update'] },
        { roles: ['remover'], allow: ['read', 'delete'] },
        { roles: ['chief'], allow: ['*'] },
      ],
    },
    {
      name: 'Notice',
      rules: [
        { roles: ['*'], allow: ['read'] },
        { roles: ['editor'], allow: ['create', 'update'] },
      ],
    },
    {
      name: 'Ticket',
      rules: [
        { roles: ['*'], allow: ['*'], where: 'boss' },
        { roles: ['guest'], allow: ['read'] },
      ],
    },
    { name: 'Sealed', ownerOnly: true, rules: [{ roles: ['chief', 'editor'], allow: ['*'] }] },
    { name: 'Bare' },
  ],
  links: [],
};

const types = model.entities.map(({ name }) => name);
const compositions: readonly (readonly string[])[] = [
  [],
  ['maker'],
  ['reader'],
  ['remover', 'maker'],
  ['editor', 'remover'],
  ['guest', 'maker', 'editor'],
  ['chief', 'guest'],
  ['unheard'],
  ['admin'],
  ['Reader'],
];

describe.each(surfaces)('on the %s surface', (surface) => {
  test('a user has the rights of all their roles, and of no other', async () => {
    const { join, admin, served } = await world(projectOf(model, surface), surface);
    const other: Facts = { model, rows: [], links: [], owners: [], grants: [] };
    const created = surface === 'current' ? 201 : 200;
    const differences: string[] = [];
    for (const [at, roles] of compositions.entries()) {
      const person = await join(`user${at}`, ...roles);
      const user: User = { email: person.email, roles };
      for (const [nth, type] of types.entries()) {
        for (const boss of [person.email, 'other@example.com']) {
          const id = at * 100 + nth * 10 + (boss === person.email ? 1 : 2);
          const row: Row = { type, id, text: 'x', boss };
          const values = { id, text: 'x', rank: 1, boss };
          await admin.create(`/m/${type}`, values);
          const statusOf = (operation: Exclude<Operation, 'create'>) =>
            ({ allowed: 200, forbidden: 403, 'not found': 404, unauthenticated: 401 })[decide(user, operation, row, 'flat', other)];
          const seen = await statuses(
            () => person.read(`/m/${type}/${id}`),
            () => person.change(`/m/${type}/${id}`, { rank: 2 }),
            () => person.remove(`/m/${type}/${id}`),
            () => person.create(`/m/${type}`, { ...values, id: id + 5 }),
          );
          const expected = [
            ...(['read', 'update', 'delete'] as const).map(statusOf),
            decideCreate(user, type, row, undefined, other) === 'allowed' ? created : 403,
          ];
          if (seen.join() !== expected.join())
            differences.push(`${roles.join()} ${type} ${boss}: ${seen.join()} in place of ${expected.join()}`);
        }
      }
    }
    expect(differences.join('\n')).toBe('');
    expect((await served.get(surface === 'current' ? '/m/Notice' : '/api/m/Notice')).status).toBe(401);
    expect(served.failures).toEqual([]);
  });

  test('the condition of a rule holds for the new row on create, and before and after on update', async () => {
    const { join, admin } = await world(projectOf(model, surface), surface);
    const [ann, bob] = [await join('ann'), await join('bob')];
    const ticket = (id: number, boss: string) => ({ id, text: 'x', rank: 1, boss });
    await admin.create('/m/Ticket', ticket(1, ann.email));
    const created = surface === 'current' ? 201 : 200;
    expect(
      await statuses(
        () => ann.create('/m/Ticket', ticket(2, bob.email)),
        () => ann.create('/m/Ticket', { id: 3, text: 'x', rank: 1 }),
        () => ann.change('/m/Ticket/1', { rank: 5 }),
        () => bob.change('/m/Ticket/1', { boss: bob.email }),
        () => ann.change('/m/Ticket/1', { boss: bob.email }),
        () => bob.read('/m/Ticket/1'),
        () => admin.change('/m/Ticket/1', { boss: bob.email }),
        () => ann.read('/m/Ticket/1'),
        () => bob.change('/m/Ticket/1', { rank: 6 }),
        () => bob.create('/m/Ticket', ticket(4, bob.email)),
        () => ann.remove('/m/Ticket/1'),
        () => bob.remove('/m/Ticket/1'),
      ),
    ).toEqual([403, 403, 200, 404, 403, 404, 200, 404, 200, created, 404, 200]);
    expect(instances(await bob.read('/m/Ticket')).map(({ id }) => id)).toEqual([4]);
  });

  test('only admin assigns roles, to users that exist', async () => {
    const { join, admin } = await world(projectOf(model, surface), surface);
    const [ann, bob] = [await join('ann', 'chief'), await join('bob')];
    const created = surface === 'current' ? 201 : 200;
    expect(
      await statuses(
        () => ann.assign('RoleAssignment', { role: 'chief', assignee: bob.email }),
        () => bob.assign('RoleAssignment', { role: 'admin', assignee: bob.email }),
        () => admin.assign('RoleAssignment', { role: 'chief', assignee: 'nobody@example.com' }),
        () => bob.create('/m/Doc', { id: 1, text: 'x', rank: 1 }),
        () => admin.assign('RoleAssignment', { role: 'chief', assignee: bob.email }),
        () => bob.create('/m/Doc', { id: 1, text: 'x', rank: 1 }),
      ),
    ).toEqual([403, 403, 422, 403, created, created]);
    expect(instances(await ann.read(ann.at('RoleAssignment')))).toEqual([]);
  });

  test('the model is the truth: a rule that is removed allows nothing any more', async () => {
    const { join, admin, served } = await world(projectOf(model, surface), surface);
    const ann = await join('ann', 'reader');
    await admin.create('/m/Doc', { id: 1, text: 'x', rank: 1 });
    expect((await ann.read('/m/Doc/1')).status).toBe(200);
    await served.reload(projectOf({ ...model, entities: types.map((name) => ({ name })) }, surface));
    expect((await ann.read('/m/Doc/1')).status).toBe(404);
    expect((await admin.read('/m/Doc/1')).status).toBe(200);
  });
});
