// Whoever signs up without showing that the address is theirs has no profile: a start where rules go by one says so, or is refused.

import { expect, test } from 'vitest';
import { open, serve } from '../../support/app.ts';
import { withAccess } from '../people.ts';

const model = `module m
entity Staff { id Int @id, email Email, clinic Int, @profile(email) }`;

const line = /rules go by auth\.Staff, while whoever signs up need not show that the address is theirs/;
const mail = {
  host: '127.0.0.1',
  port: 25,
  secure: false,
  username: undefined,
  password: undefined,
  from: 'Service <service@example.com>',
};

test('it is warned about, and refused in production', async () => {
  const { warnings } = await serve(model, withAccess('current'));
  expect(JSON.stringify(warnings)).toMatch(line);
  await expect(open(model, withAccess('current', { auth: { strict: true } }))).rejects.toThrow(line);
});

test.each([
  ['sign-up is closed', { signup: false }],
  ['addresses are confirmed', { mail }],
])('not where %s', async (_, auth) => {
  const { warnings } = await serve(model, withAccess('current', { auth: { ...auth, strict: true } }));
  expect(JSON.stringify(warnings)).not.toMatch(line);
});
