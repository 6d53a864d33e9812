// Operations of an OpenAPI document as events, against a server that really answers, on both surfaces.

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { serverOf } from '../../src/resolvers/openapi/server.ts';
import { listen } from '../support/listen.ts';
import { type ServedProject, serveProject } from '../support/project.ts';
import { faultsOf } from '../support/table.ts';
import { document, type Pets, servePets } from './pets.ts';

const model = `module m
entity Visit { id Int @id, pet String, weight Float @optional }
event arrive { id Int, pet String }
workflow arrive {
  {pets/get_pet {id arrive.pet}} @as found;
  {Visit {id arrive.id, pet found.name}}
}
event book { id Int, pet String }
workflow book {
  {Visit {id book.id, pet book.pet}};
  {pets/addPet {id book.pet, name "Booked"}}
}
`;

async function current({ url }: Pets, more: object = {}, spec = 'pets.json', text = JSON.stringify(document)): Promise<ServedProject> {
  const entry = { name: 'pets', spec, baseUrl: `${url}/v1`, headers: { 'X-Key': '#js process.env.PETS_KEY' }, ...more };
  return serveProject({ 'src/m.al': model, [spec]: text, 'config.al': JSON.stringify({ openapi: [entry] }) }, { PETS_KEY: 'k' });
}

test('the operations of a document are events of its module, posted and made by workflows', async () => {
  const pets = await servePets();
  const served = await current(pets);
  expect(await served.ask('POST /pets/listPets', { tags: ['x y', 'z'], page_size: 5, X_Trace_Id: 't' })).toMatchObject({
    status: 200,
    body: [{ id: 'a', name: 'Ada', version: 1 }],
  });
  expect(pets.asked.at(-1)).toBe('GET /v1/pets?tags=x+y&tags=z&page%5Bsize%5D=5 key=k trace=t');
  const made = { id: 'b/c', name: 'Bo', kind: 'cat', born: '2020-01-02', weight: 1.5, owner: { email: 'e' } };
  expect(await served.ask('POST /pets/addPet', made)).toMatchObject({ status: 200, body: { ...made, version: 1 } });
  expect(await served.ask('POST /pets/changePet', { id: 'b/c', name: 'Bee' })).toMatchObject({
    body: { id: 'b/c', name: 'Bee', version: 2 },
  });
  expect(pets.asked.at(-1)).toContain('PUT /v1/pets/b%2Fc');
  expect(await served.ask('POST /pets/delete_pets_id', { id: 'b/c' })).toMatchObject({ status: 200, text: 'null' });
  expect(await served.ask('POST /m/arrive', { id: 1, pet: 'a' })).toMatchObject({ status: 200, body: { id: 1, pet: 'Ada' } });
  expect(served.told.join()).toContain('POST /photos takes a body that is neither JSON nor a form');
});

test('what does not fit the document is 422 with its attributes, and nobody is asked', async () => {
  const pets = await servePets();
  const served = await current(pets);
  const rows: readonly (readonly [event: string, body: object, faults: readonly string[]])[] = [
    ['addPet', { id: 'x' }, ['name required']],
    ['addPet', { id: 'x', name: '', owner: { mail: 'e' } }, ['name value', 'owner.email required', 'owner.mail unknown']],
    ['addPet', { id: 'x', name: 'n', kind: 'cow' }, ['kind value']],
    ['addPet', { id: 'x', name: 'n', weight: 'heavy' }, ['weight type']],
    ['addPet', { id: 'x', name: 'n', colour: 'red' }, ['colour unknown']],
    ['listPets', { page_size: 51 }, ['page_size value']],
    ['listPets', { X_Trace_Id: 'a\r\nB: c' }, ['X_Trace_Id value']],
    ['get_pet', { id: '..' }, ['id value']],
    ['get_pet', {}, ['id required']],
  ];
  for (const [event, body, faults] of rows) {
    const answer = await served.ask(`POST /pets/${event}`, body);
    expect([answer.status, faultsOf(answer).sort()], `${event} ${JSON.stringify(body)}`).toEqual([422, faults]);
  }
  expect(pets.asked).toEqual([]);
});

test('what the other system answers is checked, its refusals are passed on, and its failures are 502 without its text', async () => {
  const pets = await servePets();
  const served = await current(pets);
  const rows: readonly (readonly [ask: string, body: object, status: number, code: string])[] = [
    ['get_pet', { id: 'nobody' }, 404, 'resolver-refused'],
    ['addPet', { id: 'a', name: 'again' }, 409, 'resolver-refused'],
    ['get_pet', { id: 'nameless' }, 502, 'resolver-answer-invalid'],
    ['get_pet', { id: 'page' }, 502, 'resolver-answer-invalid'],
    ['get_pet', { id: 'a' }, 200, ''],
    ['get_pet', { id: 'away' }, 502, 'resolver-failed'],
  ];
  for (const [event, body, status, code] of rows) {
    const answer = await served.ask(`POST /pets/${event}`, body);
    expect([answer.status, answer.body], JSON.stringify(body)).toMatchObject([status, status === 200 ? {} : { code }]);
    expect(answer.text).not.toMatch(/elsewhere|there is one/);
  }
  // An answer resets the breaker; a read is tried up to three times.
  expect((await served.ask('POST /pets/get_pet', { id: 'a' })).status).toBe(200);
  expect(await served.ask('POST /pets/get_pet', { id: 'flaky' })).toMatchObject({ status: 200, body: { name: 'Flaky' } });
});

test('a refusal inside a workflow rolls it back', async () => {
  const served = await current(await servePets());
  expect((await served.ask('POST /m/book', { id: 7, pet: 'a' })).status).toBe(409);
  expect((await served.ask('GET /m/Visit')).body).toEqual([]);
  expect((await served.ask('POST /m/book', { id: 7, pet: 'new' })).status).toBe(200);
  expect((await served.ask('GET /m/Visit')).body).toMatchObject([{ id: 7, pet: 'new' }]);
});

test('a system that fails rests after five failures, and /ready and /metrics tell of it', async () => {
  const pets = await servePets();
  const served = await current(pets);
  for (let count = 0; count < 2; count += 1) await served.ask('POST /pets/get_pet', { id: 'broken' });
  const resting = await served.ask('POST /pets/get_pet', { id: 'a' });
  expect([resting.status, resting.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(await served.ask('GET /ready')).toMatchObject({ status: 200, text: expect.stringContaining('pets/openapi') });
  expect((await served.ask('GET /metrics')).text).toContain('pets/openapi');
});

test('a caller who goes away is no failure of the other system, and nothing is tried again for them', async () => {
  const pets = await servePets();
  const { app, ask } = await current(pets);
  const request = { method: 'POST', path: '/pets/get_pet', query: '', id: 'test', remote: '127.0.0.1' };
  const headers = { 'content-type': 'application/json' };
  for (let count = 0; count < 6; count += 1) {
    const caller = new AbortController();
    const answering = app.respond({ ...request, headers, body: Buffer.from('{"id": "slow"}'), signal: caller.signal });
    await expect.poll(() => pets.asked.length).toBe(count + 1);
    caller.abort();
    await answering;
  }
  expect(pets.asked).toHaveLength(6);
  expect((await ask('POST /pets/get_pet', { id: 'a' })).status).toBe(200);
  expect((await ask('GET /metrics')).text).not.toMatch(/resolver_calls_total\{resolver="pets\/openapi",outcome="failed"\} [1-9]/);
});

test('a call that takes too long is 504', async () => {
  const served = await current(await servePets(), { timeout: 0.2 });
  expect(await served.ask('POST /pets/get_pet', { id: 'slow' })).toMatchObject({ status: 504, body: { code: 'resolver-timeout' } });
});

test('a document may be YAML of 3.1, and name its server', async () => {
  const { url } = await servePets();
  const text = `openapi: 3.1.0
info: {title: Pets, version: "1"}
servers: [{url: https://pets.example.com/v1}]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: [object, "null"], properties: {name: {type: [string, "null"]}}}}}}}
`;
  const served = await current(
    { url, asked: [] },
    {},
    'pets.yaml',
    text
      .replace('getPet', 'get_pet')
      .concat(
        '  /pets:\n    post: {operationId: addPet, requestBody: {content: {application/json: {schema: {type: object, properties: {id: {type: string}, name: {type: string}}}}}}, responses: {}}\n',
      ),
  );
  expect(await served.ask('POST /pets/get_pet', { id: 'a' })).toMatchObject({ status: 200, body: { name: 'Ada' } });
});

test('a document may come from an address, whose host is then asked', async () => {
  const withServer = JSON.stringify({ ...document, servers: [{ url: '/{version}', variables: { version: { default: 'v1' } } }] });
  const { url } = await servePets(withServer);
  const config = { openapi: [{ name: 'pets', specUrl: `${url}/openapi.json` }] };
  const served = await serveProject({ 'src/m.al': model, 'config.al': JSON.stringify(config) });
  expect(await served.ask('POST /pets/get_pet', { id: 'a' })).toMatchObject({ status: 200, body: { name: 'Ada' } });
});

test('on the earlier surface the operations are events of a component', async () => {
  const { url } = await servePets();
  const served = await serveProject({
    'model.platform': '{:name :M :version "0.0.1" :platform-version "current" :components [:M]}',
    'm.platform': `(component :M)
(entity :Visit {:Id {:type :Int :guid true} :Pet :String})
(event :Arrive {:Id :Int :Pet :String})
(dataflow :Arrive {:Pets/get_pet {:id :Arrive.Pet} :as :P} {:Visit {:Id :Arrive.Id :Pet :P.name}})`,
    'pets.json': JSON.stringify(document),
    'config.edn': `{:openapi [{:name "Pets" :spec "pets.json" :base-url "${url}/v1"}]}`,
  });
  expect(await served.ask('POST /api/Pets/get_pet', { 'Pets/get_pet': { id: 'a' } })).toMatchObject({
    status: 200,
    text: expect.stringContaining('Ada'),
  });
  expect(await served.ask('POST /api/M/Arrive', { 'M/Arrive': { Id: 1, Pet: 'a' } })).toMatchObject({
    status: 200,
    text: expect.stringContaining('Ada'),
  });
  expect(await served.ask('POST /api/Pets/get_pet', { 'Pets/get_pet': { id: 'nobody' } })).toMatchObject({ status: 404 });
});

test('settings of a resolver hold for the one that a document brings: its time-out, and recorded calls in its place', async () => {
  const silent = createServer(() => {});
  const port = await listen(silent);
  const openapi = [{ name: 'pets', spec: 'pets.json', baseUrl: `http://127.0.0.1:${port}/v1`, timeout: 60 }];
  const files = { 'src/m.al': model, 'pets.json': JSON.stringify(document) };
  const config = (more: object) => JSON.stringify({ openapi, resolvers: [{ name: 'pets/openapi', ...more }] });
  const hurried = await serveProject({ ...files, 'config.al': config({ timeout: 0.3 }) });
  expect(await hurried.ask('POST /pets/get_pet', { id: 'a' })).toMatchObject({ status: 504, body: { code: 'resolver-timeout' } });
  const calls = [
    { format: 'platform-resolver-calls-1', resolver: 'pets/openapi', methods: ['eval'] },
    { method: 'eval', type: 'pets/get_pet', argument: { id: 'a' }, result: { id: 'a', name: 'Recorded', version: 1 } },
  ];
  const recorded = calls.map((each) => `${JSON.stringify(each)}\n`).join('');
  const faked = await serveProject({ ...files, 'pets.calls': recorded, 'config.al': config({ fake: 'pets.calls' }) });
  expect(await faked.ask('POST /pets/get_pet', { id: 'a' })).toMatchObject({ status: 200, body: { name: 'Recorded' } });
  await expect(serveProject({ ...files, 'config.al': config({ mode: 'compose' }) })).rejects.toThrow('composes events');
  await expect(serveProject({ ...files, 'config.al': config({ types: ['m/Visit'] }) })).rejects.toThrow('m/Visit');
});

test('a document that was read with encryption leads to no server without, and one of a file to none of the own network', () => {
  const serverIn = (spec: string, url: string) => serverOf({ servers: [{ url }] }, { spec }).href;
  expect(serverIn('https://api.example.com/openapi.json', 'https://api.example.com/v1')).toBe('https://api.example.com/v1');
  expect(() => serverIn('https://api.example.com/openapi.json', 'http://api.example.com/v1')).toThrow('without encryption');
  expect(() => serverIn('https://api.example.com/openapi.json', 'https://other.example.com/v1')).toThrow('another host');
  expect(serverIn('pets.json', 'https://api.example.com/v1')).toBe('https://api.example.com/v1');
  const own = ['169.254.169.254', 'localhost', 'localhost.', '127.1', '2130706433', '0x7f.0.0.1', '10.1.2.3', '[::1]', '[::ffff:10.0.0.1]'];
  for (const host of [...own, '[fd00::1]', '[64:ff9b::a9fe:a9fe]', 'intranet', 'db.internal', 'printer.local.'])
    expect(() => serverIn('pets.json', `http://${host}/v1`), host).toThrow('own network');
});

const refused: readonly (readonly [title: string, entry: object, text: string, message: string])[] = [
  ['that is not there', { spec: 'none.json' }, '', 'none.json cannot be read (ENOENT)'],
  ['that is no JSON', {}, '{', 'pets.json is not JSON'],
  ['of another version', {}, '{"swagger": "2.0", "paths": {}}', 'is of Swagger 2.0'],
  ['without operations', {}, '{"openapi": "3.0.0", "paths": {}}', 'has no operations'],
  ['that names no server', { baseUrl: undefined }, JSON.stringify(document), 'names no server; give baseUrl'],
  [
    'that names a server of the own network',
    { baseUrl: undefined },
    JSON.stringify({ ...document, servers: [{ url: 'http://169.254.169.254/' }] }),
    'names a server of the own network',
  ],
  ['that cannot be reached', { spec: 'http://127.0.0.1:2/x.json' }, '', 'cannot be reached (ECONNREFUSED)'],
  ['for a module that there is already', { name: 'm' }, JSON.stringify(document), 'there is already a module `m`'],
];

test.each(refused)('a document %s is refused with one line', async (_, entry, text, message) => {
  const config = { openapi: [{ name: 'other', spec: 'pets.json', baseUrl: 'http://127.0.0.1:1', ...entry }] };
  const started = serveProject({ 'src/m.al': 'module m\nentity E { id Int @id }', 'pets.json': text, 'config.al': JSON.stringify(config) });
  await expect(started).rejects.toThrow(message);
});
