// Calls of a resolver, recorded against another system and served again without it.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { command, ensureBuilt, freePort, platform, workspace } from '../cli/harness.ts';
import { serve } from '../support/app.ts';
import { closed, listenUntilClosed } from '../support/listen.ts';

const token = 'a-very-secret-token';
const model = `module hr

entity Person {
  email Email @id,
  name String,
  pin String @optional @writeonly
}
`;

/** Says in each answer what it was sent, as careless systems do. */
let other: Server;
let otherPort: number;
let asked = 0;
beforeAll(async () => {
  const people = new Map<string, Record<string, unknown>>();
  other = createServer(async (request, response) => {
    asked += 1;
    let text = '';
    for await (const chunk of request) text += chunk;
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const person: Record<string, unknown> = text === '' ? {} : JSON.parse(text);
    if (request.method === 'GET') return send(200, [...people.values()]);
    if (people.has(String(person['email']))) return send(409, { message: `${request.headers.authorization}` });
    people.set(String(person['email']), { ...person, name: `${person['name']} ${request.headers.authorization}` });
    return send(200, people.get(String(person['email'])));
  });
  otherPort = await listenUntilClosed(other);
});
afterAll(() => closed(other));

const resolver = () => ({
  name: 'hr/people',
  types: ['hr/Person'],
  config: {
    baseUrl: `http://127.0.0.1:${otherPort}`,
    path: 'people',
    headers: { authorization: `Bearer ${token}` },
  },
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'platform-recorded-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const ann = { email: 'ann@acme.com', name: 'Ann', pin: '4711-4711' };

test('what was recorded is served without the other system, and holds no secret', async () => {
  const file = join(folder(), 'people.calls');
  const recording = await serve({ 'core.al': model }, { resolvers: [{ ...resolver(), kind: 'rest', record: file }] });
  const talk = async (served: typeof recording): Promise<readonly unknown[]> => [
    (await served.get('/hr/Person')).body,
    (await served.post('/hr/Person', ann)).status,
    (await served.post('/hr/Person', ann)).status,
    (await served.get('/hr/Person/ann@acme.com')).status,
    (await served.get('/hr/Person')).status,
  ];
  const real = await talk(recording);
  expect(real).toEqual([[], 201, 409, 200, 200]);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain(token);
  expect(text).not.toContain(ann.pin);
  expect(text).toContain('Ann [hidden]');
  expect(statSync(file).mode & 0o077).toBe(0);
  const before = asked;
  const fake = await serve({ 'core.al': model }, { resolvers: [{ ...resolver(), kind: 'rest', fake: file }] });
  expect(await talk(fake)).toEqual(real);
  // Answered by the list that was recorded last: the service asks the conditions again.
  expect((await fake.get('/hr/Person?name[like]=Ann%25&@limit=1')).body).toMatchObject([{ email: 'ann@acme.com' }]);
  expect((await fake.get('/hr/Person/nobody@acme.com')).status).toBe(404);
  const unknown = await fake.post('/hr/Person', { ...ann, email: 'bob@acme.com' });
  expect(unknown.body).toMatchObject({ status: 422, code: 'resolver-refused', detail: 'No such call is recorded: create of hr/Person.' });
  expect(asked).toBe(before);
});

const events = `module hr
import "system.js" @as system
record Card { number String, code String @secret }
event signIn { name String, password Password, card Card }
event addPerson { email String, name String }
event environment { }
resolver signs [hr/signIn] { eval system.run }
`;
const system = `export function run({ name, card }) { return { said: 'half-a-secret% ' + name, card }; }`;

test('no recorded call of an event holds a secret: of its attributes, of an address, of headers, of the environment of a program', async () => {
  const place = folder();
  const files = ['signs', 'document', 'tools'].map((each) => join(place, each));
  const [signs = '', document = '', tools = ''] = files;
  const { baseUrl, headers } = resolver().config;
  const inputs = ['email', 'name'].map(
    (name) => ({ attribute: name, name, in: ['body'], required: true, schema: undefined, form: 'json' }) as const,
  );
  const body = { media: 'json', attribute: undefined, required: true, schema: undefined } as const;
  const operation = { name: 'addPerson', method: 'POST', path: '/people', about: undefined, inputs, body, answers: [] };
  const mcp = { command: process.execPath, args: [join(import.meta.dirname, '../mcp/other-server.mjs')], env: { GREETING: token } };
  const served = await serve(
    { 'core.al': events, 'system.js': system },
    {
      resolvers: [
        { name: 'hr/signs', record: signs, config: { url: 'http://ann:half-a-secret%@127.0.0.1' } },
        {
          name: 'hr/document',
          kind: 'openapi',
          types: ['hr/addPerson'],
          openapi: { baseUrl, headers, document: {}, operations: [operation] },
          record: document,
        },
        // A program takes long to begin on a busy machine.
        { name: 'hr/tools', kind: 'mcp', types: ['hr/environment'], mcp, record: tools, timeout: 120 },
      ],
    },
  );
  const sign = { name: 'Ann', password: 'correct horse', card: { number: '1', code: 'code-4711' } };
  expect(await served.post('/hr/signIn', sign)).toMatchObject({ status: 200, body: { said: 'half-a-secret% Ann' } });
  expect(await served.post('/hr/addPerson', { email: 'cy@acme.com', name: 'Cy' })).toMatchObject({ body: { name: `Cy Bearer ${token}` } });
  expect(await served.post('/hr/environment', {})).toMatchObject({ status: 200, body: `${token} -` });
  const [first = '', second = '', third = ''] = files.map((each) => readFileSync(each, 'utf8'));
  expect(first).not.toMatch(/correct horse|code-4711|half-a-secret/);
  expect([first, second, third]).toEqual(['[hidden] Ann', 'Cy [hidden]', '[hidden] -'].map((each) => expect.stringContaining(each)));
  expect(`${second}${third}`).not.toContain(token);
});

const wrong: readonly (readonly [title: string, text: string | undefined, says: RegExp])[] = [
  ['that is not there', undefined, /cannot be read/],
  ['of something else', '{"a": 1}\n', /holds no recorded calls/],
  [
    'of another resolver',
    '{"format": "platform-resolver-calls-1", "resolver": "hr/others", "methods": []}\n',
    /is of the resolver hr\/others/,
  ],
  [
    'with a line that is no call',
    '{"format": "platform-resolver-calls-1", "resolver": "hr/people", "methods": ["query"]}\n{"method": "query"}\n',
    /no call on line 2/,
  ],
];
for (const [title, text, says] of wrong)
  test(`a file ${title} refuses the start`, async () => {
    const file = join(folder(), 'calls');
    if (text !== undefined) writeFileSync(file, text);
    await expect(serve({ 'core.al': model }, { resolvers: [{ ...resolver(), kind: 'rest', fake: file }] })).rejects.toThrow(says);
  });

test('platform resolver record serves the project until it is stopped, and fake serves what was recorded', async () => {
  ensureBuilt();
  const place = workspace({
    'src/hr.al': model,
    'config.al': JSON.stringify({ resolvers: [{ ...resolver(), type: 'rest' }], log: { level: 'warn' } }),
  });
  onTestFinished(() => place.remove());
  const port = await freePort();
  const ask = async (...argv: readonly string[]): Promise<unknown> => {
    const running = platform(place.folder, 'resolver', ...argv, '--port', String(port));
    await running.until(/ at http/);
    const answer = await (await fetch(`http://127.0.0.1:${port}/hr/Person`)).json();
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    return answer;
  };
  const real = JSON.stringify(await ask('record', 'hr/people', '--out', 'people.calls'));
  const before = asked;
  expect(await ask('fake', 'hr/people', '--from', 'people.calls')).toEqual(JSON.parse(real.replaceAll(`Bearer ${token}`, '[hidden]')));
  expect(asked).toBe(before);
  expect(existsSync(join(place.folder, 'people.calls'))).toBe(true);
  expect(await command(place.folder, 'resolver', 'fake', 'hr/nobody', '--from', 'people.calls')).toMatchObject({
    code: 1,
    err: 'platform: The project has no resolver hr/nobody.\n',
  });
  expect((await command(place.folder, 'resolver', 'record', 'hr/people', '--out', 'people.calls')).err).toContain('is there already');
  expect((await command(place.folder, 'resolver', 'record', '--help')).out).toContain(
    'platform resolver record hr/people --out people.calls',
  );
});
