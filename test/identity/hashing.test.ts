// What passwords and attributes that are secrets are hashed with. Other tests take the least cost that there is; this one takes that of a service.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const usual = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

test('a service hashes passwords of users and attributes of the type Password with argon2id: 19 MiB, two passes', async () => {
  const served = await serve('module m entity Safe { id Int @id, code Password }', { auth: {}, hashing: 'usual' });
  const { status } = await served.post('/platform.auth/signup', { email: 'ann@example.com', password: 'correct horse battery' });
  expect(status).toBe(200);
  expect(await served.kept.rows('SELECT password AS hash FROM "platform.auth/User"')).toEqual([{ hash: expect.stringMatching(usual) }]);
  const open = await serve('module m entity Safe { id Int @id, code Password }', { hashing: 'usual' });
  expect((await open.post('/m/Safe', { id: 1, code: 'open sesame' })).status).toBe(201);
  expect(await open.kept.rows('SELECT code AS hash FROM "m/Safe"')).toEqual([{ hash: expect.stringMatching(usual) }]);
});
