// Third-party sign-in, against a real OpenID Connect service: the journey, whose account it leads to, and everything that must not lead to one.

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { systemClock } from '../../src/clock.ts';
import { type Answer, type Options, type Served, serve } from '../support/app.ts';
import { type OidcPeer, oidcPeer, signInAt } from './peers/oidc.ts';

const url = 'https://shop.example.com';
const home = 'https://shop.example.com/home?tab=1';
const model = `module m
entity Post { id Int @id }
entity Seen { email String @id }
workflow platform.auth/PostSignUp { {Seen {email PostSignUp.signupRequest.user.email}} }
`;
const password = 'correct horse battery';

let peer: OidcPeer;
beforeAll(async () => {
  peer = await oidcPeer([`${url}/auth/callback`]);
});
afterAll(() => peer.close());

function settings(): NonNullable<Options['auth']> {
  const { issuer, clientId, clientSecret } = peer;
  const providers = [{ name: 'acme', issuer, clientId, clientSecret, scopes: ['openid', 'email', 'profile'] }];
  return { url, providers, redirects: [home] };
}

interface Trip {
  readonly verifier: string;
  readonly cookie: string;
  readonly location: string;
}

async function begin(served: Served): Promise<Trip> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const answer = await served.get(`/auth?${new URLSearchParams({ provider: 'acme', redirect: home, challenge })}`);
  expect(answer.status, answer.text).toBe(302);
  return { verifier, cookie: cookieOf(answer), location: String(answer.headers['location']) };
}

function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

async function comeBack(served: Served, back: URL, cookie: string): Promise<Answer> {
  return served.get(`${back.pathname}${back.search}`, { cookie });
}

/** Up to the address that the browser is sent to in the end. */
async function signIn(served: Served, name: string): Promise<{ readonly end: URL; readonly verifier: string }> {
  const { verifier, cookie, location } = await begin(served);
  const answer = await comeBack(served, await signInAt(peer, location, name), cookie);
  expect(answer.status, answer.text).toBe(302);
  return { end: new URL(String(answer.headers['location'])), verifier };
}

async function exchange(served: Served, end: URL, verifier: string): Promise<Answer> {
  return served.post('/platform.auth/exchange', { code: end.searchParams.get('code'), verifier });
}

async function bearerOf(served: Served, name: string): Promise<Readonly<Record<string, string>>> {
  const { end, verifier } = await signIn(served, name);
  const tokens = Object((await exchange(served, end, verifier)).body);
  return { authorization: `Bearer ${tokens['id-token']}` };
}

function person(email: string, verified: unknown = true): string {
  const name = randomBytes(6).toString('hex');
  peer.people.set(name, { email, email_verified: verified, name: 'Ann Other', given_name: 'Ann', family_name: 'Other' });
  return name;
}

test('a browser signs in at another service, and gets tokens of this one for a code that was in its address once', async () => {
  const served = await serve(model, { auth: settings() });
  const begun = await begin(served);
  const asked = new URL(begun.location).searchParams;
  expect(begun.cookie).toMatch(/^__Host-sign-in=/);
  expect([asked.get('redirect_uri'), asked.get('code_challenge_method'), asked.get('response_type')]).toEqual([
    `${url}/auth/callback`,
    'S256',
    'code',
  ]);
  expect(asked.get('nonce')).toMatch(/^[\w-]{43}$/);

  const { end, verifier } = await signIn(served, person('Ann@Example.com'));
  expect([end.origin, end.pathname, [...end.searchParams.keys()]]).toEqual([url, '/home', ['tab', 'code']]);
  const tokens = await exchange(served, end, verifier);
  expect(Object.keys(Object(tokens.body))).toEqual(['id-token', 'access-token', 'refresh-token', 'expires-in']);
  const bearer = { authorization: `Bearer ${Object(tokens.body)['id-token']}` };
  expect((await served.get('/platform.auth/me', bearer)).body).toEqual({
    id: expect.any(String),
    email: 'ann@example.com',
    name: 'Ann Other',
    roles: [],
  });
  expect((await served.get('/m/Seen', bearer)).body).toEqual([{ email: 'ann@example.com' }]);
  const refreshed = await served.post('/platform.auth/refreshToken', { refreshToken: Object(tokens.body)['refresh-token'] });
  expect(refreshed.status).toBe(200);
  expect((await served.post('/platform.auth/logout', {}, bearer)).status).toBe(200);
  expect((await served.get('/m/Post', bearer)).status).toBe(401);
  expect(served.failures).toEqual([]);
});

test('the cookie binds the sign-in to the browser for ten minutes, and is for this host alone', async () => {
  const served = await serve(model, { auth: settings() });
  const challenge = 'x'.repeat(43);
  const secure = await served.get(`/auth?${new URLSearchParams({ provider: 'acme', redirect: '/console', challenge })}`);
  expect(secure.headers['set-cookie']).toMatch(/^__Host-sign-in=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  expect([secure.headers['cache-control'], secure.headers['referrer-policy']]).toEqual(['no-store', 'no-referrer']);
  const local = await serve(model, { auth: { ...settings(), url: undefined } });
  const plain = await local.get(`/auth?${new URLSearchParams({ provider: 'acme', redirect: '/console', challenge })}`);
  expect(plain.headers['set-cookie']).toMatch(/^sign-in=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
});

test('on this machine the service needs no address of its own: it is the one that it listens at', async () => {
  const served = await serve(model, { auth: { ...settings(), url: undefined } });
  const [address = ''] = await served.app.listen();
  const { port } = new URL(address);
  const { location } = await begin(served);
  expect(new URL(location).searchParams.get('redirect_uri')).toBe(`http://localhost:${port}/auth/callback`);
});

const wrongQueries: readonly (readonly [title: string, change: Readonly<Record<string, string | undefined>>, faults: readonly string[]])[] =
  [
    ['an unknown provider', { provider: 'other' }, ['provider value']],
    ['a redirect that is not configured', { redirect: 'https://evil.example.com/' }, ['redirect value']],
    ['a configured redirect with something behind it', { redirect: `${home}&x=1` }, ['redirect value']],
    ['a configured redirect in another host', { redirect: home.replace('.com/', '.com.evil.com/') }, ['redirect value']],
    ['a redirect without a scheme', { redirect: '//evil.example.com/console' }, ['redirect value']],
    ['a path that only begins like the console', { redirect: '/console/../evil' }, ['redirect value']],
    ['a script', { redirect: 'javascript:alert(1)' }, ['redirect value']],
    ['a challenge that is no hash', { challenge: 'short' }, ['challenge value']],
    ['an unknown parameter', { issuer: 'https://evil.example.com' }, ['issuer unknown']],
    [
      'nothing at all',
      { provider: undefined, redirect: undefined, challenge: undefined },
      ['provider required', 'redirect required', 'challenge required'],
    ],
  ];

for (const [title, change, faults] of wrongQueries) {
  test(`GET /auth is refused with all faults: ${title}`, async () => {
    const served = await serve(model, { auth: settings() });
    const all = { provider: 'acme', redirect: home, challenge: 'x'.repeat(43), ...change };
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(all)) if (value !== undefined) given.set(name, value);
    const answer = await served.get(`/auth?${given}`);
    expect([answer.status, answer.headers['location'], answer.headers['set-cookie']]).toEqual([422, undefined, undefined]);
    expect(Object(answer.body).errors.map((each: { attribute: string; code: string }) => `${each.attribute} ${each.code}`)).toEqual(faults);
  });
}

test('the way back is only for the browser that began, with the state that it began with', async () => {
  const served = await serve(model, { auth: settings() });
  const [mine, other] = [await begin(served), await begin(served)];
  const back = await signInAt(peer, mine.location, person('eve@example.com'));
  const otherState = new URL(back);
  otherState.searchParams.set('state', 'x'.repeat(43));
  const twice = new URL(back);
  twice.searchParams.append('state', 'y');
  const wrong: readonly (readonly [back: URL, cookie: string])[] = [
    [back, ''],
    [back, other.cookie],
    [back, `${mine.cookie}; ${other.cookie}`],
    [back, `${mine.cookie.slice(0, -2)}AA`],
    [otherState, mine.cookie],
    [twice, mine.cookie],
  ];
  for (const [address, cookie] of wrong) {
    const answer = await comeBack(served, address, cookie);
    expect([answer.status, Object(answer.body).code, answer.headers['location']]).toEqual([400, 'code-invalid', undefined]);
  }
  expect((await comeBack(served, back, mine.cookie)).status).toBe(302);
  // The other service gives its code out once.
  expect((await comeBack(served, back, mine.cookie)).status).toBe(401);
});

test('a token of the other service that was made for another nonce signs nobody in', async () => {
  const served = await serve(model, { auth: settings() });
  const { cookie, location } = await begin(served);
  const changed = new URL(location);
  changed.searchParams.set('nonce', 'another one');
  const answer = await comeBack(served, await signInAt(peer, changed.href, person('eve@example.com')), cookie);
  expect([answer.status, Object(answer.body).code]).toEqual([401, 'credentials-invalid']);
});

test('a sign-in that takes longer than ten minutes begins anew', async () => {
  const { clock, forward } = movable();
  const served = await serve(model, { auth: settings(), parts: { clock } });
  const { cookie, location } = await begin(served);
  const back = await signInAt(peer, location, person('slow@example.com'));
  forward(601);
  expect((await comeBack(served, back, cookie)).status).toBe(400);
});

test('a code is exchanged once, within a minute, with the verifier of its challenge', async () => {
  const { clock, forward } = movable();
  const served = await serve(model, { auth: settings(), parts: { clock } });
  const name = person('ann@example.com');
  const refused = async (end: URL, verifier: string) => {
    const answer = await exchange(served, end, verifier);
    expect([answer.status, Object(answer.body).code, Object(answer.body).detail]).toEqual([
      400,
      'code-invalid',
      'The code is wrong, used or expired.',
    ]);
  };
  const first = await signIn(served, name);
  expect((await exchange(served, first.end, first.verifier)).status).toBe(200);
  await refused(first.end, first.verifier);
  const wrong = await signIn(served, name);
  await refused(wrong.end, 'x'.repeat(43));
  await refused(wrong.end, wrong.verifier);
  const late = await signIn(served, name);
  forward(61);
  await refused(late.end, late.verifier);
  const parallel = await signIn(served, name);
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(served, parallel.end, parallel.verifier)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  await refused(new URL('https://x/?code=guessed'), 'x'.repeat(43));
  expect((await served.post('/platform.auth/exchange', { code: 1 })).status).toBe(422);
});

test('a verified e-mail joins the account that is there, which keeps its confirmed password', async () => {
  const served = await serve(model, {
    auth: { ...settings(), superuser: { email: 'root@example.com', password: 'only the owner knows it' } },
  });
  const bearer = await bearerOf(served, person('Root@example.com'));
  expect((await served.get('/platform.auth/me', bearer)).body).toEqual({
    id: expect.any(String),
    email: 'root@example.com',
    name: null,
    roles: ['admin'],
  });
  const login = await served.post('/platform.auth/login', { email: 'root@example.com', password: 'only the owner knows it' });
  expect(login.status).toBe(200);
  expect(Object((await served.get('/platform.auth/User', bearer)).body)).toHaveLength(1);
});

const unverified: readonly (readonly [title: string, verified: unknown])[] = [
  ['not verified', false],
  ['of which nothing is said', null],
  ['verified by some other word', 'yes'],
];

for (const [title, verified] of unverified) {
  test(`an e-mail ${title} makes no account and takes none over`, async () => {
    const served = await serve(model, { auth: settings() });
    await served.post('/platform.auth/signup', { email: 'ann@example.com', password });
    for (const email of ['ann@example.com', 'new@example.com']) {
      const { end } = await signIn(served, person(email, verified));
      expect([end.searchParams.get('code'), end.searchParams.get('error')]).toEqual([null, 'access-denied']);
    }
    expect((await served.post('/platform.auth/login', { email: 'ann@example.com', password })).status).toBe(200);
  });
}

test('who signed up with an address that they never confirmed has nothing of the account once its owner signs in', async () => {
  for (const confirm of [false, true]) {
    const served = await serve(model, { auth: { ...settings(), confirm } });
    const email = 'victim@example.com';
    await served.post('/platform.auth/signup', { email, password });
    const before = confirm ? undefined : await served.post('/platform.auth/login', { email, password });
    const attacker = { authorization: `Bearer ${Object(before?.body)['id-token']}` };
    let key = '';
    if (!confirm) {
      expect((await served.get('/m/Post', attacker)).status).toBe(200);
      key = String(Object((await served.post('/platform.auth/ApiKey', { name: 'a way back in' }, attacker)).body).key);
      expect(key.length).toBeGreaterThan(20);
      const newPassword = 'another one of the attacker';
      expect((await served.post('/platform.auth/changePassword', { password, newPassword }, attacker)).status).toBe(200);
      expect((await served.post('/platform.auth/login', { email, password: newPassword })).status).toBe(200);
    }
    const owner = await bearerOf(served, person(email));
    expect((await served.get('/platform.auth/me', owner)).status).toBe(200);
    for (const tried of [password, 'another one of the attacker'])
      expect((await served.post('/platform.auth/login', { email, password: tried })).status).toBe(401);
    if (!confirm) expect((await served.get('/m/Post', { authorization: `Bearer ${key}` })).status).toBe(401);
    expect(await served.kept.rows('SELECT * FROM __platform_codes')).toEqual([]);
    expect(await served.kept.rows('SELECT * FROM __platform_unconfirmed')).toEqual([]);
  }
});

test('who is known by the other service stays the same user when the e-mail changes there', async () => {
  const served = await serve(model, { auth: settings() });
  const name = person('ann@example.com');
  await bearerOf(served, name);
  peer.people.set(name, { email: 'changed@example.com', email_verified: false });
  expect((await served.get('/platform.auth/me', await bearerOf(served, name))).body).toMatchObject({ email: 'ann@example.com' });
});

test('where sign-up is closed, only who is a user already signs in', async () => {
  const superuser = { email: 'root@example.com', password: 'only the owner knows it' };
  const served = await serve(model, { auth: { ...settings(), signup: false, superuser } });
  expect((await signIn(served, person('new@example.com'))).end.searchParams.get('error')).toBe('access-denied');
  expect((await signIn(served, person('root@example.com'))).end.searchParams.get('code')).not.toBeNull();
});

test('a refusal by the other service leads back to the application, without a code', async () => {
  const served = await serve(model, { auth: settings() });
  const { cookie, location } = await begin(served);
  const state = new URL(location).searchParams.get('state') ?? '';
  const answer = await served.get(`/auth/callback?${new URLSearchParams({ state, error: 'access_denied' })}`, { cookie });
  expect(answer.status).toBe(302);
  expect(new URL(String(answer.headers['location'])).searchParams.get('error')).toBe('access-denied');
});

test('a service that is down is 503 at the beginning and at the way back, and is asked again when it is up', async () => {
  const { clock, forward } = movable();
  const gone = await oidcPeer([`${url}/auth/callback`]);
  const { issuer } = gone;
  const served = await serve(model, {
    auth: {
      ...settings(),
      providers: [{ name: 'acme', issuer, clientId: 'shop', clientSecret: gone.clientSecret, scopes: ['openid', 'email'] }],
    },
    parts: { clock },
  });
  const { cookie, location } = await begin(served);
  gone.people.set('ann', { email: 'ann@example.com', email_verified: true });
  const back = await signInAt(gone, location, 'ann');
  await gone.stop();
  const late = await comeBack(served, back, cookie);
  expect([late.status, Object(late.body).code, late.headers['retry-after']]).toEqual([503, 'identity-unavailable', '5']);
  forward(3601);
  const asked = `/auth?${new URLSearchParams({ provider: 'acme', redirect: home, challenge: 'x'.repeat(43) })}`;
  expect((await served.get(asked)).status).toBe(503);
  const again = await oidcPeer([`${url}/auth/callback`], { port: Number(new URL(issuer).port) });
  forward(2);
  expect((await served.get(asked)).status).toBe(302);
  await again.close();
  // What went wrong is in the log, and nothing of codes and secrets.
  const logged = JSON.stringify(served.failures.map(({ err }) => String(err)));
  expect(logged).toContain('acme');
  expect(logged).not.toContain(back.searchParams.get('code'));
});

test('on the earlier surface the code is exchanged at /exchange, with a keyed body', async () => {
  const served = await serve(
    { 'm.platform': '(component :M)\n(entity :Post {:Id {:type :Int :guid true}})' },
    { auth: settings(), surfaces: ['earlier'] },
  );
  const { end, verifier } = await signIn(served, person('ann@example.com'));
  const body = { 'Platform.Kernel.Identity/Exchange': { Code: end.searchParams.get('code'), Verifier: verifier } };
  const answer = await served.post('/exchange', body);
  expect([answer.status, Object.keys(Object(answer.body))]).toEqual([200, ['id-token', 'access-token', 'refresh-token', 'expires-in']]);
});

/** A clock that is moved by seconds. */
function movable(): { readonly clock: Clock; forward(seconds: number): void } {
  const real = systemClock();
  let ahead = 0;
  return {
    clock: { ...real, now: () => new Date(real.now().getTime() + ahead) },
    forward(seconds) {
      ahead += seconds * 1000;
    },
  };
}
