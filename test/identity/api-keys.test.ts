// API keys: made by a signed-in user, shown once, narrowed to some roles, revoked by their owner or an admin.

import { describe, expect, test } from 'vitest';
import { type Options, open, type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { storeOfRun } from '../support/store.ts';
import { check, property } from '../support/table.ts';

const model = 'module m\nentity Post { id Int @id, title String @optional }\nworkflow mine { auth.user }\n';
const password = 'correct horse battery';
const superuser = { email: 'root@example.com', password: 'a very long root password' };

type Bearer = { readonly authorization: string };

function bearer(token: unknown): Bearer {
  return { authorization: `Bearer ${String(token)}` };
}

async function signedIn(served: Served, email: string, secret = password): Promise<Bearer> {
  if (email !== superuser.email) await served.post('/platform.auth/signup', { email, password: secret });
  const answer = await served.post('/platform.auth/login', { email, password: secret });
  expect(answer.status, answer.text).toBe(200);
  return bearer(property(answer.body, 'id-token'));
}

async function made(served: Served, body: unknown, owner: Bearer): Promise<{ readonly id: string; readonly bearer: Bearer }> {
  const answer = await served.post('/platform.auth/ApiKey', body, owner);
  expect(answer.status, answer.text).toBe(201);
  return { id: String(property(answer.body, 'id')), bearer: bearer(property(answer.body, 'key')) };
}

const authentication = { auth: { superuser } } satisfies Options;

test('a key is shown once, calls as its owner, and is listed without its secret', async () => {
  const served = await serve(model, authentication);
  const ann = await signedIn(served, 'ann@example.com');
  const answer = await served.post('/platform.auth/ApiKey', { name: 'nightly' }, ann);
  expect(answer.status).toBe(201);
  const { id, key } = Object(answer.body);
  expect(answer.headers).toMatchObject({ location: `/platform.auth/ApiKey/${id}`, 'cache-control': 'no-store' });
  expect(answer.body).toEqual({
    id: expect.any(String),
    name: 'nightly',
    owner: 'ann@example.com',
    roles: null,
    expires: null,
    created: expect.any(String),
    key: expect.stringMatching(/^pk_[\w-]{43}$/),
  });
  const program = bearer(key);
  expect((await served.post('/m/mine', {}, program)).body).toBe('ann@example.com');
  expect((await served.get('/platform.auth/me', program)).body).toEqual({
    id: expect.any(String),
    email: 'ann@example.com',
    name: null,
    roles: [],
  });
  const list = await served.get('/platform.auth/ApiKey', ann);
  expect(list.body).toMatchObject([{ id, name: 'nightly', owner: 'ann@example.com' }]);
  expect(list.text).not.toContain('pk_');
  const kept = JSON.stringify([
    await served.kept.rows('SELECT * FROM "__platform_api_keys"'),
    await served.kept.rows('SELECT * FROM "platform.auth/ApiKey"'),
  ]);
  expect(kept).not.toContain(String(key).slice(3));
  expect(served.failures).toEqual([]);
});

test('the earlier surface takes a keyed body, and answers in its envelope', async () => {
  const served = await serve(model, { ...authentication, surfaces: ['earlier', 'current'] });
  const root = await signedIn(served, superuser.email, superuser.password);
  const type = 'Platform.Kernel.Identity/ApiKey';
  const path = `/api/${type}`;
  const answer = await served.post(path, { [type]: { Name: 'nightly', Roles: ['admin'], Expires: '2999-01-01T00:00:00' } }, root);
  expect(answer.status, answer.text).toBe(200);
  const [row] = Object(answer.body)[0].result;
  expect(answer.body).toMatchObject([
    { status: 'ok', result: [{ '-*-type-*-': type, Name: 'nightly', Roles: ['admin'], Expires: '2999-01-01T00:00:00.000Z' }] },
  ]);
  await check(served, [
    { ask: `GET ${path}`, send: bearer(row.Key), status: 200, has: [{ Id: row.Id, Name: 'nightly', Owner: superuser.email }] },
    { ask: `POST ${path}`, send: root, body: { Name: 'x' }, status: 400 },
    { ask: `POST ${path}`, send: root, body: { [type]: {} }, status: 422, holds: 'Name' },
    { ask: `POST ${path}`, send: bearer(row.Key), body: { [type]: { Name: 'x' } }, status: 403 },
    { ask: 'POST /logout', send: bearer(row.Key), status: 403 },
    { ask: `DELETE ${path}/${row.Id}`, send: root, status: 200 },
    { ask: `POST ${path}`, body: { [type]: { Name: 'x' } }, status: 401 },
  ]);
});

test('all that does not fit is told at once', async () => {
  const served = await serve(model, authentication);
  const ann = await signedIn(served, 'ann@example.com');
  const path = 'POST /platform.auth/ApiKey';
  await check(served, [
    { ask: path, body: { name: 'x' }, status: 401, headers: { 'www-authenticate': 'Bearer' } },
    { ask: path, send: ann, text: '[]', status: 400 },
    { ask: path, send: ann, body: {}, status: 422, faults: ['name required'] },
    {
      ask: path,
      send: ann,
      body: { name: 1, roles: 'a', expires: 'soon' },
      status: 422,
      faults: ['name type', 'roles type', 'expires type'],
    },
    { ask: path, send: ann, body: { name: 'x', owner: 'root@example.com' }, status: 422, faults: ['owner unknown'] },
    {
      ask: path,
      send: ann,
      body: { name: ' ', roles: ['admin'], expires: '2001-01-01T00:00:00Z' },
      status: 422,
      faults: ['name value', 'roles value', 'expires value'],
    },
    { ask: path, send: ann, body: { name: 'n'.repeat(201) }, status: 422, faults: ['name value'] },
  ]);
});

describe('a bearer token that is no key', () => {
  test.each([
    ['is unknown', `pk_${'a'.repeat(43)}`],
    ['is too short', 'pk_a'],
    ['is too long', `pk_${'a'.repeat(2000)}`],
    ['has other characters', `pk_${'='.repeat(43)}`],
  ])('is refused where it %s', async (_, token) => {
    const served = await serve(model, authentication);
    await check(served, [
      { ask: 'GET /m/Post', send: bearer(token), status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
    ]);
  });
});

test('a key has no more roles than it was made for, and than its owner has', async () => {
  const served = await serve(model, authentication);
  const root = await signedIn(served, superuser.email, superuser.password);
  expect((await served.post('/platform.rbac/RoleAssignment', { role: 'editor', assignee: superuser.email }, root)).status).toBe(201);
  const all = await made(served, { name: 'all' }, root);
  const editor = await made(served, { name: 'editor', roles: ['editor'] }, root);
  const none = await made(served, { name: 'none', roles: [] }, root);
  const admin = await made(served, { name: 'admin', roles: ['admin'] }, root);
  const rolesOf = async (key: { readonly bearer: Bearer }): Promise<unknown> =>
    property((await served.get('/platform.auth/me', key.bearer)).body, 'roles');
  expect([await rolesOf(all), await rolesOf(editor), await rolesOf(none), await rolesOf(admin)]).toEqual([
    expect.arrayContaining(['admin', 'editor']),
    ['editor'],
    [],
    ['admin'],
  ]);
  const user = { email: 'eve@example.com' };
  for (const narrowed of [editor, none]) {
    await check(served, [
      { ask: 'GET /platform.auth/User', send: narrowed.bearer, status: 200, is: [] },
      { ask: `GET /platform.auth/User/${superuser.email}`, send: narrowed.bearer, status: 404 },
      { ask: `PUT /platform.auth/User/${superuser.email}`, send: narrowed.bearer, body: { name: 'x' }, status: 404 },
      { ask: `DELETE /platform.auth/User/${superuser.email}`, send: narrowed.bearer, status: 404 },
      { ask: 'POST /platform.auth/User', send: narrowed.bearer, body: user, status: 403 },
      { ask: 'POST /platform.rbac/RoleAssignment', send: narrowed.bearer, body: { role: 'admin', assignee: user.email }, status: 403 },
      { ask: `PUT /platform.auth/ApiKey/${narrowed.id}`, send: narrowed.bearer, body: { roles: ['admin'] }, status: 403 },
    ]);
  }
  await check(served, [
    { ask: 'POST /platform.auth/User', send: admin.bearer, body: user, status: 201 },
    { ask: 'GET /platform.auth/User', send: all.bearer, status: 200, has: [{ email: 'eve@example.com' }, { email: superuser.email }] },
  ]);
});

test('what only a user does who has signed in, a key does not', async () => {
  const served = await serve(model, { ...authentication, surfaces: ['current', 'earlier'] });
  const ann = await signedIn(served, 'ann@example.com');
  const key = await made(served, { name: 'nightly' }, ann);
  const change = { password, newPassword: 'another long password' };
  const earlierChange = { 'Platform.Kernel.Identity/ChangePassword': { CurrentPassword: password, NewPassword: 'another long password' } };
  await check(served, [
    { ask: 'POST /platform.auth/ApiKey', send: key.bearer, body: { name: 'another' }, status: 403, code: 'access-denied' },
    { ask: 'POST /platform.auth/changePassword', send: key.bearer, body: change, status: 403, code: 'access-denied' },
    { ask: 'POST /change-password', send: key.bearer, body: earlierChange, status: 403 },
    { ask: 'POST /platform.auth/logout', send: key.bearer, body: {}, status: 403, code: 'access-denied' },
    { ask: 'GET /m/Post', send: ann, status: 200 },
  ]);
});

test('nobody makes a key that has no secret, not even an admin', async () => {
  const served = await serve(`${model}workflow make { {platform.auth/ApiKey {name "x", owner make.owner}} }`, authentication);
  const root = await signedIn(served, superuser.email, superuser.password);
  const body = { name: 'x', owner: superuser.email };
  await check(served, [
    { ask: 'POST /platform.auth/Api%4bey', send: root, body, status: 403 },
    { ask: 'POST /m/make', send: root, body: { owner: superuser.email }, status: 403 },
  ]);
});

test('owners see and revoke their own keys, admins all of them', async () => {
  const clock = testClock();
  const served = await serve(model, { ...authentication, parts: { clock } });
  const [ann, bob] = [await signedIn(served, 'ann@example.com'), await signedIn(served, 'bob@example.com')];
  const root = await signedIn(served, superuser.email, superuser.password);
  const [first, second] = [await made(served, { name: 'one' }, ann), await made(served, { name: 'two' }, ann)];
  await check(served, [
    { ask: 'GET /platform.auth/ApiKey', send: bob, status: 200, is: [] },
    { ask: `DELETE /platform.auth/ApiKey/${first.id}`, send: bob, status: 404 },
    { ask: 'GET /m/Post', send: first.bearer, status: 200 },
    { ask: `DELETE /platform.auth/ApiKey/${first.id}`, send: ann, status: 200 },
    { ask: 'GET /platform.auth/ApiKey', send: root, status: 200, has: [{ name: 'two', owner: 'ann@example.com' }] },
    { ask: `DELETE /platform.auth/ApiKey/${second.id}`, send: root, status: 200 },
  ]);
  clock.advance(1000);
  for (const key of [first, second]) expect((await served.get('/m/Post', key.bearer)).status).toBe(401);
});

test('a key ends when it expires, and with its owner', async () => {
  const clock = testClock();
  const served = await serve(model, { ...authentication, parts: { clock } });
  const ann = await signedIn(served, 'ann@example.com');
  const root = await signedIn(served, superuser.email, superuser.password);
  const expires = new Date(clock.now().getTime() + 500).toISOString();
  const [brief, long] = [await made(served, { name: 'brief', expires }, ann), await made(served, { name: 'long' }, ann)];
  for (const key of [brief, long]) expect((await served.get('/m/Post', key.bearer)).status).toBe(200);
  clock.advance(500);
  expect((await served.get('/m/Post', brief.bearer)).status).toBe(401);
  expect((await served.get('/m/Post', long.bearer)).status).toBe(200);
  expect((await served.remove('/platform.auth/User/ann@example.com', root)).status).toBe(200);
  clock.advance(1000);
  expect((await served.get('/m/Post', long.bearer)).status).toBe(401);
});

test('its use is recorded, at most once a minute', async () => {
  const clock = testClock();
  const served = await serve(model, { ...authentication, parts: { clock } });
  const ann = await signedIn(served, 'ann@example.com');
  const key = await made(served, { name: 'nightly' }, ann);
  const used: unknown[] = [];
  for (const wait of [0, 59_000, 1000]) {
    clock.advance(wait);
    const at = clock.now().toISOString();
    expect((await served.get('/m/Post', key.bearer)).status).toBe(200);
    await expect
      .poll(async () => property(property((await served.get('/platform.auth/ApiKey', ann)).body, '0'), 'lastUsed'))
      .toEqual(wait === 59_000 ? used[0] : at);
    used.push(at);
  }
});

// The embedded store belongs to one instance.
test.runIf(storeOfRun() === 'postgres')('a key that one instance on a server revokes is refused by another within a second', async () => {
  const clock = testClock();
  const one = await serve(model, { ...authentication, parts: { clock } });
  if (one.kept.settings.type !== 'postgres') throw new Error('not on the server');
  const other = await open(model, { ...authentication, parts: { clock }, store: one.kept.settings });
  try {
    const ann = await signedIn(one, 'ann@example.com');
    const key = await made(one, { name: 'nightly' }, ann);
    for (const each of [one, other]) expect((await each.get('/m/Post', key.bearer)).status).toBe(200);
    expect((await one.remove(`/platform.auth/ApiKey/${key.id}`, ann)).status).toBe(200);
    clock.advance(1000);
    for (const each of [one, other]) expect((await each.get('/m/Post', key.bearer)).status).toBe(401);
  } finally {
    await other.close();
  }
});
