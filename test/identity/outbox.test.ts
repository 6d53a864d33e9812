// Mails that cannot be sent at once: the answer does not wait for them, and none is lost.

import { expect, test } from 'vitest';
import { open, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { folderForTest } from '../support/folder.ts';
import { clientOf, mailServer, mailSettings, model, password } from './accounts.ts';

const ann = 'ann@example.com';

test('a mail that the server refuses is sent when it takes mails again, once', async () => {
  let isDown = true;
  const mail = await mailServer(() => (isDown ? new Error('try again later') : undefined));
  const clock = testClock();
  const served = await serve(model, { auth: { mail: mailSettings(mail) }, parts: { clock } });
  const user = clientOf(served, 'current');
  expect((await user.signUp({ email: ann, password })).status).toBe(200);
  while (served.failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
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
  while (first.failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await first.close();
  clock.advance(61_000);
  const second = await serve(model, { auth: { mail: mailSettings(mail) }, parts: { clock }, folder });
  expect(await mail.code(ann)).toMatch(/^\d{8}$/);
  expect(second.failures).toEqual([]);
});
