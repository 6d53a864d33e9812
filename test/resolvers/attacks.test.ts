// What another system may try with the service that asks it, and what callers may try with the other system.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { pause } from '../support/time.ts';

const model = 'module m\nentity Person { id String @id, name String }';

interface Other {
  readonly port: number;
  /** Paths with query strings, as they came. */
  readonly asked: string[];
  /** Answers that were broken off by who asked. */
  readonly brokenOff: string[];
}

type Answer = (response: ServerResponse, path: string) => void;

async function otherSystem(answers: Readonly<Record<string, Answer>>): Promise<Other> {
  const asked: string[] = [];
  const brokenOff: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? '';
    asked.push(`${request.method} ${path}`);
    response.on('close', () => {
      if (!response.writableFinished) brokenOff.push(path);
    });
    request.resume();
    const name = path.split('?')[0]?.split('/').at(3) ?? '';
    const answer = answers[name];
    if (answer !== undefined) answer(response, path);
    else send(response, { id: decodeURIComponent(name), name: 'somebody' });
  });
  const port = await listen(server);
  return { port, asked, brokenOff };
}

function send(response: ServerResponse, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Writes for as long as somebody reads. */
function writeOn(response: ServerResponse, text: string, pace: number): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('"');
  const write = (): void => {
    if (response.destroyed) return;
    if (pace > 0) response.write(text, () => void pause(pace).then(write));
    else response.write(text, () => setImmediate(write));
  };
  write();
}

async function asking({ port }: Other, timeout = 10): Promise<Served> {
  const config = { baseUrl: `http://127.0.0.1:${port}/v1`, path: 'people' };
  return serve(model, { resolvers: [{ name: 'm/people', kind: 'rest', types: ['m/Person'], timeout, config }] });
}

const codeOf = (answer: { readonly status: number; readonly body: unknown }) => [answer.status, Object(answer.body).code];

test('an answer is measured after it is unpacked, and one without end is broken off', async () => {
  const bomb = gzipSync(`"${'x'.repeat(64 * 1024 * 1024)}"`);
  const other = await otherSystem({
    bomb: (response) => void response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bomb),
    endless: (response) => writeOn(response, 'x'.repeat(256 * 1024), 0),
  });
  const served = await asking(other);
  for (const id of ['bomb', 'endless']) expect(codeOf(await served.get(`/m/Person/${id}`))).toEqual([502, 'resolver-answer-too-large']);
  await expect.poll(() => other.brokenOff).toContain('/v1/people/endless');
});

test('an answer that comes a byte at a time is broken off when the time of the whole call is over', async () => {
  const other = await otherSystem({ slow: (response) => writeOn(response, 'x', 20) });
  const served = await asking(other, 0.5);
  expect(codeOf(await served.get('/m/Person/slow'))).toEqual([504, 'resolver-timeout']);
  await expect.poll(() => other.brokenOff).toEqual(['/v1/people/slow']);
});

test('pages without end are bounded by their bytes together, and by the time of the call', async () => {
  const next = (path: string) => ({ link: `</v1/people?page=${Number(/\d+$/.exec(path)?.[0] ?? 0) + 1}>; rel="next"` });
  const wide = await otherSystem({ '': (response, path) => send(response, [{ id: path, name: 'x'.repeat(1024 * 1024) }], next(path)) });
  expect(codeOf(await (await asking(wide)).get('/m/Person'))).toEqual([502, 'resolver-answer-too-large']);
  expect(wide.asked.length).toBeLessThan(20);
  const empty = await otherSystem({ '': (response, path) => send(response, [], next(path)) });
  expect(codeOf(await (await asking(empty, 0.5)).get('/m/Person'))).toEqual([504, 'resolver-timeout']);
});

test('no other host is asked than that of baseUrl, wherever redirects and pages lead', async () => {
  const inside = await otherSystem({});
  const places = [
    `http://127.0.0.1:${inside.port}/v1/people/secret`,
    `http://localhost:${inside.port}/v1/people/secret`,
    `http://[::ffff:127.0.0.1]:${inside.port}/v1/people/secret`,
    `http://2130706433:${inside.port}/v1/people/secret`,
    `//127.0.0.1:${inside.port}/v1/people/secret`,
    'http://169.254.169.254/latest/meta-data',
    'https://127.0.0.1/',
    'file:///etc/passwd',
  ];
  for (const place of places) {
    const other = await otherSystem({
      redirected: (response) => void response.writeHead(302, { location: place }).end(),
      '': (response) => send(response, [{ id: 'a', name: 'A' }], { link: `<${place}>; rel="next"` }),
    });
    const served = await asking(other);
    expect(codeOf(await served.get('/m/Person/redirected')), place).toEqual([502, 'resolver-failed']);
    expect(codeOf(await served.get('/m/Person/a')), place).toEqual([200, undefined]);
    expect(codeOf(await served.get('/m/Person')), place).toEqual([502, 'resolver-failed']);
  }
  expect(inside.asked).toEqual([]);
});

test('an identifier is one segment of the path, and nothing else of a request', async () => {
  const other = await otherSystem({});
  const served = await asking(other);
  for (const id of ['a/../../admin', '../admin', 'a?b=c', 'a#b', 'a\r\nx-admin: 1', '%2e%2e', 'a\\..\\b', '…', 'a b']) {
    expect((await served.get(`/m/Person/${encodeURIComponent(id)}`)).body, id).toEqual({ id, name: 'somebody' });
    expect((await served.put(`/m/Person/${encodeURIComponent(id)}`, { name: 'other' })).status, id).toBe(200);
  }
  expect(other.asked.filter((each) => !/^(?:GET|PUT) \/v1\/people\/[^/?#\s]+$/.test(each))).toEqual([]);
  const before = other.asked.length;
  for (const id of ['..', '.', '']) {
    expect((await served.post('/m/Person', { id, name: 'x' })).status, id).toBe(422);
    const found = await served.get(`/m/Person?id=${encodeURIComponent(id)}`);
    expect([found.status, found.body], id).toEqual([200, []]);
  }
  expect(other.asked.slice(before)).toEqual([]);
});

test('a field that objects have by themselves is none of the other system', async () => {
  const other = await otherSystem({});
  const config = { baseUrl: `http://127.0.0.1:${other.port}/v1`, path: 'people', map: { id: 'id', name: 'constructor' } };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'rest', types: ['m/Person'], config }] });
  expect(codeOf(await served.get('/m/Person/a'))).toEqual([502, 'resolver-answer-invalid']);
});

test('the address of a database with a broken encoding is refused at start, in words', async () => {
  const config = { url: 'postgres://user:100%@127.0.0.1/db', table: 'people' };
  await expect(serve(model, { resolvers: [{ name: 'm/people', kind: 'sql', types: ['m/Person'], config }] })).rejects.toThrow(
    'The address of the database of a resolver',
  );
});
