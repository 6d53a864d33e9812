// The journey of a user, on either surface: sign up, confirm, log in, call, refresh, change and reset the password, log out.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { until } from '../support/time.ts';
import { bearerOf, clientOf, mailServer, mailSettings, model, password, tokenOf, wrongCode } from './accounts.ts';

const ann = 'ann@example.com';
const surfaces = ['current', 'earlier'] as const;
const named = (surface: string, values: Readonly<Record<string, unknown>>) =>
  surface === 'current'
    ? values
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]));

describe.each(surfaces)('on the %s surface', (surface) => {
  test('a user signs up, confirms the address by the code in a mail, logs in, refreshes, changes and resets the password, and logs out', async () => {
    const mail = await mailServer();
    const served = await serve(model, { auth: { mail: mailSettings(mail), url: 'https://shop.example.com' }, surfaces: [surface] });
    const user = clientOf(served, surface);

    const signedUp = await user.signUp({ email: ann, password, firstName: 'Ann', userData: { age: 3 } });
    expect([signedUp.status, signedUp.body]).toEqual([200, named(surface, { email: ann, confirmed: false })]);
    expect((await user.login(ann, password)).status).toBe(401);
    const code = await mail.code(ann);
    expect(mail.to(ann)[0]).toContain(
      `https://shop.example.com/platform.auth/confirm#${encodeURIComponent(ann)},${code}`.replace('=', '=3D'),
    );
    expect((await user.confirm(ann, wrongCode(code))).status).toBe(400);
    const confirmed = await user.confirm(ann, code);
    expect([confirmed.status, confirmed.body]).toEqual([200, named(surface, { email: ann, confirmed: true })]);
    expect((await user.confirm(ann, code)).status).toBe(400);

    const login = await user.login(ann, password);
    expect(Object(login.body)).toEqual({
      'id-token': expect.any(String),
      'access-token': expect.any(String),
      'refresh-token': expect.any(String),
      'expires-in': 900,
    });
    const first = bearerOf(login);
    expect((await user.posts(first)).status).toBe(200);
    const refreshed = await user.refresh(tokenOf(login, 'refresh-token'));
    expect(refreshed.status).toBe(200);
    expect((await user.posts(bearerOf(refreshed))).status).toBe(200);

    expect((await user.change(first, 'not the password', 'another long password')).status).toBe(401);
    expect((await user.change(first, password, 'short')).status).toBe(422);
    expect((await user.change(first, password, password)).status).toBe(422);
    expect((await user.change(first, password, 'another long password')).status).toBe(200);
    for (const token of [first, bearerOf(refreshed)]) expect((await user.posts(token)).status).toBe(401);
    expect((await user.refresh(tokenOf(refreshed, 'refresh-token'))).status).toBe(401);
    expect((await user.login(ann, password)).status).toBe(401);

    const second = bearerOf(await user.login(ann, 'another long password'));
    const forgot = await user.forgot(ann);
    expect([forgot.status, forgot.body]).toEqual([200, named(surface, { email: ann })]);
    const reset = await mail.code(ann, 2);
    expect((await user.reset(ann, wrongCode(reset), 'a third long password')).status).toBe(400);
    expect((await user.reset(ann, reset, 'password')).status).toBe(422);
    expect((await user.reset(ann, reset, 'a third long password')).status).toBe(200);
    expect((await user.posts(second)).status).toBe(401);

    const third = bearerOf(await user.login(ann, 'a third long password'));
    expect((await user.posts(third)).status).toBe(200);
    expect((await user.logout(third)).status).toBe(200);
    expect((await user.posts(third)).status).toBe(401);
    expect((await user.logout(third)).status).toBe(401);
    expect([served.failures, mail.to(ann).length]).toEqual([[], 2]);
  });

  test('a code is sent again in place of the one before; an address that is known gets a mail, and the same answer', async () => {
    const mail = await mailServer();
    const served = await serve(model, { auth: { mail: mailSettings(mail) }, surfaces: [surface] });
    const user = clientOf(served, surface);
    const answers = [await user.signUp({ email: ann, password }), await user.resend(ann)];
    const [first, second] = [await mail.code(ann, 1), await mail.code(ann, 2)];
    expect((await user.confirm(ann, first)).status).toBe(400);
    expect((await user.confirm(ann, second)).status).toBe(200);
    answers.push(await user.signUp({ email: ann, password: 'of somebody else, who knows the address' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[2]?.text).toBe(answers[0]?.text);
    await until(() => mail.to(ann).length === 3);
    expect(mail.to(ann)[2]).toContain('You have an account');
    expect((await user.login(ann, password)).status).toBe(200);
    expect((await user.login(ann, 'of somebody else, who knows the address')).status).toBe(401);
  });

  test('without a mail server a new user is there at once, and a second one of the address is told so', async () => {
    const served = await serve(model, { auth: {}, surfaces: [surface] });
    const user = clientOf(served, surface);
    const signedUp = await user.signUp({ email: 'Ann@Example.com', password, name: 'Ann' });
    expect([signedUp.status, signedUp.body]).toEqual([200, named(surface, { email: ann, name: 'Ann' })]);
    expect((await user.signUp({ email: ann, password })).status).toBe(409);
    expect((await user.login('ANN@example.com', password)).status).toBe(200);
  });

  test('every field is checked, all faults at once, and a body of another form is told what it should be', async () => {
    const served = await serve(model, { auth: {}, surfaces: [surface] });
    const user = clientOf(served, surface);
    const prefix = surface === 'current' ? '' : 'User.';
    const wrong = await user.signUp({ email: 'no address', nick: 'x', name: 5 });
    const faults = ['email', 'password', 'name', 'nick'].map((each) => `${prefix}${Object.keys(named(surface, { [each]: 0 }))[0]}`);
    expect(wrong.status).toBe(422);
    for (const each of faults) expect(wrong.text).toContain(`"${each}"`);
    const weak = await user.signUp({ email: ann, password: 'password1' });
    expect([weak.status, weak.text.includes(surface === 'current' ? '"password"' : '"User.Password"')]).toEqual([422, true]);
    const path = surface === 'current' ? '/platform.auth/login' : '/login';
    expect((await served.post(path, [1])).status).toBe(400);
    expect((await served.ask({ method: 'POST', target: path })).status).toBe(400);
    expect((await served.get(path)).status).toBe(405);
    expect((await user.login('', '')).status).toBe(422);
  });
});

test('in a project of both surfaces, each has its paths, and an account is the same on both', async () => {
  const served = await serve(model, { auth: {}, surfaces: ['current', 'earlier'] });
  const [current, earlier] = [clientOf(served, 'current'), clientOf(served, 'earlier')];
  expect((await current.signUp({ email: ann, password })).status).toBe(200);
  const login = await earlier.login(ann, password);
  for (const each of [current, earlier]) expect((await each.posts(bearerOf(login))).status).toBe(200);
  const only = await serve(model, { auth: {}, surfaces: ['current'] });
  expect((await clientOf(only, 'earlier').login(ann, password)).status).toBe(401);
});

test('a new user gets what the application does on PostSignUp, which is the answer where nothing is to be confirmed', async () => {
  const source = `module m
entity Post { id Int @id }
workflow platform.auth/PostSignUp {
  {platform.auth/User {email? PostSignUp.signupRequest.user.email}} @as [user]
  {platform.rbac/RoleAssignment {role "member", assignee user.email}}
  user
}
`;
  const served = await serve(source, { auth: {} });
  const user = clientOf(served, 'current');
  const answer = await user.signUp({ email: ann, password, name: 'Ann' });
  expect([answer.status, answer.body]).toMatchObject([200, { email: ann, name: 'Ann' }]);
  expect(answer.text).not.toContain('assword');
  const bearer = bearerOf(await user.login(ann, password));
  expect((await served.get('/platform.auth/me', bearer)).body).toMatchObject({ email: ann, roles: ['member'] });

  const mail = await mailServer();
  const confirming = await serve(source, { auth: { mail: mailSettings(mail) } });
  const other = clientOf(confirming, 'current');
  expect((await other.signUp({ email: ann, password })).body).toEqual({ email: ann, confirmed: false });
  await other.confirm(ann, await mail.code(ann));
  const token = bearerOf(await other.login(ann, password));
  const rolesOf = async () => Reflect.get(Object((await confirming.get('/platform.auth/me', token)).body), 'roles');
  expect(await until(async () => (String(await rolesOf()) === '' ? undefined : rolesOf()))).toEqual(['member']);
});

test('a secret that the application sets on PostSignUp is stored as an argon2id hash, like any other', async () => {
  const source = `module m
entity Locker { owner Email @id, pin Password }
workflow platform.auth/PostSignUp { {m/Locker {owner PostSignUp.signupRequest.user.email, pin "4711-canary"}} }
`;
  const served = await serve(source, { auth: {} });
  const user = clientOf(served, 'current');
  expect((await user.signUp({ email: ann, password })).status).toBe(200);
  const [row] = await served.kept.rows('SELECT * FROM "m/Locker"');
  expect(row).toMatchObject({ owner: ann, pin: expect.stringMatching(/^\$argon2id\$/) });
  expect((await user.login(ann, password)).status).toBe(200);
});

test('a dataflow on PostSignUp that fails refuses the sign-up, and nothing is left of it', async () => {
  const source = 'module m\nentity Post { id Int @id }\nworkflow platform.auth/PostSignUp { throw("not today") }\n';
  const served = await serve(source, { auth: {} });
  const user = clientOf(served, 'current');
  expect((await user.signUp({ email: ann, password })).status).toBe(422);
  expect((await user.login(ann, password)).status).toBe(401);
});

test('where sign-up is closed, nobody signs up', async () => {
  const served = await serve(model, { auth: { signup: false } });
  expect((await clientOf(served, 'current').signUp({ email: ann, password })).status).toBe(403);
});

test('the superuser of the environment is an admin, who lists, makes, changes and removes users; others do not', async () => {
  const superuser = { email: 'root@example.com', password: 'a long password of root' };
  const clock = testClock();
  const served = await serve(model, { auth: { superuser }, surfaces: ['current', 'earlier'], parts: { clock } });
  const user = clientOf(served, 'current');
  const root = bearerOf(await user.login(superuser.email, superuser.password));
  await user.signUp({ email: ann, password });
  const member = bearerOf(await user.login(ann, password));
  expect((await served.get('/platform.auth/me', root)).body).toMatchObject({ roles: ['admin'] });
  const listed = await served.get('/platform.auth/User', root);
  expect([listed.body].flat()).toMatchObject([{ email: ann }, { email: 'root@example.com' }]);
  expect(listed.text).not.toContain('assword');
  expect((await served.get('/api/Platform.Kernel.Identity/User', root)).text).toContain('"Email":"ann@example.com"');
  for (const each of [ann, 'root@example.com', 'nobody@example.com'])
    expect((await served.get(`/platform.auth/User/${each}`, member)).status).toBe(404);
  const bob = { email: 'bob@example.com', password: 'password of bob' };
  expect((await served.post('/platform.auth/User', bob, member)).status).toBe(403);
  expect((await served.post('/platform.rbac/RoleAssignment', { role: 'admin', assignee: ann }, member)).status).toBe(403);
  expect((await served.post('/platform.auth/User', { ...bob, email: 'Bob@example.com' }, root)).status).toBe(422);
  expect((await served.post('/platform.auth/User', bob, root)).status).toBe(201);
  const bobs = bearerOf(await user.login(bob.email, bob.password));
  expect((await served.put(`/platform.auth/User/${bob.email}`, { password: 'another one of bob' }, root)).status).toBe(200);
  clock.advance(1000);
  expect((await user.posts(bobs)).status).toBe(401);
  const again = bearerOf(await user.login(bob.email, 'another one of bob'));
  const role = await served.post('/platform.rbac/RoleAssignment', { role: 'editor', assignee: bob.email }, root);
  expect(role.status).toBe(201);
  expect((await served.post('/platform.rbac/RoleAssignment', { role: 'editor', assignee: 'none@example.com' }, root)).status).toBe(422);
  expect((await served.remove(`/platform.auth/User/${bob.email}`, root)).status).toBe(200);
  expect((await served.get(`/platform.rbac/RoleAssignment?assignee=${bob.email}`, root)).body).toEqual([]);
  clock.advance(1000);
  expect((await user.posts(again)).status).toBe(401);
});
