// What every provider of identity promises: the journey of a user, one answer for all who are not to be told apart, and tokens that end.

import { expect, test } from 'vitest';
import { bearerOf, clientOf, password, tokenOf } from '../identity/accounts.ts';
import type { Answer, Options, Served } from '../support/app.ts';

export interface ProviderUnderTest {
  serve(auth?: Options['auth']): Promise<Served>;
  /** The code of the newest mail to this address, which the number counts. */
  code(email: string, number: number): Promise<string>;
  /** What the owner of the address has to do besides, once its code was used. */
  confirmed?(email: string): Promise<void>;
  /** What the service behind it does not do, unlike the one that it stands for. */
  readonly cannot?: readonly 'resend'[];
  /** In a way of its own; else by signing up, confirming and logging in. */
  enter?(served: Served, email: string): Promise<Answer>;
}

const another = 'another horse battery';
const surfaces = ['current', 'earlier'] as const;

export function identityContract(name: string, open: () => Promise<ProviderUnderTest>): void {
  for (const surface of surfaces) {
    test(`${name}: a user signs up, confirms, logs in, refreshes, changes and resets the password, and logs out, on the ${surface} surface`, async () => {
      const provider = await open();
      const served = await provider.serve();
      const client = clientOf(served, surface);
      const email = `${surface}@example.com`;
      const said = await client.signUp({ email, password, name: 'Ann' });
      expect([said.status, Object.values(Object(said.body))]).toEqual([200, [email, false]]);
      expect((await client.login(email, password)).status).toBe(401);
      expect((await client.confirm(email, '00000000')).status).toBe(400);
      expect((await client.confirm(email, await provider.code(email, 1))).status).toBe(200);
      await provider.confirmed?.(email);

      const first = await client.login(email, password);
      expect(Object.keys(Object(first.body)).sort()).toEqual(['access-token', 'expires-in', 'id-token', 'refresh-token']);
      expect((await client.posts(bearerOf(first))).status).toBe(200);
      expect((await served.get('/platform.auth/me', bearerOf(first))).body).toMatchObject({ email, roles: [] });
      const refreshed = await client.refresh(tokenOf(first, 'refresh-token'));
      expect((await client.posts(bearerOf(refreshed))).status).toBe(200);

      expect((await client.change(bearerOf(refreshed), 'wrong', another)).status).toBe(401);
      expect((await client.change(bearerOf(refreshed), password, another)).status).toBe(200);
      for (const dead of [first, refreshed]) expect((await client.posts(bearerOf(dead))).status).toBe(401);
      expect((await client.refresh(tokenOf(refreshed, 'refresh-token'))).status).toBe(401);
      expect((await client.login(email, password)).status).toBe(401);
      const second = await client.login(email, another);
      expect((await client.posts(bearerOf(second))).status).toBe(200);

      expect((await client.forgot(email)).status).toBe(200);
      const code = await provider.code(email, 2);
      expect((await client.reset(email, '00000000', password)).status).toBe(400);
      expect((await client.reset(email, code, password)).status).toBe(200);
      expect((await client.posts(bearerOf(second))).status).toBe(401);
      expect((await client.refresh(tokenOf(second, 'refresh-token'))).status).toBe(401);

      const third = await client.login(email, password);
      expect((await client.logout(bearerOf(third))).status).toBe(200);
      expect((await client.posts(bearerOf(third))).status).toBe(401);
      expect((await client.refresh(tokenOf(third, 'refresh-token'))).status).toBe(401);
      expect(served.failures).toEqual([]);
    });
  }

  test(`${name}: nobody is told whether there is an account`, async () => {
    const provider = await open();
    const served = await provider.serve();
    const client = clientOf(served, 'current');
    const [known, unknown] = ['known@example.com', 'nobody@example.com'];
    await entered(provider, served, known);
    const same = async (ask: (email: string) => Promise<Answer>, status: number) => {
      const [one, other] = [await ask(known), await ask(unknown)];
      expect([one.status, other.status]).toEqual([status, status]);
      expect(one.text.replaceAll(known, unknown)).toBe(other.text);
    };
    await same((email) => client.login(email, 'a wrong password'), 401);
    await same((email) => client.forgot(email), 200);
    if (provider.cannot?.includes('resend') !== true) await same((email) => client.resend(email), 200);
    await same((email) => client.confirm(email, '00000000'), 400);
    await same((email) => client.reset(email, '00000000', another), 400);
    await same((email) => client.signUp({ email, password }), 200);
  });

  test(`${name}: a weak password is 422, and a body with wrong attributes too, before anybody is asked`, async () => {
    const provider = await open();
    const served = await provider.serve();
    for (const weak of ['short', 'password', 'x'.repeat(300)]) {
      const answer = await served.post('/platform.auth/signup', { email: 'weak@example.com', password: weak });
      expect([answer.status, Object(answer.body).errors?.[0]?.attribute]).toEqual([422, 'password']);
    }
    expect((await served.post('/platform.auth/signup', { email: 'no address', password: 1 })).status).toBe(422);
    expect((await served.post('/platform.auth/login', [])).status).toBe(400);
  });

  test(`${name}: after a few failures the next try waits, also with the right password`, async () => {
    const provider = await open();
    const served = await provider.serve();
    const client = clientOf(served, 'current');
    await entered(provider, served, 'slow@example.com');
    const statuses = [];
    for (let each = 0; each < 7; each += 1) statuses.push((await client.login('slow@example.com', 'a wrong password')).status);
    expect(statuses).toContain(429);
    const right = await client.login('slow@example.com', password);
    expect([right.status, Number(right.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  test(`${name}: only an id-token that was signed for this service is one`, async () => {
    const provider = await open();
    const served = await provider.serve();
    const tokens = await entered(provider, served, 'ann@example.com');
    const id = tokenOf(tokens, 'id-token');
    const [header = '', payload = '', signature = ''] = id.split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const claims = Object(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    const changed = Buffer.from(JSON.stringify({ ...claims, email: 'root@example.com' })).toString('base64url');
    const wrong = [
      tokenOf(tokens, 'access-token'),
      tokenOf(tokens, 'refresh-token'),
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      `${header}.${changed}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${id}${'A'.repeat(10_000)}`,
      'x',
    ];
    for (const token of wrong) {
      const answer = await served.get('/m/Post', { authorization: `Bearer ${token}` });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
    }
    expect((await served.get('/m/Post', { authorization: `Bearer ${id}` })).status).toBe(200);
    expect((await served.post('/platform.auth/refreshToken', { refreshToken: id })).status).toBe(401);
  });

  test(`${name}: a session ends at its logout, and no other with it`, async () => {
    const provider = await open();
    const served = await provider.serve();
    const client = clientOf(served, 'current');
    const [one, other] = [await entered(provider, served, 'ann@example.com'), await entered(provider, served, 'bob@example.com')];
    expect((await client.logout(bearerOf(one))).status).toBe(200);
    expect((await client.posts(bearerOf(one))).status).toBe(401);
    expect((await client.refresh(tokenOf(one, 'refresh-token'))).status).toBe(401);
    expect((await client.posts(bearerOf(other))).status).toBe(200);
  });

  test(`${name}: who is named by the superuser variable is admin`, async () => {
    const provider = await open();
    const served = await provider.serve({ superuser: { email: 'root@example.com', password } });
    const client = clientOf(served, 'current');
    const login = await client.login('root@example.com', password);
    const tokens = login.status === 200 ? login : await entered(provider, served, 'root@example.com');
    expect(Object((await served.get('/platform.auth/me', bearerOf(tokens))).body).roles).toEqual(['admin']);
    expect((await served.get('/platform.auth/User', bearerOf(tokens))).body).toMatchObject([{ email: 'root@example.com' }]);
  });
}

async function entered(provider: ProviderUnderTest, served: Served, email: string): Promise<Answer> {
  if (provider.enter !== undefined) return provider.enter(served, email);
  const client = clientOf(served, 'current');
  await client.signUp({ email, password });
  await client.confirm(email, await provider.code(email, 1));
  await provider.confirmed?.(email);
  return client.login(email, password);
}
