// Whoever watches is told of what they may read, and of nothing else: on both surfaces, and whatever changes who may read it.

import { describe, expect, test } from 'vitest';
import { type Person, surfaces, world } from '../access/people.ts';
import { clientOf } from '../identity/accounts.ts';
import { brief, unread, watch } from './support.ts';

const model = `module blog
entity Post { id Int @id, title String, @rbac [(roles: [user], allow: [create])] }
entity Note { id Int @id, text String, public Boolean @default(false), @rbac [(roles: [user], allow: [create]), (roles: [user], allow: [read], where: this.public = true)] }
entity Comment { id Int @id, text String }
relationship PostComment contains(Post, Comment)
`;

const canary = 'canary-58c1';

describe.each(surfaces)('on the %s surface', (surface) => {
  const at = (name: string): string => (surface === 'earlier' ? `/api/blog/${name}` : `/blog/${name}`);

  test('rows of others are not told, neither created nor changed nor deleted, and so are those under them', async () => {
    const { served, join } = await world(model, surface);
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    const streams = await Promise.all(
      [at('Post'), at('Comment'), at('Note')].map((target) => watch(served, target, { headers: bob.headers })),
    );
    for (const each of streams) expect(each.status).toBe(200);
    expect((await ann.create('/blog/Post', { id: 1, title: canary })).status).toBeLessThan(300);
    expect((await ann.create('/blog/Post/1/PostComment/Comment', { id: 1, text: canary })).status).toBeLessThan(300);
    await ann.create('/blog/Note', { id: 1, text: canary });
    await ann.change('/blog/Post/1', { title: `${canary} 2` });
    await ann.remove('/blog/Post/1');
    expect((await bob.create('/blog/Post', { id: 2, title: 'mine' })).status).toBeLessThan(300);
    expect((await watch(served, at('Post/1'), { headers: bob.headers })).status).toBe(404);
    // What each is told of later says that all before was looked at.
    expect((await bob.create('/blog/Post/2/PostComment/Comment', { id: 2, text: 'mine' })).status).toBeLessThan(300);
    expect((await bob.create('/blog/Note', { id: 2, text: 'mine' })).status).toBeLessThan(300);
    for (const each of streams) {
      expect(brief(await each.until(2))).toEqual(['create 2']);
      expect(JSON.stringify(each.told)).not.toContain(canary);
    }
  });

  test('a stream is opened or refused as its list or instance is read: nothing is told of a type that may not be read at all', async () => {
    const sealed = `${model}entity Sealed { id Int @id, text String, @rbac [(roles: [keeper], allow: [create, read])] }\n`;
    const { served, join, admin } = await world(sealed, surface);
    const bob = await join('bob', 'user');
    await admin.create('/blog/Post', { id: 1, title: canary, PostComment: [{ id: 1, text: canary }] });
    await admin.create('/blog/Sealed', { id: 1, text: canary });
    const users = surface === 'earlier' ? '/api/Platform.Kernel.Identity/User' : '/platform.auth/User';
    const asked: readonly (readonly [target: string, status: number])[] = [
      [at('Sealed'), 200],
      [at('Sealed?text[like]=canary%25'), 200],
      [users, 200],
      [at('Sealed/1'), 404],
      [at('Post/1/PostComment/Comment'), 404],
      [at('Post/1/PostComment/Comment/1'), 404],
      [at('Unknown'), 404],
    ];
    const open = [];
    for (const [target, status] of asked) {
      const [list, stream] = [await served.get(target, bob.headers), await watch(served, target, { headers: bob.headers })];
      expect([target, list.status, stream.status]).toEqual([target, status, status]);
      if (status === 200) expect(list.body).toEqual([]);
      if (status === 200) open.push(stream);
    }
    await admin.change('/blog/Sealed/1', { text: `${canary} 2` });
    await bob.create('/blog/Post', { id: 5, title: 'mine' });
    // Streams are told in rounds: what comes of a later change says that the earlier one was looked at.
    const own = await watch(served, at('Post?@initial=true'), { headers: bob.headers });
    await own.until(2);
    await bob.change('/blog/Post/5', { title: 'still mine' });
    await own.until(3);
    expect(open.map(({ told }) => told.map(({ event }) => event))).toEqual([['ready'], ['ready'], ['ready']]);
  });

  test('what is granted is created, and what is taken back is gone, with nothing but its name', async () => {
    const { served, join } = await world(model, surface);
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    await ann.create('/blog/Post', { id: 1, title: canary });
    const stream = await watch(served, at('Post'), { headers: bob.headers });
    await stream.until(1);
    const given = await grant(ann, bob);
    await stream.until(2);
    await ann.remove(ann.at('InstancePrivilegeAssignment', given));
    await stream.until(3);
    await ann.change('/blog/Post/1', { title: `${canary} 2` });
    await bob.create('/blog/Post', { id: 5, title: 'mine' });
    expect(brief(await stream.until(4))).toEqual(['create 1', 'gone 1', 'create 5']);
    expect(JSON.stringify(stream.told[2]?.data)).not.toContain(canary);
  });

  test('what was taken back while nobody watched is gone after a reconnect, and what was deleted is deleted', async () => {
    const { served, join } = await world(model, surface);
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    await ann.create('/blog/Post', { id: 1, title: canary });
    await bob.create('/blog/Post', { id: 2, title: 'mine' });
    const given = await grant(ann, bob);
    const first = await watch(served, at('Post'), { headers: bob.headers });
    await first.until(1);
    await first.close();
    await ann.remove(ann.at('InstancePrivilegeAssignment', given));
    await ann.create('/blog/Post', { id: 3, title: canary });
    await ann.remove('/blog/Post/3');
    await ann.change('/blog/Post/1', { title: `${canary} 2` });
    await bob.remove('/blog/Post/2');
    const second = await watch(served, at('Post'), { headers: bob.headers, after: first.cursor() });
    await second.until(3);
    await bob.create('/blog/Post', { id: 4, title: 'mine' });
    const told = brief(await second.until(4));
    expect([told.slice(0, 2).toSorted(), told.slice(2)]).toEqual([['delete 2', 'gone 1'], ['create 4']]);
    expect(JSON.stringify(second.told)).not.toContain(canary);
  });

  test('what was created and deleted while nobody watched is told, wherever what is told together ends', async () => {
    const { served, join } = await world(model.replace('Post { id Int @id', 'Post { id String @id'), surface);
    const bob = await join('bob', 'user');
    const first = await watch(served, at('Post'), { headers: bob.headers });
    await first.until(1);
    await first.close();
    // Who owns them is written down behind them, and takes as much as they do: some pages end in between.
    const ids = Array.from({ length: 80 }, (_, n) => `${n}-`.padEnd(300, 'x'));
    for (const id of ids) {
      expect((await bob.create('/blog/Post', { id, title: 'mine' })).status).toBeLessThan(300);
      expect((await bob.remove(`/blog/Post/${id}`)).status).toBeLessThan(300);
    }
    const again = await watch(served, at('Post'), { headers: bob.headers, after: first.cursor() });
    expect(brief(await again.until(1 + 2 * ids.length))).toEqual(ids.flatMap((id) => [`create ${id}`, `delete ${id}`]));
  });

  test('a condition of a rule holds for each change: what stops to fulfil it is gone', async () => {
    const { served, join } = await world(model, surface);
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    const stream = await watch(served, at('Note'), { headers: bob.headers });
    await stream.until(1);
    await ann.create('/blog/Note', { id: 1, text: 'one', public: true });
    await ann.change('/blog/Note/1', { text: 'two' });
    await ann.change('/blog/Note/1', { text: canary, public: false });
    await ann.change('/blog/Note/1', { text: `${canary} 2` });
    await ann.change('/blog/Note/1', { text: 'open', public: true });
    expect(brief(await stream.until(5))).toEqual(['create 1', 'update 1', 'gone 1', 'create 1']);
    expect(JSON.stringify(stream.told)).not.toContain(canary);
  });

  test('nobody watches without a token, and a stream ends with its session', async () => {
    const { served, join } = await world(model, surface);
    const bob = await join('bob', 'user');
    expect((await watch(served, at('Post'))).status).toBe(401);
    const stream = await watch(served, at('Post'), { headers: bob.headers });
    await stream.until(1);
    expect((await clientOf(served, surface).logout(bob.headers)).status).toBeLessThan(300);
    await bob.create('/blog/Post', { id: 9, title: 'x' });
    await stream.ended;
    expect((await watch(served, at('Post'), { headers: bob.headers, after: stream.cursor() })).status).toBe(401);
  });
});

test('what is included is told to each caller as they may read it, also where all may read what is watched', async () => {
  const open = `module blog
entity Post { id Int @id, title String, @rbac [(roles: [*], allow: [create, read])] }
entity Comment { id Int @id, text String, @rbac [(roles: [user], allow: [create])] }
relationship PostComment contains(Post, Comment)
`;
  const { served, join } = await world(open);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  expect((await ann.create('/blog/Post', { id: 1, title: 'one' })).status).toBe(201);
  expect((await ann.create('/blog/Post/1/PostComment/Comment', { id: 1, text: canary })).status).toBe(201);
  const target = '/blog/Post?@include=PostComment';
  const streams = [];
  for (const { headers } of [ann, bob]) streams.push(await watch(served, target, { headers }));
  for (const each of streams) await each.until(1);
  expect((await ann.change('/blog/Post/1', { title: 'two' })).status).toBe(200);
  const told = [];
  for (const each of streams) told.push((await each.until(2))[1]?.data);
  expect(told).toEqual([await shown(ann), await shown(bob)]);
  expect(JSON.stringify(told[0])).toContain(canary);
  expect(JSON.stringify(told[1])).not.toContain(canary);

  async function shown(person: Person): Promise<unknown> {
    const { body } = await person.read('/blog/Post/1?@include=PostComment');
    return body;
  }
});

test('what is told again for a grant that was made before the stream is told up to what was there when it was opened', async () => {
  const { served, join } = await world(model);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  for (const id of [1, 2]) await ann.create('/blog/Note', { id, text: 'x' });
  const before = await watch(served, '/blog/Note', { headers: bob.headers });
  await before.until(1);
  const read = await unread();
  const given = { resource: 'blog/Note', resourceId: '2', assignee: bob.email, actions: ['read'] };
  expect((await ann.assign('InstancePrivilegeAssignment', given)).status).toBe(201);
  // More than is told together, with who owns them.
  const many = Array.from({ length: 300 }, (_, index) => ({ id: 100 + index, text: 'x' }));
  expect((await served.post('/blog/Note', many, ann.headers)).status).toBe(201);
  expect((await ann.change('/blog/Note/1', { public: true })).status).toBe(200);
  const fresh = await watch(served, '/blog/Note?@initial=true', { headers: bob.headers });
  expect(brief(await fresh.until(3)).toSorted()).toEqual(['present 1', 'present 2']);
  read();
  await bob.create('/blog/Note', { id: 3, text: 'mine' });
  await expect.poll(() => brief(fresh.told).at(-1), { timeout: 30_000 }).toBe('create 3');
  // Where the log is read in parts, the first of them has it as it was before.
  expect([['create 3'], ['gone 1', 'create 1', 'create 3']]).toContainEqual(brief(fresh.told).slice(2));
});

test('many who watch are told together what each may read, by filters on texts and numbers too', async () => {
  const tasks = `module blog
entity Task { id Int @id, title String @optional, rank Int @optional, @rbac [(roles: [user], allow: [create])] }
`;
  const { served, join } = await world(tasks);
  const people: Person[] = [];
  for (const name of ['ann', 'bob', 'cem', 'dee']) people.push(await join(name, 'user'));
  const filters = ['', '?title=null', '?title=A&rank=2', '?rank=2', '?rank[gt]=1'];
  const streams = await Promise.all(
    people.map((person) => Promise.all(filters.map((filter) => watch(served, `/blog/Task${filter}`, { headers: person.headers })))),
  );
  for (const each of streams.flat()) expect(each.status).toBe(200);
  for (const each of streams.flat()) await each.until(1);
  const read = await unread();
  for (const [at, person] of people.entries()) {
    const made = [{ title: 'A', rank: 2 }, { title: 'a', rank: 2 }, { title: 'null' }, { rank: 20 }];
    for (const [n, values] of made.entries()) await person.create('/blog/Task', { id: 10 * at + n, ...values });
    await person.change(`/blog/Task/${10 * at + 1}`, { title: 'A' });
    await person.remove(`/blog/Task/${10 * at}`);
  }
  read();
  for (const [at, own] of streams.entries()) {
    const line = (text: string): string => text.replace(/\d+$/, (n) => String(10 * at + Number(n)));
    const both = ['create 0', 'create 1', 'update 1', 'delete 0'].map(line);
    const wanted = [
      ['create 0', 'create 1', 'create 2', 'create 3', 'update 1', 'delete 0'].map(line),
      ['create 2'].map(line),
      ['create 0', 'create 1', 'delete 0'].map(line),
      both,
      ['create 0', 'create 1', 'create 3', 'update 1', 'delete 0'].map(line),
    ];
    for (const [n, stream] of own.entries()) {
      await stream.until((wanted[n]?.length ?? 0) + 1);
      expect(brief(stream.told)).toEqual(wanted[n]);
    }
  }
});

test('who may read nothing of what changed is not told either that something has', async () => {
  const { served, join } = await world(`${model}entity Team { name String @id, @rbac [(roles: [user], allow: [create])] }
relationship TeamNote between(Team, Note) @assign(Team -> Note)
`);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  await ann.create('/blog/Note', { id: 1, text: canary });
  await ann.create('/blog/Team', { name: 'hidden' });
  const [own, stream] = [
    await watch(served, '/blog/TeamNote', { headers: ann.headers }),
    await watch(served, '/blog/Note', { headers: bob.headers }),
  ];
  await own.until(1);
  await stream.until(1);
  const made = await ann.create('/blog/TeamNote', { Team: 'hidden', Note: 1 });
  expect(made.status).toBeLessThan(300);
  await own.until(2);
  await bob.create('/blog/Note', { id: 2, text: 'mine' });
  expect(brief(await stream.until(2))).toEqual(['create 2']);
  expect(stream.pings()).toBe(0);
});

test('what only a part of a transaction would have shown is not told: who may read it is decided when it is committed', async () => {
  const { served, join, admin } = await world(`${model}entity Team { id Int @id, lead Email }
entity Task { id Int @id, team Int @ref(Team.id), lead Email @expr(team.lead), @rbac [(roles: [user], allow: [read], where: auth.user != this.lead)] }
workflow Flash { {Note {id Flash.id, text "${canary}", public true}}; {Note {id? Flash.id, public false}} }
`);
  const bob = await join('bob', 'user');
  await admin.create('/blog/Team', [
    { id: 1, lead: bob.email },
    { id: 2, lead: 'ann@example.com' },
  ]);
  const [tasks, notes] = [
    await watch(served, '/blog/Task', { headers: bob.headers }),
    await watch(served, '/blog/Note', { headers: bob.headers }),
  ];
  for (const each of [tasks, notes]) await each.until(1);
  for (const id of [1, 2]) expect((await admin.create('/blog/Task', { id, team: id })).status).toBe(201);
  expect((await admin.create('/blog/Flash', { id: 1 })).status).toBeLessThan(300);
  await admin.create('/blog/Note', { id: 2, text: 'open', public: true });
  expect((await tasks.until(2)).slice(1).map(({ event, data }) => [event, data])).toEqual([
    ['create', { id: 2, team: 2, lead: 'ann@example.com' }],
  ]);
  expect(brief(await notes.until(2))).toEqual(['create 2']);
});

test('what is told beside a change of rights is behind whoever has its last event', async () => {
  const { served, join } = await world(model);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  await ann.create('/blog/Post', { id: 1, title: canary });
  const stream = await watch(served, '/blog/Post', { headers: bob.headers });
  await stream.until(1);
  const read = await unread();
  await bob.create('/blog/Post', { id: 5, title: 'mine' });
  await ann.remove(ann.at('InstancePrivilegeAssignment', await grant(ann, bob)));
  read();
  const [, last] = await stream.until(2);
  const resumed = await watch(served, '/blog/Post', { headers: bob.headers, after: last?.id });
  await bob.create('/blog/Post', { id: 6, title: 'mine' });
  expect([brief(await stream.until(3)), brief(await resumed.until(2))]).toEqual([['create 5', 'create 6'], ['create 6']]);
  expect(stream.pings()).toBe(0);
});

test('a stream of what stands under an instance ends when that may not be read any more', async () => {
  const { served, join } = await world(
    model.replace(
      'entity Comment { id Int @id, text String }',
      'entity Comment { id Int @id, text String, @rbac [(roles: [user], allow: [create, read])] }',
    ),
  );
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  await ann.create('/blog/Post', { id: 1, title: 'one' });
  const given = await grant(ann, bob);
  const under = '/blog/Post/1/PostComment/Comment';
  const stream = await watch(served, under, { headers: bob.headers });
  await stream.until(1);
  expect((await ann.create(under, { id: 1, text: 'a' })).status).toBe(201);
  await stream.until(2);
  await ann.remove(ann.at('InstancePrivilegeAssignment', given));
  expect((await ann.create(under, { id: 2, text: canary })).status).toBe(201);
  await stream.ended;
  expect(brief(stream.told)).toEqual(['create 1']);
  expect((await watch(served, under, { headers: bob.headers, after: stream.cursor() })).status).toBe(404);
});

test('what stands under an instance that is deleted is told with it', async () => {
  const { served, join } = await world(model);
  const ann = await join('ann', 'user');
  await ann.create('/blog/Post', { id: 1, title: 'one' });
  const under = '/blog/Post/1/PostComment/Comment';
  await ann.create(under, { id: 1, text: 'a' });
  const stream = await watch(served, under, { headers: ann.headers });
  await stream.until(1);
  expect((await ann.remove('/blog/Post/1')).status).toBeLessThan(300);
  expect(brief(await stream.until(2))).toEqual(['delete 1']);
});

async function grant(from: Person, to: Person): Promise<string> {
  const { status, text, body } = await from.assign('InstancePrivilegeAssignment', {
    resource: 'blog/Post',
    resourceId: '1',
    assignee: to.email,
    actions: ['read'],
  });
  if (status >= 300) throw new Error(text);
  const found = /"id":"([0-9a-f-]{36})"/i.exec(JSON.stringify(body));
  return found?.[1] ?? '';
}
