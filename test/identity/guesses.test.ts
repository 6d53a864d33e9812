// Guessing passwords and codes, as often and in as many ways as somebody with time, networks and connections can. PLATFORM_TEST_LONG=1 has the full counts.

import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { isLong } from '../support/form.ts';
import { clientOf, mailServer, mailSettings, model, password, wrongCode } from './accounts.ts';

const ann = 'ann@example.com';
const second = 1000;
const hour = 60 * 60 * second;

function countOf(answers: readonly { readonly status: number }[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('guessing passwords', () => {
  const guesses = isLong ? 1000 : 200;

  test(`of one account, ${guesses} times over an hour: few are looked at, and then its owner logs in`, async () => {
    const clock = testClock();
    const served = await serve(model, { auth: {}, parts: { clock } });
    const user = clientOf(served, 'current');
    await user.signUp({ email: ann, password });
    const answers = [];
    for (let index = 0; index < guesses; index += 1) {
      answers.push(await user.login(ann, `guess number ${index}`));
      clock.advance(hour / guesses);
    }
    const counts = countOf(answers);
    process.stdout.write(`${guesses} guesses at one account in an hour: ${counts[401]} looked at, ${counts[429]} told to wait\n`);
    expect(Object.keys(counts)).toEqual(['401', '429']);
    // In each quarter of an hour: those that are free, those with a growing wait, then one each minute.
    expect(counts[401]).toBeLessThanOrEqual(4 * (5 + 6 + 14));
    clock.advance(60 * second);
    expect((await user.login(ann, password)).status).toBe(200);
  });

  test(`one password with ${guesses} accounts from one address: twenty are looked at`, async () => {
    const clock = testClock();
    const served = await serve(model, { auth: {}, parts: { clock } });
    const user = clientOf(served, 'current');
    const answers = await Promise.all(
      Array.from({ length: guesses }, (_, index) => user.login(`user${index}@example.com`, 'a common password')),
    );
    expect(countOf(answers)).toEqual({ 401: 20, 429: guesses - 20 });
  });

  test('from all addresses of one IPv6 network counts as from one address; another network is not held up by it', async () => {
    const clock = testClock();
    const served = await serve(model, { auth: {}, trustProxy: true, parts: { clock } });
    const [address = ''] = await served.app.listen();
    const login = (from: string, email: string) =>
      fetch(`${address}/platform.auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: JSON.stringify({ email, password: 'a common password' }),
      });
    const spread = ['2001:db8::{}', '2001:db8::{}:1', '2001:0db8:0:0:{}::', '2001:DB8:0:0:1:2:3:{}', '[2001:db8::{}]:443'];
    const answers = [];
    for (let index = 0; index < 25; index += 1) {
      const from = (spread[index % spread.length] ?? '').replace('{}', (index + 1).toString(16));
      answers.push(await login(from, `user${index}@example.com`));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
    expect((await login('2001:db8:0:1::1', 'user99@example.com')).status).toBe(401);
  });
});

describe('guessing codes', () => {
  const guesses = isLong ? 1000 : 50;

  async function signedUp(): Promise<{ served: Served; code: string; mail: Awaited<ReturnType<typeof mailServer>> }> {
    const mail = await mailServer();
    // Hashing keeps those that come at once apart, as it does in a service.
    const served = await serve(model, { auth: { mail: mailSettings(mail) }, hashing: 'usual' });
    await clientOf(served, 'current').signUp({ email: ann, password });
    return { served, mail, code: await mail.code(ann) };
  }

  /** Of all addresses and kinds of codes. */
  async function countedTries({ kept }: Served): Promise<readonly number[]> {
    const rows = await kept.rows(`SELECT count FROM "__platform_failures" WHERE scope LIKE 'code %' ORDER BY count`);
    return rows.map((each) => Number(Object(each).count));
  }

  test(`of a sign-up, ${guesses} of them: the right one is dead after five`, async () => {
    const { served, code } = await signedUp();
    const user = clientOf(served, 'current');
    const tries = [];
    // No more at once than the store comes to while one may wait for it, also on a busy machine.
    for (let index = 0; index < guesses; index += 100) {
      const some = Array.from({ length: Math.min(100, guesses) }, (_, each) => wrongCode(String(Number(code) + index + each)));
      tries.push(...(await Promise.all(some.map((each) => user.confirm(ann, each)))));
    }
    expect(countOf(tries)).toEqual({ 400: guesses });
    expect((await user.confirm(ann, code)).status).toBe(400);
    expect(await countedTries(served)).toEqual([guesses + 1]);
  });

  test(`of a new password, ${guesses} of them: the right one is dead after five`, async () => {
    const { served, code, mail } = await signedUp();
    const user = clientOf(served, 'current');
    await user.confirm(ann, code);
    await user.forgot(ann);
    const reset = await mail.code(ann, 2);
    const tries = [];
    // A password is hashed for each: no more of them at once than may wait for that.
    for (let index = 0; index < guesses; index += 50) {
      const some = Array.from({ length: 50 }, (_, each) => wrongCode(String(Number(reset) + index + each)));
      tries.push(...(await Promise.all(some.map((each) => user.reset(ann, each, 'a long new password')))));
    }
    expect(countOf(tries)).toEqual({ 400: guesses });
    expect((await user.reset(ann, reset, 'a long new password')).status).toBe(400);
    expect(await countedTries(served)).toEqual([1, guesses + 1]);
    expect((await user.login(ann, password)).status).toBe(200);
  });
});
