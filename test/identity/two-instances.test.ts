// Users at two instances on one database: what one of them ends or counts holds for the other within a second, also where their clocks differ.

import { describe, expect, onTestFinished, test } from 'vitest';
import { type Options, open, type Served, serve } from '../support/app.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { bearerOf, type Client, clientOf, mailServer, mailSettings, model, password, tokenOf } from './accounts.ts';

const ann = 'ann@example.com';
const root = { email: 'root@example.com', password: 'a long password of root' };
const isShared = process.env['PLATFORM_TEST_STORE'] === 'postgres';
const minute = 60_000;

interface Instances {
  readonly clocks: readonly [TestClock, TestClock];
  readonly served: readonly [Served, Served];
  readonly users: readonly [Client, Client];
  /** Of the first mail to this address. */
  code(email: string): Promise<string>;
  /** For both. */
  advance(milliseconds: number): void;
}

/** The second has a clock that is so many milliseconds ahead. */
async function instances(ahead = 0): Promise<Instances> {
  const clocks = [testClock(), testClock()] as const;
  clocks[1].advance(ahead);
  const mail = await mailServer();
  const auth = { superuser: root, mail: mailSettings(mail), confirm: false };
  const options = (clock: TestClock): Options => ({ auth, parts: { clock } });
  const one = await serve(model, options(clocks[0]));
  if (one.kept.settings.type !== 'postgres') throw new Error('not on the server');
  const other = await open(model, { ...options(clocks[1]), store: one.kept.settings });
  onTestFinished(() => other.close());
  const advance = (milliseconds: number) => {
    for (const each of clocks) each.advance(milliseconds);
  };
  const users = [clientOf(one, 'current'), clientOf(other, 'current')] as const;
  return { clocks, served: [one, other], users, code: (email) => mail.code(email), advance };
}

describe.skipIf(!isShared)('with two instances', () => {
  const ends: readonly (readonly [string, (given: Instances, bearer: Readonly<Record<string, string>>) => Promise<number>])[] = [
    ['a logout', async ({ users: [user] }, bearer) => (await user.logout(bearer)).status],
    ['another password', async ({ users: [user] }, bearer) => (await user.change(bearer, password, 'a long new password')).status],
    [
      'a password that is reset',
      async ({ users: [user], code }) => {
        await user.forgot(ann);
        return (await user.reset(ann, await code(ann), 'a long new password')).status;
      },
    ],
    [
      'the end of the user',
      async ({ served: [one], users: [user] }) => {
        const admin = bearerOf(await user.login(root.email, root.password));
        return (await one.remove(`/platform.auth/User/${ann}`, admin)).status;
      },
    ],
  ];
  test.each(ends)('%s at one ends the tokens at the other within a second', async (_, end) => {
    const given = await instances();
    const { users, advance } = given;
    await users[0].signUp({ email: ann, password });
    const login = await users[0].login(ann, password);
    for (const each of users) expect((await each.posts(bearerOf(login))).status).toBe(200);
    expect(await end(given, bearerOf(login))).toBe(200);
    advance(1000);
    for (const each of users) {
      expect((await each.posts(bearerOf(login))).status).toBe(401);
      expect((await each.refresh(tokenOf(login, 'refresh-token'))).status).toBe(401);
    }
  });

  test('guesses at both in turn, and fifty at once, are counted together: five of them are looked at', async () => {
    const { users, advance } = await instances();
    await users[0].signUp({ email: ann, password });
    const guess = (index: number) => users[index % 2 === 0 ? 0 : 1].login(ann, `guess number ${index}`);
    const inTurn = [];
    for (let index = 0; index < 10; index += 1) inTurn.push((await guess(index)).status);
    expect(inTurn).toEqual([...Array(5).fill(401), ...Array(5).fill(429)]);
    for (const each of users) expect((await each.login(ann, password)).status).toBe(429);
    advance(16 * minute);
    const atOnce = await Promise.all(Array.from({ length: 50 }, (_, index) => guess(index)));
    expect(atOnce.filter(({ status }) => status === 401).length).toBe(5);
    expect(atOnce.filter(({ status }) => status === 429).length).toBe(45);
    advance(minute);
    expect((await users[1].login(ann, password)).status).toBe(200);
  });

  test('a refresh token that is used at both at once gives one new token; used at the other later, it ends the session at both', async () => {
    const { users, advance } = await instances();
    await users[0].signUp({ email: ann, password });
    const first = tokenOf(await users[0].login(ann, password), 'refresh-token');
    const refreshed = await Promise.all(Array.from({ length: 20 }, (_, index) => users[index % 2 === 0 ? 0 : 1].refresh(first)));
    expect(new Set(refreshed.map(({ status }) => status))).toEqual(new Set([200]));
    const next = new Set(refreshed.map((each) => tokenOf(each, 'refresh-token')));
    expect(next.size).toBe(1);
    advance(10_001);
    expect((await users[1].refresh(first)).status).toBe(401);
    for (const each of users) expect((await each.refresh([...next][0] ?? '')).status).toBe(401);
  });

  test.each([30_000, -30_000])(
    'a token of one is good at the other, whose clock differs by %i ms, and ends by the clock of who is asked',
    async (ahead) => {
      const { users, advance } = await instances(ahead);
      await users[0].signUp({ email: ann, password });
      const login = await users[0].login(ann, password);
      for (const each of users) expect((await each.posts(bearerOf(login))).status).toBe(200);
      const refreshed = await users[1].refresh(tokenOf(login, 'refresh-token'));
      for (const each of users) expect((await each.posts(bearerOf(refreshed))).status).toBe(200);
      advance(15 * minute + 31_000);
      for (const each of users) expect((await each.posts(bearerOf(login))).status).toBe(401);
      const again = await users[0].refresh(tokenOf(refreshed, 'refresh-token'));
      for (const each of users) expect((await each.posts(bearerOf(again))).status).toBe(200);
    },
  );
});
