// `@rights=related`: each instance says what its caller may make and remove at it, and the requests for it are answered so.

import { describe, expect, test } from 'vitest';
import { instances, type Person, surfaces, world } from './people.ts';

const shop = `module shop
entity Item { id Int @id, @rbac [(roles: [seller, reader, clerk], allow: [read]), (roles: [seller], allow: [create]), (roles: [clerk], allow: [update, delete])] }
entity Part { id Int @id }
entity Remark { id Int @id, @rbac [(roles: [reader], allow: [create])] }
entity Shelf { id Int @id, @rbac [(roles: [seller, reader, clerk], allow: [read]), (roles: [seller], allow: [create])] }
entity Label { id Int @id, @rbac [(roles: [seller, reader, clerk], allow: [read])] }
entity Tag { id Int @id, @rbac [(roles: [seller], allow: [create]), (roles: [clerk], allow: [create])] }
relationship ItemPart contains(Item, Part)
relationship ItemTag contains(Item, Tag)
relationship ItemRemark contains(Item, Remark) { @rbac [(roles: [reader], allow: [create])] }
relationship ItemShelf between(Item, Shelf)
relationship ItemLabel between(Item, Label) @owner(Item)
`;

describe.each(surfaces)('on the %s surface', (surface) => {
  const relatedTo = async (person: Person, path: string): Promise<readonly string[]> => {
    const [row = {}] = instances(await person.read(`${path}?@rights=related`));
    const rights: readonly unknown[] = Object(row['@rights']);
    return rights.map(String).filter((each) => each.includes(' '));
  };

  test('owners make what has no rules, or rules that allow it to them, and link it, others by rules of the relationship, and requests are answered so', async () => {
    const { join, admin } = await world(shop, surface);
    const people = {
      ann: await join('ann', 'seller'),
      bob: await join('bob', 'clerk'),
      cy: await join('cy', 'reader'),
      dee: await join('dee', 'seller'),
      admin,
    };
    await people.ann.create('/shop/Item', [{ id: 1 }]);
    await people.ann.create('/shop/Shelf', [{ id: 1 }]);
    await admin.create('/shop/Shelf', [{ id: 2 }]);
    await admin.create('/shop/Label', [{ id: 1 }]);
    const told = await Promise.all(Object.values(people).map((person) => relatedTo(person, '/shop/Item/1')));
    const links = ['link shop/ItemShelf', 'unlink shop/ItemShelf', 'link shop/ItemLabel', 'unlink shop/ItemLabel'];
    const owned = ['create shop/ItemPart', 'create shop/ItemTag', ...links].toSorted();
    const all = ['create shop/ItemRemark', ...owned].toSorted();
    expect(told.map((each) => each.toSorted())).toEqual([owned, [], ['create shop/ItemRemark'], [], all]);
    // Each end has its say, but for one that the model leaves out.
    expect((await relatedTo(people.ann, '/shop/Shelf/1')).toSorted()).toEqual(['link shop/ItemShelf', 'unlink shop/ItemShelf']);
    expect(await relatedTo(people.ann, '/shop/Shelf/2')).toEqual([]);
    expect((await relatedTo(people.cy, '/shop/Label/1')).toSorted()).toEqual(['link shop/ItemLabel', 'unlink shop/ItemLabel']);

    let id = 10;
    for (const [index, person] of Object.values(people).entries()) {
      id += 1;
      const rights = told[index] ?? [];
      const made = await Promise.all([
        person.create('/shop/Item/1/ItemPart/Part', { id }),
        person.create('/shop/Item/1/ItemRemark/Remark', { id }),
        person.create('/shop/Item/1/ItemTag/Tag', { id }),
      ]);
      expect([person.email, ...made.map(({ status }) => status < 300)]).toEqual([
        person.email,
        rights.includes('create shop/ItemPart'),
        rights.includes('create shop/ItemRemark'),
        rights.includes('create shop/ItemTag'),
      ]);
    }
    expect((await people.ann.create('/shop/Item/1/ItemShelf/Shelf', { id: 1 })).status).toBeLessThan(300);
    expect((await people.ann.create('/shop/Item/1/ItemShelf/Shelf', { id: 2 })).status).toBe(403);
    expect((await people.ann.create('/shop/Item/1/ItemLabel/Label', { id: 1 })).status).toBeLessThan(300);
    expect((await people.cy.create('/shop/Item/1/ItemLabel/Label', { id: 1 })).status).toBeGreaterThanOrEqual(400);
  });
});
