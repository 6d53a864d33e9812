// No password, code, token or key is in a log, an error, a list, the description of the API, a trace, the metrics or the audit trail, nor is one stored as it is.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Log } from '../../src/http/server/log.ts';
import { type Answer, type Served, serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';
import { until } from '../support/time.ts';
import { bearerOf, clientOf, mailServer, mailSettings, tokenOf, wrongCode } from './accounts.ts';
import { oidcPeer, signInAt } from './peers/oidc.ts';

const [ann, root] = ['ann@example.com', 'root@example.com'];
const url = 'https://shop.example.com';
const model = `module m
entity Post { id Int @id, title String @optional }
entity Seen { email String @id }
workflow platform.auth/PostSignUp { {Seen {email PostSignUp.signupRequest.user.email}} }
workflow failing { {Post {id 1}}, {Post {id 1}} }
@public agent clerk { instruction "Work on posts.", tools [m/Post] }
`;
const canaries = {
  first: 'canary password one',
  second: 'canary password two',
  third: 'canary password three',
  ofRoot: 'canary password of root',
  wrong: 'canary wrong password',
  ofMail: 'canary-password-of-the-mail-server',
  ofModel: 'sk-canary-key-of-the-language-model',
};

type Headers = Readonly<Record<string, string>>;

/** What everybody may read of a service: its lines, and the answers that are no answers to who was given a secret by them. */
interface Heard {
  readonly lines: string[];
  readonly answers: string[];
  readonly log: Log;
}

function listening(): Heard {
  const lines: string[] = [];
  const line =
    (level: string) =>
    (fields: object, message: string): void => {
      const err: unknown = Reflect.get(fields, 'err');
      lines.push(`${level} ${message} ${JSON.stringify(fields)} ${err instanceof Error ? `${err.stack}${String(err.cause)}` : ''}`);
    };
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), isLevelEnabled: () => true };
  return { lines, answers: [], log };
}

/** The same service over its socket, where requests are logged and measured. */
async function overSocket(served: Served): Promise<Served> {
  const [address = ''] = await served.app.listen();
  const ask: Served['ask'] = async ({ method, target, headers = {}, text }) => {
    const body = text === undefined ? {} : { body: typeof text === 'string' ? text : new Uint8Array(text) };
    const answer = await fetch(`${address}${target}`, { method, headers, redirect: 'manual', ...body });
    const given = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true && given !== '';
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text: given,
      body: isJson ? JSON.parse(given) : undefined,
    };
  };
  const send =
    (method: string) =>
    (target: string, body: unknown, headers: Headers = {}) =>
      ask({ method, target, headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) });
  return {
    ...served,
    ask,
    get: (target, headers = {}) => ask({ method: 'GET', target, headers }),
    post: send('POST'),
    put: send('PUT'),
    remove: (target, headers = {}) => ask({ method: 'DELETE', target, headers }),
  };
}

async function everythingStored({ kept }: Served): Promise<string> {
  const names =
    kept.settings.type === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE type = 'table'`
      : `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`;
  const tables = await kept.rows(names);
  const rows = await Promise.all(tables.map(({ name }) => kept.rows(`SELECT * FROM "${String(name)}"`)));
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

test('over a whole journey with every wrong turn, no secret stands where it does not belong', async () => {
  const { lines, answers, log } = listening();
  const heard = (answer: Answer): Answer => {
    answers.push(`${answer.text} ${JSON.stringify(answer.headers)}`);
    return answer;
  };
  const [mail, language, peer] = [await mailServer(), await modelServer(), await oidcPeer([`${url}/auth/callback`])];
  onTestFinished(() => peer.close());
  const { first, second, third, ofRoot, wrong, ofMail, ofModel } = canaries;
  const { issuer, clientId, clientSecret } = peer;
  const direct = await serve(model, {
    auth: {
      url,
      mail: { ...mailSettings(mail), username: 'service', password: ofMail },
      superuser: { email: root, password: ofRoot },
      providers: [{ name: 'acme', issuer, clientId, clientSecret, scopes: ['openid', 'email', 'profile'] }],
      redirects: [`${url}/home`],
    },
    audit: {},
    graphql: true,
    mcp: true,
    traces: true,
    llm: { ...language.settings, apiKey: ofModel },
    log,
    surfaces: ['current', 'earlier'],
  });
  const served = await overSocket(direct);
  const [user, earlier] = [clientOf(served, 'current'), clientOf(served, 'earlier')];

  heard(await user.signUp({ email: ann, password: first, userData: { note: 'x' } }));
  const code = await mail.code(ann);
  heard(await user.confirm(ann, wrongCode(code)));
  heard(await user.confirm(ann, code));
  heard(await user.confirm(ann, code));
  heard(await earlier.signUp({ email: ann, password: wrong }));
  for (const each of [user, earlier]) heard(await each.login(ann, wrong));
  heard(await served.post('/platform.auth/login', { email: ann, password: first, secret: wrong }));
  heard(await served.post('/platform.auth/login', { email: first, password: [first] }));
  heard(
    await served.ask({
      method: 'POST',
      target: '/platform.auth/login',
      headers: { 'content-type': 'application/json' },
      text: `{"password":"${first}"`,
    }),
  );
  const logins = [await user.login(ann, first), await user.login(root, ofRoot, { 'idempotency-key': 'k1' })];
  const [own = {}, admin = {}] = logins.map(bearerOf);
  const refreshed = await user.refresh(tokenOf(logins[0] ?? heard(await user.forgot(ann)), 'refresh-token'));
  heard(await user.refresh('no token'));
  heard(await user.refresh(tokenOf(refreshed, 'id-token')));

  const made = await served.post('/platform.auth/ApiKey', { name: 'nightly' }, { ...own, 'idempotency-key': 'k2' });
  const keyed = { 'Platform.Kernel.Identity/ApiKey': { Name: 'weekly' } };
  const other = await served.post('/api/Platform.Kernel.Identity/ApiKey', keyed, own);
  const keys = [made, other].map(({ text }) => /pk_[\w-]{43}/.exec(text)?.[0] ?? 'no key');
  const program = { authorization: `Bearer ${keys[0]}` };
  heard(await served.get('/m/Post', program));
  heard(await served.get('/m/Post', { authorization: `Bearer ${keys[0]}x` }));
  heard(await served.post('/platform.auth/changePassword', { password: first, newPassword: second }, program));
  heard(await served.get(`/platform.auth/ApiKey/${Object(made.body).id}`, own));
  heard(await served.remove(`/platform.auth/ApiKey/${Object(made.body).id}`, own));
  heard(await served.get('/m/Post', program));

  await user.forgot(ann);
  const reset = await mail.code(ann, 3);
  heard(await user.reset(ann, wrongCode(reset), second));
  heard(await user.reset(ann, reset, second));
  const again = await user.login(ann, second);
  heard(await user.change(bearerOf(again), wrong, third));
  heard(await user.change(bearerOf(again), second, third));
  heard(await user.posts(bearerOf(again)));

  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  peer.people.set('bob', { email: 'bob@example.com', email_verified: true });
  const away = await served.get(`/auth?${new URLSearchParams({ provider: 'acme', redirect: `${url}/home`, challenge })}`);
  const cookie = String(away.headers['set-cookie']).split(';')[0] ?? '';
  const back = await signInAt(peer, String(away.headers['location']), 'bob');
  heard(await served.get(`${back.pathname}${back.search}x`, { cookie }));
  const end = new URL(String((await served.get(`${back.pathname}${back.search}`, { cookie })).headers['location']));
  const exchange = end.searchParams.get('code') ?? 'no code';
  heard(await served.post('/platform.auth/exchange', { code: `${exchange}x`, verifier }));
  const exchanged = await served.post('/platform.auth/exchange', { code: exchange, verifier });
  heard(await served.post('/platform.auth/exchange', { code: exchange, verifier }));

  language.peer.nextRequestError(401, { message: ofModel });
  heard(await served.post('/m/clerk', { message: 'go on' }, admin));
  heard(await served.post('/m/failing', {}, admin));
  heard(await served.post('/platform.auth/User', { email: 'eve@example.com', password: wrong, name: 'Eve' }, admin));
  heard(await served.put('/platform.auth/User/eve@example.com', { password: third }, admin));
  heard(await served.post('/platform.auth/User', { email: 'eve@example.com', password: first }, admin));
  for (const path of [
    '/platform.auth/User',
    '/platform.auth/User/eve@example.com',
    '/api/Platform.Kernel.Identity/User',
    '/platform.auth/ApiKey',
    '/platform.auth/me',
    '/platform.audit/Entry',
    '/platform.ai/Run?@include=RunStep',
    '/openapi.json',
    '/metrics',
    '/ready',
    '/.well-known/jwks.json',
    '/meta/Platform.Kernel.Identity',
    '/m/Post/x',
    `/platform.auth/User?password=${encodeURIComponent(third)}`,
    `/platform.auth/User?password[like]=${encodeURIComponent('$argon2%')}`,
    '/platform.auth/User?@sort=password',
    '/platform.auth/User?@select=password',
  ])
    heard(await served.get(path, admin));
  const query = '{ __schema { types { name description fields { name } inputFields { name defaultValue } } } userList { email } }';
  heard(await served.post('/graphql', { query }, admin));
  heard(await served.post('/graphql', { query: '{ userList { password } }' }, admin));
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  heard(await served.post('/mcp', call, { ...admin, accept: 'application/json, text/event-stream' }));

  const tokens = [...logins, refreshed, again, exchanged].flatMap((each) =>
    ['id-token', 'access-token', 'refresh-token'].map((name) => tokenOf(each, name)),
  );
  const signing = (await served.kept.rows('SELECT * FROM "__platform_keys"')).map(({ secret }) => String(secret));
  const inside = signing.map((each) => (each.startsWith('{') ? String(JSON.parse(each).d) : each));
  const sentBack = [back.searchParams.get('code') ?? '', back.searchParams.get('state') ?? '', cookie.split('=')[1] ?? ''];
  // The last letter of a made-up one aside: a right code stands in no answer even so.
  const given = [...Object.values(canaries), clientSecret, ...tokens, code, reset, ...keys, exchange, verifier, ...sentBack];
  for (const each of [...given, ...inside]) expect(each.length, each).toBeGreaterThan(7);
  const said = [...lines, ...answers].join('\n');
  for (const each of [...given, ...inside]) expect(said.includes(each), each).toBe(false);
  expect(said).not.toMatch(/\$argon2/);
  // What it was to be heard over: the log of requests, the description, the audit trail, the failure of the agent.
  for (const each of ['/platform.auth/login', '"openapi"', 'platform.audit/Entry', 'llm-auth-rejected', 'http_requests_in_flight'])
    expect(said.includes(each), each).toBe(true);
  const stored = await everythingStored(served);
  for (const each of given) expect(stored.includes(each), each).toBe(false);
  expect(stored).toContain(ann);
});

test('without a mail server, mails are private files whose place the log names', async () => {
  const served = await serve(model, { auth: { confirm: true }, store: 'sqlite' });
  await clientOf(served, 'current').signUp({ email: ann, password: 'a long password' });
  await until(() => served.lines.some((each) => each.includes('.eml')));
  const file = /(\S+\.eml)/.exec(served.lines.find((each) => each.includes('.eml')) ?? '')?.[1] ?? '';
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  const data = dirname(dirname(file));
  for (const each of readdirSync(data)) if (/\.db/.test(each)) expect(statSync(join(data, each)).mode & 0o077, each).toBe(0);
});
