// A name of the configuration that leads into the own network: every way to another system refuses it, and takes it where `ownNetwork` allows it.

import dns from 'node:dns';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { LookupFunction } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveTools } from '../mcp/other-server.mjs';
import { listen } from '../support/listen.ts';
import { type ServedProject, serveProject } from '../support/project.ts';

const name = 'people.example.com';

/** This name leads to this machine, as an entry of its hosts file would have it; all others to where they did. */
beforeAll(() => {
  const before = dns.lookup;
  const lookup: LookupFunction = (hostname, options, callback) => before(hostname === name ? '127.0.0.1' : hostname, options, callback);
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
  return () => {
    Object.assign(dns, { lookup: before });
    syncBuiltinESMExports();
  };
});

const document = {
  openapi: '3.0.3',
  info: { title: 'People', version: '1' },
  paths: { '/people': { get: { operationId: 'listPeople', responses: { 200: { description: 'ok' } } } } },
};

interface OtherSystem {
  readonly port: number;
  readonly asked: string[];
}

async function peopleServer(): Promise<OtherSystem> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const body = url === '/openapi.json' ? document : [{ id: 'a' }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const port = await listen(server);
  return { port, asked };
}

async function toolServer(): Promise<OtherSystem> {
  const { url, asked, http } = await serveTools();
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { port: Number(new URL(url).port), asked };
}

const model = 'module m\n\nentity Person {\n  id String @id\n}\n';
const used = `${model}\nevent echo {}\n\nworkflow echo {\n  {helper.mcp/echo {text "a"}}\n}\n`;
const served = (config: object, more: Readonly<Record<string, string>> = {}): Promise<ServedProject> =>
  serveProject({ 'src/m.al': model, 'config.al': JSON.stringify(config), ...more });

interface Own {
  readonly ownNetwork?: true;
}

const ways: readonly (readonly [
  title: string,
  start: () => Promise<OtherSystem>,
  open: (port: number, own: Own) => Promise<ServedProject>,
  request: string,
  body: unknown,
  answer: unknown,
])[] = [
  [
    'a resolver of type rest',
    peopleServer,
    (port, own) =>
      served({
        resolvers: [
          { name: 'm/r', type: 'rest', types: ['m/Person'], config: { baseUrl: `http://${name}:${port}`, path: 'people', ...own } },
        ],
      }),
    'GET /m/Person',
    undefined,
    [{ id: 'a' }],
  ],
  [
    'an operation of an OpenAPI document',
    peopleServer,
    (port, own) =>
      served(
        { openapi: [{ name: 'people', spec: 'people.json', baseUrl: `http://${name}:${port}`, ...own }] },
        { 'people.json': JSON.stringify(document) },
      ),
    'POST /people/listPeople',
    {},
    [{ id: 'a' }],
  ],
  [
    'a tool of an MCP server',
    toolServer,
    (port, own) =>
      served({ mcp: { servers: [{ name: 'helper', serverUrl: `http://${name}:${port}/mcp`, ...own }] } }, { 'src/m.al': used }),
    'POST /m/echo',
    {},
    'a',
  ],
];

/** Its own text and those of what caused it. */
function reasonsOf(thrown: unknown): readonly string[] {
  return thrown instanceof Error ? [thrown.message, ...reasonsOf(thrown.cause)] : [];
}

test.each(ways)(
  '%s is 502 where its name leads into the own network, and works with ownNetwork',
  async (_, start, open, request, body, answer) => {
    const { port, asked } = await start();
    const refused = await open(port, {});
    expect(await refused.ask(request, body)).toMatchObject({ status: 502, body: { code: 'resolver-failed' } });
    expect(asked).toEqual([]);
    expect(refused.logged.flatMap((each) => reasonsOf(each['err'])).join('\n')).toContain('of the own network (127.0.0.1)');
    const allowed = await open(port, { ownNetwork: true });
    expect(await allowed.ask(request, body)).toMatchObject({ status: 200, body: answer });
    expect(asked).not.toEqual([]);
  },
);

test('an OpenAPI document is not fetched from such a name, and is with ownNetwork', async () => {
  const { port, asked } = await peopleServer();
  const entry = { name: 'people', spec: `http://${name}:${port}/openapi.json`, baseUrl: `http://${name}:${port}` };
  await expect(served({ openapi: [entry] })).rejects.toThrow('leads to an address of the own network');
  expect(asked).toEqual([]);
  const { ask } = await served({ openapi: [{ ...entry, ownNetwork: true }] });
  expect(await ask('POST /people/listPeople', {})).toMatchObject({ status: 200, body: [{ id: 'a' }] });
});
