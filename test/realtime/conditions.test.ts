// What rules by paths and profiles mean for streams: what a change of another row takes away or gives is told at once, to each of many who watch.

import { expect, test } from 'vitest';
import { type Person, world } from '../access/people.ts';
import { brief, type Reading, watch } from './support.ts';

const model = `module blog
entity Staff { id Int @id, email Email, clinic Int, @profile(email) }
entity Animal { id Int @id, keeper Email @indexed }
entity File { id Int @id, clinic Int @indexed, text String, @rbac [(roles: [user], allow: [read], where: auth.Staff.clinic = this.clinic)] }
entity Visit { id Int @id, animal Int @ref(Animal.id), text String, @rbac [(roles: [user], allow: [read], where: this.animal.keeper = auth.user)] }
entity Diary { id Int @id, owner String, text String, @rbac [(roles: [user], allow: [read], where: auth.id = this.owner)] }
`;

test('what a changed profile, or a changed row on a path, takes away is gone, and nothing of it is told from then on', async () => {
  const { served, admin, invite } = await world(model);
  const ann = await invite('ann', 'user');
  await admin.create('/blog/Staff', { id: 1, email: ann.email, clinic: 7 });
  await admin.create('/blog/Animal', { id: 1, keeper: ann.email });
  await admin.create('/blog/File', [
    { id: 1, clinic: 7, text: 'a' },
    { id: 2, clinic: 8, text: 'a' },
  ]);
  await admin.create('/blog/Visit', { id: 1, animal: 1, text: 'a' });
  const [files, visits] = [
    await watch(served, '/blog/File', { headers: ann.headers }),
    await watch(served, '/blog/Visit', { headers: ann.headers }),
  ];
  for (const each of [files, visits]) await each.until(1);
  expect((await admin.change('/blog/Staff/1', { clinic: 8 })).status).toBe(200);
  expect(brief(await files.until(3)).toSorted()).toEqual(['create 2', 'gone 1']);
  expect((await admin.change('/blog/Animal/1', { keeper: 'bob@example.com' })).status).toBe(200);
  expect(brief(await visits.until(2))).toEqual(['gone 1']);
  await admin.change('/blog/File/1', { text: 'canary' });
  await admin.change('/blog/Visit/1', { text: 'canary' });
  await admin.change('/blog/File/2', { text: 'b' });
  expect(brief(await files.until(4)).at(-1)).toBe('update 2');
  expect(JSON.stringify([files.told, visits.told])).not.toContain('canary');
});

test('of many who watch the same, each is told what is theirs', async () => {
  const { served, admin, invite } = await world(model);
  const people: Person[] = [];
  for (const name of ['ann', 'bob', 'cid', 'dan', 'eve']) people.push(await invite(name, 'user'));
  const ids: string[] = [];
  for (const [at, each] of people.entries()) {
    await admin.create('/blog/Staff', { id: at, email: each.email, clinic: at });
    ids.push(String(Reflect.get(Object((await served.get('/platform.auth/me', each.headers)).body), 'id')));
  }
  const open = (path: string): Promise<readonly Reading[]> => Promise.all(people.map(({ headers }) => watch(served, path, { headers })));
  const [files, diaries] = [await open('/blog/File'), await open('/blog/Diary')];
  for (const each of [...files, ...diaries]) await each.until(1);
  await admin.create(
    '/blog/File',
    people.map((_, at) => ({ id: at, clinic: at, text: 'a' })),
  );
  await admin.create(
    '/blog/Diary',
    ids.map((owner, at) => ({ id: at, owner, text: 'a' })),
  );
  for (const [at, each] of files.entries()) expect(brief(await each.until(2))).toEqual([`create ${at}`]);
  for (const [at, each] of diaries.entries()) expect(brief(await each.until(2))).toEqual([`create ${at}`]);
});
