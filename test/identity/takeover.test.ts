// Sign-ups with the address of somebody else, before and after its owner: nobody gets into the account by them.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { clientOf, mailServer, mailSettings, model, password, wrongCode } from './accounts.ts';

const ann = 'ann@example.com';
const minute = 60_000;

async function withMail() {
  const [mail, clock] = [await mailServer(), testClock()];
  const served = await serve(model, { auth: { mail: mailSettings(mail) }, parts: { clock } });
  return { mail, clock, user: clientOf(served, 'current') };
}

describe('a code brings the password of the sign-up that it was sent for, where somebody else signs up with the address', () => {
  const theirs = 'a password of the attacker';
  const bothSignUp = async (first: string, second: string) => {
    const { mail, clock, user } = await withMail();
    await user.signUp({ email: ann, password: first });
    const codes = [await mail.code(ann)];
    await user.signUp({ email: ann, password: second });
    codes.push(await mail.code(ann, 2));
    const [own = '', other = ''] = first === password ? codes : codes.toReversed();
    const letsIn = async () => [(await user.login(ann, password)).status, (await user.login(ann, theirs)).status];
    return { clock, user, mail, own, other, letsIn };
  };

  test.each([
    ['before', theirs, password],
    ['after', password, theirs],
  ])('%s: the own code counts, and the other one is used up with it', async (_, first, second) => {
    const { user, mail, own, other, letsIn } = await bothSignUp(first, second);
    expect(mail.to(ann)[1]).toContain('There were several sign-ups with this address');
    expect((await user.confirm(ann, own)).status).toBe(200);
    expect(await letsIn()).toEqual([200, 401]);
    expect((await user.confirm(ann, other)).status).toBe(400);
    expect(await letsIn()).toEqual([200, 401]);
  });

  test.each([
    ['before', theirs, password, 0],
    ['after', password, theirs, 0],
    ['after, when the own code had expired,', password, theirs, 11],
  ])('%s: a code that is sent again is for neither, and then a new password is asked for', async (_, first, second, minutes) => {
    const { clock, user, mail, own, other, letsIn } = await bothSignUp(first, second);
    clock.advance(minutes * minute);
    if (minutes > 0) {
      await user.signUp({ email: ann, password: theirs });
      await mail.code(ann, 3);
    }
    await user.resend(ann);
    const sent = minutes > 0 ? 4 : 3;
    const again = await mail.code(ann, sent);
    for (const each of [own, other]) expect((await user.confirm(ann, each)).status).toBe(400);
    expect((await user.confirm(ann, again)).status).toBe(200);
    expect(await letsIn()).toEqual([401, 401]);
    await user.forgot(ann);
    expect((await user.reset(ann, await mail.code(ann, sent + 1), password)).status).toBe(200);
    clock.advance(20 * minute);
    expect(await letsIn()).toEqual([200, 401]);
  });

  test('so often that no mail is sent for the own one: then no code brings a password', async () => {
    const { mail, clock, user } = await withMail();
    for (let index = 0; index < 5; index += 1) await user.signUp({ email: ann, password: theirs });
    await user.signUp({ email: ann, password });
    const last = await mail.code(ann, 5);
    // Sign-ups are seen to one after the other, behind their answers: the sixth was, once another one has its mail.
    await user.signUp({ email: 'bob@example.com', password });
    await mail.code('bob@example.com');
    clock.advance(2 * minute);
    await user.signUp({ email: ann, password: theirs });
    const later = await mail.code(ann, 6);
    expect(mail.to(ann)[5]).toContain('sets no password');
    expect((await user.confirm(ann, wrongCode(last))).status).toBe(400);
    expect((await user.confirm(ann, later)).status).toBe(200);
    expect((await user.login(ann, theirs)).status).toBe(401);
    expect((await user.login(ann, password)).status).toBe(401);
  });

  test('is of no use once the address is proven by a reset', async () => {
    const { user, mail, other, letsIn } = await bothSignUp(password, theirs);
    await user.forgot(ann);
    expect((await user.reset(ann, await mail.code(ann, 3), password)).status).toBe(200);
    expect((await user.confirm(ann, other)).status).toBe(400);
    expect(await letsIn()).toEqual([200, 401]);
  });
});

describe('an address is one account, however it is spelled', () => {
  test.each([
    ['in capitals', ann, 'ANN@EXAMPLE.COM'],
    ['with composed and with combining characters', 'jos\u00e9@example.com', 'jose\u0301@example.com'],
  ])('%s', async (_, one, other) => {
    const served = await serve(model, { auth: {} });
    const user = clientOf(served, 'current');
    expect((await user.signUp({ email: one, password })).status).toBe(200);
    expect((await user.signUp({ email: other, password: 'another long password' })).status).toBe(409);
    expect((await user.login(other, password)).status).toBe(200);
    expect((await user.login(other, 'another long password')).status).toBe(401);
    expect(await served.kept.rows('SELECT email FROM "platform.auth/User"')).toHaveLength(1);
  });
});
