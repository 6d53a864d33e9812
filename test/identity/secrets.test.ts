// No password, code, token or key is in a log, an error, a list, the description of the API or the metrics.

import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Log } from '../../src/http/server/log.ts';
import { type Answer, serve } from '../support/app.ts';
import { bearerOf, clientOf, mailServer, mailSettings, model, tokenOf, wrongCode } from './accounts.ts';

const [ann, root] = ['ann@example.com', 'root@example.com'];

test('over a whole journey with every wrong turn, no secret stands where it does not belong', async () => {
  const lines: string[] = [];
  const line =
    (level: string) =>
    (fields: object, message: string): void => {
      const err: unknown = Reflect.get(fields, 'err');
      lines.push(`${level} ${message} ${JSON.stringify(fields)} ${err instanceof Error ? `${err.stack}${String(err.cause)}` : ''}`);
    };
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), isLevelEnabled: () => true };
  const mail = await mailServer();
  const secrets = [
    'canary password one',
    'canary password two',
    'canary password three',
    'canary password of root',
    'canary wrong password',
  ];
  const [first = '', second = '', third = '', ofRoot = '', wrong = ''] = secrets;
  const served = await serve(model, {
    auth: { mail: mailSettings(mail), superuser: { email: root, password: ofRoot } },
    log,
    surfaces: ['current', 'earlier'],
  });
  const user = clientOf(served, 'current');
  const answers: Answer[] = [];
  const heard = (answer: Answer): Answer => {
    answers.push(answer);
    return answer;
  };
  heard(await user.signUp({ email: ann, password: first, userData: { note: 'x' } }));
  const code = await mail.code(ann);
  heard(await user.confirm(ann, wrongCode(code)));
  heard(await user.confirm(ann, code));
  heard(await user.signUp({ email: ann, password: wrong }));
  heard(await user.login(ann, wrong));
  const logins = [await user.login(ann, first), await user.login(root, ofRoot)];
  const [own, admin] = logins.map(bearerOf);
  const refreshed = await user.refresh(tokenOf(logins[0] ?? heard(await user.forgot(ann)), 'refresh-token'));
  heard(await user.refresh('no token'));
  await user.forgot(ann);
  const reset = await mail.code(ann, 3);
  heard(await user.reset(ann, reset, second));
  const again = await user.login(ann, second);
  heard(await user.change(bearerOf(again), second, third));
  for (const path of [
    '/platform.auth/User',
    '/api/Platform.Kernel.Identity/User',
    '/platform.auth/me',
    '/openapi.json',
    '/metrics',
    '/m/Post/x',
  ])
    heard(await served.get(path, admin ?? {}));
  heard(await served.get('/m/Post', own ?? {}));
  heard(await served.get(`/platform.auth/User?password=${encodeURIComponent(third)}`, admin ?? {}));
  const tokens = [...logins, refreshed, again].flatMap((each) =>
    ['id-token', 'access-token', 'refresh-token'].map((name) => tokenOf(each, name)),
  );
  const hidden = [...secrets, ...tokens, code, reset];
  const said = [...lines, ...answers.map(({ text, headers }) => `${text} ${JSON.stringify(headers)}`)].join('\n');
  for (const each of hidden) expect(said.includes(each), each).toBe(false);
  expect(said).not.toMatch(/\$argon2/);
});

test('without a mail server, mails are private files whose place the log names', async () => {
  const served = await serve(model, { auth: { confirm: true }, store: 'sqlite' });
  await clientOf(served, 'current').signUp({ email: ann, password: 'a long password' });
  while (!served.lines.some((each) => each.includes('.eml'))) await new Promise((resolve) => setTimeout(resolve, 20));
  const file = /(\S+\.eml)/.exec(served.lines.find((each) => each.includes('.eml')) ?? '')?.[1] ?? '';
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  const data = dirname(dirname(file));
  for (const each of readdirSync(data)) if (/\.db/.test(each)) expect(statSync(join(data, each)).mode & 0o077, each).toBe(0);
});
