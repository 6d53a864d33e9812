// Users who are disabled: nothing lets them in, on any instance, until they are enabled again; what is theirs stays.

import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { type Options, open, type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { bearerOf, clientOf, model, password, tokenOf } from './accounts.ts';
import { oidcPeer, signedInBy, signInAt } from './peers/oidc.ts';

const ann = 'ann@example.com';
const root = { email: 'root@example.com', password: 'a long password of root' };
const auth: NonNullable<Options['auth']> = { superuser: root };
const second = 1000;

async function adminAt(served: Served): Promise<Readonly<Record<string, string>>> {
  return bearerOf(await clientOf(served, 'current').login(root.email, root.password));
}

test('a disabled user is let in by no password, token, refresh token or API key, and by all of them when enabled again', async () => {
  const clock = testClock();
  const served = await serve(model, { auth, parts: { clock } });
  const user = clientOf(served, 'current');
  await user.signUp({ email: ann, password });
  const login = await user.login(ann, password);
  const made = await served.post('/platform.auth/ApiKey', { name: 'calendar' }, bearerOf(login));
  const key = { authorization: `Bearer ${Object(made.body).key}` };
  const admin = await adminAt(served);
  expect([(await user.posts(bearerOf(login))).status, (await user.posts(key)).status]).toEqual([200, 200]);

  const disabled = await served.post('/platform.auth/DisabledUser', { user: ann }, admin);
  expect([disabled.status, Object(disabled.body).user]).toEqual([201, ann]);
  clock.advance(second);
  const [wrong, right] = [await user.login(ann, 'a wrong password'), await user.login(ann, password)];
  expect([right.status, right.text]).toEqual([401, wrong.text]);
  const refreshed = await user.refresh(tokenOf(login, 'refresh-token'));
  const changed = await user.change(bearerOf(login), password, 'a long new password');
  for (const each of [refreshed, changed, await user.posts(bearerOf(login)), await user.posts(key)]) expect(each.status).toBe(401);
  expect((await served.get('/platform.auth/me', bearerOf(login))).status).toBe(401);
  expect((await user.posts(admin)).status).toBe(200);

  expect((await served.remove(`/platform.auth/DisabledUser/${Object(disabled.body).id}`, admin)).status).toBe(200);
  clock.advance(60 * second);
  for (const each of [await user.login(ann, password), await user.posts(bearerOf(login)), await user.posts(key)])
    expect(each.status).toBe(200);
  expect((await user.refresh(tokenOf(login, 'refresh-token'))).status).toBe(200);
  expect(served.failures).toEqual([]);
});

test('a password that is reset does not enable the user, and nor does a new sign-up', async () => {
  const served = await serve(model, { auth });
  const user = clientOf(served, 'current');
  await user.signUp({ email: ann, password });
  const admin = await adminAt(served);
  await served.post('/platform.auth/DisabledUser', { user: ann }, admin);
  const changed = await served.put(`/platform.auth/User/${ann}`, { password: 'a long new password' }, admin);
  expect([changed.status, (await user.login(ann, 'a long new password')).status]).toEqual([200, 401]);
  expect((await user.signUp({ email: ann, password })).status).toBe(409);
});

test('only an admin disables, sees and enables, and only users that there are; who is deleted is not disabled any more', async () => {
  const served = await serve(model, { auth });
  const user = clientOf(served, 'current');
  await user.signUp({ email: ann, password });
  await user.signUp({ email: 'bob@example.com', password });
  const [admin, bob] = [await adminAt(served), bearerOf(await user.login('bob@example.com', password))];
  expect((await served.post('/platform.auth/DisabledUser', { user: ann }, bob)).status).toBe(403);
  expect((await served.post('/platform.auth/DisabledUser', { user: 'nobody@example.com' }, admin)).status).toBe(422);
  const { id } = Object((await served.post('/platform.auth/DisabledUser', { user: ann }, admin)).body);
  expect((await served.get('/platform.auth/DisabledUser', bob)).body).toEqual([]);
  expect((await served.remove(`/platform.auth/DisabledUser/${id}`, bob)).status).toBe(404);
  expect(await served.kept.rows('SELECT * FROM "platform.auth/DisabledUser"')).toHaveLength(1);
  expect((await served.remove(`/platform.auth/User/${ann}`, admin)).status).toBe(200);
  expect((await served.get('/platform.auth/DisabledUser', admin)).body).toEqual([]);
  await user.signUp({ email: ann, password });
  expect((await user.login(ann, password)).status).toBe(200);
});

test('a disabled user does not come in by another service, nor with a code that was given out before', async () => {
  const url = 'https://shop.example.com';
  const peer = await oidcPeer([`${url}/auth/callback`]);
  onTestFinished(() => peer.close());
  const { issuer, clientId, clientSecret } = peer;
  const providers = [{ name: 'acme', issuer, clientId, clientSecret, scopes: ['openid', 'email'] }];
  const served = await serve(model, { auth: { ...auth, url, providers, redirects: [`${url}/home`] } });
  expect((await signedInBy(peer, served, ann, `${url}/home`)).status).toBe(200);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const away = await served.get(`/auth?${new URLSearchParams({ provider: 'acme', redirect: `${url}/home`, challenge })}`);
  const back = await signInAt(peer, String(away.headers['location']), ann);
  const cookie = String(away.headers['set-cookie']).split(';')[0] ?? '';
  const end = await served.get(`${back.pathname}${back.search}`, { cookie });
  await served.post('/platform.auth/DisabledUser', { user: ann }, await adminAt(served));
  const code = new URL(String(end.headers['location'])).searchParams.get('code');
  expect((await served.post('/platform.auth/exchange', { code, verifier })).status).toBe(400);
  expect((await signedInBy(peer, served, ann, `${url}/home`)).status).toBe(400);
});

test.skipIf(process.env['PLATFORM_TEST_STORE'] !== 'postgres')(
  'who is disabled at one instance is kept out by the other within a second',
  async () => {
    const clock = testClock();
    const one = await serve(model, { auth, parts: { clock } });
    if (one.kept.settings.type !== 'postgres') throw new Error('not on the server');
    const other = await open(model, { auth, parts: { clock }, store: one.kept.settings });
    onTestFinished(() => other.close());
    const [user, there] = [clientOf(one, 'current'), clientOf(other, 'current')];
    await user.signUp({ email: ann, password });
    const login = await user.login(ann, password);
    const made = await one.post('/platform.auth/ApiKey', { name: 'calendar' }, bearerOf(login));
    const key = { authorization: `Bearer ${Object(made.body).key}` };
    for (const each of [bearerOf(login), key]) expect((await there.posts(each)).status).toBe(200);
    await one.post('/platform.auth/DisabledUser', { user: ann }, await adminAt(one));
    clock.advance(second);
    for (const each of [bearerOf(login), key]) expect((await there.posts(each)).status).toBe(401);
    expect([(await there.login(ann, password)).status, (await there.refresh(tokenOf(login, 'refresh-token'))).status]).toEqual([401, 401]);
  },
);
