// Mails that cannot be sent at once: the answer does not wait for them, and none is lost.

import { expect, test } from 'vitest';
import { open, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { folderForTest } from '../support/folder.ts';
import { until } from '../support/time.ts';
import { bearerOf, clientOf, mailServer, mailSettings, model, password } from './accounts.ts';

const ann = 'ann@example.com';
const root = { email: 'root@example.com', password: 'a long password of root' };

test('a mail that the server refuses is sent when it takes mails again, once', async () => {
  let isDown = true;
  const mail = await mailServer(() => (isDown ? new Error('try again later') : undefined));
  const clock = testClock();
  const served = await serve(model, { auth: { mail: mailSettings(mail) }, parts: { clock } });
  const user = clientOf(served, 'current');
  expect((await user.signUp({ email: ann, password })).status).toBe(200);
  await until(() => served.failures.length > 0);
  expect([mail.to(ann).length, JSON.stringify(served.failures).includes('mail of the outbox')]).toEqual([0, true]);
  isDown = false;
  clock.advance(61_000);
  await user.forgot('nobody@example.com');
  const code = await mail.code(ann);
  expect((await user.confirm(ann, code)).status).toBe(200);
  expect(mail.to(ann).length).toBe(1);
});

test('where nobody listens at the address of the mail server, a sign-up is answered all the same', async () => {
  const settings = { host: '127.0.0.1', port: 1, secure: false, username: undefined, password: undefined, from: 'a@example.com' };
  const served = await serve(model, { auth: { mail: settings } });
  expect((await clientOf(served, 'current').signUp({ email: ann, password })).status).toBe(200);
});

test('what was left behind by an instance that ended is sent by the next one', async () => {
  const mail = await mailServer();
  const clock = testClock();
  const folder = folderForTest();
  const first = await open(model, { auth: { mail: { ...mailSettings(mail), port: 1 } }, parts: { clock }, folder });
  await clientOf(first, 'current').signUp({ email: ann, password });
  await until(() => first.failures.length > 0);
  await first.close();
  clock.advance(61_000);
  const second = await serve(model, { auth: { mail: mailSettings(mail) }, parts: { clock }, folder });
  expect(await mail.code(ann)).toMatch(/^\d{8}$/);
  expect(second.failures).toEqual([]);
});

test('a sign-up that was answered is not lost with the instance: the next one makes the user and sends the mail', async () => {
  const [mail, clock, folder] = [await mailServer(), testClock(), folderForTest()];
  const auth = { mail: mailSettings(mail) };
  const first = await open(model, { auth, parts: { clock }, folder });
  const emails = Array.from({ length: 6 }, (_, index) => `user${index}@example.com`);
  const answers = await Promise.all(emails.map((email) => clientOf(first, 'current').signUp({ email, password })));
  await first.close();
  expect(answers.map(({ status, text }) => [status, text])).toEqual(
    emails.map((email) => [200, JSON.stringify({ email, confirmed: false })]),
  );
  // What the first one had begun with is its own for a while.
  clock.advance(61_000);
  const second = await serve(model, { auth, parts: { clock }, folder });
  const user = clientOf(second, 'current');
  for (const email of emails) {
    await user.confirm(email, await mail.code(email));
    expect((await user.login(email, password)).status).toBe(200);
  }
  expect(second.failures).toEqual([]);
});

test('what a sign-up says of the user is not lost, as deep and as wide as a body may be', async () => {
  const [mail, limits] = [await mailServer(), { depth: 64, keys: 10_000 }];
  const served = await serve(model, { auth: { mail: mailSettings(mail), superuser: root } });
  const user = clientOf(served, 'current');
  let deep: object = {};
  for (let level = 3; level < limits.depth; level += 1) deep = { deep };
  const wide = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`key${index}`, index]));
  for (const [email, userData] of Object.entries({ 'deep@example.com': deep, 'wide@example.com': wide })) {
    expect((await user.signUp({ email, password, userData })).status).toBe(200);
    await mail.code(email);
    const admin = bearerOf(await user.login(root.email, root.password));
    expect(Object((await served.get(`/platform.auth/User/${email}`, admin)).body).userData).toEqual(userData);
  }
  expect(served.failures).toEqual([]);
});
