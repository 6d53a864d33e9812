// Requests that two readers could read differently: refused, one answer for each request, nothing smuggled.

import { describe, expect, test } from 'vitest';
import { until } from '../support/time.ts';
import { exchange, gate, other, othersAnswered, serve, statuses, text, turn } from './serve.ts';

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
const post = (headers: string, body: string) => `POST /a HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;

describe('what is not clearly one request is refused', () => {
  const cases: readonly [title: string, bytes: string, status: number][] = [
    ['Content-Length and Transfer-Encoding', post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${smuggled}`), 400],
    ['Transfer-Encoding and Content-Length', post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', `0\r\n\r\n${smuggled}`), 400],
    ['two different Content-Lengths', post('Content-Length: 0\r\nContent-Length: 5\r\n', smuggled), 400],
    ['two equal Content-Lengths', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), 400],
    ['a list in Content-Length', post('Content-Length: 2, 2\r\n', '{}'), 400],
    ['a Content-Length with a sign', post('Content-Length: +2\r\n', '{}'), 400],
    ['a Content-Length that is no number', post('Content-Length: 0x2\r\n', '{}'), 400],
    ['a Content-Length beyond 64 bits', post('Content-Length: 18446744073709551618\r\n', '{}'), 400],
    ['a coding that ends in another than chunked', post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${smuggled}`), 400],
    ['an obfuscated coding', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${smuggled}`), 400],
    ['a space before the colon', post('Content-Length : 4\r\n', 'aaaa'), 400],
    ['a folded header', post('X: 1\r\n 2\r\nContent-Length : 2\r\n', '{}'), 400],
    ['a header without a colon', post('Broken\r\n', ''), 400],
    ['a NUL in a header', post('X: a\u0000b\r\n', ''), 400],
    ['a bare CR in a header', post('X: a\rContent-Length: 0\r\n', ''), 400],
    ['a malformed chunk size', post('Transfer-Encoding: chunked\r\n', `x\r\n\r\n${smuggled}`), 400],
    ['a chunk longer than its size', post('Transfer-Encoding: chunked\r\n', '2\r\nabcd\r\n0\r\n\r\n'), 400],
    ['chunk extensions without end', post('Transfer-Encoding: chunked\r\n', `1;${'a'.repeat(40_000)}\r\na\r\n0\r\n\r\n`), 413],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Authorizations', 'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nauthorization: b\r\nConnection: close\r\n\r\n', 400],
    ['two Idempotency-Keys', post('Idempotency-Key: a\r\nidempotency-key: b\r\nContent-Length: 2\r\n', '{}'), 400],
    ['two Origins', 'GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nOrigin: http://b\r\nConnection: close\r\n\r\n', 400],
    ['a coding besides chunked', post('Transfer-Encoding: gzip, chunked\r\n', `2\r\n{}\r\n0\r\n\r\n`), 501],
    ['a version of HTTP that is another protocol', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505],
    ['two Content-Types', post('Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n', '{}'), 400],
    ['HTTP/0.9', 'GET /\r\n\r\n', 400],
    ['HTTP/2 without negotiation', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n', 400],
    ['something else than HTTP', '\u0016\u0003\u0001\u0002\u0000', 400],
    ['a method that does not exist', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a target that is no path', 'GET blog/Post HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ];
  for (const [title, bytes, status] of cases) {
    test(title, async () => {
      const { port, requests } = await serve();
      const answer = await exchange(port, bytes);
      expect(statuses(answer)).toEqual([status]);
      expect(requests.map((each) => each.path)).toEqual([]);
    });
  }
});

test('an override of the method is ignored', async () => {
  const { port, requests } = await serve();
  await exchange(port, 'GET /a HTTP/1.1\r\nHost: a\r\nX-HTTP-Method-Override: DELETE\r\nConnection: close\r\n\r\n');
  expect(requests[0]?.method).toBe('GET');
});

test('the target may name the server', async () => {
  const { port, requests } = await serve();
  await exchange(port, 'GET http://a/b/c?d=e HTTP/1.1\r\nHost: a\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(requests.map(({ path, query }) => [path, query])).toEqual([
    ['/b/c', 'd=e'],
    ['*', ''],
  ]);
});

test('path and query reach dispatch as they were sent', async () => {
  const { port, requests } = await serve();
  const targets = ['/a%2Fb/%zz/../c;d//e?x=%41&y?z', '/%', '/?', '/a#b'];
  for (const target of targets) await exchange(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(requests.map(({ path, query }) => [path, query])).toEqual([
    ['/a%2Fb/%zz/../c;d//e', 'x=%41&y?z'],
    ['/%', ''],
    ['/', ''],
    ['/a#b', ''],
  ]);
});

test('a thousand requests at once are answered in their order', async () => {
  const { port } = await serve(async ({ path }) => {
    if (path.endsWith('0')) await turn();
    return text(`<${path}>`);
  });
  const paths = Array.from({ length: 1000 }, (_, index) => `/${index}`);
  const requests = paths.map((path, index) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${index === 999 ? 'Connection: close\r\n' : ''}\r\n`);
  const answer = await exchange(port, requests.join(''));
  expect([...answer.matchAll(/<(.*?)>/g)].map((match) => match[1])).toEqual(paths);
});

test('what follows a request that is still being answered is never answered in its place', async () => {
  const [answering, answered] = gate();
  const serving = await serve(async ({ path }) => {
    if (path !== other) await answered;
    return text('late');
  });
  const answer = exchange(serving.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\nnot http at all\r\n\r\n');
  await until(() => serving.requests.length === 1);
  await othersAnswered(serving);
  answering();
  expect(statuses(await answer)).toEqual([]);
});

test('what follows a body that was too large is not answered', async () => {
  const { port } = await serve(undefined, { limits: { body: 2 } });
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(statuses(await exchange(port, `${head}3\r\nabc\r\nno size\r\n${smuggled}`))).toEqual([413]);
});
