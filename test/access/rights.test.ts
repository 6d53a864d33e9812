// `@rights=true`: each instance says what its caller may do with it, and the requests for it are answered so.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { instances, type Person, surfaces, valueIn, world } from './people.ts';

const shop = `module shop
entity Item { id Int @id, seller String @optional, note String @optional, @rbac [
  (roles: [reader], allow: [read]),
  (roles: [clerk], allow: [read, update]),
  (roles: [seller], allow: [create, read]),
  (roles: [seller], allow: [update, delete], where: auth.user = this.seller)] }
entity Part { id Int @id, note String @optional, @rbac [(roles: [reader, clerk, seller], allow: [read])] }
entity Memo { id Int @id, @rbac [(roles: [seller], allow: [create]), (roles: [reader, seller], allow: [read])] }
relationship ItemPart contains(Item, Part) @inherit
relationship ItemMemo contains(Item, Memo)
entity Kept { id Int @id, note String @optional, @rbac [(roles: [reader], allow: [read])], @meta {"ownerOnly": true} }
`;

const rightsIn = (each: Readonly<Record<string, unknown>>): unknown => each['@rights'];

describe.each(surfaces)('on the %s surface', (surface) => {
  const rightsOf = async (person: Person, path: string): Promise<readonly unknown[]> => instances(await person.read(path)).map(rightsIn);

  test('each instance of a list says what the caller may do with it, and requests are answered so', async () => {
    const { join, admin } = await world(shop, surface);
    const people = [await join('ann', 'seller'), await join('bob', 'clerk'), await join('cy', 'reader'), admin];
    const [ann] = people;
    await admin.create('/shop/Item', [{ id: 1, seller: 'ann@example.com' }, { id: 2 }]);
    await ann?.create('/shop/Item', { id: 3 });
    const told = await Promise.all(people.map((person) => rightsOf(person, '/shop/Item?@rights=true')));
    const all = ['read', 'update', 'delete'];
    expect(told).toEqual([
      [all, ['read'], all],
      [
        ['read', 'update'],
        ['read', 'update'],
        ['read', 'update'],
      ],
      [['read'], ['read'], ['read']],
      [all, all, all],
    ]);
    for (const [index, person] of people.entries()) {
      for (const id of [1, 2, 3]) {
        const rights = told[index]?.[id - 1];
        expect([(await person.change(`/shop/Item/${id}`, { note: 'x' })).status, id, rights]).toEqual([
          Array.isArray(rights) && rights.includes('update') ? 200 : 403,
          id,
          rights,
        ]);
      }
    }
    expect((await people[1]?.remove('/shop/Item/1'))?.status).toBe(403);
    expect((await ann?.remove('/shop/Item/1'))?.status).toBe(200);
  });

  test('one instance says it too, and so do those that it includes, those of a parent, and parts of an instance', async () => {
    const { join, admin } = await world(shop, surface);
    const ann = await join('ann', 'seller');
    await ann.create('/shop/Item', { id: 1 });
    await admin.create('/shop/Item/1/ItemPart/Part', { id: 1 });
    await admin.create('/shop/Item/1/ItemMemo/Memo', { id: 1 });
    await ann.create('/shop/Item/1/ItemMemo/Memo', { id: 2 });
    await admin.create('/shop/Item', { id: 2 });
    await admin.create('/shop/Item/2/ItemPart/Part', { id: 1 });
    const all = ['read', 'update', 'delete'];
    expect(valueIn(await ann.read('/shop/Item/1?@rights=true'), '@rights')).toEqual(all);
    expect(valueIn(await ann.read('/shop/Item/2?@rights=true&@select=id'), '@rights')).toEqual(['read']);
    expect(await rightsOf(ann, '/shop/Item/1/ItemPart/Part?@rights=true')).toEqual([all]);
    expect(await rightsOf(ann, '/shop/Item/2/ItemPart/Part?@rights=true')).toEqual([['read']]);
    expect(await rightsOf(ann, '/shop/Item/1/ItemMemo/Memo?@rights=true')).toEqual([['read'], all]);
    const included = instances(await ann.read('/shop/Item?@rights=true&@include=ItemPart&@sort=-id'));
    expect(included.map((each) => Object(each['ItemPart'])[0]['@rights'])).toEqual([['read'], all]);
    // Without it, and where it is false, nothing is said.
    expect(await rightsOf(ann, '/shop/Item')).toEqual([undefined, undefined]);
    expect(await rightsOf(ann, '/shop/Item?@rights=false')).toEqual([undefined, undefined]);
    expect((await ann.read('/shop/Item?@rights=perhaps')).status).toBe(422);
  });

  test('a grant shows at once, also to who has the version, and what was read may be sent back', async () => {
    const { served, join } = await world(shop, surface);
    const [ann, bob] = [await join('ann', 'seller'), await join('bob', 'reader')];
    await ann.create('/shop/Item', { id: 1 });
    const path = `${surface === 'current' ? '' : '/api'}/shop/Item/1?@rights=true`;
    const before = await served.get(path, bob.headers);
    await ann.assign('InstancePrivilegeAssignment', {
      resource: 'shop/Item',
      resourceId: '1',
      assignee: bob.email,
      actions: ['update'],
    });
    const after = await served.get(path, { ...bob.headers, 'if-none-match': before.headers['etag'] ?? '' });
    expect([before, after].map((each) => valueIn(each, '@rights'))).toEqual([['read'], ['read', 'update']]);
    const [read = {}] = instances(after);
    expect((await bob.change('/shop/Item/1', { ...read, note: 'sent back' })).status).toBe(200);
    expect(valueIn(await bob.read('/shop/Item/1'), 'note')).toBe('sent back');
  });

  test('instances that a resolver keeps say it as stored ones do, and requests are answered so', async () => {
    const { join, admin } = await world(shop, surface, {
      resolvers: [{ name: 'shop/elsewhere', kind: 'memory', types: ['shop/Item', 'shop/Kept'] }],
    });
    const people = [await join('ann', 'seller'), await join('bob', 'clerk'), await join('cy', 'reader'), admin];
    for (const [id, seller] of [
      [1, 'ann@example.com'],
      [2, 'bob@example.com'],
    ]) {
      expect((await admin.create('/shop/Item', { id, seller })).status).toBeLessThan(300);
      expect((await admin.create('/shop/Kept', { id })).status).toBeLessThan(300);
    }
    for (const person of people) {
      for (const type of ['Item', 'Kept']) {
        const told = await rightsOf(person, `/shop/${type}?@rights=true`);
        for (const [index, rights] of told.entries()) {
          const path = `/shop/${type}/${index + 1}`;
          expect(valueIn(await person.read(`${path}?@rights=true`), '@rights')).toEqual(rights);
          const { status } = await person.change(path, { note: 'x' });
          expect([path, status]).toEqual([path, Array.isArray(rights) && rights.includes('update') ? 200 : 403]);
        }
      }
    }
    expect(await Promise.all(people.map((person) => rightsOf(person, '/shop/Item?@rights=true')))).toEqual([
      [['read', 'update', 'delete'], ['read']],
      [
        ['read', 'update'],
        ['read', 'update'],
      ],
      [['read'], ['read']],
      [
        ['read', 'update', 'delete'],
        ['read', 'update', 'delete'],
      ],
    ]);
    for (const person of people) {
      const [rights] = await rightsOf(person, '/shop/Item?id=2&@rights=true');
      if (!Array.isArray(rights) || rights.includes('delete')) continue;
      expect((await person.remove('/shop/Item/2')).status).toBe(403);
    }
    expect((await people[0]?.remove('/shop/Item/1'))?.status).toBe(200);
  });
});

test('without access control everybody may do everything, but what is only read', async () => {
  const { get, post } = await serve('module m\nentity A { id Int @id }', { audit: {} });
  await post('/m/A', { id: 1 });
  expect((await get('/m/A?@rights=true')).body).toEqual([{ id: 1, '@rights': ['read', 'update', 'delete'] }]);
  expect((await get('/platform.audit/Entry?@rights=true')).status).toBe(200);
});

const computed = `module m
entity Team { id Int @id, lead Email, @rbac [(roles: [*], allow: [read, create])] }
entity Task { id Int @id, team Int @ref(Team.id), title String, lead Email @expr(team.lead),
  @rbac [(roles: [user], allow: [create, read, update, delete], where: auth.user = this.lead)] }
entity Note { id Int @id, text String, lead Email @expr(TeamNote.Team.lead),
  @rbac [(roles: [user], allow: [create, read, update, delete], where: auth.user = this.lead)] }
entity Other { id Int @id, team Int @ref(Team.id), lead Email @expr(team.lead),
  @rbac [(roles: [user], allow: [create, read], where: auth.user != this.lead)] }
relationship TeamNote contains(Team, Note) { @rbac [(roles: [user], allow: [create])] }
`;

test('a rule about an attribute that is computed from other instances holds of what is made, changed and moved', async () => {
  const { join, admin } = await world(computed, 'current');
  const ann = await join('ann', 'user');
  await admin.create('/m/Team', [
    { id: 1, lead: 'ann@example.com' },
    { id: 2, lead: 'bob@example.com' },
    { id: 3, lead: 'ann@example.com' },
  ]);
  const statuses = async (...asked: readonly Promise<{ readonly status: number }>[]) =>
    (await Promise.all(asked)).map(({ status }) => status);
  expect(await statuses(ann.create('/m/Task', { id: 1, team: 1, title: 'a' }))).toEqual([201]);
  expect(await statuses(ann.create('/m/Task', { id: 2, team: 2, title: 'b' }))).toEqual([403]);
  // Whoever made an instance owns it, and needs no rule.
  await admin.create('/m/Task', { id: 3, team: 1, title: 'c' });
  expect(await statuses(ann.change('/m/Task/3', { title: 'd' }))).toEqual([200]);
  expect(await statuses(ann.change('/m/Task/3', { team: 2 }))).toEqual([403]);
  expect(await statuses(ann.change('/m/Task/3', { team: 3 }))).toEqual([200]);
  expect(await statuses(ann.create('/m/Other', { id: 1, team: 1 }))).toEqual([403]);
  expect(await statuses(ann.create('/m/Other', { id: 2, team: 2 }))).toEqual([201]);
  expect(await statuses(ann.create('/m/Team/1/TeamNote/Note', { id: 1, text: 'n' }))).toEqual([201]);
  expect(await statuses(ann.create('/m/Team/2/TeamNote/Note', { id: 2, text: 'n' }))).toEqual([403]);
  // To move it takes to own it, whatever rules say of changing and deleting it.
  await admin.create('/m/Team/1/TeamNote/Note', { id: 3, text: 'n' });
  expect(await statuses(ann.change('/m/Team/1/TeamNote/Note/3', { text: 'o' }))).toEqual([200]);
  expect(await statuses(ann.change('/m/Team/1/TeamNote/Note/3', { '@parent': 'path://m$Team/3' }))).toEqual([403]);
  expect(await statuses(ann.change('/m/Team/1/TeamNote/Note/1', { '@parent': 'path://m$Team/2' }))).toEqual([403]);
  expect(await statuses(ann.change('/m/Team/1/TeamNote/Note/1', { '@parent': 'path://m$Team/3' }))).toEqual([200]);
});
