// `platform mcp`: the protocol over standard input and output, as a user or with an API key, beside a store or in front of a service that runs.

import { expect, onTestFinished, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { workspace } from '../cli/harness.ts';
import { testTerminal } from '../docs/support.ts';
import { type Served, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { modelServer } from '../support/model-server.ts';
import { until } from '../support/time.ts';

const model = `module blog
entity Post { id Int @id, title String, @rbac [(roles: [user], allow: [create])] }
`;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly params?: unknown;
}

interface Assistant {
  ask(method: string, params?: object): Promise<Message>;
  tell(line: string): void;
  /** All that was said. */
  readonly said: Message[];
  /** The exit code, and what was said besides. */
  end(): Promise<{ code: number; err: string }>;
}

/** Speaks with the command as an assistant does. */
function assistant(words: readonly string[], folder: string, environment: Readonly<Record<string, string>> = {}): Assistant {
  const waiting: string[] = [];
  const said: Message[] = [];
  let [wake, isOver, err, last] = [() => {}, false, '', 0];
  async function* input(): AsyncGenerator<string, void> {
    for (;;) {
      const line = waiting.shift();
      if (line !== undefined) yield line;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const out = (text: string): void => void said.push(JSON.parse(text));
  const told = (text: string): void => {
    err += text;
  };
  const code = main(['mcp', ...words], { ...testTerminal(folder), environment, input, out, err: told });
  const tell = (line: string): void => {
    waiting.push(line);
    wake();
  };
  return {
    said,
    tell,
    async ask(method, params = {}) {
      last += 1;
      const id = last;
      tell(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return until(() => said.find((each) => each.id === id));
    },
    async end() {
      isOver = true;
      wake();
      return { code: await code, err };
    },
  };
}

const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };

function project(config: string): string {
  const place = workspace({
    'package.json': '{"name": "blog", "version": "1.0.0", "type": "module"}',
    'src/core.al': model,
    'config.al': config,
  });
  onTestFinished(() => place.remove());
  return place.folder;
}

test('an assistant works on the store of a project; what it cannot read or does not know is an error of the protocol', async () => {
  const folder = project('{}');
  const { ask, tell, said, end } = assistant(['.'], folder);
  expect(await ask('initialize', hello)).toMatchObject({ result: { serverInfo: { name: 'blog' } } });
  tell('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  tell('this is no JSON');
  expect(await ask('tools/call', { name: 'blog_Post_create', arguments: { id: 1, title: 'first' } })).toMatchObject({
    result: { structuredContent: { id: 1, title: 'first' } },
  });
  expect(await ask('tools/call', { name: 'nothing' })).toMatchObject({ error: { code: -32602 } });
  expect(said).toContainEqual(expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }));
  expect(await end()).toEqual({ code: 0, err: '' });
});

const lines: readonly (readonly [line: string, answer: unknown])[] = [
  ['{"id":', { id: null, error: { code: -32700 } }],
  ['5', { id: null, error: { code: -32600 } }],
  ['null', { id: null, error: { code: -32600 } }],
  ['[]', { id: null, error: { code: -32600 } }],
  ['{"jsonrpc":"1.0","id":7,"method":"tools/list"}', { id: 7, error: { code: -32600 } }],
  ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', { id: null, error: { code: -32600 } }],
  ['{"jsonrpc":"2.0","id":null,"method":"tools/list"}', { id: null, error: { code: -32600 } }],
  ['{"jsonrpc":"2.0","id":7}', { id: 7, error: { code: -32600 } }],
  ['{"jsonrpc":"2.0","id":7,"method":"ping","params":5}', { id: 7, error: { code: -32600 } }],
  ['[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]', [{ id: 7 }, { id: 8 }]],
];

test('over standard input, too, JSON that is no message is an invalid request, and messages may come together', async () => {
  const { tell, said, end } = assistant(['.'], project('{}'));
  for (const [line, answer] of lines) {
    const before = said.length;
    tell(line);
    await until(() => said.length === before + 1);
    expect([line, said.at(-1)]).toMatchObject([line, answer]);
  }
  tell('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  tell('{"jsonrpc":"2.0","id":7,"result":{}}');
  expect(await end()).toEqual({ code: 0, err: '' });
  expect(said).toHaveLength(lines.length);
});

test('with authentication on it asks as a user, with the roles of that moment, or not at all', async () => {
  const folder = project('{"rbac": {"enabled": true}}');
  const nobody = await assistant(['.'], folder).end();
  expect(nobody).toMatchObject({ code: 1, err: expect.stringContaining('authentication is on: say who asks with --user') });
  expect(await assistant(['.', '--user', 'eve@example.com'], folder).end()).toMatchObject({
    code: 1,
    err: expect.stringContaining('no user eve'),
  });
  const added = await main(['users', 'add', 'ann@example.com', '.', '--role', 'user'], {
    ...testTerminal(folder),
    line: async () => 'correct horse battery',
  });
  expect(added).toBe(0);
  const { ask, end } = assistant(['.', '--user', 'Ann@example.com'], folder);
  expect(await ask('tools/call', { name: 'blog_Post_create', arguments: { id: 1, title: 'mine' } })).toMatchObject({
    result: { structuredContent: { id: 1 } },
  });
  // Users are those of admins.
  expect(await ask('tools/call', { name: 'platform_auth_User_list', arguments: {} })).toMatchObject({
    result: { structuredContent: { items: [] } },
  });
  expect((await end()).code).toBe(0);
});

async function addressOf(served: Served): Promise<string> {
  const [address = ''] = await served.app.listen();
  return address;
}

test('beside a service that runs it asks that service, tells what agents do, and a cancelled call is ended and not answered', async () => {
  const language = await modelServer();
  const desk = 'module desk\n@public agent clerk { instruction "Work." }\n';
  const served = await serve(desk, { mcp: true, llm: language.settings });
  language.says('Good day to you.');
  const { ask, tell, said, end } = assistant(['--url', await addressOf(served)], folderForTest());
  const call = { name: 'desk_clerk', arguments: { message: 'Hello' }, _meta: { progressToken: 'p' } };
  expect(await ask('tools/call', call)).toMatchObject({ result: { structuredContent: { result: 'Good day to you.' } } });
  const progress = said.filter(({ method }) => method === 'notifications/progress');
  expect(progress.length).toBeGreaterThanOrEqual(3);
  expect(progress[0]).toMatchObject({ params: { progressToken: 'p', progress: 1, message: expect.stringContaining('run ') } });
  const release = language.hold(1);
  const isThere = (status: string) => until(async () => Object((await served.get(`/platform.ai/Run?status=${status}`)).body).length === 1);
  tell(
    JSON.stringify({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'desk_clerk', arguments: { message: 'slow' } } }),
  );
  await isThere('running');
  tell(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } }));
  await isThere('cancelled');
  release();
  // What is still to be answered is answered before the end.
  expect((await end()).code).toBe(0);
  expect(said.some(({ id }) => String(id) === 'slow')).toBe(false);
});

test('with an API key it is its owner who asks; a wrong one is told', async () => {
  const served = await serve(model, {
    mcp: true,
    system: ['auth', 'rbac'],
    auth: { superuser: { email: 'root@example.com', password: 'a very long root password' } },
  });
  const login = await served.post('/platform.auth/login', { email: 'root@example.com', password: 'a very long root password' });
  const authorization = `Bearer ${Object(login.body)['id-token']}`;
  const made = await served.post('/platform.auth/ApiKey', { name: 'desk' }, { authorization });
  const url = await addressOf(served);
  const good = assistant(['--url', url], folderForTest(), { PLATFORM_API_KEY: Object(made.body).key });
  expect(await good.ask('tools/call', { name: 'blog_Post_create', arguments: { id: 1, title: 'mine' } })).toMatchObject({
    result: { structuredContent: { id: 1 } },
  });
  await good.end();
  const bad = assistant(['--url', url], folderForTest(), { PLATFORM_API_KEY: 'pk_nothing' });
  expect(await bad.ask('ping')).toMatchObject({ error: { code: -32603, message: expect.stringMatching(/sign|token/i) } });
  await bad.end();
  const bare = await served.ask({ method: 'POST', target: '/mcp', headers: { 'content-type': 'application/json' }, text: '{}' });
  expect(bare.headers['www-authenticate']).toBe(`Bearer resource_metadata="${local(url)}/.well-known/oauth-protected-resource/mcp"`);
  expect((await served.get('/.well-known/oauth-protected-resource/mcp')).body).toEqual({
    resource: `${local(url)}/mcp`,
    resource_name: 'test',
    bearer_methods_supported: ['header'],
  });
});

function local(address: string): string {
  return address.replace('127.0.0.1', 'localhost');
}
