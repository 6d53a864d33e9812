// Sockets: where the service listens, whom it lets in, and how it stops without losing an answer.

import { readFileSync } from 'node:fs';
import { Server as HttpServer, type RequestListener, type ServerOptions } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { Respond } from '../exchange.ts';
import { Admission } from './admission.ts';
import { answerParserError, refuseConnection } from './client-error.ts';
import { type Connections, connections as openConnections } from './connections.ts';
import type { ServerLimits, ServerSettings } from './limits.ts';
import { createListener } from './listener.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export interface ListenOptions {
  readonly settings: ServerSettings;
  readonly respond: Respond;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly budget: MemoryBudget;
}

export interface Server {
  /** `http://127.0.0.1:8080`, `http://[::1]:8080`. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Takes no new connections, finishes what is under way for at most `graceMs`, then cuts the rest. */
  close(graceMs: number): Promise<void>;
}

export async function listen({ settings, respond, log, metrics, budget }: ListenOptions): Promise<Server> {
  const state: State = { stopping: false, sockets: new Set(), carriers: new Set() };
  const connections = openConnections(settings.limits, settings.trustProxy ?? false);
  const admission = new Admission(settings.limits);
  const listener = createListener({ settings, respond, log, metrics, budget, connections, admission, stopping: () => state.stopping });
  const route: RequestListener = (request, response) => listener(request, response, request.url ?? '');
  const open = () => watch(createServer(settings, route), settings.limits, connections, metrics, state);
  const servers = await bind(settings, open);
  for (const server of servers) server.on('error', (failure) => log.error({ err: failure }, 'connection not accepted'));
  const scheme = settings.tls === undefined ? 'http' : 'https';
  return {
    addresses: servers.map((server) => addressOf(server, scheme)),
    port: portOf(servers[0]),
    close: async (graceMs) => {
      state.stopping = true;
      const idle = setInterval(() => cutIdle(state, connections), Math.min(mostIdle, graceMs / 20));
      const all = setTimeout(() => cutAll(state), graceMs);
      await Promise.all(servers.map(drained));
      clearInterval(idle);
      clearTimeout(all);
    },
  };
}

interface State {
  stopping: boolean;
  readonly sockets: Set<Socket>;
  /** The sockets that requests are read from: the same, or with TLS those inside them. */
  readonly carriers: Set<Socket>;
}

/** Closing does not cut connections between two requests at once, since the next one may be on its way: `cutIdle` does after a while. */
class PatientServer extends HttpServer {
  override closeIdleConnections(): void {}
}

class PatientTlsServer extends HttpsServer {
  override closeIdleConnections(): void {}
}

function createServer(settings: ServerSettings, route: RequestListener): HttpServer {
  const { limits, tls } = settings;
  const options: ServerOptions = {
    insecureHTTPParser: false,
    // Looked at behind the parser, so that a request without one is refused as all others are.
    requireHostHeader: false,
    // The parser counts the URL among the headers; the exact limits of both are looked at behind it.
    maxHeaderSize: limits.url + limits.headers,
    // The runtime takes none that is longer than the other.
    headersTimeout: Math.min(limits.headersTimeout, limits.requestTimeout),
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    noDelay: true,
  };
  const server =
    tls === undefined
      ? new PatientServer(options, route)
      : new PatientTlsServer({ ...options, ...tls, handshakeTimeout: limits.headersTimeout }, route);
  // Node would drop the headers beyond a maximum without a word.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  // Whoever asks before sending a body is answered when the body is wanted, not before.
  server.on('checkContinue', route);
  return server;
}

function watch(server: HttpServer, limits: ServerLimits, connections: Connections, metrics: Metrics, state: State): HttpServer {
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (!connections.enter(address)) {
      socket.destroy();
      return;
    }
    metrics.connected();
    state.sockets.add(socket);
    socket.once('close', () => {
      connections.leave(address);
      metrics.disconnected();
      state.sockets.delete(socket);
    });
  });
  server.on(server instanceof HttpsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    state.carriers.add(socket);
    socket.once('close', () => state.carriers.delete(socket));
  });
  server.on('clientError', (failure, socket) => {
    if (isSocket(socket)) answerParserError(failure, socket, connections, limits);
    else socket.destroy();
  });
  server.on('connect', (_request, socket) => {
    if (isSocket(socket)) refuseConnection(socket, 'method-not-allowed');
    else socket.destroy();
  });
  return server;
}

/** One server per address; a loopback without IPv6 is a loopback all the same. */
async function bind(settings: ServerSettings, open: () => HttpServer): Promise<readonly [HttpServer, ...HttpServer[]]> {
  const { host, port, limits } = settings;
  const first = await bound(open(), host ?? '127.0.0.1', port, limits.backlog);
  if (host !== undefined) return [first];
  try {
    return [first, await bound(open(), '::1', portOf(first), limits.backlog)];
  } catch (failure) {
    const taken = failure instanceof Error && 'code' in failure && failure.code === 'EADDRINUSE';
    // A port that was given, and that another program has on ::1, would make `localhost` ambiguous.
    if (!taken || port === 0) return [first];
    first.close();
    throw failure;
  }
}

function bound(server: HttpServer, host: string, port: number, backlog: number): Promise<HttpServer> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** Resolves when the last connection of a server that takes no more of them has ended. */
function drained(server: HttpServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** While stopping, a connection has this long to bring one more request, whose answer tells the caller to close. */
const mostIdle = 500;

function cutIdle(state: State, connections: Connections): void {
  for (const socket of state.carriers) if (connections.of(socket).pending === 0 && socket.writableLength === 0) socket.destroy();
}

function cutAll(state: State): void {
  for (const socket of state.sockets) socket.destroy();
}

function isSocket(socket: unknown): socket is Socket {
  return typeof socket === 'object' && socket !== null && 'remoteAddress' in socket;
}

function portOf(server: HttpServer): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function addressOf(server: HttpServer, scheme: string): string {
  const address = server.address();
  if (typeof address !== 'object' || address === null) return scheme;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}

export function readPem(files: { readonly key: string; readonly cert: string }): { readonly key: Buffer; readonly cert: Buffer } {
  return { key: readFileSync(files.key), cert: readFileSync(files.cert) };
}
