// Attacks on accounts: what an attacker learns, guesses or replays, and that it gets them nowhere.

import { describe, expect, test } from 'vitest';
import { type Answer, type Options, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { bearerOf, clientOf, mailServer, mailSettings, model, outboxEmptied, password, tokenOf, wrongCode } from './accounts.ts';

const [ann, bob, nobody] = ['ann@example.com', 'bob@example.com', 'nobody@example.com'];
const minute = 60_000;

/** All that an answer tells. */
const told = ({ status, text, headers }: Answer) => ({ status, text: text.replaceAll(/[\w.]+@example\.com/g, 'X'), headers });

async function withClock(options: Options = {}) {
  const clock = testClock();
  const served = await serve(model, { auth: {}, ...options, parts: { clock } });
  return { clock, served, user: clientOf(served, 'current') };
}

describe('no answer tells whether there is an account', () => {
  test.each(['current', 'earlier'] as const)('on the %s surface', async (surface) => {
    const mail = await mailServer();
    const served = await serve(model, { auth: { mail: mailSettings(mail) }, surfaces: [surface] });
    const user = clientOf(served, surface);
    await user.signUp({ email: ann, password });
    await user.confirm(ann, await mail.code(ann));
    await user.signUp({ email: bob, password });
    // Confirmed, not confirmed, and unknown.
    const all = [ann, bob, nobody];
    const asked: readonly (readonly [string, (email: string) => Promise<Answer>])[] = [
      ['login', (email) => user.login(email, 'a wrong password')],
      ['forgot', (email) => user.forgot(email)],
      ['resend', (email) => user.resend(email)],
      ['confirm', (email) => user.confirm(email, '00000000')],
      ['reset', (email) => user.reset(email, '00000000', 'a long new password')],
      ['sign up', (email) => user.signUp({ email, password: 'a long new password' })],
    ];
    for (const [name, ask] of asked) {
      const answers = [];
      for (const email of all) answers.push(told(await ask(email)));
      expect(answers[1], name).toEqual(answers[0]);
      expect(answers[2], name).toEqual(answers[0]);
    }
  });

  test('nor does a table without any user', async () => {
    const served = await serve(model, { auth: {} });
    const user = clientOf(served, 'current');
    const before = told(await user.login(ann, 'a wrong password'));
    await user.signUp({ email: ann, password });
    expect(told(await user.login(ann, 'a wrong password'))).toEqual(before);
  });
});

describe('guessing a password', () => {
  test('is slowed down after five failures, and the right one is told the same while it waits; then it is taken', async () => {
    const { clock, served, user } = await withClock();
    await user.signUp({ email: ann, password });
    const guesses = [];
    for (let index = 0; index < 5; index += 1) guesses.push((await user.login(ann, `guess number ${index}`)).status);
    expect(guesses).toEqual([401, 401, 401, 401, 401]);
    const wrong = await user.login(ann, 'guess number 5');
    const right = await user.login(ann, password);
    expect([wrong.status, right.status, right.headers['retry-after']]).toEqual([429, 429, '1']);
    expect(told(right)).toEqual(told(wrong));
    clock.advance(1001);
    expect((await user.login(ann, password)).status).toBe(200);
    expect((await user.login(ann, 'guess number 6')).status).toBe(401);
    expect(served.failures).toEqual([]);
  });

  test('waits longer each time, a minute at most, and never for good', async () => {
    const { clock, user } = await withClock();
    await user.signUp({ email: ann, password });
    const waits = [];
    for (let index = 0; index < 14; index += 1) {
      await user.login(ann, 'wrong');
      const { status, headers } = await user.login(ann, 'wrong');
      if (status !== 429) continue;
      waits.push(Number(headers['retry-after']));
      clock.advance(Number(headers['retry-after']) * 1000 + 1);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]);
    clock.advance(16 * minute);
    expect((await user.login(ann, password)).status).toBe(200);
  });

  test('with many guesses at once is no faster: five of fifty are looked at', async () => {
    const { user } = await withClock();
    await user.signUp({ email: ann, password });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => user.login(ann, `guess number ${index}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(401), ...Array(45).fill(429)]);
  });

  test('of many accounts from one address is slowed down too, for accounts that there are not as well', async () => {
    const { clock, user } = await withClock();
    const statuses = [];
    for (let index = 0; index < 25; index += 1) statuses.push((await user.login(`user${index}@example.com`, 'a password')).status);
    expect(statuses.filter((each) => each === 401).length).toBe(20);
    expect(statuses.slice(20)).toEqual([429, 429, 429, 429, 429]);
    clock.advance(2 * minute);
    expect((await user.login(nobody, 'a password')).status).toBe(401);
  });
});

describe('a code', () => {
  const signedUp = async () => {
    const mail = await mailServer();
    const { clock, served, user } = await withClock({ auth: { mail: mailSettings(mail) } });
    await user.signUp({ email: ann, password });
    return { clock, served, user, mail, code: await mail.code(ann) };
  };

  test('is dead after five wrong tries', async () => {
    const { user, code } = await signedUp();
    for (let index = 0; index < 5; index += 1) expect((await user.confirm(ann, wrongCode(code))).status).toBe(400);
    expect((await user.confirm(ann, code)).status).toBe(400);
  });

  test('is dead after ten minutes', async () => {
    const { clock, user, code } = await signedUp();
    clock.advance(10 * minute);
    expect((await user.confirm(ann, code)).status).toBe(400);
  });

  test('is for one user and one purpose', async () => {
    const { user, mail, code } = await signedUp();
    await user.signUp({ email: bob, password });
    await mail.code(bob);
    expect((await user.confirm(bob, code)).status).toBe(400);
    expect((await user.reset(ann, code, 'a long new password')).status).toBe(400);
    await user.forgot(ann);
    expect((await user.confirm(ann, await mail.code(ann, 2))).status).toBe(400);
    expect((await user.confirm(ann, code)).status).toBe(200);
  });

  test('is sent a few times an hour at most, whoever asks', async () => {
    const { served, user, mail } = await signedUp();
    for (let index = 0; index < 20; index += 1) expect((await user.resend(ann)).status).toBe(200);
    await outboxEmptied(served);
    expect(mail.to(ann)).toHaveLength(5);
  });

  test('is asked for again and again to guess more often: where no mail is sent there is no other code, and no further tries', async () => {
    const { user, mail, code } = await signedUp();
    for (let index = 0; index < 20; index += 1) await user.resend(ann);
    const last = await mail.code(ann, 5);
    expect((await user.confirm(ann, code)).status).toBe(400);
    for (let index = 0; index < 4; index += 1) await user.confirm(ann, wrongCode(last));
    await user.resend(ann);
    await user.confirm(ann, wrongCode(last));
    expect((await user.confirm(ann, last)).status).toBe(400);
  });

  test('that was mailed last is the one that counts, however often another was asked for since', async () => {
    const { user, mail } = await signedUp();
    for (let index = 0; index < 20; index += 1) await user.resend(ann);
    expect((await user.confirm(ann, await mail.code(ann, 5))).status).toBe(200);
  });

  test('is not used by opening the link of the mail, only by the button of the page', async () => {
    const { served, user, code } = await signedUp();
    const page = await served.get('/platform.auth/confirm');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await user.login(ann, password)).status).toBe(401);
    expect((await user.confirm(ann, code)).status).toBe(200);
  });
});

describe('a refresh token', () => {
  const loggedIn = async () => {
    const { clock, served, user } = await withClock();
    await user.signUp({ email: ann, password });
    const login = await user.login(ann, password);
    return { clock, served, user, login, first: tokenOf(login, 'refresh-token') };
  };

  test('used twenty times at once gives one new token to all', async () => {
    const { user, first } = await loggedIn();
    const answers = await Promise.all(Array.from({ length: 20 }, () => user.refresh(first)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((each) => tokenOf(each, 'refresh-token'))).size).toBe(1);
  });

  test('used again after ten seconds ends the session, whoever has its tokens', async () => {
    const { clock, served, user, login, first } = await loggedIn();
    const second = await user.refresh(first);
    clock.advance(10_001);
    expect((await user.refresh(first)).status).toBe(401);
    expect((await user.refresh(tokenOf(second, 'refresh-token'))).status).toBe(401);
    clock.advance(1000);
    for (const each of [login, second]) expect((await user.posts(bearerOf(each))).status).toBe(401);
    expect(served.warnings).toMatchObject([{ message: 'a refresh token was used a second time; its session was ended' }]);
  });

  test('two steps back is a reuse, also within ten seconds', async () => {
    const { user, first } = await loggedIn();
    const second = tokenOf(await user.refresh(first), 'refresh-token');
    const third = tokenOf(await user.refresh(second), 'refresh-token');
    expect((await user.refresh(first)).status).toBe(401);
    expect((await user.refresh(third)).status).toBe(401);
  });

  test('lives for thirty days, and is no bearer token; nor is an id-token a refresh token', async () => {
    const { clock, user, login, first } = await loggedIn();
    expect((await user.posts({ authorization: `Bearer ${first}` })).status).toBe(401);
    expect((await user.posts({ authorization: `Bearer ${tokenOf(login, 'access-token')}` })).status).toBe(401);
    expect((await user.refresh(tokenOf(login, 'id-token'))).status).toBe(401);
    clock.advance(30 * 24 * 60 * minute);
    expect((await user.refresh(first)).status).toBe(401);
  });

  test('brings no role back that was taken away, and the token of before has none of it within a second', async () => {
    const superuser = { email: 'root@example.com', password: 'a long password of root' };
    const { clock, served, user } = await withClock({ auth: { superuser } });
    await user.signUp({ email: ann, password });
    const root = bearerOf(await user.login(superuser.email, superuser.password));
    await served.post('/platform.rbac/RoleAssignment', { role: 'admin', assignee: ann }, root);
    const login = await user.login(ann, password);
    const others = async (bearer: Readonly<Record<string, string>>) =>
      (await served.get(`/platform.auth/User/${superuser.email}`, bearer)).status;
    expect(await others(bearerOf(login))).toBe(200);
    const [{ id }] = Object((await served.get(`/platform.rbac/RoleAssignment?assignee=${ann}`, root)).body);
    expect((await served.remove(`/platform.rbac/RoleAssignment/${id}`, root)).status).toBe(200);
    clock.advance(1000);
    expect(await others(bearerOf(login))).toBe(404);
    expect(await others(bearerOf(await user.refresh(tokenOf(login, 'refresh-token'))))).toBe(404);
  });

  test('is over with the user', async () => {
    const superuser = { email: 'root@example.com', password: 'a long password of root' };
    const { served, user } = await withClock({ auth: { superuser } });
    await user.signUp({ email: ann, password });
    const first = tokenOf(await user.login(ann, password), 'refresh-token');
    const root = bearerOf(await user.login(superuser.email, superuser.password));
    expect((await served.remove(`/platform.auth/User/${ann}`, root)).status).toBe(200);
    expect((await user.refresh(first)).status).toBe(401);
  });
});

describe('a password', () => {
  const cases: readonly (readonly [string, string, number])[] = [
    ['of seven characters', 'aB3$xyz', 422],
    ['of eight', 'aB3$xyzw', 200],
    ['of eight characters outside the basic plane', '😀😁😂🤣😃😄😅😆', 200],
    ['of 256 bytes', `${'long pass '.repeat(25)}123456`, 200],
    ['of 257 bytes', `${'long pass '.repeat(25)}1234567`, 422],
    ['that many have', 'password123', 422],
    ['that many have, in capitals', 'PASSWORD123', 422],
    ['that is the address', ann, 422],
    ['with a NUL', 'long pass\0word', 422],
    ['with spaces around it', '  a long password  ', 200],
  ];
  test.each(cases)('%s', async (_, given, status) => {
    const { user } = await withClock();
    expect((await user.signUp({ email: ann, password: given })).status).toBe(status);
    if (status === 200) expect((await user.login(ann, given)).status).toBe(200);
  });

  const changes: readonly (readonly [string, string, number])[] = [
    ...cases.filter(([title]) => title !== 'that is the address'),
    ['of fifteen characters', 'fifteen letters', 200],
    ['of 64', 'x7'.repeat(32), 200],
    ['of a million', 'x7'.repeat(500_000), 422],
    ['that it was before', password, 422],
    ['of combining characters', 'o\u0308a\u0308u\u0308 long enough', 200],
  ];
  test.each(changes)('is changed to one %s by the same rules', async (_, given, status) => {
    const { user } = await withClock();
    await user.signUp({ email: ann, password });
    const bearer = bearerOf(await user.login(ann, password));
    expect((await user.change(bearer, password, given)).status).toBe(status);
    expect((await user.login(ann, status === 200 ? given : password)).status).toBe(200);
  });

  test('counts to its last byte', async () => {
    const { user } = await withClock();
    const long = 'x1'.repeat(127);
    await user.signUp({ email: ann, password: `${long}a` });
    expect((await user.login(ann, `${long}b`)).status).toBe(401);
    expect((await user.login(ann, long)).status).toBe(401);
    expect((await user.login(ann, `${long}a`)).status).toBe(200);
  });

  test('of somebody else is changed neither by their token nor without any', async () => {
    const { served, user } = await withClock({ surfaces: ['current', 'earlier'] });
    await user.signUp({ email: ann, password });
    await user.signUp({ email: bob, password: 'password of bob' });
    const bobs = bearerOf(await user.login(bob, 'password of bob'));
    expect((await user.change(bobs, password, 'a long new password')).status).toBe(401);
    expect((await user.change({}, password, 'a long new password')).status).toBe(401);
    const keyed = { CurrentPassword: password, NewPassword: 'a long new password' };
    expect((await served.post('/change-password', { 'Platform.Kernel.Identity/ChangePassword': keyed })).status).toBe(401);
    expect((await user.login(ann, password)).status).toBe(200);
  });
});
