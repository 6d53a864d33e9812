// Tools of other servers of the Model Context Protocol as events and as tools of agents, against servers made with its own library.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ServedProject, serveProject } from '../support/project.ts';
import { serveSessions, serveTools } from './other-server.mjs';

const script = join(import.meta.dirname, 'other-server.mjs');

const model = (client = '') => `module m
${client}
entity Note { id Int @id, text String }
event keep { id Int, text String }
workflow keep {
  {helper.mcp/echo {text keep.text}} @as said;
  {Note {id keep.id, text said}}
}
event add { items Float[] }
workflow add { {helper.mcp/add_all {items add.items}} @as sum; sum.total }
event refused { id Int }
workflow refused { {Note {id refused.id, text "a"}}; {helper.mcp/refuse {}} }
event wrong { id Int }
workflow wrong { {helper.mcp/echo {words "x"}} }
event missing { id Int }
workflow missing { {helper.mcp/nothing {}} }
`;

async function works(served: ServedProject): Promise<void> {
  expect(await served.ask('POST /m/keep', { id: 1, text: 'hello' })).toMatchObject({ status: 200, body: { id: 1, text: 'hello' } });
  expect(await served.ask('POST /m/add', { items: [1, 2.5] })).toMatchObject({ status: 200, body: 3.5 });
  expect(await served.ask('POST /helper.mcp/echo', { text: 'x' })).toMatchObject({ status: 200, body: 'x' });
  const refusal = await served.ask('POST /m/refused', { id: 2 });
  expect(refusal).toMatchObject({ status: 422, body: { code: 'resolver-refused' } });
  expect(refusal.text).not.toContain('secret');
  expect((await served.ask('GET /m/Note/2')).status).toBe(404);
  expect(await served.ask('POST /m/wrong', { id: 2 })).toMatchObject({
    status: 422,
    body: { code: 'resolver-refused', detail: 'text is required' },
  });
  expect(await served.ask('POST /m/missing', { id: 2 })).toMatchObject({ status: 502, body: { code: 'resolver-failed' } });
}

test('a server that the model names at start has its tools as events of a module', async () => {
  const { url, asked, http } = await serveTools();
  onTestFinished(() => void http.close());
  const client = `{platform.mcp/createClient {name "helper", serverUrl "${url}", bearerToken process.env.HELPER_TOKEN}}`;
  const served = await serveProject({ 'src/m.al': model(client) }, { HELPER_TOKEN: 't' });
  // Nobody is asked before a tool is needed.
  expect(asked).toEqual([]);
  await works(served);
  expect(new Set(asked)).toEqual(new Set(['Bearer t']));
});

test('a number that no double holds is refused, and the tool is not called', async () => {
  const { url, http } = await serveTools();
  onTestFinished(() => void http.close());
  const sums = ['9007199254740993', '0.1234567890123456789', '9007199254740992', '0.5']
    .map((each, index) => `event sum${index} {}\nworkflow sum${index} { {helper.mcp/add_all {items [1, ${each}]}} @as sum; sum.total }`)
    .join('\n');
  const served = await serveProject({ 'src/m.al': `${model(`{platform.mcp/createClient {name "helper", serverUrl "${url}"}}`)}${sums}` });
  const answers = await Promise.all([0, 1, 2, 3].map((index) => served.ask(`POST /m/sum${index}`, {})));
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 200, 200]);
  for (const each of answers.slice(0, 2))
    expect(each.body).toMatchObject({ code: 'resolver-refused', detail: 'items[1] has more digits than a number can have there' });
});

test('a server may be a program that the configuration names, with an environment of its own', async () => {
  const servers = [{ name: 'helper', command: process.execPath, args: [script], env: { GREETING: '#js process.env.GREETING' } }];
  const served = await serveProject(
    {
      'src/m.al': `${model()}event surroundings { id Int }\nworkflow surroundings { {helper.mcp/environment {}} }`,
      'config.al': JSON.stringify({ mcp: { servers } }),
    },
    { GREETING: 'hi', SECRET_OF_THE_SERVICE: 's' },
  );
  await works(served);
  expect(await served.ask('POST /m/surroundings', { id: 1 })).toMatchObject({ body: 'hi -' });
});

test('a server that is not reached is 502 when its tool is called, and works when it is there again', async () => {
  const first = await serveTools();
  const port = Number(new URL(first.url).port);
  first.http.close();
  const served = await serveProject({ 'src/m.al': model(`{platform.mcp/createClient {name "helper", serverUrl "${first.url}"}}`) });
  expect(await served.ask('POST /m/keep', { id: 1, text: 'hello' })).toMatchObject({ status: 502, body: { code: 'resolver-failed' } });
  const again = await serveTools([], port);
  onTestFinished(() => void again.http.close());
  expect((await served.ask('POST /m/keep', { id: 1, text: 'hello' })).status).toBe(200);
});

test('a server that has lost its sessions is connected to again by the next call', async () => {
  const { url, sessions, close } = await serveSessions();
  onTestFinished(close);
  const served = await serveProject({ 'src/m.al': model(`{platform.mcp/createClient {name "helper", serverUrl "${url}"}}`) });
  const ask = async (): Promise<number> => (await served.ask('POST /helper.mcp/echo', { text: 'x' })).status;
  expect([await ask(), await ask(), sessions.size]).toEqual([200, 200, 1]);
  sessions.clear();
  expect([await ask(), await ask(), await ask(), sessions.size]).toEqual([502, 200, 200, 1]);
});

test('the arguments of a tool whose schema takes too long to check are refused', async () => {
  const { url, http } = await serveTools();
  onTestFinished(() => void http.close());
  const client = `{platform.mcp/createClient {name "helper", serverUrl "${url}"}}`;
  const served = await serveProject({ 'src/m.al': `module m\n${client}\nevent ask {}\nworkflow ask { {helper.mcp/endless {}} }` });
  expect(await served.ask('POST /m/ask', {})).toMatchObject({ status: 422, body: { detail: 'is too complex to be checked' } });
});

test('an agent that names a server has its tools, with the schemas of the server', async () => {
  const { url, http } = await serveTools();
  onTestFinished(() => void http.close());
  const script = [{ reply: [{ tool: 'helper_mcp_echo', arguments: { text: 'from the tool' } }, 'done'] }];
  const served = await serveProject(
    {
      'src/m.al': `module m\n{platform.mcp/createClient {name "helper", serverUrl "${url}"}}\n@public agent clerk { instruction "Help.", tools [helper] }\n`,
      'config.al': JSON.stringify({ llm: { provider: 'scripted', script: 'script.json' } }),
      'script.json': JSON.stringify(script),
    },
    {},
    { asksServers: true },
  );
  expect(served.app.model.events.get('helper.mcp/add_all')?.meta).toMatchObject({
    documentation: 'Adds numbers',
    parameters: { type: 'object' },
  });
  // Of two tools with one event the first has it, and one whose name holds no letter has none.
  const events = [...served.app.model.events.keys()].filter((each) => each.startsWith('helper.mcp/'));
  expect(events).toEqual(['echo', 'add_all', 'refuse', 'endless', 'environment'].map((each) => `helper.mcp/${each}`));
  expect(await served.ask('POST /m/clerk', { message: 'go' })).toMatchObject({ status: 200, body: 'done' });
  const calls = await served.ask('GET /platform.ai/ToolCall');
  expect(calls.body).toMatchObject([{ tool: 'helper_mcp_echo', result: 'from the tool', status: 'done' }]);
});

test('a server that agents need and that is not reached is told of, and its tools are left out', async () => {
  const client = '{platform.mcp/createClient {name "helper", serverUrl "http://127.0.0.1:2/mcp"}}';
  const files = {
    'src/m.al': `module m\n${client}\n@public agent clerk { instruction "Help.", tools [helper.mcp] }\n`,
    'config.al': '{"llm": {"provider": "scripted"}}',
  };
  const served = await serveProject(files, {}, { asksServers: true });
  expect(served.told.join()).toContain('the MCP server helper is not reached');
  expect((await served.ask('POST /m/clerk', { message: 'go' })).status).toBe(200);
});

const refused: readonly (readonly [title: string, files: Readonly<Record<string, string>>, message: string])[] = [
  ['without an address', { 'src/m.al': 'module m\n{platform.mcp/createClient {name "helper"}}' }, 'needs the texts name and serverUrl'],
  [
    'with two ways to it',
    { 'src/m.al': 'module m', 'config.al': '{"mcp": {"servers": [{"name": "a", "serverUrl": "http://a", "command": "b"}]}}' },
    'either serverUrl or command',
  ],
  [
    'of a name that there is twice',
    {
      'src/m.al':
        'module m\n{platform.mcp/createClient {name "a", serverUrl "http://a"}}\n{platform.mcp/createClient {name "a", serverUrl "http://b"}}',
    },
    'two MCP servers',
  ],
];

test.each(refused)('a server %s is refused', async (_, files, message) => {
  await expect(serveProject(files)).rejects.toThrow(message);
});
