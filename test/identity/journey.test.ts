// The journey of a user: sign up, confirm, log in, refresh, change and reset the password, log out.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const model = 'module m\nentity Post { id Int @id, title String @optional }\nworkflow mine { auth.user }\n';
const password = 'correct horse battery';

test('signs up, logs in, calls with the token, refreshes, and logs out', async () => {
  const served = await serve(model, { auth: {} });
  await check(served, [
    { ask: 'GET /m/Post', status: 401, headers: { 'www-authenticate': 'Bearer' } },
    {
      ask: 'POST /platform.auth/signup',
      body: { email: 'Ann@Example.com', password, name: 'Ann' },
      status: 200,
      is: { email: 'ann@example.com', name: 'Ann' },
    },
    { ask: 'POST /platform.auth/signup', body: { email: 'ann@example.com', password }, status: 409 },
    { ask: 'POST /platform.auth/login', body: { email: 'ann@example.com', password: 'wrong' }, status: 401 },
  ]);
  const login = await served.post('/platform.auth/login', { email: 'ann@example.com', password });
  expect(login.status).toBe(200);
  const tokens = Object(login.body);
  const bearer = { authorization: `Bearer ${tokens['id-token']}` };
  expect((await served.get('/m/Post', bearer)).status).toBe(200);
  expect((await served.get('/platform.auth/me', bearer)).body).toEqual({ email: 'ann@example.com', name: 'Ann', roles: [] });
  expect((await served.get('/platform.auth/User', bearer)).body).toEqual([]);
  expect((await served.post('/m/Post', { id: 1 }, bearer)).status).toBe(201);
  const refreshed = await served.post('/platform.auth/refreshToken', { refreshToken: tokens['refresh-token'] });
  expect(refreshed.status).toBe(200);
  expect((await served.get('/m/Post', { authorization: `Bearer ${Object(refreshed.body)['id-token']}` })).status).toBe(200);
  expect((await served.post('/platform.auth/logout', {}, bearer)).status).toBe(200);
  expect((await served.get('/m/Post', bearer)).status).toBe(401);
  expect(served.failures).toEqual([]);
});
