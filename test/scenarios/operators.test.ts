// What only operators may ask of a running service: who may, what they are told, and that commands say the same.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { shownFile } from '../../src/operators/answer.ts';
import { untilEnd } from '../../src/operators/backup.ts';
import { commandedAt } from '../access/command.ts';
import { surfaces, world } from '../access/people.ts';
import { serve } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';

const source = `module news
entity Post { id Int @id, title String @optional,
  @rbac [(roles: [user], allow: [create, read]), (roles: [editor], allow: [update], where: auth.user = this.title)] }
entity Note { id Int @id }
relationship PostNote contains(Post, Note)
event publish { id Int, @rbac [(roles: [editor], allow: [create])] }
workflow publish { {Post {id? publish.id}} }
`;

const paths: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/platform/access'],
  ['GET', '/platform/source'],
  ['GET', '/platform/migrations'],
  ['GET', '/platform/status'],
  ['POST', '/platform/audit/verify'],
  ['POST', '/platform/backup'],
];

describe.each(surfaces)('on the %s surface', (surface) => {
  test('only an admin is told; others are refused, and who is not signed in has to', async () => {
    const { served, join: joined, admin } = await world(source, surface, { audit: {} });
    const ann = await joined('ann', 'user', 'editor');
    for (const [method, target] of paths) {
      const statuses = [];
      for (const headers of [{}, ann.headers]) statuses.push((await served.ask({ method, target, headers })).status);
      expect([method, target, ...statuses]).toEqual([method, target, 401, 403]);
      const allowed = (await served.ask({ method, target, headers: admin.headers })).status;
      expect([target, allowed]).toEqual([target, target === '/platform/backup' && storeOfRun() === 'postgres' ? 501 : 200]);
      expect((await served.ask({ method, target: `${target}?never=1`, headers: admin.headers })).status).toBe(422);
      expect((await served.ask({ method: 'PUT', target, headers: admin.headers })).status).toBe(405);
    }
  });

  test('whether a user may do something, and why, is told as the command tells it', async () => {
    const { served, join: joined, admin } = await world(source, surface);
    const ann = await joined('ann', 'user');
    await ann.create('/news/Post', { id: 1 });
    await admin.create('/news/Post', { id: 2, title: ann.email });
    const prefix = surface === 'current' ? '' : '/api';
    const { run } = commandedAt(source, served);
    for (const [operation, on] of [
      ['update', '/news/Post/1'],
      ['update', '/news/Post/2'],
      ['create', '/news/Post'],
      ['create', '/news/Post/1/PostNote/Note'],
      ['execute', '/news/publish'],
    ] as const) {
      const asked = new URLSearchParams({ user: 'ann@example.com', operation, on: `${prefix}${on}` });
      const answer = await served.get(`/platform/access?${asked}`, admin.headers);
      const said = await run('access', 'explain', '--user', ann.email, '--op', operation, '--on', `${prefix}${on}`, '--json');
      expect([answer.status, withoutFiles(answer.body)]).toEqual([200, withoutFiles(JSON.parse(said.out))]);
      expect(answer.text).not.toContain(served.folder);
    }
    const matrix = await served.get('/platform/access', admin.headers);
    expect(matrix.body).toEqual(JSON.parse((await run('access', 'matrix', '--json')).out));
    const refusals = [
      'user=nobody@example.com&operation=read&on=/news/Post/1',
      `user=${ann.email}&operation=read&on=/news/Post/9`,
      `user=${ann.email}&operation=eat&on=/news/Post/1`,
      `user=${ann.email}&operation=read&on=/other`,
      `user=${ann.email}`,
    ];
    for (const query of refusals)
      expect((await served.get(`/platform/access?${query.replaceAll('on=/', `on=${prefix}/`)}`, admin.headers)).status).toBe(422);
  });

  test('the trail is proved, with progress where a stream is asked for, and what was altered is found', async () => {
    const audited = source.replace('entity Note { id Int @id }', 'entity Note { id Int @id, @meta {"audit": true} }');
    const { served, join: joined, admin } = await world(audited, surface, { audit: {} });
    const ann = await joined('ann', 'user');
    await ann.create('/news/Post', { id: 1 });
    for (let id = 1; id <= 5; id += 1) await ann.create('/news/Post/1/PostNote/Note', { id });
    const verify = (accept = 'application/json') =>
      served.ask({ method: 'POST', target: '/platform/audit/verify', headers: { ...admin.headers, accept } });
    await expect.poll(async () => Object((await verify()).body).sealed, { timeout: 20_000 }).toBe(5);
    expect((await verify()).body).toMatchObject({ sealed: 5, unsealed: 0, findings: [], found: 0 });
    const stream = await verify('text/event-stream');
    expect(stream.headers['content-type']).toBe('text/event-stream');
    const events = [...stream.text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data = '']) => [event, JSON.parse(data)]);
    expect(events[0]).toMatchObject(['progress', { blocks: 1 }]);
    expect(events.at(-1)).toMatchObject(['done', { sealed: 5, found: 0 }]);
    await served.kept.execute(`UPDATE "platform.audit/Entry" SET "operation" = 'delete' WHERE "instance" LIKE '%/3'`);
    expect((await verify()).body).toMatchObject({
      found: 1,
      findings: [{ kind: 'entry-altered', message: expect.stringContaining('was altered') }],
    });
  });
});

test('without authentication the machine itself is answered, and nobody else', async () => {
  const { app, get } = await serve('module m\nentity A { id Int @id }', { origins: ['*'] });
  expect((await get('/platform/status')).status).toBe(200);
  const asked = { method: 'GET', path: '/platform/status', query: '', body: undefined, id: 'test' };
  const from = (remote: string, headers: Record<string, string>) => app.respond({ ...asked, remote, headers });
  for (const host of ['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080'])
    expect((await from('127.0.0.1', { host })).status, host).toBe(200);
  const ownPage = { host: 'localhost:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' };
  expect((await from('127.0.0.1', ownPage)).status).toBe(200);
  const others = [
    from('10.0.0.7', { host: 'localhost' }),
    from('127.0.0.1', { host: 'localhost', 'x-forwarded-for': '10.0.0.7' }),
    from('127.0.0.1', { host: 'localhost', forwarded: 'for=127.0.0.1' }),
    from('127.0.0.1', { host: 'elsewhere.example' }),
    from('127.0.0.1', { host: 'localhost.elsewhere.example' }),
    from('127.0.0.1', { host: 'localhost:8080', origin: 'https://elsewhere.example' }),
    from('127.0.0.1', { host: 'localhost:8080', origin: 'http://localhost:3000' }),
    from('127.0.0.1', { host: 'localhost:8080', origin: 'null' }),
    from('127.0.0.1', { host: 'localhost:8080', 'sec-fetch-site': 'cross-site' }),
  ];
  for (const { status, body } of await Promise.all(others))
    expect([status, String(body)]).toEqual([403, expect.stringContaining('on the machine itself alone')]);
});

test('what is off is not there, and says how it is switched on', async () => {
  const { get, post } = await serve('module m\nentity A { id Int @id }');
  const answers = [await get('/platform/access'), await post('/platform/audit/verify', {})];
  expect(answers.map(({ status, body }) => [status, Object(body).detail])).toEqual([
    [404, 'Access control is off in this project. Set rbac.enabled.'],
    [404, 'The audit trail is off in this project. Set auditTrail.enabled.'],
  ]);
});

test('the texts of the model are given by names that say nothing of the machine, and the configuration is none of them', async () => {
  const files = { 'core.al': 'module m\nentity A { id Int @id }', 'config.json': '{"secret":"s"}' };
  const { get, folder } = await serve(files);
  const { body, text } = await get('/platform/source');
  expect(body).toEqual({ files: [{ file: 'src/core.al', text: files['core.al'] }], diagnostics: [] });
  expect(text).not.toContain(folder);
});

test('files of packages that lie elsewhere are named by their package: two of them may have a file of the same name', () => {
  const packages = [
    { name: 'lib', folder: '/elsewhere/lib' },
    { name: '@acme/more', folder: '/elsewhere/lib/more' },
  ];
  const named = ['/project/src/a.al', '/elsewhere/lib/src/model.al', '/elsewhere/lib/more/src/model.al', '/third/model.al'].map((file) =>
    shownFile(file, '/project', packages),
  );
  expect(named).toEqual(['src/a.al', 'lib/src/model.al', '@acme/more/src/model.al', 'model.al']);
});

test('a backup that breaks off keeps nobody from another one, however it was read', async () => {
  const broken: AsyncIterable<Buffer> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the disk is gone')) }),
  };
  for (const read of ['next', 'return'] as const) {
    const ended: string[] = [];
    const iterator = untilEnd(broken, 10, () => void ended.push(read))[Symbol.asyncIterator]();
    await expect(iterator[read]?.()).rejects.toThrow('the disk is gone');
    expect(ended).toEqual([read]);
  }
});

test('the audit trail is verified once at a time, and one that was left is no error in the log', async () => {
  const { app, post, failures } = await serve('module m\nentity A { id Int @id, @meta {"audit": true} }', { audit: {} });
  for (let id = 1; id <= 3; id += 1) await post('/m/A', { id });
  const left = new AbortController();
  const asked = { method: 'POST', path: '/platform/audit/verify', query: '', body: undefined, remote: '127.0.0.1' };
  const verify = (id: string, more: object = {}) => app.respond({ ...asked, id, headers: { host: 'localhost' }, ...more });
  await expect.poll(async () => Object(JSON.parse(String((await verify('0')).body))).sealed, { timeout: 20_000 }).toBe(3);
  const statuses = (await Promise.all(['1', '2', '3'].map((id) => verify(id)))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 503, 503]);
  expect((await verify('4')).status).toBe(200);
  const { body } = await verify('5', { headers: { host: 'localhost', accept: 'text/event-stream' }, signal: left.signal });
  left.abort();
  if (typeof body !== 'object' || Buffer.isBuffer(body)) throw new Error('no stream');
  const told: string[] = [];
  for await (const each of body) told.push(each);
  expect(told.join('')).toContain('failed');
  expect((await verify('6')).status).toBe(200);
  expect(failures.map(({ message }) => message)).not.toContain('the audit trail could not be verified');
});

test('migrations tell what the files of the project would change, what was done, and what is retired', async () => {
  let newest = 'module m\nentity A { id Int @id, name String @optional, size Int @optional }\nentity B { id Int @id }';
  const { get, post, reload } = await serve(newest, { newest: () => newest });
  await post('/m/A', { id: 1, name: 'x' });
  expect((await get('/platform/migrations')).body).toMatchObject({ pending: [], history: [{ number: 1, kind: 'start' }], retired: [] });
  newest = 'module m\nentity A { id Int @id, size Int @optional }\nentity B { id Int @id }';
  const { pending } = Object((await get('/platform/migrations')).body);
  expect(pending).toMatchObject([{ by: 'apply', words: expect.stringContaining('name') }]);
  newest = 'module m\nentity A { id Int @id, name String @optional, size Int @optional, more Int @optional }\nentity B { id Int @id }';
  expect((await get('/platform/migrations')).body).toMatchObject({ pending: [{ by: 'start', words: expect.stringContaining('more') }] });
  await reload(newest);
  const { pending: none, history } = Object((await get('/platform/migrations')).body);
  expect([none, history.length]).toEqual([[], 2]);
});

test('the status tells of the store, its schema, instances, timers, resolvers and calls that are pending', async () => {
  const { get, app } = await serve(`module m
entity A { id Int @id }
@schedule("every 5 minutes") event tick { }
workflow tick { {A {id? 1}} }
`);
  await app.listen();
  const status = async () => Object((await get('/platform/status')).body);
  const told = await status();
  expect(told).toMatchObject({
    application: { name: 'test', version: '1.2.3' },
    process: { node: process.version, seconds: expect.any(Number), memory: expect.any(Number) },
    store: { type: storeOfRun(), ready: true, version: expect.stringMatching(/^\d+\./), bytes: expect.any(Number) },
    schema: { fits: true, migrations: 1, retired: 0, last: { number: 1, kind: 'start' } },
    timers: [{ name: 'm/tick', when: 'every 5 minutes', runs: 0, error: null }],
    resolvers: [],
    pending: [],
    pendingCount: 0,
  });
  expect(told.store.bytes).toBeGreaterThan(1000);
  await expect.poll(async () => (await status()).instances.length, { timeout: 20_000 }).toBe(1);
});

test.skipIf(storeOfRun() === 'postgres')(
  'a backup is a database of its own, made while others write, and leaves nothing behind',
  async () => {
    const served = await serve('module m\nentity A { id Int @id, text String @optional }');
    await served.post(
      '/m/A',
      Array.from({ length: 500 }, (_, id) => ({ id, text: 'x'.repeat(2000) })),
    );
    const [address = ''] = await served.app.listen();
    const [answer, written] = await Promise.all([
      fetch(`${address}/platform/backup`, { method: 'POST' }),
      served.post('/m/A', { id: 1000 }),
    ]);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, written.status, answer.headers.get('content-type')]).toEqual([200, 201, 'application/vnd.sqlite3']);
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="test-[\dT-]+\.db"$/);
    expect(await restored(bytes)).toBeGreaterThanOrEqual(500);
    expect(readdirSync(join(served.folder, 'data')).filter((name) => name.includes('backup'))).toEqual([]);
    // Whoever goes away in the middle keeps nobody else from having one.
    const aborted = new AbortController();
    const begun = await fetch(`${address}/platform/backup`, { method: 'POST', signal: aborted.signal });
    expect(begun.status).toBe(200);
    aborted.abort();
    await expect.poll(async () => (await fetch(`${address}/platform/backup`, { method: 'POST' })).status, { timeout: 20_000 }).toBe(200);
  },
);

/** How many rows a service finds that is started on it. */
async function restored(bytes: Buffer): Promise<unknown> {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'test.db'), bytes);
  const { get } = await serve('module m\nentity A { id Int @id, text String @optional }', { folder });
  return Number((await get('/m/A?@count=true&@limit=0')).headers['x-total-count']);
}

function withoutFiles(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === 'file' ? undefined : each)));
}
