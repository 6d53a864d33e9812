// What a condition means for a write: asked of the row as it is with its children and links, before a change too, and by nobody who comes to fulfil it by the write itself.

import { describe, expect, test } from 'vitest';
import { clientOf, mailServer, mailSettings, password } from '../../identity/accounts.ts';
import type { Answer } from '../../support/app.ts';
import { instances, type Person, personOf, statuses, world } from '../people.ts';

const model = `module m
entity Animal { id Int @id, keeper Email @optional, @rbac [(roles: [user], allow: [read, update])] }
entity Visit { id Int @id, animal Int @ref(Animal.id), note String @optional, @rbac [(roles: [user], allow: [create, read, update, delete], where: this.animal.keeper = auth.user)] }
entity Tag { id Int @id, name String, owner String @optional, @rbac [(roles: [user], allow: [read])] }
entity Post { id Int @id, author Email @optional, @rbac [(roles: [user], allow: [read]), (roles: [user], allow: [create], where: this.PostTag.Tag.name = "red")] }
relationship PostTag between(Post, Tag) { note String @optional, @rbac [(roles: [user], allow: [create], where: this.Tag.name = "red" or this.Tag.owner = auth.id)] }
entity Order { id Int @id, @rbac [(roles: [user], allow: [read]), (roles: [user], allow: [create], where: this.OrderLine.Line.price > 3)] }
entity Line { id Int @id, price Int, @rbac [(roles: [user], allow: [read]), (roles: [user], allow: [create])] }
relationship OrderLine contains(Order, Line) @rbac [(roles: [user], allow: [create], where: this.price < 100)]
entity Note { id Int @id, text String, @rbac [(roles: [user], allow: [create, read], where: this.PostNote.Post.author = auth.user)] }
relationship PostNote contains(Post, Note) @rbac [(roles: [user], allow: [create])]
entity Staff { id Int @id, email Email, clinic Int, @profile(email), @rbac [(roles: [user], allow: [*], where: auth.Staff.clinic = this.clinic)] }
entity File { id Int @id, clinic Int, @rbac [(roles: [user], allow: [*], where: auth.Staff.clinic = this.clinic)] }
entity Diary { id Int @id, owner String, @rbac [(roles: [user], allow: [*], where: auth.id = this.owner)] }
event whoami {}
workflow whoami { auth.id }
`;

async function setting(): Promise<{ admin: Person; ann: Person; served: Awaited<ReturnType<typeof world>>['served'] }> {
  const { admin, invite, served } = await world(model);
  const ann = await invite('ann', 'user');
  await admin.create('/m/Animal', [{ id: 1, keeper: ann.email }, { id: 2, keeper: 'bob@example.com' }, { id: 3 }]);
  await admin.create('/m/Tag', [
    { id: 1, name: 'red' },
    { id: 2, name: 'blue' },
  ]);
  await admin.create('/m/Staff', { id: 1, email: 'ANN@example.com', clinic: 7 });
  await admin.create('/m/Staff', { id: 2, email: 'bob@example.com', clinic: 7 });
  await admin.create('/m/Staff', { id: 3, email: 'cid@example.com', clinic: 8 });
  return { admin, ann, served };
}

describe('conditions of writes', () => {
  test('a new row is judged by the rows that it refers to', async () => {
    const { ann } = await setting();
    expect(
      await statuses(
        () => ann.create('/m/Visit', { id: 1, animal: 1 }),
        () => ann.create('/m/Visit', { id: 2, animal: 2 }),
        () => ann.create('/m/Visit', { id: 3, animal: 3 }),
        () =>
          ann.create('/m/Visit', [
            { id: 4, animal: 1 },
            { id: 5, animal: 2 },
          ]),
      ),
    ).toEqual([201, 403, 403, 403]);
    expect(instances(await ann.read('/m/Visit')).map(({ id }) => id)).toEqual([1]);
  });

  test('a change is judged as the row was, and as it becomes', async () => {
    const { admin, ann } = await setting();
    await admin.create('/m/Visit', [
      { id: 1, animal: 1 },
      { id: 2, animal: 2 },
    ]);
    expect(
      await statuses(
        () => ann.change('/m/Visit/1', { note: 'n' }),
        () => ann.change('/m/Visit/1', { animal: 2 }),
        () => ann.change('/m/Visit/2', { animal: 1 }),
        () => ann.remove('/m/Visit/2'),
      ),
    ).toEqual([200, 403, 404, 404]);
    // What a row refers to changes what may be done with the row.
    expect((await admin.change('/m/Animal/1', { keeper: 'bob@example.com' })).status).toBe(200);
    expect(
      await statuses(
        () => ann.read('/m/Visit/1'),
        () => ann.remove('/m/Visit/1'),
      ),
    ).toEqual([404, 404]);
  });

  test('a new row is judged at the end, with its links and its children', async () => {
    const { ann } = await setting();
    expect(
      await statuses(
        () => ann.create('/m/Post', { id: 1, PostTag: [{ id: 1 }] }),
        () => ann.create('/m/Post', { id: 2, PostTag: [{ id: 2 }] }),
        () => ann.create('/m/Post', { id: 3 }),
        () =>
          ann.create('/m/Order', {
            id: 1,
            OrderLine: [
              { id: 1, price: 1 },
              { id: 2, price: 4 },
            ],
          }),
        () => ann.create('/m/Order', { id: 2, OrderLine: [{ id: 1, price: 1 }] }),
        () => ann.create('/m/Order', { id: 3, OrderLine: [{ id: 1, price: 200 }] }),
      ),
    ).toEqual([201, 403, 403, 201, 403, 201]);
    expect(instances(await ann.read('/m/Post')).map(({ id }) => id)).toEqual([1]);
  });

  test('rules of links ask for what stands at their ends', async () => {
    const { admin, ann } = await setting();
    await admin.create('/m/Post', { id: 9 });
    expect(
      await statuses(
        () => ann.create('/m/PostTag', { Post: 9, Tag: 1 }),
        () => ann.create('/m/PostTag', { Post: 9, Tag: 2 }),
      ),
    ).toEqual([201, 403]);
  });

  test('rules of a child, and of what it is contained by, ask for the child and what it stands in', async () => {
    const { admin, ann } = await setting();
    await admin.create('/m/Post', [
      { id: 1, author: ann.email },
      { id: 2, author: 'bob@example.com' },
    ]);
    await admin.create('/m/Order', { id: 9 });
    expect(
      await statuses(
        () => ann.create('/m/Post/1/PostNote/Note', { id: 1, text: 'a' }),
        () => ann.create('/m/Post/2/PostNote/Note', { id: 1, text: 'a' }),
        () => ann.create('/m/Order/9/OrderLine/Line', { id: 1, price: 99 }),
        () => ann.create('/m/Order/9/OrderLine/Line', { id: 2, price: 100 }),
        () => ann.read('/m/Post/1/PostNote/Note/1'),
      ),
    ).toEqual([201, 403, 201, 403, 200]);
  });

  test('nobody comes to fulfil a condition by the write that it is asked of', async () => {
    const { admin, ann, served } = await setting();
    const made = await admin.create('/platform.auth/User', { email: 'eve@example.com', password });
    await admin.assign('RoleAssignment', { role: 'user', assignee: 'eve@example.com' });
    expect(made.status).toBe(201);
    const login = await clientOf(served, 'current').login('eve@example.com', password);
    const eve = personOf(served, 'current', 'eve@example.com', {
      authorization: `Bearer ${String(Reflect.get(Object(login.body), 'id-token'))}`,
    });
    expect(
      await statuses(
        // Without an instance of her own, eve makes none.
        () => eve.create('/m/Staff', { id: 9, email: 'eve@example.com', clinic: 7 }),
        // Colleagues, but not those of another clinic, and not herself into another clinic.
        () => ann.create('/m/Staff', { id: 10, email: 'dan@example.com', clinic: 7 }),
        () => ann.create('/m/Staff', { id: 11, email: ann.email, clinic: 8 }),
        () => ann.change('/m/Staff/1', { clinic: 8 }),
        () => ann.change('/m/Staff/2', { clinic: 8 }),
        () => ann.change('/m/Staff/3', { email: ann.email }),
        () => ann.create('/m/File', { id: 1, clinic: 7 }),
        () => ann.create('/m/File', { id: 2, clinic: 8 }),
        () => eve.create('/m/File', { id: 3, clinic: 7 }),
      ),
    ).toEqual([403, 201, 403, 403, 403, 404, 201, 403, 403]);
  });

  test('a key with fewer roles than its user has no profile', async () => {
    const { admin, ann, served } = await setting();
    await admin.create('/m/File', { id: 1, clinic: 7 });
    const keyed = async (roles?: readonly string[]): Promise<Person> => {
      const body = { name: 'program', ...(roles === undefined ? {} : { roles }) };
      const made = await served.post('/platform.auth/ApiKey', body, ann.headers);
      return personOf(served, 'current', ann.email, { authorization: `Bearer ${String(Reflect.get(Object(made.body), 'key'))}` });
    };
    expect(
      await statuses(
        async () => (await keyed()).read('/m/File/1'),
        async () => (await keyed(['user'])).read('/m/File/1'),
      ),
    ).toEqual([200, 404]);
  });

  test('`auth.id` is the same in conditions, workflows and `me`, and no later account of the address has it', async () => {
    const { admin, ann, served } = await setting();
    const idOf = async (person: Person): Promise<string> =>
      String(Reflect.get(Object((await served.get('/platform.auth/me', person.headers)).body), 'id'));
    const id = await idOf(ann);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await served.post('/m/whoami', {}, ann.headers)).body).toEqual(id);
    expect(
      await statuses(
        () => ann.create('/m/Diary', { id: 1, owner: id }),
        () => ann.create('/m/Diary', { id: 2, owner: 'x' }),
      ),
    ).toEqual([201, 403]);
    expect((await admin.remove(`/platform.auth/User/${ann.email}`)).status).toBeLessThan(300);
    const again: Answer = await admin.create('/platform.auth/User', { email: ann.email, password });
    expect(again.status).toBe(201);
    await admin.assign('RoleAssignment', { role: 'user', assignee: ann.email });
    const login = await clientOf(served, 'current').login(ann.email, password);
    const later = personOf(served, 'current', ann.email, {
      authorization: `Bearer ${String(Reflect.get(Object(login.body), 'id-token'))}`,
    });
    expect(await idOf(later)).not.toBe(id);
    expect((await later.read('/m/Diary/1')).status).toBe(404);
  });

  test('an address counts from when it is known to be its user’s', async () => {
    const mail = await mailServer();
    const { admin, join, enter, served } = await world(model, 'current', { auth: { mail: mailSettings(mail), confirm: false } });
    const eve = await join('eve', 'user');
    await admin.create('/m/Staff', { id: 1, email: eve.email, clinic: 7 });
    await admin.create('/m/File', { id: 1, clinic: 7 });
    expect((await eve.read('/m/File/1')).status).toBe(404);
    const client = clientOf(served, 'current');
    await client.forgot(eve.email);
    expect((await client.reset(eve.email, await mail.code(eve.email), password)).status).toBe(200);
    expect((await (await enter('eve')).read('/m/File/1')).status).toBe(200);
  });
});
