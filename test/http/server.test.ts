// Where the server listens and what it adds to every exchange: request ids, addresses, CORS, rate, TLS, log, metrics.

import { execFileSync } from 'node:child_process';
import { constants, createReadStream, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/http/server/log.ts';
import { rateGate } from '../../src/http/server/rate-limit.ts';
import { until } from '../support/time.ts';
import { connected, exchange, gate, other, othersAnswered, refused, serve, settled, statuses, text, turn } from './serve.ts';

describe('where it listens', () => {
  test('without a host on the loopback of both address families', async () => {
    const { server, port } = await serve(undefined, { host: undefined });
    expect(server.addresses[0]).toBe(`http://127.0.0.1:${port}`);
    for (const address of server.addresses) expect((await fetch(address)).status).toBe(200);
  });

  test('a port that is taken is an error', async () => {
    const { port } = await serve();
    await expect(serve(undefined, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test.runIf(hasSecondLoopback())('a port that another program has on one of the two loopbacks is an error', async () => {
    const taken = await listening('::1');
    await expect(serve(undefined, { host: undefined, port: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the id of a request', () => {
  const honoured = ['a', 'A.b:c-d_1', 'x'.repeat(64)];
  const replaced = ['', 'a b', 'x'.repeat(65), 'ä', '<script>'];
  for (const id of [...honoured, ...replaced]) {
    test(`${JSON.stringify(id.slice(0, 20))} is ${honoured.includes(id) ? 'kept' : 'replaced'}`, async () => {
      const { port, requests, lines } = await serve();
      const answer = await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: ${id}\r\n\r\n`);
      const answered = /x-request-id: (.*)\r\n/.exec(answer)?.[1];
      expect(answered).toMatch(/^[\w.:-]{1,64}$/);
      expect(answered === id).toBe(honoured.includes(id));
      expect([requests[0]?.id, lines[0]?.['id']]).toEqual([answered, answered]);
    });
  }

  test('is different for every request', async () => {
    const { url } = await serve();
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url)).headers.get('x-request-id')));
    expect(new Set(ids).size).toBe(20);
  });
});

describe("the caller's address, and of an IPv6 one the network that the caller has all of", () => {
  const cases: readonly [trustProxy: boolean, forwarded: string, expected: string][] = [
    [false, '192.0.2.1', '127.0.0.1'],
    [true, '192.0.2.1', '192.0.2.1'],
    [true, '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    [true, '', '127.0.0.1'],
    [true, '192.0.2.1:4711', '192.0.2.1'],
    [true, '::ffff:192.0.2.1', '192.0.2.1'],
    [true, '2001:db8::1', '2001:db8:0:0::/64'],
    [true, '2001:db8::2', '2001:db8:0:0::/64'],
    [true, '2001:0DB8:0000:0000:ffff::9', '2001:db8:0:0::/64'],
    [true, '[2001:db8:0:1::5]:443', '2001:db8:0:1::/64'],
    [true, 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    [true, '2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
    [true, '2001:db8::192.0.2.1', '2001:db8:0:0::/64'],
    [true, '::', '0:0:0:0::/64'],
    [true, 'unknown', 'unknown'],
  ];
  for (const [trustProxy, forwarded, expected] of cases) {
    test(`${forwarded || 'nothing'} from a proxy that is ${trustProxy ? '' : 'not '}trusted`, async () => {
      const { url } = await serve(({ remote }) => text(remote), { trustProxy });
      expect(await (await fetch(url, { headers: { 'x-forwarded-for': forwarded } })).text()).toBe(expected);
    });
  }
});

describe('pages of other origins', () => {
  const preflight = { origin: 'https://app.example.com', 'access-control-request-method': 'PUT' };

  test('get nothing by default', async () => {
    const { url } = await serve();
    const answer = await fetch(url, { method: 'OPTIONS', headers: preflight });
    expect(corsOf(answer)).toEqual([]);
  });

  test('of an allowed origin may call', async () => {
    const { url, requests } = await serve(() => text('ok', 200, { vary: 'Accept' }), { corsOrigins: ['https://app.example.com'] });
    const asked = await fetch(url, { method: 'OPTIONS', headers: preflight });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example.com']);
    expect(asked.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(requests).toHaveLength(0);
    const called = await fetch(url, { headers: { origin: 'https://app.example.com' } });
    expect(called.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(called.headers.get('access-control-expose-headers')).toContain('ETag');
    expect(called.headers.get('vary')).toBe('Accept, Origin');
  });

  test('of another origin may not', async () => {
    const { url } = await serve(undefined, { corsOrigins: ['https://app.example.com'] });
    for (const origin of ['https://evil.example.com', 'https://app.example.com.evil.com', 'null', 'http://app.example.com']) {
      const answers = [
        await fetch(url, { headers: { origin } }),
        await fetch(url, { method: 'OPTIONS', headers: { ...preflight, origin } }),
      ];
      for (const answer of answers) expect([corsOf(answer), answer.headers.get('vary')]).toEqual([[], 'Origin']);
    }
  });

  test('may all call when every origin is allowed', async () => {
    const { url } = await serve(undefined, { corsOrigins: ['*'] });
    const answer = await fetch(url, { headers: { origin: 'https://anyone.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('see errors too', async () => {
    const { url } = await serve(undefined, { corsOrigins: ['*'], limits: { url: 10 } });
    const answer = await fetch(`${url}/aaaaaaaaaaaaaaa`, { headers: { origin: 'https://anyone.example' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([414, '*']);
  });
});

describe('the rate of requests', () => {
  test('beyond the limit is 429 with Retry-After', async () => {
    const { url, requests } = await serve(undefined, { rateLimit: { max: 3, window: 60 } });
    const answers = [];
    for (let count = 0; count < 5; count += 1) answers.push(await fetch(url));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 429, 429]);
    const wait = Number(answers[4]?.headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(60);
    expect(await answers[4]?.json()).toMatchObject({ code: 'too-many-requests' });
    expect(requests).toHaveLength(3);
  });

  test('is counted anew in the next window, for each address by itself', () => {
    const gate = rateGate({ max: 2, window: 10 });
    expect([0, 1, 2].map((second) => gate('a', second * 1000))).toEqual([0, 0, 8]);
    expect(gate('b', 2000)).toBe(0);
    expect(gate('a', 10_000)).toBe(0);
  });

  test('is remembered for a bounded number of addresses', () => {
    const gate = rateGate({ max: 1, window: 10 }, 2);
    expect(['a', 'b', 'c'].map((address) => gate(address, 0))).toEqual([0, 0, 0]);
    expect([gate('c', 1), gate('b', 1)].every((wait) => wait > 0)).toBe(true);
    expect(gate('a', 1)).toBe(0);
  });
});

describe('the log', () => {
  test('has one line for each request, without the query', async () => {
    const { url, lines } = await serve(() => text('hello', 201));
    await fetch(`${url}/blog/Post?token=secret`, { method: 'POST', body: 'secret', headers: { authorization: 'Bearer secret' } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      message: 'request',
      method: 'POST',
      path: '/blog/Post',
      status: 201,
      bytes: 5,
      ms: expect.any(Number),
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('is written as JSON lines, each with its level', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'log');
    const log = await createLog({ level: 'info', pretty: false, destination: file });
    log.debug({ a: 0 }, 'left out');
    log.info({ a: 1 }, 'kept');
    const [line = '', ...more] = await linesIn(file, log.flush, 1);
    expect(JSON.parse(line)).toEqual({ level: 'info', time: expect.any(Number), a: 1, msg: 'kept' });
    expect(more).toEqual([]);
    expect([log.isLevelEnabled('debug'), log.isLevelEnabled('warn')]).toEqual([false, true]);
  });

  test('keeps its lines short: long texts in them are cut, and of what is long even so the message stays', async () => {
    const file = join(temporaryFolder(), 'log');
    const log = await createLog({ level: 'info', pretty: false, destination: file });
    log.error({ id: 'r-1', err: new Error('x'.repeat(100_000)), status: 500 }, 'failed');
    log.error({ id: 'r-2', many: Array.from({ length: 10_000 }, () => 'y'.repeat(100)) }, 'z'.repeat(50_000));
    const lines = await linesIn(file, log.flush, 2);
    expect(lines.map((line) => line.length <= 16_384)).toEqual([true, true]);
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({ id: 'r-1', status: 500, msg: 'failed', err: { message: `${'x'.repeat(1024)}… (100000 characters)` } });
    expect(second).toMatchObject({ level: 'error', id: 'r-2', msg: `${'z'.repeat(1024)}… (50000 characters)`, cut: expect.any(Number) });
  });

  test.skipIf(process.platform === 'win32')('is bounded where nobody reads it: what is more is dropped and counted', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Open for reading, and never read.
    const unread = openSync(pipe, constants.O_RDWR);
    const log = await createLog({ level: 'info', pretty: false, destination: pipe });
    const lines = 20_000;
    for (let line = 0; line < lines; line += 1) log.info({ text: 'x'.repeat(1000) }, 'line');
    // 4 MiB wait, and the pipe holds a little.
    expect(log.dropped()).toBeGreaterThan(lines / 2);
    expect(log.dropped()).toBeLessThan(lines - 3000);
    const reader = createReadStream(pipe, { fd: unread });
    let received = 0;
    reader.on('data', (piece) => {
      received += piece.length;
    });
    await until(() => received > 3 * 1024 * 1024);
    reader.destroy();
  });

  test('is readable on a terminal', async () => {
    const file = join(temporaryFolder(), 'log');
    const log = await createLog({ level: 'info', pretty: true, colours: false, destination: file });
    log.warn({ path: '/a', a: 1 }, 'look');
    expect(await linesIn(file, log.flush, 1)).toEqual([expect.stringMatching(/WARN: look: \/a \{"a":1\}$/)]);
  });
});

test('metrics count requests by method and class of status, and what the process uses', async () => {
  const { url, metrics } = await serve(({ path }) => text('', path === '/missing' ? 404 : 200));
  for (const path of ['/', '/', '/missing']) await fetch(url + path);
  await fetch(url, { method: 'POST' });
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('http_request_duration_seconds_count{method="GET",status="2xx"} 2');
  expect(lines).toContain('http_request_duration_seconds_bucket{le="+Inf",method="GET",status="4xx"} 1');
  expect(lines).toContain('http_request_duration_seconds_count{method="POST",status="2xx"} 1');
  expect(lines).toContain('http_requests_in_flight 0');
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'http_connections_open',
  ]) {
    expect(
      lines.some((line) => new RegExp(`^${name} [\\d.e-]+$`).test(line)),
      name,
    ).toBe(true);
  }
  for (const line of lines) expect(line).toMatch(/^$|^# (HELP|TYPE) \w+ .+$|^\w+(\{[^{}]*\})? [\d.e+-]+$/);
});

describe.skipIf(!hasOpenssl())('TLS (needs openssl to make a certificate)', () => {
  test('serves, and stops after what is under way', async () => {
    const [answering, answered] = gate();
    const { server, port, requests } = await serve(
      async () => {
        await answered;
        return text('secure');
      },
      { tls: certificate() },
    );
    expect(server.addresses).toEqual([`https://127.0.0.1:${port}`]);
    const answer = new Promise<string>((resolve, reject) => {
      const call = httpsRequest({ host: '127.0.0.1', port, rejectUnauthorized: false }, (response) => {
        response.setEncoding('utf8').on('data', (body: string) => resolve(`${response.statusCode} ${response.headers.connection} ${body}`));
      });
      call.on('error', reject).end();
    });
    await until(() => requests.length === 1);
    const closing = server.close(60_000);
    await until(() => refused(port));
    answering();
    await closing;
    expect(await answer).toBe('200 close secure');
  });

  test('refuses plain HTTP', async () => {
    const { port } = await serve(undefined, { tls: certificate() });
    expect(statuses(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'))).not.toContain(200);
  });
});

function corsOf(answer: Response): readonly string[] {
  return [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'http-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** As soon as there are so many; what is under way to the file already does not wait for a flush. */
function linesIn(file: string, flush: () => void, count: number): Promise<readonly string[]> {
  return until(() => {
    const lines = flushed(flush) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    return lines.length >= count ? lines : undefined;
  });
}

/** A file is opened in the background; before that there is nothing to flush to. */
function flushed(flush: () => void): boolean {
  try {
    flush();
    return true;
  } catch {
    return false;
  }
}

/** Of IPv6. */
function hasSecondLoopback(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
}

function listening(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    onTestFinished(() => {
      server.close();
    });
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function certificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost'];
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

describe('requests that are sent ahead on one connection', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

  test('are worked on one after the other', async () => {
    let [running, most] = [0, 0];
    const { port } = await serve(async () => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      return text('ok');
    });
    const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect(statuses(await exchange(port, `${many(199)}${last}`))).toHaveLength(200);
    expect(most).toBe(1);
  });

  test('wait while the caller does not read, and go on when it does', async () => {
    const large = 'x'.repeat(4 * 1024 * 1024);
    const serving = await serve(({ path }) => text(path === other ? 'ok' : large));
    const { port } = serving;
    const begun = () => serving.requests.filter(({ path }) => path !== other).length;
    const socket = await connected(port);
    socket.pause();
    socket.write(many(50));
    await until(() => begun() > 0);
    expect(await settled(serving, begun)).toBeLessThan(5);
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.resume();
    await until(() => received > 50 * large.length);
    expect(begun()).toBe(50);
  });

  test('are given up with their connection', async () => {
    const [answering, answered] = gate();
    const serving = await serve(async ({ path }) => {
      if (path !== other) await answered;
      return text('ok');
    });
    const { port, requests, metrics } = serving;
    const socket = await connected(port);
    socket.write(many(100));
    await until(() => requests.length === 1);
    socket.destroy();
    await until(async () => (await metrics.text()).includes('http_connections_open 0'));
    answering();
    await othersAnswered(serving);
    expect(requests.map(({ path }) => path).filter((path) => path !== other)).toEqual(['/0']);
  });

  test.each([
    ['the wait for a body that there is none of', 'HEAD / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n'],
    ['a body that is too large', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n${'x'.repeat(200)}`],
  ])('are not begun behind the last answer of their connection: %s', async (_, first) => {
    const large = 'x'.repeat(4 * 1024 * 1024);
    const { port, metrics, requests } = await serve(({ path }) => text(path === '/0' ? large : 'ok'), { limits: { body: 100 } });
    expect(statuses(await exchange(port, `${first}${many(20)}`))).toHaveLength(1);
    await until(async () => (await metrics.text()).includes('http_requests_in_flight 0'));
    expect(requests.filter(({ path }) => path === '/0')).toEqual([]);
  });
});
