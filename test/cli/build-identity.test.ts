// A built application with users: mails with the application's own texts, third-party sign-in, and a hosted user pool, from one file.

import { createHash, randomBytes } from 'node:crypto';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { mailServer } from '../identity/accounts.ts';
import { cognitoServer } from '../identity/peers/cognito.ts';
import { oidcPeer, signInAt } from '../identity/peers/oidc.ts';
import { command, ensureBuilt, freePort, launch } from './harness.ts';
import { places } from './places.ts';

const { open, started } = places();

const email = 'ann@example.com';
const password = 'correct horse battery';
const home = 'http://localhost:1/home';

let built = '';
beforeAll(async () => {
  ensureBuilt();
  const place = open({
    'shop/src/core.al': 'module shop\nentity Item { name String @id }\n',
    'shop/mail/confirm.txt': 'Subject: Welcome to the shop\n\nThe shop greets you. Your code: {{code}}\n',
  });
  const { code, err } = await command(place.folder, 'build', 'shop');
  expect([code, err]).toEqual([0, '']);
  const out = join(place.folder, 'shop', 'out');
  built = join(out, readdirSync(out)[0] ?? '');
});

interface Client {
  readonly address: string;
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>;
  items(token: unknown): Promise<number>;
}

/** The file alone in an empty folder, with this configuration. */
async function start(auth: object, port: number, env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const { folder } = open();
  cpSync(built, join(folder, 'shop.cjs'));
  writeFileSync(join(folder, 'config.al'), JSON.stringify({ auth: { enabled: true, ...auth } }));
  const service = launch([join(folder, 'shop.cjs'), '--port', String(port)], { folder, env: { HOME: join(folder, 'home'), ...env } });
  started(service);
  const address = (await service.until(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
  return {
    address,
    async post(path, body) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${address}/platform.auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, body: Object(await answer.json()) };
    },
    items: async (token) => (await fetch(`${address}/shop/Item`, { headers: { authorization: `Bearer ${token}` } })).status,
  };
}

test('mails are sent over SMTP, with the texts of the project; the user confirms, logs in and calls', async () => {
  const mail = await mailServer();
  const { post, items } = await start({ mail: { host: '127.0.0.1', port: mail.port, from: 'shop@example.com' } }, 0);
  expect((await post('signup', { email, password })).body).toEqual({ email, confirmed: false });
  const confirmationCode = await mail.code(email);
  expect(mail.to(email)[0]).toContain('The shop greets you.');
  expect((await post('confirmSignup', { email, confirmationCode })).status).toBe(200);
  const login = await post('login', { email, password });
  expect([login.status, await items(login.body['id-token']), await items('nothing')]).toEqual([200, 200, 401]);
  // Those that wait for their turn are compared in a thread, which is started with the same file.
  const together = await Promise.all(Array.from({ length: 4 }, () => post('login', { email, password })));
  expect(together.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('a user signs in at another service', async () => {
  const port = await freePort();
  const peer = await oidcPeer([`http://localhost:${port}/auth/callback`]);
  onTestFinished(() => peer.close());
  peer.people.set('ann', { email, email_verified: true });
  const { issuer, clientId, clientSecret } = peer;
  const auth = { providers: [{ name: 'acme', issuer, clientId, clientSecret }], redirects: [home] };
  const { address, post, items } = await start(auth, port);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = new URLSearchParams({ provider: 'acme', redirect: home, challenge });
  const away = await fetch(`${address}/auth?${asked}`, { redirect: 'manual' });
  const cookie = (away.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const back = await signInAt(peer, away.headers.get('location') ?? '', 'ann');
  const end = await fetch(`${address}${back.pathname}${back.search}`, { redirect: 'manual', headers: { cookie } });
  const code = new URL(end.headers.get('location') ?? '').searchParams.get('code');
  const tokens = await post('exchange', { code, verifier });
  expect([tokens.status, await items(tokens.body['id-token'])]).toEqual([200, 200]);
});

test('users are kept by a hosted pool', async () => {
  const cognito = await cognitoServer();
  onTestFinished(() => cognito.stop());
  const pool = await cognito.pool();
  const { userPoolId = '', clientId = '', region, endpoint = '' } = pool.settings;
  const keys = { CLOUD_ACCESS_KEY_ID: 'local', CLOUD_SECRET_ACCESS_KEY: 'local' };
  const env = { IDP_USER_POOL_ID: userPoolId, IDP_CLIENT_ID: clientId, IDP_ENDPOINT: endpoint, CLOUD_REGION: region, ...keys };
  const { post, items } = await start({}, 0, env);
  expect((await post('signup', { email, password })).status).toBe(200);
  expect((await post('confirmSignup', { email, confirmationCode: pool.code })).status).toBe(200);
  await pool.verify(email);
  const login = await post('login', { email, password });
  expect([login.status, await items(login.body['id-token']), await items('nothing')]).toEqual([200, 200, 401]);
});
