// What the server lets in: sizes, times, numbers. Every figure is lowered, so that the tests are short.

import { describe, expect, test } from 'vitest';
import { connections } from '../../src/http/server/connections.ts';
import { until } from '../support/time.ts';
import { connected, exchange, serve, statuses, text, untilClosed } from './serve.ts';

describe('sizes of a request', () => {
  const limits = { url: 200, headers: 1000, headerCount: 20, body: 100 };
  const host = 'Host: a\r\n';
  const end = 'Connection: close\r\n\r\n';
  const cases: readonly [title: string, bytes: string, status: number, code: string | undefined][] = [
    ['a request without a host is 400', `GET / HTTP/1.1\r\n${end}`, 400, 'request-unreadable'],
    ['one of HTTP/1.0 needs none', `GET / HTTP/1.0\r\n${end}`, 200, undefined],
    ['a URL at the limit is served', `GET /${'a'.repeat(199)} HTTP/1.1\r\n${host}${end}`, 200, undefined],
    ['a URL over the limit is 414', `GET /${'a'.repeat(200)} HTTP/1.1\r\n${host}${end}`, 414, 'url-too-long'],
    ['a query counts as part of the URL', `GET /?${'a'.repeat(200)} HTTP/1.1\r\n${host}${end}`, 414, 'url-too-long'],
    ['a URL that the parser gives up on is 414', `GET /${'a'.repeat(50_000)} HTTP/1.1\r\n${host}${end}`, 414, 'url-too-long'],
    ['headers within the limit are served', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(900)}\r\n${end}`, 200, undefined],
    ['headers over the limit are 431', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(1000)}\r\n${end}`, 431, 'headers-too-large'],
    [
      'headers that the parser gives up on are 431',
      `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(50_000)}\r\n${end}`,
      431,
      'headers-too-large',
    ],
    ['as many headers as allowed are served', `GET / HTTP/1.1\r\n${host}${'X: 1\r\n'.repeat(18)}${end}`, 200, undefined],
    ['more headers than allowed are 431', `GET / HTTP/1.1\r\n${host}${'X: 1\r\n'.repeat(19)}${end}`, 431, 'headers-too-large'],
    ['a body at the limit is served', `POST / HTTP/1.1\r\n${host}Content-Length: 100\r\n${end}${'a'.repeat(100)}`, 200, undefined],
    ['a body over the limit is 413', `POST / HTTP/1.1\r\n${host}Content-Length: 101\r\n${end}${'a'.repeat(101)}`, 413, 'body-too-large'],
    [
      'a body over the limit in chunks is 413',
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n${end}60\r\n${'a'.repeat(96)}\r\n5\r\naaaaa\r\n0\r\n\r\n`,
      413,
      'body-too-large',
    ],
  ];
  for (const [title, bytes, status, code] of cases) {
    test(title, async () => {
      const { port, requests } = await serve(undefined, { limits });
      const answer = await exchange(port, bytes);
      expect(statuses(answer)).toEqual([status]);
      expect(requests).toHaveLength(code === undefined ? 1 : 0);
      if (code !== undefined) expect(answer).toContain(`"code":"${code}"`);
      if (code !== undefined) expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
    });
  }
});

test('a body that is announced as too large is not read, and not asked for', async () => {
  const { port } = await serve();
  const socket = await connected(port);
  const answer = untilClosed(socket);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1000000000\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
});

describe('a body in chunks of a byte', () => {
  const crumbs = (count: number) => Array.from({ length: count }, (_, index) => `1\r\n${index % 10}\r\n`).join('');
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';

  test('is read as it was sent', async () => {
    const { port, requests } = await serve();
    expect(await exchange(port, `${head}${crumbs(15_000)}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(requests[0]?.body?.toString()).toBe('0123456789'.repeat(1500));
  });

  test('is read as it was sent while others of its connection follow, and while others of their own are read', async () => {
    const { port, requests } = await serve();
    const open = head.replace('Connection: close\r\n', '');
    const sent = `${open}${crumbs(4000)}0\r\n\r\n${open}${crumbs(15_000)}0\r\n\r\n${head}${crumbs(1000)}0\r\n\r\n`;
    const answers = await Promise.all(Array.from({ length: 3 }, () => exchange(port, sent)));
    expect(answers.map(statuses)).toEqual([
      [200, 200, 200],
      [200, 200, 200],
      [200, 200, 200],
    ]);
    expect(requests.map(({ body }) => body?.length).sort((a = 0, b = 0) => a - b)).toEqual([
      1000, 1000, 1000, 4000, 4000, 4000, 15_000, 15_000, 15_000,
    ]);
    for (const { body } of requests) expect(body?.toString()).toBe('0123456789'.repeat((body?.length ?? 0) / 10));
  });

  test('is 413 where they are too many, and cut soon', async () => {
    const { port, requests } = await serve();
    const socket = await connected(port);
    const answer = untilClosed(socket);
    socket.write(`${head}${crumbs(300_000)}`);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(requests).toEqual([]);
  });
});

test('whoever asks before sending a body is asked for it', async () => {
  const { port, requests } = await serve();
  const socket = await connected(port);
  const answer = untilClosed(socket);
  socket.once('data', () => socket.write('{}'));
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  expect(requests[0]?.body?.toString()).toBe('{}');
});

test('an endless body is answered with 413 and cut after little more than the limit', async () => {
  const { port } = await serve();
  const socket = await connected(port);
  const answer = untilClosed(socket);
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')]);
  const pour = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('drain', pour);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', pour);
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  // What was read, and what the buffers of both ends took besides.
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(16 * 1024 * 1024);
});

describe('slow callers are cut', () => {
  test('one that never finishes its headers is answered with 408', async () => {
    const { port } = await serve(undefined, { limits: { headersTimeout: 200, requestTimeout: 400 } });
    expect(await slowly(port, 'GET / HTTP/1.1\r\nHost: a\r\n', 'X: 1\r\n')).toMatch(/^HTTP\/1\.1 408 .*"code":"request-timeout"/s);
  });

  test('a request may have less time than its headers would', async () => {
    const { port, url } = await serve(undefined, { limits: { headersTimeout: 400, requestTimeout: 200 } });
    expect((await fetch(url)).status).toBe(200);
    expect(await slowly(port, 'GET / HTTP/1.1\r\nHost: a\r\n', 'X: 1\r\n')).toMatch(/^HTTP\/1\.1 408 .*"code":"request-timeout"/s);
  });

  test('one that never finishes its body is answered with 408', async () => {
    const { port, requests } = await serve(undefined, { limits: { headersTimeout: 200, requestTimeout: 400 } });
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n';
    expect(await slowly(port, head, 'a')).toMatch(/^HTTP\/1\.1 408 .*"code":"request-timeout"/s);
    expect(requests).toHaveLength(0);
  });

  test('one that keeps a connection without using it is let go', async () => {
    const { port } = await serve(undefined, { limits: { keepAliveTimeout: 100 } });
    const socket = await connected(port);
    const answer = untilClosed(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(statuses(await answer)).toEqual([200]);
  });

  test('one that does not read its answer is cut', async () => {
    const { port, metrics } = await serve(() => text(endless()), { limits: { stallTimeout: 200 } });
    const socket = await connected(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(async () => (await metrics.text()).includes('http_connections_open 0'));
  });

  test('good ones are served meanwhile', async () => {
    const { port, url } = await serve(undefined, { limits: { headersTimeout: 2000, requestTimeout: 2000 } });
    const slow = Array.from({ length: 100 }, () => slowly(port, 'GET / HTTP/1.1\r\n', 'X: 1\r\n'));
    for (let count = 0; count < 20; count += 1) expect((await fetch(url)).status).toBe(200);
    expect((await Promise.all(slow)).every((answer) => /^HTTP\/1\.1 408 /.test(answer))).toBe(true);
  });
});

test('there are no more connections than allowed', async () => {
  const { port, url } = await serve(undefined, { limits: { connections: 2 } });
  const [first, second] = [await connected(port), await connected(port)];
  await expect(fetch(url)).rejects.toThrow();
  first.destroy();
  second.destroy();
  await until(() => first.closed && second.closed);
  await expect
    .poll(() =>
      fetch(url)
        .then((answer) => answer.status)
        .catch(() => 0),
    )
    .toBe(200);
});

describe('one address has no more connections than its share', () => {
  const limits = { connections: 10, connectionsPerAddress: 2 };
  const cases: readonly [address: string, trustProxy: boolean, admitted: number][] = [
    ['192.0.2.1', false, 2],
    ['2001:db8::1', false, 2],
    ['127.0.0.1', false, 5],
    ['::ffff:127.0.0.1', false, 5],
    ['::1', false, 5],
    ['192.0.2.1', true, 5],
    ['2001:db8::{}', false, 2],
    ['2001:db8:0:{}::', false, 5],
  ];
  for (const [address, trustProxy, admitted] of cases) {
    test(`${address}${trustProxy ? ', a proxy' : ''}`, () => {
      const gate = connections(limits, trustProxy);
      const one = (number: number) => address.replace('{}', String(number));
      expect([1, 2, 3, 4, 5].filter((each) => gate.enter(one(each)))).toHaveLength(admitted);
      gate.leave(one(1));
      expect(gate.enter(one(1))).toBe(true);
      expect(gate.enter('198.51.100.7')).toBe(true);
    });
  }
});

/** Sends the head, then a little more every while, until the server has had enough. */
async function slowly(port: number, head: string, more: string): Promise<string> {
  const socket = await connected(port);
  const answer = untilClosed(socket);
  socket.write(head);
  const timer = setInterval(() => socket.writable && socket.write(more), 20);
  return answer.finally(() => clearInterval(timer));
}

async function* endless(): AsyncGenerator<string> {
  for (;;) yield 'x'.repeat(65_536);
}
