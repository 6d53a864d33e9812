// The identity paths of an OpenAPI document, called in the order in which they make sense, each by a user of its own.

import { expect } from 'vitest';
import type { App } from '../../src/app.ts';
import { at, type Called, call, isJson, type Json } from './openapi-client.ts';
import { admin } from './openapi-model.ts';
import { operate, refused, succeed, type Walk } from './openapi-walk.ts';

const password = 'correct horse battery';
const identity = 'Platform.Kernel.Identity';

/** Every request has the token of an admin, unless it brings another or says that it has none. */
export async function asAdmin(app: App, surfaces: readonly string[]): Promise<App> {
  const { token } = await logIn(app, surfaces.includes('current'), admin.email, admin.password);
  const respond: App['respond'] = (request) =>
    app.respond({ ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } });
  return { ...app, model: app.model, respond };
}

async function logIn(app: App, current: boolean, email: string, secret: string): Promise<{ token: string; refresh: string }> {
  const answer = current
    ? await call(app, 'POST', '/platform.auth/login', { body: { email, password: secret } })
    : await call(app, 'POST', '/login', { body: { [`${identity}/UserLogin`]: { Username: email, Password: secret } } });
  expect(answer.status, answer.text).toBe(200);
  const { 'id-token': token, 'refresh-token': refresh } = isJson(answer.body) ? answer.body : {};
  return { token: String(token), refresh: String(refresh) };
}

export function isIdentity(walk: Walk, template: string, method: string): boolean {
  const tags = at(walk.document, 'paths', template, method)['tags'];
  return Array.isArray(tags) && tags.includes('auth');
}

let count = 0;

/** The body of the event at this path, as its surface has it. */
function bodyOf(walk: Walk, template: string, attributes: Json): Json {
  if (isCurrent(template)) return attributes;
  const schema = at(walk.document, 'paths', template, 'post', 'requestBody', 'content', 'application/json', 'schema');
  return { [Object.keys(at(schema, 'properties'))[0] ?? '']: attributes };
}

function isCurrent(template: string): boolean {
  return template.startsWith('/platform.auth/');
}

interface NewUser {
  readonly email: string;
  /** Only where it is asked for: each takes a hash. */
  tokens(): Promise<{ readonly token: string; readonly refresh: string }>;
}

async function newUser(walk: Walk, template: string): Promise<NewUser> {
  count += 1;
  const email = `somebody${count}@example.com`;
  const current = isCurrent(template);
  const path = current ? '/platform.auth/signup' : '/signup';
  const user = current ? { email, password } : { User: { Email: email, Password: password } };
  await succeed(walk, path, 'post', path, { body: bodyOf(walk, path, user) });
  return { email, tokens: () => logIn(walk.app, current, email, password) };
}

/** What the two addresses of a third-party sign-in are called with, and what they then answer. */
async function performSignIn(walk: Walk, template: string): Promise<void> {
  const begun = { provider: 'acme', redirect: 'https://shop.example.com/home', challenge: 'x'.repeat(43) };
  const isBegin = template === '/auth';
  const away = await succeed(walk, '/auth', 'get', '/auth', { query: new URLSearchParams(begun).toString() });
  expect([away.status, away.headers['location']]).toEqual([302, expect.stringContaining('code_challenge_method=S256')]);
  if (isBegin) return;
  const state = new URL(away.headers['location'] ?? '').searchParams.get('state') ?? '';
  const cookie = String(away.headers['set-cookie']).split(';')[0] ?? '';
  const back = { query: new URLSearchParams({ state, error: 'access_denied' }).toString(), headers: { cookie } };
  const end = await succeed(walk, template, 'get', template, back);
  expect([end.status, end.headers['location']]).toEqual([
    302,
    expect.stringMatching(/^https:\/\/shop\.example\.com\/home\?error=access-denied/),
  ]);
}

const signInPaths: readonly string[] = ['/auth', '/auth/callback'];

async function misuseSignIn(walk: Walk, template: string): Promise<void> {
  const cases: readonly [status: number, query: string][] =
    template === '/auth'
      ? [
          [422, ''],
          [422, new URLSearchParams({ provider: 'nobody', redirect: '/console', challenge: 'x' }).toString()],
          [422, 'neverHeardOf=1'],
        ]
      : [
          [400, ''],
          [400, 'state=1&code=2'],
        ];
  for (const [status, query] of cases) await refused(walk, status, template, 'get', template, { query });
}

export async function performIdentity(walk: Walk, template: string, method: string): Promise<void> {
  if (signInPaths.includes(template)) return performSignIn(walk, template);
  if (method === 'get') return void (await succeed(walk, template, method, template));
  const { email, tokens } = await newUser(walk, template);
  const name = (template.split('/').at(-1) ?? '').replaceAll('-', '').toLowerCase();
  const { token, refresh } = ['refreshtoken', 'changepassword', 'logout'].includes(name)
    ? await tokens()
    : { token: undefined, refresh: '' };
  const given: Readonly<Record<string, readonly [current: Json, earlier: Json, status: number]>> = {
    signup: [{ email: `another-${email}`, password }, { User: { Email: `another-${email}`, Password: password } }, 200],
    confirmsignup: [{ email, confirmationCode: '1' }, { Username: email, ConfirmationCode: '1' }, 400],
    login: [{ email, password }, { Username: email, Password: password }, 200],
    refreshtoken: [{ refreshToken: refresh }, { RefreshToken: refresh }, 200],
    forgotpassword: [{ email }, { Username: email }, 200],
    confirmforgotpassword: [
      { email, confirmationCode: '1', newPassword: 'another long one' },
      { Username: email, ConfirmationCode: '1', Password: 'another long one' },
      400,
    ],
    resendconfirmationcode: [{ email }, { Username: email }, 200],
    changepassword: [{ password, newPassword: 'another long one' }, { CurrentPassword: password, NewPassword: 'another long one' }, 200],
    exchange: [{ code: '1', verifier: '1' }, { Code: '1', Verifier: '1' }, 400],
    logout: [{}, {}, 200],
  };
  const [current, earlier, status] = given[name] ?? [{}, {}, 422];
  const body = bodyOf(walk, template, isCurrent(template) ? current : earlier);
  const answer = await operate(walk, template, method, template, {
    body,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  expect([template, answer.status, answer.text]).toEqual([template, status, answer.text]);
}

export async function misuseIdentity(walk: Walk, template: string, method: string): Promise<void> {
  const wrong = await call(walk.app, 'DELETE', template);
  expect([wrong.status, wrong.headers['allow']]).toEqual([405, expect.stringContaining(method.toUpperCase())]);
  if (!isOpen(walk, template, method)) await unknownCaller(walk, template, method);
  if (signInPaths.includes(template)) return misuseSignIn(walk, template);
  if (method === 'get') return;
  await refused(walk, 415, template, method, template, { body: '{}', headers: { 'content-type': 'text/plain' } });
  await refused(walk, 400, template, method, template, { body: '{' });
  await refused(walk, 422, template, method, template, { body: bodyOf(walk, template, { neverHeardOf: 1 }) });
}

function isOpen(walk: Walk, template: string, method: string): boolean {
  return at(walk.document, 'paths', template, method)['security'] !== undefined;
}

async function unknownCaller(walk: Walk, template: string, method: string): Promise<Called> {
  return refused(walk, 401, template, method, template, { headers: { authorization: 'Bearer nothing' } });
}
