// Endpoints: parts of the service at paths of their own, who asks them, and what becomes of what they throw.

import { expect, test } from 'vitest';
import { type Caller, rolesOf, userOf } from '../../src/engine/caller.ts';
import { error } from '../../src/errors.ts';
import type { Authenticate, Endpoint } from '../../src/http/endpoint.ts';
import { type Options, serve } from '../support/app.ts';

const model = 'module m\nentity Post { id Int @id, title String }\nworkflow who { auth.user }\n';

/** A token is the name of its user. */
const authenticate: Authenticate = async ({ headers: { authorization } }) => {
  if (authorization === 'Bearer bad') throw error('access-denied', { detail: 'The token is not true.' });
  if (typeof authorization !== 'string') return { kind: 'anonymous' };
  return { kind: 'user', id: 'an-id', email: authorization.slice('Bearer '.length), roles: [], token: authorization };
};

const endpoint = (open: boolean): Endpoint => ({
  open,
  matches: ({ path }) => path === (open ? '/open' : '/closed'),
  async respond({ method }, caller: Caller) {
    if (method !== 'GET') throw error('method-not-allowed', { allow: ['GET'] });
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(caller) };
  },
});

const options: Options = { parts: { authenticate, endpoints: () => [endpoint(true), endpoint(false)] } };

test('an endpoint has its paths before the model, and its caller; an open one asks nobody who they are', async () => {
  const { get, post } = await serve(model, options);
  const bearer = { authorization: 'Bearer ann@example.com' };
  expect((await get('/closed', bearer)).body).toMatchObject({ kind: 'user', id: 'an-id', email: 'ann@example.com' });
  expect((await get('/open', bearer)).body).toEqual({ kind: 'anonymous' });
  expect(await post('/closed', {}, bearer)).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  expect((await post('/m/who', {}, bearer)).body).toBe('ann@example.com');
  expect((await post('/m/who', {})).body).toBe(null);
});

test('what the service says of itself is asked by everybody, what it tells of the model by those whose token is true', async () => {
  const { get } = await serve(model, options);
  const bad = { authorization: 'Bearer bad' };
  for (const path of ['/', '/health', '/ready', '/docs', '/open']) expect((await get(path, bad)).status, path).toBe(200);
  for (const path of ['/openapi.json', '/metrics', '/metrics/', '/m/Post', '/nothing', '/closed'])
    expect(await get(path, bad), path).toMatchObject({ status: 403, body: { code: 'access-denied' } });
});

test('an agent acts for its user: rights, `auth.user` and keys go by that', async () => {
  const onBehalfOf = { kind: 'user', id: 'an-id', email: 'ann@example.com', roles: ['reader'], token: undefined } as const;
  const caller: Caller = { kind: 'agent', run: '1', onBehalfOf };
  const { post } = await serve(model, { parts: { authenticate: () => caller } });
  expect((await post('/m/who', {})).body).toBe('ann@example.com');
  expect([userOf(caller), rolesOf(caller)]).toEqual(['ann@example.com', ['reader']]);
});

test('an Idempotency-Key belongs to its caller', async () => {
  const { post } = await serve(model, options);
  const sent = (user: string, id: number) =>
    post('/m/Post', { id, title: 'a' }, { authorization: `Bearer ${user}`, 'idempotency-key': 'one' });
  expect((await sent('ann', 1)).body).toEqual({ id: 1, title: 'a' });
  expect((await sent('bob', 2)).body).toEqual({ id: 2, title: 'a' });
  expect((await sent('ann', 1)).body).toEqual({ id: 1, title: 'a' });
  expect((await sent('ann', 2)).status).toBe(422);
});
