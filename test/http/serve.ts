// A server on a free port for one test, and a raw socket to talk to it as no client library would.

import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpRequest, HttpResponse, Respond } from '../../src/http/exchange.ts';
import { defaultLimits, type ServerLimits, type ServerSettings } from '../../src/http/server/limits.ts';
import type { Log } from '../../src/http/server/log.ts';
import { createMetrics, type Metrics } from '../../src/http/server/metrics.ts';
import { listen, type Server } from '../../src/http/server/server.ts';
import { MemoryBudget } from '../../src/memory-budget.ts';

export interface Serving {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  readonly metrics: Metrics;
  readonly budget: MemoryBudget;
  /** The fields of every line of the log. */
  readonly lines: Record<string, unknown>[];
  /** The requests that were answered by `respond`. */
  readonly requests: HttpRequest[];
}

interface Given extends Partial<Omit<ServerSettings, 'limits'>> {
  readonly limits?: Partial<ServerLimits>;
  readonly budget?: MemoryBudget;
}

export async function serve(
  respond: Respond = () => text('ok'),
  { limits, budget = new MemoryBudget(Number.MAX_SAFE_INTEGER), ...given }: Given = {},
): Promise<Serving> {
  const metrics = createMetrics({ memory: () => budget.figures, droppedLines: () => 0, resolvers: () => [], agents: () => undefined });
  const lines: Record<string, unknown>[] = [];
  const requests: HttpRequest[] = [];
  const settings: ServerSettings = { port: 0, host: '127.0.0.1', ...given, limits: { ...defaultLimits, checkInterval: 50, ...limits } };
  const noting: Respond = (request) => {
    requests.push(request);
    return respond(request);
  };
  const server = await listen({ settings, respond: noting, log: logInto(lines), metrics, budget });
  onTestFinished(async () => {
    await server.close(0);
    metrics.close();
  });
  const scheme = given.tls === undefined ? 'http' : 'https';
  return { server, port: server.port, url: `${scheme}://127.0.0.1:${server.port}`, metrics, budget, lines, requests };
}

export function text(body: HttpResponse['body'], status = 200, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body };
}

export function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => {
      socket.destroy();
    });
    socket.once('error', reject).once('connect', () => resolve(socket));
  });
}

/** Everything the server says until it closes the connection, as it was asked to, or because it has had enough. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await connected(port);
  const said = untilClosed(socket);
  socket.write(bytes);
  return said;
}

export function untilClosed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const done = () => resolve(received);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', done).on('close', done);
  });
}

export function statuses(answers: string): readonly number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])).filter((status) => status !== 100);
}

/** What waits, and how it is let on. */
export function gate(): readonly [open: () => void, opened: Promise<void>] {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  onTestFinished(() => open());
  return [() => open(), opened];
}

/** Whatever could begin now has begun. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Many are answered on other connections: what the server has come by before, it has been at work on by then. */
export async function othersAnswered({ url }: Serving): Promise<void> {
  for (let count = 0; count < 20; count += 1) await (await fetch(`${url}${other}`)).text();
}

/** What a count comes to while many others are answered again and again. */
export async function settled(serving: Serving, count: () => number): Promise<number> {
  for (;;) {
    const before = count();
    await othersAnswered(serving);
    if (count() === before) return before;
  }
}

export const other = '/other';

/** It takes no further connections. */
export async function refused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(true)).once('connect', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function logInto(lines: Record<string, unknown>[]): Log {
  const write = (fields: object, message: string) => {
    lines.push({ ...fields, message });
  };
  return { debug: write, info: write, warn: write, error: write, isLevelEnabled: () => true };
}
