// The Model Context Protocol, asked by the official client over a socket: tools, resources, rights and refusals.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { world } from '../access/people.ts';
import { type Served, serve } from '../support/app.ts';
import { clashingNames } from '../support/clashing-names.ts';

const model = `module blog
record Place { city String, zip Int @optional }
entity Post { id Int @id, title String @unique, likes Int @default(0), rank Float @optional, place Place @optional, secret Password @optional, @rbac [(roles: [user], allow: [create])] }
entity Comment { id Int @id, text String }
relationship PostComment contains(Post, Comment)
@public event rename { id Int, title String }
workflow rename { {Post {id? rename.id, title rename.title}} }
@public event tidy { n Int, @rbac [(roles: [user], allow: [create])] }
workflow tidy { tidy.n }
`;

const addresses = new WeakMap<Served, Promise<readonly string[]>>();

async function clientOf(served: Served, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const listening = addresses.get(served) ?? served.app.listen();
  addresses.set(served, listening);
  const [address = ''] = await listening;
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** What the tool gave, as an object; a refusal as its problem. */
async function use(client: Client, name: string, given: Record<string, unknown>): Promise<unknown> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: given });
  if (isError !== true) return structuredContent;
  const [first] = Array.isArray(content) ? content : [];
  return { refused: JSON.parse(first.text) };
}

test('entities, events and relationships are tools with schemas, which create, read, list, change and delete', async () => {
  const client = await clientOf(await serve(model, { mcp: true }));
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['blog_Post_create', 'blog_Post_list', 'blog_Comment_delete', 'blog_rename']));
  expect(tools.find(({ name }) => name === 'blog_Post_create')).toMatchObject({
    inputSchema: { type: 'object', required: ['id', 'title'], properties: { title: { type: 'string' } }, $defs: {} },
    outputSchema: { properties: { likes: { type: ['integer', 'string'] } } },
  });
  for (const id of [1, 2, 3])
    await use(client, 'blog_Post_create', { id, title: `t${id}`, likes: id, place: { city: 'Bonn' }, secret: 'hidden words' });
  expect(await use(client, 'blog_Comment_create', { '@under': '1', id: 5, text: 'good' })).toMatchObject({ id: 5 });
  expect(await use(client, 'blog_Post_read', { id: 1 })).toMatchObject({ title: 't1', place: { city: 'Bonn' } });
  expect(await use(client, 'blog_Post_update', { id: 1, changes: { title: 'new' } })).toMatchObject({ title: 'new' });
  expect(await use(client, 'blog_rename', { id: 2, title: 'renamed' })).toMatchObject({ result: expect.anything() });
  const first = await use(client, 'blog_Post_list', { where: { likes: { gte: 1 } }, orderBy: ['-likes'], limit: 2 });
  expect(first).toMatchObject({ items: [{ id: 3 }, { id: 2, title: 'renamed' }], next: expect.any(String) });
  const { next } = Object(first);
  expect(await use(client, 'blog_Post_list', { where: { likes: { gte: 1 } }, orderBy: ['-likes'], limit: 2, after: next })).toMatchObject({
    items: [{ id: 1 }],
  });
  expect(await use(client, 'blog_Post_list', { where: { 'PostComment.Comment.text': 'good' } })).toMatchObject({ items: [{ id: 1 }] });
  expect(await use(client, 'blog_Comment_delete', { path: 'path://blog$Post/1/blog$PostComment/blog$Comment/5' })).toMatchObject({ id: 5 });
  expect(JSON.stringify(await use(client, 'blog_Post_list', {}))).not.toContain('hidden');
});

const refused: readonly (readonly [tool: string, given: Record<string, unknown>, status: number, code: string])[] = [
  ['blog_Post_read', { id: 9 }, 404, 'instance-not-found'],
  ['blog_Post_read', {}, 422, 'query-invalid'],
  ['blog_Post_create', { id: 1 }, 422, 'attributes-invalid'],
  ['blog_Post_create', { id: 1, title: 'x', colour: 'red' }, 422, 'attributes-invalid'],
  ['blog_Post_list', { limit: 1000 }, 422, 'query-invalid'],
  ['blog_Post_list', { where: { nothing: 1 } }, 422, 'query-invalid'],
  ['blog_Post_list', { where: { title: { like: '_%'.repeat(60) } } }, 422, 'query-invalid'],
  ['blog_Post_list', { where: { place: { null: 'true' } } }, 422, 'query-invalid'],
  ['blog_Post_read', { id: 1, colour: 'red' }, 422, 'query-invalid'],
  ['blog_Post_delete', { id: 1, versoin: 1 }, 422, 'query-invalid'],
  ['blog_Post_update', { id: 1, changes: { likes: 1 }, versoin: 1 }, 422, 'query-invalid'],
  ['blog_Post_list', { limit: 1.5 }, 422, 'query-invalid'],
  ['blog_Post_list', { orderBy: [{ title: 1 }] }, 422, 'query-invalid'],
  ['blog_Post_list', { after: { a: 1 } }, 422, 'query-invalid'],
  ['blog_Post_read', { id: { a: 1 } }, 404, 'instance-not-found'],
  ['blog_Comment_read', { path: { a: 1 } }, 422, 'query-invalid'],
  ['blog_Comment_create', { '@under': { a: 1 }, id: 1, text: 't' }, 422, 'query-invalid'],
  ['blog_Comment_create', { '@under': '77', id: 1, text: 't' }, 404, 'instance-not-found'],
  ['blog_Post_create', JSON.parse('{"id": 1, "title": "x", "__proto__": {"likes": 5}}'), 422, 'attributes-invalid'],
  [
    'blog_Post_create',
    JSON.parse('{"id": 1, "title": "x", "PostComment": [{"id": 1, "text": "t", "__proto__": {}}]}'),
    422,
    'attributes-invalid',
  ],
  ['blog_Post_read', JSON.parse('{"id": 1, "__proto__": {}}'), 422, 'query-invalid'],
  ['blog_Post_list', JSON.parse('{"where": {"__proto__": {"eq": 1}}}'), 422, 'query-invalid'],
  ['blog_rename', JSON.parse('{"id": 1, "title": "x", "__proto__": {}}'), 422, 'attributes-invalid'],
];

test('whole numbers that JavaScript does not hold are texts in what is structured', async () => {
  const served = await serve(model, { mcp: true });
  const client = await clientOf(served);
  await served.ask({
    method: 'POST',
    target: '/blog/Post',
    headers: { 'content-type': 'application/json' },
    text: '{"id":1,"title":"t","likes":9007199254740993}',
  });
  await client.listTools();
  expect(await use(client, 'blog_Post_read', { id: 1 })).toMatchObject({ likes: '9007199254740993' });
});

test.each([1e17, 123456789012345680000, 1e21, -1e300, 0.1, 5e-324])('the double %d is a number in what is structured', async (rank) => {
  const client = await clientOf(await serve(model, { mcp: true }));
  // The client checks results by the schemas that it was told.
  await client.listTools();
  expect(await use(client, 'blog_Post_create', { id: 1, title: 't', rank })).toMatchObject({ rank });
  expect(await use(client, 'blog_Post_list', {})).toMatchObject({ items: [{ id: 1, rank }] });
});

test.each(refused)('%s of %o is refused with the status and the code of REST', async (tool, given, status, code) => {
  const client = await clientOf(await serve(model, { mcp: true }));
  expect(await use(client, tool, given)).toMatchObject({ refused: { status, code } });
});

test('instances and the model are resources; what is missing is −32002', async () => {
  const client = await clientOf(await serve(model, { mcp: true }));
  await use(client, 'blog_Post_create', { id: 1, title: 't' });
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
    'platform://blog/Post/{id}',
  );
  expect((await client.readResource({ uri: 'platform://blog/Post/1' })).contents).toMatchObject([
    { text: expect.stringContaining('"title":"t"') },
  ]);
  expect((await client.readResource({ uri: 'platform://model' })).contents).toMatchObject([
    { text: expect.stringContaining('PostComment') },
  ]);
  for (const uri of ['platform://blog/Post/2', 'platform://blog/Nothing/2', 'platform://blog/Post/%', 'file:///etc/passwd'])
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
});

test('the list of tools is that of the rights of the caller, who sees nothing of others', async () => {
  const { served, join } = await world(model, 'current', { mcp: true });
  const [ann, bob] = [await join('ann', 'user'), await join('bob')];
  const annClient = await clientOf(served, ann.headers);
  const bobClient = await clientOf(served, bob.headers);
  const names = (await bobClient.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('blog_Post_read');
  expect(names).not.toContain('blog_Post_create');
  expect(names).not.toContain('blog_tidy');
  expect((await annClient.listTools()).tools.map(({ name }) => name)).toContain('blog_tidy');
  await use(annClient, 'blog_Post_create', { id: 1, title: 'canary-31' });
  expect(await use(bobClient, 'blog_Post_list', {})).toEqual({ items: [] });
  expect(await use(bobClient, 'blog_Post_read', { id: 1 })).toMatchObject({ refused: { status: 404 } });
  expect(await use(bobClient, 'blog_Post_update', { id: 1, changes: { title: 'x' } })).toMatchObject({ refused: { status: 404 } });
  expect(await use(annClient, 'blog_Post_read', { id: 1 })).toMatchObject({ title: 'canary-31' });
  await expect(clientOf(served)).rejects.toThrow(/401/);
});

test('a page of another site is refused, and other methods are not taken', async () => {
  const { ask } = await serve(model, { mcp: true });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', host: 'localhost:8080' };
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect((await ask({ method: 'POST', target: '/mcp', headers: { ...headers, origin: 'https://evil.example' }, text })).status).toBe(403);
  expect((await ask({ method: 'POST', target: '/mcp', headers: { ...headers, origin: 'http://localhost:8080' }, text })).status).toBe(200);
  expect((await ask({ method: 'GET', target: '/mcp', headers })).status).toBe(405);
  expect((await ask({ method: 'POST', target: '/mcp', headers, text: '{' })).status).toBe(400);
});

const misread: readonly (readonly [method: string, params: unknown, code: number])[] = [
  ...[1, 'text', [], null, true].map((given) => ['tools/call', { name: 'blog_Post_list', arguments: given }, -32602] as const),
  ['tools/call', { arguments: {} }, -32602],
  ['tools/call', undefined, -32602],
  ['tools/list', { cursor: 5 }, -32602],
  ['resources/read', { uri: 5 }, -32602],
  ['prompts/list', {}, -32601],
];

test.each(misread)('parameters that do not fit are an error of the protocol: %s with %o', async (method, params, code) => {
  const { post, failures } = await serve(model, { mcp: true });
  const headers = { accept: 'application/json, text/event-stream' };
  expect((await post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, headers)).body).toMatchObject({ id: 1, error: { code } });
  expect(failures).toEqual([]);
});

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const noMessages: readonly (readonly [text: string, code: number, id: unknown])[] = [
  ['{', -32700, null],
  ['', -32700, null],
  ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/list"}', -32700, null],
  ['5', -32600, null],
  ['null', -32600, null],
  ['"text"', -32600, null],
  ['{}', -32600, null],
  ['[]', -32600, null],
  ['[1]', -32600, null],
  ['[[]]', -32600, null],
  [JSON.stringify({ ...list, jsonrpc: '1.0' }), -32600, 1],
  [JSON.stringify({ ...list, jsonrpc: 2 }), -32600, 1],
  [JSON.stringify({ id: 'a', method: 'tools/list' }), -32600, 'a'],
  [JSON.stringify({ ...list, id: {} }), -32600, null],
  [JSON.stringify({ ...list, id: null }), -32600, null],
  [JSON.stringify({ ...list, id: 1.5 }), -32600, null],
  ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/list"}', -32600, null],
  [JSON.stringify({ jsonrpc: '2.0', id: 1 }), -32600, 1],
  [JSON.stringify({ ...list, method: 5 }), -32600, 1],
  [JSON.stringify({ ...list, method: null }), -32600, 1],
  ...[5, 'text', true, null, [1]].map((params) => [JSON.stringify({ ...list, params }), -32600, 1] as const),
  [JSON.stringify({ ...list, other: 1 }), -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{}}', -32600, 1],
  [JSON.stringify({ ...list, result: {} }), -32600, 1],
  [JSON.stringify([list, { ...list, id: {} }]), -32600, null],
  [JSON.stringify([list, list]), -32600, null],
  [JSON.stringify({ ...list, params: { _meta: { progressToken: {} } } }), -32602, 1],
  [JSON.stringify({ ...list, params: { _meta: 5 } }), -32602, 1],
];

test.each(noMessages)(
  'JSON that is no message is an invalid request, and only what is no JSON cannot be read: %s',
  async (text, code, id) => {
    const { ask, failures } = await serve(model, { mcp: true });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await ask({ method: 'POST', target: '/mcp', headers, text });
    expect(answer).toMatchObject({ status: 400, body: { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } } });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(failures).toEqual([]);
  },
);

const silent: readonly object[] = [
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', method: 'notifications/initialized', params: {} },
  { jsonrpc: '2.0', id: 4, result: {} },
  { jsonrpc: '2.0', id: 4, error: { code: 1, message: 'no' } },
  [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
];

test.each(silent)('a notification, or an answer, is taken without an answer: %o', async (message) => {
  const { post } = await serve(model, { mcp: true });
  expect(await post('/mcp', message, { accept: 'application/json, text/event-stream' })).toMatchObject({ status: 202, text: '' });
});

const related = `module shop
entity Order { id Int @id, note String @optional }
entity Line { no Int @id, amount Int }
entity Part { no Int @id }
entity Tag { name String @id }
relationship OrderLine contains(Order, Line)
relationship LinePart contains(Line, Part)
relationship OrderTag between(Order, Tag) { since Int @optional }
relationship Needs between(Order, Part)
`;

test('the schema of a create lists what may be created or linked with it, one level deep, and takes what the service takes', async () => {
  const client = await clientOf(await serve(related, { mcp: true }));
  const { tools } = await client.listTools();
  const schemaOf = (name: string) => tools.find((each) => each.name === name)?.inputSchema ?? { type: 'object' };
  const order = schemaOf('shop_Order_create');
  expect(Object.keys(order.properties ?? {})).toEqual(['id', 'note', 'OrderLine', 'OrderTag', 'Needs']);
  expect(order.properties).toMatchObject({
    OrderLine: { type: 'array', items: { properties: { no: {}, amount: {} }, required: ['no', 'amount'] } },
    OrderTag: { items: { anyOf: expect.arrayContaining([expect.objectContaining({ required: ['name'] })]) } },
  });
  expect(JSON.stringify(order)).not.toContain('LinePart');
  const fits = new Ajv2020({ strict: false }).compile(order);
  const line = { no: 1, amount: 2 };
  const given: readonly (readonly [create: Record<string, unknown>, isTaken: boolean])[] = [
    [{ id: 1, OrderLine: [{ ...line, LinePart: [{ no: 1 }] }], OrderTag: [{ name: 'new', '@link': { since: 3 } }] }, true],
    [{ id: 2, OrderTag: [{ name: 'new' }], Needs: [{ no: 1 }] }, true],
    [{ id: 3, Needs: [{ __path__: 'path://shop$Order/1/shop$OrderLine/shop$Line/1/shop$LinePart/shop$Part/1' }] }, true],
    [{ id: 4, OrderLine: [{ no: 1 }] }, false],
    [{ id: 5, OrderLine: ['x'] }, false],
    [{ id: 6, OrderTag: [{ label: 'x' }] }, false],
  ];
  for (const [create, isTaken] of given) {
    const gave = Object(await use(client, 'shop_Order_create', create));
    expect([create, fits(create), gave.refused]).toEqual([create, isTaken, isTaken ? undefined : expect.anything()]);
  }
});

const addressed: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ['m_Release_read', { version: 7 }],
  ['m_Release_update', { version_: 7, changes: { title: 't' } }],
  ['m_Release_delete', { version_: 7 }],
  ['m_Diff_update', { changes_: 'c', changes: { title: 't' } }],
  ['m_Diff_delete', { changes: 'c' }],
  ['m_File_read', { path: 'p' }],
  ['m_File_update', { path: 'p', changes: { title: 't' } }],
  ['m_File_delete', { path: 'p' }],
  ['m_Entry_read', { path_: 'e' }],
  ['m_Entry_read', { path: 'path://m$Folder/1/m$Holds/m$Entry/e' }],
  ['m_Entry_update', { path_: 'e', changes: { title: 't' } }],
  ['m_Entry_delete', { path_: 'e' }],
];

test('an identifier that is called as another argument of its tool has an underscore behind its name there, as the schema says', async () => {
  for (const [tool, given] of addressed) {
    const client = await clientOf(await serve(clashingNames, { mcp: true }));
    await use(client, 'm_Release_create', { version: 7, title: 't' });
    await use(client, 'm_Diff_create', { changes: 'c', title: 't' });
    await use(client, 'm_File_create', { path: 'p', title: 't' });
    await use(client, 'm_Folder_create', { id: 1, Holds: [{ path: 'e', title: 't' }] });
    const { tools } = await client.listTools();
    const schema = tools.find(({ name }) => name === tool)?.inputSchema ?? { type: 'object' };
    const fits = new Ajv2020({ strict: false, logger: false }).compile(schema);
    expect([tool, given, fits(given), await use(client, tool, given)]).toEqual([
      tool,
      given,
      true,
      expect.objectContaining({ title: 't' }),
    ]);
    if (tool === 'm_Entry_read')
      expect((await client.readResource({ uri: 'platform://m/Entry/e' })).contents).toMatchObject([
        { text: expect.stringContaining('"e"') },
      ]);
  }
});

test('what is read, created or changed tells its version, which a change and a delete may ask for', async () => {
  const client = await clientOf(await serve(model, { mcp: true }));
  // The client checks results by the schemas that it was told.
  await client.listTools();
  const versionOf = (gave: unknown): number => Object(gave)['@version'];
  const created = versionOf(await use(client, 'blog_Post_create', { id: 1, title: 't' }));
  expect(versionOf(await use(client, 'blog_Post_read', { id: 1 }))).toBe(created);
  const changed = versionOf(await use(client, 'blog_Post_update', { id: 1, changes: { likes: 1 }, version: created }));
  expect(changed).toBeGreaterThan(created);
  const stale = { refused: { status: 412, code: 'version-mismatch' } };
  expect(await use(client, 'blog_Post_update', { id: 1, changes: { likes: 2 }, version: created })).toMatchObject(stale);
  expect(await use(client, 'blog_Post_delete', { id: 1, version: created })).toMatchObject(stale);
  expect(await use(client, 'blog_Post_delete', { id: 1, version: changed })).toMatchObject({ id: 1, likes: 1 });
});

test('messages that come together are at most 10, and their calls are made in their order', async () => {
  const { post } = await serve(model, { mcp: true });
  const headers = { accept: 'application/json, text/event-stream' };
  const create = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'blog_Post_create', arguments: { id, title: `t${id}` } },
  });
  const messages = (count: number) => Array.from({ length: count }, (_, index) => create(index + 1));
  expect(await post('/mcp', messages(11), headers)).toMatchObject({ status: 422, body: { code: 'limit-exceeded' } });
  const rename = { jsonrpc: '2.0', id: 10, method: 'tools/call', params: { name: 'blog_rename', arguments: { id: 9, title: 'last' } } };
  const { status, text } = await post('/mcp', [...messages(9), rename], headers);
  expect([status, text]).toEqual([200, expect.stringContaining('last')]);
});
