// `platform users` and `platform keys`: what an operator does on the store of a project, without a token.

import { join } from 'node:path';
import picocolors from 'picocolors';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { workspace } from '../cli/harness.ts';
import { open, type Served } from '../support/app.ts';
import { storeIn, storeOfRun } from '../support/store.ts';
import { property } from '../support/table.ts';

const source = 'module m\nentity Post { id Int @id }\n';
const password = 'correct horse battery';

interface Project {
  readonly folder: string;
  /** What is said, both outputs, and the exit code. */
  run(line: string, ...typed: readonly string[]): Promise<string>;
  /** To be closed before the next command. */
  serve(): Promise<Served>;
}

async function project(auth: object = { enabled: true }): Promise<Project> {
  const { folder, write, remove } = workspace({ 'src/core.al': source, 'package.json': '{"name": "shop", "version": "1.0.0"}' });
  const kept = await storeIn(folder, storeOfRun(), true);
  const { settings } = kept;
  const store =
    settings.type === 'sqlite'
      ? { type: 'sqlite', dbname: settings.file }
      : {
          type: 'postgres',
          host: settings.host,
          port: settings.port,
          username: settings.username,
          password: settings.password,
          dbname: settings.dbname,
        };
  write('config.al', JSON.stringify({ auth, store }));
  onTestFinished(async () => {
    await kept.remove();
    remove();
  });
  return {
    folder,
    async run(line, ...typed) {
      const said: string[] = [];
      const code = await main(line.split(' '), terminal(folder, said, typed));
      return [...said, ...(code === 0 ? [] : [`exit ${code}`])].join('\n');
    },
    serve: () => open(source, { auth: {}, folder, ...(settings.type === 'postgres' ? { store: settings } : {}) }),
  };
}

function terminal(folder: string, said: string[], typed: readonly string[]): Terminal {
  const answers = [...typed];
  const tell = (text: string): number => said.push(text);
  const line = async (): Promise<string> => answers.shift() ?? '';
  return { out: tell, err: tell, isTerminal: false, line, colours: picocolors.createColors(false), folder, environment: {} };
}

test('adds a user before the first start, who then logs in as admin', async () => {
  const { run, serve: start } = await project();
  expect(await run('users add Ann@Example.com --role admin --role editor --name Ann', password)).toBe(
    'ann@example.com is added, as admin, editor',
  );
  expect(await run('users list')).toBe('ann@example.com                   admin, editor         Ann\n1 user');
  expect(JSON.parse(await run('users list --json'))).toEqual([
    { email: 'ann@example.com', name: 'Ann', roles: ['admin', 'editor'], confirmed: true },
  ]);
  const served = await start();
  const login = await served.post('/platform.auth/login', { email: 'ann@example.com', password });
  const bearer = { authorization: `Bearer ${String(property(login.body, 'id-token'))}` };
  expect((await served.get('/platform.auth/User', bearer)).body).toMatchObject([{ email: 'ann@example.com' }]);
  await served.close();
});

test('sets a password, which ends the sessions; gives and takes roles; removes the user', async () => {
  const { run, serve: start } = await project();
  await run('users add ann@example.com', password);
  const first = await start();
  const login = await first.post('/platform.auth/login', { email: 'ann@example.com', password });
  const bearer = { authorization: `Bearer ${String(property(login.body, 'id-token'))}` };
  expect((await first.get('/m/Post', bearer)).status).toBe(200);
  await first.close();
  expect(await run('users password ann@example.com', 'another long one')).toBe(
    'the password of ann@example.com is set; the sessions have ended',
  );
  expect(await run('users role ann@example.com add editor')).toBe('ann@example.com has the role editor');
  expect(await run('users role ann@example.com add editor')).toBe('ann@example.com had the role editor');
  expect(await run('users role ann@example.com remove editor')).toBe('ann@example.com has no longer the role editor');
  expect(await run('users role ann@example.com remove editor')).toBe('ann@example.com had no role editor');
  const second = await start();
  expect((await second.get('/m/Post', bearer)).status).toBe(401);
  const again = { email: 'ann@example.com', password: 'another long one' };
  expect((await second.post('/platform.auth/login', again)).status).toBe(200);
  await second.close();
  expect(await run('users remove ann@example.com --yes')).toBe('ann@example.com is removed');
  expect(await run('users list --json')).toBe('[]');
});

test('a new key signs, and the one before still verifies', async () => {
  const { run, serve: start } = await project();
  await run('users add ann@example.com', password);
  const first = await start();
  const login = await first.post('/platform.auth/login', { email: 'ann@example.com', password });
  const bearer = { authorization: `Bearer ${String(property(login.body, 'id-token'))}` };
  await first.close();
  const said = await run('keys rotate');
  expect(said).toMatch(/^[\w-]{43} signs tokens from now on$/);
  const second = await start();
  expect((await second.get('/m/Post', bearer)).status).toBe(200);
  const next = await second.post('/platform.auth/login', { email: 'ann@example.com', password });
  const [header = ''] = String(property(next.body, 'id-token')).split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString()).kid).toBe(said.split(' ')[0]);
  await second.close();
});

const refusals: readonly (readonly [title: string, line: string, typed: readonly string[], says: RegExp])[] = [
  ['a password that is too short', 'users add bob@example.com', ['short'], /The password must have 8 characters/],
  ['a password that many have', 'users add bob@example.com', ['password1'], /tried first/],
  ['no password', 'users add bob@example.com', [], /read from standard input, and nothing is there/],
  ['what is no address', 'users add bob', [password], /must be an e-mail address/],
  ['a user who is there', 'users add ANN@example.com', [password], /There is already a user ann@example.com/],
  ['an empty role', 'users add bob@example.com --role ', [password], /A role has 1 to 200 characters/],
  ['the password of nobody', 'users password bob@example.com', [password], /There is no user bob@example.com/],
  ['the role of nobody', 'users role bob@example.com add editor', [], /There is no user bob@example.com/],
  ['the removal of nobody', 'users remove bob@example.com -y', [], /There is no user bob@example.com/],
  ['a removal that nobody confirms', 'users remove ann@example.com', [], /say --yes/],
  ['a password as an argument', 'users password ann@example.com . secret', [], /too many arguments/],
];

test('refuses, in one line, what cannot be done', async () => {
  const { run } = await project();
  await run('users add ann@example.com', password);
  for (const [title, line, typed, says] of refusals) {
    const said = await run(line, ...typed);
    expect(said, title).toMatch(says);
    expect(said.split('\n'), title).toEqual([expect.stringMatching(/^platform: /), expect.stringMatching(/^exit [12]$/)]);
  }
  expect(JSON.parse(await run('users list --json'))).toHaveLength(1);
});

test('what a user pool does itself is left to it, where one is configured', async () => {
  const { folder } = await project();
  const environment = { IDP_USER_POOL_ID: 'local_pool', IDP_CLIENT_ID: 'client', CLOUD_REGION: 'local' };
  for (const line of ['users add ann@example.com', 'users password ann@example.com', 'keys rotate']) {
    const said: string[] = [];
    expect(await main(line.split(' '), { ...terminal(folder, said, [password]), environment })).toBe(1);
    expect(said).toEqual([expect.stringContaining('A user pool keeps the users')]);
  }
});

test('a project without authentication has no users', async () => {
  const { run } = await project({ enabled: false });
  for (const line of ['users list', 'users remove a@example.com -y', 'keys rotate'])
    expect(await run(line)).toMatch(/Authentication is off in this project.*auth\.enabled/);
});

test.runIf(storeOfRun() === 'sqlite')('the embedded store belongs to one process: only list works beside a service', async () => {
  const { run, serve: start } = await project();
  await run('users add ann@example.com', password);
  const served = await start();
  expect(await run('users list --json')).toContain('ann@example.com');
  for (const line of ['users remove ann@example.com -y', 'keys rotate'])
    expect(await run(line)).toMatch(/Another process is using.*stop it first/);
  await served.close();
});

test('on a terminal the password is asked for twice, unseen', async () => {
  const { folder } = await project();
  const cases: readonly (readonly [typed: readonly string[], says: RegExp])[] = [
    [[password, 'another'], /that was another one/],
    [[''], /no password was typed/],
    [[password, password], /ann@example.com is added/],
  ];
  for (const [typed, says] of cases) {
    const said: string[] = [];
    const answers = [...typed];
    const asked: string[] = [];
    const askSecret = async (question: string): Promise<string> => {
      asked.push(question);
      return answers.shift() ?? '';
    };
    await main(['users', 'add', 'ann@example.com', join(folder)], { ...terminal(folder, said, []), askSecret });
    expect(said.join('\n')).toMatch(says);
    expect(asked[0]).toBe('Password of ann@example.com: ');
  }
});
