// What is revoked is gone at the next request, on every instance of the service; whoever comes at the same time sees the one state or the other.

import { describe, expect, test } from 'vitest';
import { open } from '../../support/app.ts';
import { isLarge } from '../../support/form.ts';
import { storeOfRun } from '../../support/store.ts';
import { instances, type Person, personOf, statuses, surfaces, valueIn, type World, withAccess, world } from '../people.ts';
import { type ModelRules, projectOf } from './rules.ts';

const model: ModelRules = {
  entities: [
    {
      name: 'Doc',
      rules: [
        { roles: ['user'], allow: ['create', 'read'] },
        { roles: ['editor'], allow: ['read', 'update'] },
      ],
    },
    { name: 'Page', within: { parent: 'Doc', relationship: 'DocPage' } },
  ],
  links: [],
};

const rounds = isLarge ? 200 : 12;

/** Ways in which somebody who has no rights gets some over `Doc/1`, each with what is allowed by it. */
const ways = [
  ['RoleAssignment', (assignee: string) => ({ role: 'editor', assignee }), [200, 200, 403]],
  ['OwnershipAssignment', (assignee: string) => ({ resource: 'm/Doc', resourceId: '1', assignee }), [200, 200, 200]],
  [
    'InstancePrivilegeAssignment',
    (assignee: string) => ({ resource: 'm/Doc', resourceId: '1', assignee, actions: ['update'] }),
    [200, 200, 403],
  ],
] as const;

const uses = (person: Person) =>
  statuses(
    () => person.read('/m/Doc/1'),
    () => person.change('/m/Doc/1', { rank: 2 }),
    () => person.create('/m/Doc/1/DocPage/Page', { id: 5, text: 'x', rank: 1 }),
  );

async function prepared(opened: World): Promise<Person> {
  await opened.admin.create('/m/Doc', { id: 1, text: 'canary', rank: 1 });
  return opened.join('eve');
}

describe.each(surfaces)('on the %s surface', (surface) => {
  const nothing = [404, 404, 404];

  test.each(ways)('a %s holds from the next request on, and no longer when it is deleted', async (type, values, allowed) => {
    const opened = await world(projectOf(model, surface), surface);
    const { admin } = opened;
    const eve = await prepared(opened);
    const expected = allowed.map((status, at) => (at === 2 && status === 200 && surface === 'current' ? 201 : status));
    for (const round of [1, 2]) {
      expect(await uses(eve), `before ${round}`).toEqual(nothing);
      const id = String(valueIn(await admin.assign(type, values(eve.email)), 'id'));
      expect(await uses(eve), `while ${round}`).toEqual(
        round === 1
          ? expected
          : expected
              .map((status) => (status === 201 ? 409 : status))
              .map((status, at) => (type === 'OwnershipAssignment' && at === 2 ? 409 : status)),
      );
      expect((await admin.remove(admin.at(type, id))).status).toBe(200);
    }
    expect(await uses(eve)).toEqual(nothing);
    expect(instances(await eve.read('/m/Doc'))).toEqual([]);
  });

  test('who revokes while others use it: each use is done whole or refused whole', async () => {
    const opened = await world(projectOf(model, surface), surface);
    const { admin } = opened;
    const eve = await prepared(opened);
    const race = (type: (typeof ways)[number][0], values: (assignee: string) => object) => async (round: number) => {
      const id = String(valueIn(await admin.assign(type, { ...values(eve.email) }), 'id'));
      const mark = round + 10;
      const [change, removed, list, read] = await Promise.all([
        eve.change('/m/Doc/1', { rank: mark }),
        admin.remove(admin.at(type, id)),
        eve.read('/m/Doc'),
        eve.read('/m/Doc/1'),
      ]);
      expect(removed.status).toBe(200);
      expect([200, 404]).toContain(read.status);
      expect([0, 1]).toContain(instances(list).length);
      const { rank } = instances(await admin.read('/m/Doc/1'))[0] ?? {};
      if (change.status === 200) expect(rank).toBe(mark);
      else {
        expect([403, 404]).toContain(change.status);
        expect(rank).not.toBe(mark);
      }
      expect(await uses(eve)).toEqual(nothing);
    };
    for (const [type, values] of ways) for (let round = 0; round < rounds; round += 1) await race(type, values)(round);
    expect(opened.served.failures).toEqual([]);
  });

  test('a user who is deleted owns nothing, and one who comes under the same name starts with nothing', async () => {
    const opened = await world(projectOf(model, surface), surface);
    const { admin, join } = opened;
    const eve = await prepared(opened);
    for (const [type, values] of ways) await admin.assign(type, values(eve.email));
    expect((await eve.read('/m/Doc/1')).status).toBe(200);
    const users = surface === 'current' ? '/platform.auth/User' : '/Platform.Kernel.Identity/User';
    expect((await admin.remove(`${users}/${eve.email}`)).status).toBe(200);
    for (const [type] of ways) {
      const left = instances(await admin.read(admin.at(type))).map((each) => each['assignee'] ?? each['Assignee']);
      expect(left, type).not.toContain(eve.email);
    }
    expect(await uses(await join('eve'))).toEqual(nothing);
    expect((await admin.read('/m/Doc/1')).status).toBe(200);
  });

  test.runIf(storeOfRun() === 'postgres')('with two instances on one database, what one revokes the other refuses', async () => {
    const opened = await world(projectOf(model, surface), surface);
    const { admin, served } = opened;
    const { settings } = served.kept;
    if (settings.type !== 'postgres') throw new Error('only on a server');
    const other = await open(projectOf(model, surface), { ...withAccess(surface), store: settings });
    try {
      const eve = await prepared(opened);
      const there = personOf(other, surface, eve.email, eve.headers);
      for (const [type, values] of ways) {
        for (let round = 0; round < rounds; round += 1) {
          const id = String(valueIn(await admin.assign(type, values(eve.email)), 'id'));
          expect((await there.read('/m/Doc/1')).status, `${type} is given`).toBe(200);
          const mark = round + 10;
          const [change, removed] = await Promise.all([there.change('/m/Doc/1', { rank: mark }), admin.remove(admin.at(type, id))]);
          expect(removed.status).toBe(200);
          const { rank } = instances(await admin.read('/m/Doc/1'))[0] ?? {};
          expect([change.status === 200, [200, 403, 404].includes(change.status)]).toEqual([rank === mark, true]);
          expect((await there.read('/m/Doc/1')).status, `${type} is revoked`).toBe(404);
        }
      }
      expect(other.failures).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
