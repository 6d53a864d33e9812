// What takes several requests, or somebody else, to be answered as described: identity, runs of agents, GraphQL, MCP, and what operators ask.

import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type OidcPeer, signInAt } from '../identity/peers/oidc.ts';
import type { ServerReply } from '../support/model-server.ts';
import { at, type Called, call, type Json, resolved } from './openapi-client.ts';
import { type Desk, home } from './openapi-desk.ts';
import { perform } from './openapi-perform.ts';
import { protocolCalls } from './openapi-protocols.ts';
import { exampleOf, filled, likeExample } from './openapi-shown.ts';
import { isEarlier, lastSegment, operate, succeed, type Walk } from './openapi-walk.ts';

type Perform = (walk: Walk, desk: Desk, template: string, method: string) => Promise<void>;

const refund = { tool: 'desk_Refund_create', arguments: { id: 1, amount: 50 } } as const;

/** The operations that need more than a body of their schema, by their paths. */
export const special: readonly (readonly [path: RegExp, perform: Perform])[] = [
  [/\/clerk$/, (walk, desk, template) => tell(walk, desk, template, ['Good day.'], [refund])],
  [/\/support$/, (walk, desk, template) => tell(walk, desk, template, ['other'], ['refund', refund])],
  [/\/(ask|buy)$/, buy],
  [/^\/dynamic$/, dynamic],
  [/\/timer$/i, timer],
  [/\/copy$/, copy],
  [/\/Run\/\{\w+\}\/(approve|reject|cancel)$/, decide],
  [/\/Run\/\{\w+\}\/resume$/, resume],
  [/^\/(graphql|mcp)$/, speak],
  [/^\/platform\/audit\/verify$/, verify],
  [/^\/platform\/access$/, access],
  [/^\/(health|ready|\.well-known\/jwks\.json)?$/, show],
  [/^\/metrics$/, measure],
];

/** The body of an event or agent of the desk, as its surface has it. */
function keyed(template: string, attributes: Json): Json {
  return isEarlier(template) ? { [template.slice('/api/'.length)]: attributes } : attributes;
}

const copying = (settles: boolean): Json => ({ id: randomBytes(4).readUInt32BE(), settles });

/** Makes what only the service makes: a run of more steps than any other, and a call that could not be taken back. */
export async function prepare(walk: Walk, desk: Desk): Promise<void> {
  const prefix = '/desk/Note' in walk.document.paths ? '' : '/api';
  desk.says('refund', 'It is refunded.', { tool: 'desk_Note_create', arguments: { id: 1001, text: 'a' } }, 'Done.');
  const support = `${prefix}/desk/support`;
  const { headers } = await succeed(walk, support, 'post', support, { body: keyed(support, { message: 'Refund it.' }) });
  const id = headers['platform-run-id'] ?? '';
  for (const [run, step, name, no] of [
    ['/platform.ai/Run', '/platform.ai/Step', '{id}', '{no}'],
    ['/api/Platform.Core/Run', '/api/Platform.Core/Step', '{Id}', '{No}'],
  ] as const) {
    walk.parents.set(`${run}/${name}`, `${run}/${id}`).set(`${step}/${no}`, `${step}/3`);
    for (const relationship of ['RunStep', 'platform.ai$RunStep'])
      walk.parents.set(`${run}/${name}/${relationship}/Step/${no}`, `${run}/${id}/${relationship}/Step/3`);
  }
  const copy = `${prefix}/desk/copy`;
  expect((await operate(walk, copy, 'post', copy, { body: keyed(copy, copying(false)) })).status).toBe(422);
}

async function tell(walk: Walk, desk: Desk, template: string, reply: readonly ServerReply[], waits: readonly ServerReply[]): Promise<void> {
  const options = (accept: string) => ({ body: keyed(template, { message: 'Hello' }), headers: { accept } });
  for (const accept of ['application/json', 'text/plain', 'text/event-stream']) {
    desk.says(...reply);
    await succeed(walk, template, 'post', template, options(accept));
  }
  desk.says(...waits);
  expect((await succeed(walk, template, 'post', template, options('application/json'))).status).toBe(202);
}

async function copy(walk: Walk, _: Desk, template: string): Promise<void> {
  await succeed(walk, template, 'post', template, { body: keyed(template, copying(true)) });
}

async function dynamic(walk: Walk, _: Desk, template: string, method: string): Promise<void> {
  await perform(walk, template, method);
  expect((await succeed(walk, template, method, template, { body: { 'desk/buy': { about: 'later' } } })).status).toBe(202);
}

async function timer(walk: Walk, _: Desk, template: string, method: string): Promise<void> {
  await perform(walk, template, method);
  if (method !== 'post') return;
  const { anyOf } = at(walk.document, 'paths', template, method, 'requestBody', 'content', 'application/json', 'schema');
  const { examples } = resolved(walk.document, Array.isArray(anyOf) ? anyOf[0] : undefined);
  const body: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const made = await succeed(walk, template, method, template, { body });
  // Those of both surfaces have one name.
  expect((await call(walk.app, 'DELETE', `${template}/${lastSegment(walk, made)}`)).status).toBe(200);
}

async function buy(walk: Walk, _: Desk, template: string): Promise<void> {
  const statuses: number[] = [];
  for (const about of ['now', 'later'])
    statuses.push((await succeed(walk, template, 'post', template, { body: keyed(template, { about }) })).status);
  expect(statuses).toEqual([200, 202]);
}

function runIn({ body }: Called): string {
  return String(at({ body }, 'body')['runId']);
}

async function decide(walk: Walk, desk: Desk, template: string): Promise<void> {
  const clerk = isEarlier(template) ? '/api/desk/clerk' : '/desk/clerk';
  desk.says(refund, 'Done.');
  const run = runIn(await succeed(walk, clerk, 'post', clerk, { body: keyed(clerk, { message: 'Refund.' }) }));
  await succeed(walk, template, 'post', template.replace(/\{\w+\}/, run));
}

async function resume(walk: Walk, _: Desk, template: string): Promise<void> {
  const event = isEarlier(template) ? '/api/desk/buy' : '/desk/buy';
  const run = runIn(await succeed(walk, event, 'post', event, { body: keyed(event, { about: 'later' }) }));
  await succeed(walk, template, 'post', template.replace(/\{\w+\}/, run), { body: { data: { word: 'yes' } } });
}

async function speak(walk: Walk, _: Desk, template: string, method: string): Promise<void> {
  for (const { path, body, query = '', accept, status = 200 } of protocolCalls) {
    if (path !== template || (body === undefined ? 'get' : 'post') !== method) continue;
    const answer = await operate(walk, template, method, template, { query, ...(body === undefined ? {} : { body }), headers: { accept } });
    expect(answer.status, `${JSON.stringify(body)} ${answer.text}`).toBe(status);
  }
}

async function show(walk: Walk, _: Desk, template: string, method: string): Promise<void> {
  likeExample(walk, template, method, await succeed(walk, template, method, template));
}

/** Each line of the example is one of the answer, but for the figures. */
async function measure(walk: Walk, _: Desk, template: string, method: string): Promise<void> {
  const { example } = at(walk.document, 'paths', template, method, 'responses', '200', 'content', 'text/plain');
  const lines = (text: string): readonly string[] =>
    text.split('\n').map((each) => (each.startsWith('#') ? each : each.replace(/ .*/, '')));
  const { text } = await succeed(walk, template, method, template);
  expect(lines(text)).toEqual(expect.arrayContaining([...lines(String(example))]));
}

async function verify(walk: Walk, _: Desk, template: string, method: string): Promise<void> {
  for (const accept of ['application/json', 'text/event-stream']) await succeed(walk, template, method, template, { headers: { accept } });
}

async function access(walk: Walk, _: Desk, template: string, method: string): Promise<void> {
  await succeed(walk, template, method, template);
  const on = '/desk/Note' in walk.document.paths ? '/desk/Note' : '/api/desk/Note';
  const query = new URLSearchParams({ user: 'root@example.com', operation: 'create', on }).toString();
  await succeed(walk, template, method, template, { query });
}

const ann = 'ann@example.com';

/**
 * Everything that a user does about an account, from the sign-up on, with the bodies of the examples. An address is sent few codes: the user of
 * the other surface has another one.
 */
export async function identityJourney(walk: Walk, desk: Desk, peer: OidcPeer, surface: 'current' | 'earlier'): Promise<void> {
  const email = surface === 'current' ? ann : 'ann@example.org';
  const own = (example: Json): Json => JSON.parse(JSON.stringify(example).replaceAll(ann, email));
  const exchange = async (
    template: string,
    method: string,
    fills: Json = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Json> => {
    const sent = method === 'get' ? {} : { body: filled(own(exampleOf(walk, template, method)), fills) };
    const answer = await succeed(walk, template, method, template, { ...sent, headers });
    likeExample(walk, template, method, { ...answer, body: JSON.parse(answer.text.replaceAll(email, ann)) });
    return at({ answer }, 'answer', 'body');
  };
  const send = (event: string, fills: Json = {}, headers: Readonly<Record<string, string>> = {}): Promise<Json> =>
    exchange(surface === 'current' ? `/platform.auth/${event}` : earlierPath(event), 'post', fills, headers);
  const bearer = (tokens: Json) => ({ authorization: `Bearer ${String(tokens['id-token'])}` });
  await send('signup');
  await send('resendConfirmationCode');
  await send('confirmSignup', { confirmationCode: await desk.code(email, 2) });
  const tokens = await send('login');
  await exchange('/platform.auth/me', 'get', {}, bearer(tokens));
  await exchange(surface === 'current' ? '/platform.auth/ApiKey' : '/api/Platform.Kernel.Identity/ApiKey', 'post', {}, bearer(tokens));
  await send('refreshToken', { refreshToken: tokens['refresh-token'] });
  await send('changePassword', {}, bearer(tokens));
  await send('forgotPassword');
  await send('confirmForgotPassword', { confirmationCode: await desk.code(email, 3) });
  await send('logout', {}, bearer(await send('login')));
  await send('exchange', { ...(await signInElsewhere(walk, peer)) });
}

function earlierPath(event: string): string {
  return `/${event === 'confirmSignup' ? 'confirm-sign-up' : event.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

async function signInElsewhere(walk: Walk, peer: OidcPeer): Promise<{ readonly code: string; readonly verifier: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const email = 'eve@example.com';
  peer.people.set(email, { email, email_verified: true });
  const query = new URLSearchParams({ provider: 'acme', redirect: home, challenge }).toString();
  const away = await succeed(walk, '/auth', 'get', '/auth', { query });
  const back = await signInAt(peer, String(away.headers['location']), email);
  const cookie = String(away.headers['set-cookie']).split(';')[0] ?? '';
  const end = await succeed(walk, '/auth/callback', 'get', back.pathname, { query: back.search.slice(1), headers: { cookie } });
  return { code: new URL(String(end.headers['location'])).searchParams.get('code') ?? '', verifier };
}
