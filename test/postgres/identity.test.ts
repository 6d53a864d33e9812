// Accounts with two instances of the service on one database: what one ends, both end; what is counted is counted for both.

import { expect, test } from 'vitest';
import { bearerOf, clientOf, password, tokenOf } from '../identity/accounts.ts';
import { type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { folderForTest } from '../support/folder.ts';

const model = 'module m\nentity Post { id Int @id }\n';
const ann = 'ann@example.com';

async function twoInstances(clock = testClock()): Promise<readonly Served[]> {
  const folder = folderForTest();
  const options = { folder, store: 'postgres', auth: {}, parts: { clock } } as const;
  return [await serve(model, options), await serve(model, options)];
}

test('a token of one instance is good at the other, and dead at both within a second of a logout or another password', async () => {
  const clock = testClock();
  const [one, other] = (await twoInstances(clock)).map((each) => clientOf(each, 'current'));
  if (one === undefined || other === undefined) throw new Error('there are two');
  await one.signUp({ email: ann, password });
  const [first, third] = [bearerOf(await one.login(ann, password)), bearerOf(await other.login(ann, password))];
  for (const token of [first, third]) for (const each of [one, other]) expect((await each.posts(token)).status).toBe(200);
  expect((await one.logout(first)).status).toBe(200);
  clock.advance(1000);
  for (const each of [one, other]) expect((await each.posts(first)).status).toBe(401);
  for (const each of [one, other]) expect((await each.posts(third)).status).toBe(200);
  expect((await one.change(third, password, 'another long password')).status).toBe(200);
  clock.advance(1000);
  for (const each of [one, other]) expect((await each.posts(third)).status).toBe(401);
});

test('guesses at both instances are counted together', async () => {
  const both = (await twoInstances()).map((each) => clientOf(each, 'current'));
  await both[0]?.signUp({ email: ann, password });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => both[index % 2]?.login(ann, `guess number ${index}`)));
  const statuses = answers.map((each) => each?.status);
  expect(statuses.filter((each) => each === 401).length).toBe(5);
  expect(statuses.filter((each) => each === 429).length).toBe(25);
});

test('a refresh token that is used at both instances at once gives the same new one', async () => {
  const both = (await twoInstances()).map((each) => clientOf(each, 'current'));
  await both[0]?.signUp({ email: ann, password });
  const login = await both[0]?.login(ann, password);
  if (login === undefined) throw new Error('there are two');
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => both[index % 2]?.refresh(tokenOf(login, 'refresh-token'))));
  expect(new Set(answers.map((each) => each?.status))).toEqual(new Set([200]));
  expect(new Set(answers.map((each) => each && tokenOf(each, 'refresh-token'))).size).toBe(1);
});

test('two that sign up with one address at once: one is made', async () => {
  const both = (await twoInstances()).map((each) => clientOf(each, 'current'));
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => both[index % 2]?.signUp({ email: ann, password })));
  expect(answers.map((each) => each?.status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
});
