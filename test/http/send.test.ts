// How answers go out: whole, streamed, cut; and what the caller sees of the service while it stops.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, get, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { error } from '../../src/errors.ts';
import { until } from '../support/time.ts';
import { connected, exchange, gate, other, refused, serve, settled, statuses, text, turn, untilClosed } from './serve.ts';

describe('whole answers', () => {
  test('a text, bytes and nothing', async () => {
    const bodies = { '/text': 'ä😀', '/bytes': Buffer.from([0, 255]), '/nothing': undefined };
    const { url } = await serve(({ path }) => text(path === '/text' || path === '/bytes' ? bodies[path] : undefined));
    expect(await (await fetch(`${url}/text`)).text()).toBe('ä😀');
    expect(Buffer.from(await (await fetch(`${url}/bytes`)).arrayBuffer())).toEqual(Buffer.from([0, 255]));
    expect((await fetch(`${url}/nothing`)).headers.get('content-length')).toBe('0');
  });

  test('a text of megabytes is sent in pieces, of which none ends within a character', async () => {
    const long = `a${'😀'.repeat(800_000)}`;
    const { url, port } = await serve(() => text(long));
    expect(await (await fetch(url)).text()).toBe(long);
    const head = await exchange(port, 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(head).toContain('content-length: 3200001\r\n');
  });

  test('the time in which somebody has to take some of an answer ends with it, also where another answer follows', async () => {
    const sockets: Socket[] = [];
    const opened = (message: unknown): void => {
      const socket = typeof message === 'object' && message !== null && 'socket' in message ? message.socket : undefined;
      if (socket instanceof Socket) sockets.push(socket);
    };
    subscribe('net.server.socket', opened);
    onTestFinished(() => {
      unsubscribe('net.server.socket', opened);
    });
    const [release, released] = gate();
    const { port, requests } = await serve(async ({ path }) => {
      if (path === other) await released;
      return text(path === other ? 'last' : 'x'.repeat(1_000_000));
    });
    const socket = await connected(port);
    socket.pause();
    socket.write(`${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30)}GET ${other} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await until(() => sockets[0]?.timeout === 2000);
    const answers = untilClosed(socket);
    socket.resume();
    await until(() => requests.length === 31 && sockets[0]?.timeout === 0);
    release();
    expect(String(await answers)).toMatch(/last$/);
  });

  test('204 and 304 have neither a body nor a length', async () => {
    const { url } = await serve(({ path }) => text('ignored', path === '/204' ? 204 : 304));
    for (const path of ['/204', '/304']) {
      const answer = await fetch(url + path);
      expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([Number(path.slice(1)), null, '']);
    }
  });

  test('HEAD is GET without the body', async () => {
    const { port, requests, lines } = await serve(() => text('hello', 200, { etag: '"1"' }));
    const answer = await exchange(port, 'HEAD /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/content-length: 5\r\n/);
    expect(answer).toMatch(/etag: "1"\r\n/);
    expect(answer).toMatch(/\r\n\r\n$/);
    expect(requests[0]?.method).toBe('GET');
    expect(lines[0]).toMatchObject({ method: 'HEAD', bytes: 0 });
  });

  test('every answer says that its type is meant and that it is to be checked again', async () => {
    const { url } = await serve(({ path }) => text('', 200, path === '/own' ? { 'cache-control': 'max-age=60' } : {}));
    const { headers } = await fetch(url);
    expect([headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual(['nosniff', 'no-cache']);
    expect((await fetch(`${url}/own`)).headers.get('cache-control')).toBe('max-age=60');
  });

  test('what respond throws is a problem', async () => {
    const { url, lines } = await serve(({ path }) => {
      if (path === '/bug') throw new Error('secret');
      if (path === '/late') return Promise.reject(new Error('secret'));
      throw error('instance-not-found');
    });
    for (const [path, status] of [['/bug', 500] as const, ['/late', 500] as const, ['/none', 404] as const]) {
      const answer = await fetch(url + path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
      expect(await answer.text()).not.toContain('secret');
    }
    expect(lines.filter((line) => line['message'] === 'request failed')).toHaveLength(2);
  });

  test('a header that cannot be sent is a problem, not a crash', async () => {
    const { url } = await serve(({ path }) => text(path === '/stream' ? pieces(['a']) : 'a', 200, { location: 'a\r\nb: c' }));
    expect((await fetch(url)).status).toBe(500);
    expect((await fetch(`${url}/stream`)).status).toBe(500);
  });

  test('of a stream whose head cannot be sent nothing is left open', async () => {
    const closed: string[] = [];
    async function* opened(path: string): AsyncGenerator<string, void> {
      try {
        yield 'a';
        yield 'b';
      } finally {
        closed.push(path);
      }
    }
    const { url } = await serve(({ path }) => text(opened(path), 200, path === '/wrong' ? { location: 'a\r\nb: c' } : {}));
    expect([(await fetch(`${url}/wrong`)).status, closed]).toEqual([500, ['/wrong']]);
    expect([await (await fetch(`${url}/right`)).text(), closed]).toEqual(['ab', ['/wrong', '/right']]);
  });
});

describe('streamed answers', () => {
  test('arrive whole', async () => {
    const { url, lines } = await serve(() => text(pieces(['[1', ',2', ',3]'])));
    expect(await (await fetch(url)).json()).toEqual([1, 2, 3]);
    await until(() => lines.length === 1);
    expect(lines[0]).toMatchObject({ status: 200, bytes: 7 });
  });

  test('begin before they end', async () => {
    const [release, released] = gate();
    const { url } = await serve(() => text(gated(released)));
    const reader = (await fetch(url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    release();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last');
  });

  test('are made no faster than they are read', async () => {
    let made = 0;
    const serving = await serve(({ path }) => text(path === other ? 'ok' : counting(1000, () => (made += 1))));
    const socket = await connected(serving.port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await until(() => made > 0);
    expect(await settled(serving, () => made)).toBeLessThan(1000);
    const answer = untilClosed(socket);
    socket.resume();
    expect((await answer).length).toBeGreaterThan(1000 * 65_536);
  });

  test('that fail before the first piece are problems', async () => {
    const { url } = await serve(() => text(failing(0)));
    expect((await fetch(url)).status).toBe(500);
  });

  test('that fail in the middle are cut, and never look complete', async () => {
    const { url, port, lines } = await serve(() => text(failing(2)));
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    const chunked = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(chunked).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(await closedWith(port, 'GET / HTTP/1.0\r\n\r\n')).toBe('ECONNRESET');
    expect(lines.filter((line) => line['message'] === 'answer cut')).toHaveLength(3);
  });

  test('end when the caller goes away', async () => {
    let returned = false;
    let aborted = false;
    const { port, metrics } = await serve(({ signal }) => {
      signal?.addEventListener('abort', () => {
        aborted = true;
      });
      return text(counting(Number.POSITIVE_INFINITY, undefined, () => (returned = true)));
    });
    const socket = await connected(port);
    socket.once('data', () => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => returned && aborted);
    await until(async () => (await metrics.text()).includes('http_requests_in_flight 0'));
  });

  test('are not made at all for HEAD', async () => {
    let made = 0;
    const { url } = await serve(() => text(counting(10, () => (made += 1))));
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(made).toBe(0);
  });
});

describe('a caller who goes away', () => {
  test('before the answer is there aborts the signal', async () => {
    let aborted = false;
    const { port, requests } = await serve(async ({ signal }) => {
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      aborted = true;
      return text('nobody reads this');
    });
    const socket = await connected(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => requests.length === 1);
    socket.destroy();
    await until(() => aborted);
  });

  test('in the middle of a body leaves nothing behind', async () => {
    const { port, metrics, requests } = await serve();
    const socket = await connected(port);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    await until(async () => (await metrics.text()).includes('http_requests_in_flight 1'));
    socket.destroy();
    await until(async () => (await metrics.text()).includes('http_requests_in_flight 0'));
    expect(requests).toHaveLength(0);
  });

  test('does not abort the signal of a complete answer', async () => {
    const { url, requests, metrics } = await serve(({ signal }) => text(String(signal?.aborted)));
    expect(await (await fetch(url, { headers: { connection: 'close' } })).text()).toBe('false');
    await until(async () => (await metrics.text()).includes('http_connections_open 0'));
    expect(requests[0]?.signal?.aborted).toBe(false);
  });
});

describe('stopping', () => {
  test('finishes what is under way and tells the callers to close', async () => {
    const [answering, answered] = gate();
    const { server, port, requests } = await serve(async () => {
      await answered;
      return text('done');
    });
    const answers = Array.from({ length: 10 }, () => exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    await until(() => requests.length === 10);
    const closing = server.close(60_000);
    await until(() => refused(port));
    answering();
    await closing;
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close.*done$/is);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  test('under load loses no request', async () => {
    const { server, port, requests } = await serve(async () => {
      await turn();
      return text('done');
    });
    const clients = Array.from({ length: 16 }, () => untilRefused(port));
    await until(() => requests.length > 200);
    await server.close(10_000);
    const served = (await Promise.all(clients)).map((outcome) => {
      expect(outcome.failures).toBe(0);
      return outcome.served;
    });
    expect(served.reduce((sum, each) => sum + each, 0)).toBe(requests.length);
  });

  test('cuts what does not finish in time', async () => {
    const { server, port, requests } = await serve(() => new Promise(() => undefined));
    const answer = exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => requests.length === 1);
    await server.close(100);
    expect(statuses(await answer)).toEqual([]);
  });

  test('does not wait for connections that nobody uses', async () => {
    const { server, port } = await serve();
    const socket = await connected(port);
    const closed = untilClosed(socket);
    await server.close(10_000);
    expect(await closed).toBe('');
  });
});

interface Outcome {
  readonly served: number;
  readonly failures: number;
}

/** One request after the other on a connection kept alive, until the server says that it closes. */
async function untilRefused(port: number): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (let served = 0; ; served += 1) {
    const answer = await one(port, agent);
    if (answer === undefined) return { served, failures: 1 };
    if (answer.headers.connection === 'close') return { served: served + 1, failures: 0 };
  }
}

function one(port: number, agent: Agent): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, agent }, (answer) => answer.resume().on('end', () => resolve(answer))).on('error', () =>
      resolve(undefined),
    );
  });
}

async function closedWith(port: number, bytes: string): Promise<string | undefined> {
  const socket = await connected(port);
  return new Promise((resolve) => {
    let code: string | undefined;
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      code = failure.code;
    });
    socket.on('close', () => resolve(code));
    socket.resume();
    socket.write(bytes);
  });
}

async function* pieces(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

async function* gated(released: Promise<void>): AsyncGenerator<string> {
  yield 'first';
  await released;
  yield 'last';
}

async function* counting(count: number, made?: () => void, ended?: () => void): AsyncGenerator<string> {
  try {
    for (let index = 0; index < count; index += 1) {
      made?.();
      yield 'x'.repeat(65_536);
    }
  } finally {
    ended?.();
  }
}

async function* failing(after: number): AsyncGenerator<string> {
  for (let index = 0; index < after; index += 1) yield 'x'.repeat(10);
  throw new Error('the store is gone');
}
