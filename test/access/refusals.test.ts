// What is refused, and how: a refusal says nothing of what its caller may not know.

import { describe, expect, test } from 'vitest';
import { statuses, surfaces, world } from './people.ts';

const shop = `module shop
entity Item { id Int @id, code String @unique @optional, @rbac [(roles: [seller], allow: [create]), (roles: [reader], allow: [read])] }
entity Part { id Int @id }
relationship ItemPart contains(Item, Part)
entity Tag { id Int @id, @rbac [(roles: [reader], allow: [read])] }
relationship ItemTag between(Item, Tag)
entity Mine { id Int @id, owner String, @rbac [(roles: [seller], allow: [create], where: auth.user = this.owner)] }
`;

describe.each(surfaces)('on the %s surface', (surface) => {
  const created = surface === 'current' ? 201 : 200;

  test('a create that is not allowed is refused as such, whatever stands in its way', async () => {
    const { join } = await world(shop, surface);
    const [ann, bob] = [await join('ann', 'seller', 'reader'), await join('bob', 'reader')];
    expect(
      await statuses(
        () => ann.create('/shop/Item', { id: 1, code: 'a' }),
        () => ann.create('/shop/Item/1/ItemPart/Part', { id: 1 }),
        () => ann.create('/shop/Mine', { id: 1, owner: ann.email }),
      ),
    ).toEqual([created, created, created]);
    const denied = [
      await bob.create('/shop/Item', { id: 1 }),
      await bob.create('/shop/Item', { id: 2 }),
      await bob.create('/shop/Item', { id: 3, code: 'a' }),
      await bob.create('/shop/Item', [{ id: 1 }]),
      await bob.create('/shop/Item/1/ItemPart/Part', { id: 1 }),
      await bob.create('/shop/Item/1/ItemPart/Part', { id: 2 }),
      await ann.create('/shop/Mine', { id: 1, owner: bob.email }),
      await ann.create('/shop/Mine', { id: 2, owner: bob.email }),
    ];
    expect(denied.map((each) => each.status)).toEqual(denied.map(() => 403));
    expect(new Set(denied.map(({ text }) => text.replace(/"instance":"[^"]*"/, ''))).size).toBe(1);
    expect((await ann.create('/shop/Item', { id: 1 })).status).toBe(409);
  });

  test('a link that is not allowed is refused as such, whether or not there is one', async () => {
    const { join, admin } = await world(shop, surface);
    const [ann, bob] = [await join('ann', 'seller', 'reader'), await join('bob', 'reader')];
    await ann.create('/shop/Item', { id: 1 });
    await admin.create('/shop/Tag', { id: 1 });
    const ends = { Item: 1, Tag: 1 };
    expect(
      await statuses(
        () => bob.create('/shop/ItemTag', ends),
        () => ann.create('/shop/ItemTag', ends),
        () => admin.create('/shop/ItemTag', ends),
        () => bob.create('/shop/ItemTag', ends),
        () => admin.create('/shop/ItemTag', ends),
      ),
    ).toEqual([403, 403, created, 403, 409]);
  });

  test('a grant is of actions that can be granted, by an owner, to a user who exists', async () => {
    const { join, admin } = await world(shop, surface);
    const [ann, bob, eve] = [await join('ann', 'seller'), await join('bob', 'reader'), await join('eve')];
    await ann.create('/shop/Item', { id: 1 });
    const item = { resource: 'shop/Item', resourceId: '1', assignee: bob.email };
    const grant = (person: typeof ann, actions: unknown, more: object = {}) =>
      person.assign('InstancePrivilegeAssignment', { ...item, actions, ...more });
    for (const actions of [[], [''], ['write'], ['create'], ['read', 'Read'], 'read', null, [null]]) {
      const { status, text } = await grant(ann, actions);
      expect([actions, status]).toEqual([actions, 422]);
      if (Array.isArray(actions) && actions[0] !== null) expect(text).toContain('read, update, delete, *');
    }
    const nobody = { assignee: 'nobody@example.com' };
    expect(
      await statuses(
        () => grant(bob, ['read']),
        () => grant(eve, ['read']),
        () => grant(bob, ['read'], nobody),
        () => grant(eve, ['read'], nobody),
        () => grant(ann, ['read'], nobody),
        () => grant(admin, ['read'], nobody),
        () => grant(ann, ['read'], { resourceId: '2' }),
        () => grant(ann, ['read'], { resource: 'shop/None' }),
        () => ann.assign('OwnershipAssignment', { ...item, ...nobody }),
        () => bob.assign('OwnershipAssignment', { ...item, ...nobody }),
        () => admin.assign('RoleAssignment', { role: 'reader', ...nobody }),
        () => ann.assign('RoleAssignment', { role: 'reader', assignee: ann.email }),
        () => ann.assign('RoleAssignment', { role: 'reader', ...nobody }),
        () => grant(ann, ['*']),
      ),
    ).toEqual([403, 404, 403, 404, 422, 422, 404, 422, 422, 403, 422, 403, 403, created]);
  });
});
