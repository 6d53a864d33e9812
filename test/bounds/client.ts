// Callers as no library has them: that do not read, that say half of what they announced, that ask for everything at once.

import { type Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pause, until } from '../support/time.ts';

export interface Ask {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as it is; an object as JSON. */
  readonly body?: string | Buffer | object | undefined;
  readonly agent?: Agent;
}

export interface Said {
  /** 0 where there was none. */
  readonly status: number;
  readonly bytes: number;
  /** The first 64 KiB of the answer. */
  readonly text: string;
  /** Whether the answer was cut before its end. */
  readonly cut: boolean;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const kept = 65_536;

/** Asks, and reads the answer to its end. */
export function ask(port: number, { method, target, headers = {}, body, agent }: Ask): Promise<Said> {
  const payload = typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body;
  const type = payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) };
  const options = { host: '127.0.0.1', port, path: target, method: method ?? (payload === undefined ? 'GET' : 'POST') };
  return new Promise((resolve) => {
    const gone = () => resolve({ status: 0, bytes: 0, text: '', cut: true, headers: {} });
    const call = request({ ...options, agent: agent ?? false, headers: mutable({ ...type, ...headers }) }, (response) => {
      let [text, bytes] = ['', 0];
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (text.length < kept) text += piece.toString('utf8', 0, kept);
      });
      response.on('error', () => undefined);
      response.once('close', () =>
        resolve({ status: response.statusCode ?? 0, bytes, text, cut: !response.complete, headers: response.headers }),
      );
    });
    call.on('error', gone);
    call.end(payload);
  });
}

function mutable(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]));
}

/** `200`, `422 query-invalid`, `cut`. */
export function labelOf({ status, text, cut }: Said): string {
  if (cut) return 'cut';
  const code = status >= 400 ? codeIn(text) : undefined;
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** Of a problem, in JSON or in transit. */
function codeIn(text: string): string | undefined {
  return /"(?:~:)?code":"([a-z-]+)"/.exec(text)?.[1];
}

/** Asks for each, so many at a time. */
export async function askAll(port: number, asks: readonly Ask[], atOnce = 8): Promise<readonly Said[]> {
  const said: Said[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < asks.length) {
      const at = next;
      next += 1;
      const each = asks[at];
      if (each !== undefined) said[at] = await ask(port, each);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return said;
}

export function dialled(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket)).once('error', reject);
    // Whoever is cut off by a service that has had enough is no failure of the test.
    socket.on('error', () => undefined);
  });
}

/** Sockets that say something and read nothing of the answer, for so many milliseconds. */
export async function unread(port: number, texts: readonly string[], milliseconds: number): Promise<void> {
  const sockets = await Promise.all(texts.map(() => dialled(port)));
  for (const [at, socket] of sockets.entries()) socket.write(texts[at] ?? '');
  await pause(milliseconds);
  for (const socket of sockets) socket.destroy();
}

/** What is said to these bytes until the connection is closed, as they should ask for. */
export async function exchanged(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await dialled(port);
  const pieces: Buffer[] = [];
  const said = new Promise<string>((resolve) => {
    const done = () => resolve(Buffer.concat(pieces).toString('latin1'));
    socket.on('data', (piece: Buffer) => pieces.push(piece)).once('close', done);
  });
  socket.write(bytes);
  const text = await said;
  socket.destroy();
  return text;
}

/** The answers in a text of one connection, as labels; only whole ones with a length, or heads. */
export function labelsIn(text: string): readonly string[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((each) => each.startsWith('HTTP/1.1 ') && !each.startsWith('HTTP/1.1 100'))
    .map((each) => {
      const code = codeIn(each);
      const status = each.slice(9, 12);
      return code === undefined || status < '400' ? status : `${status} ${code}`;
    });
}

export function get(target: string, more = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
}

/** So many of the same on one connection, of which the last one ends it. */
export function pipelined(target: string, count: number): string {
  return `${get(target).repeat(count - 1)}${get(target, close)}`;
}

export const close = 'Connection: close\r\n';

/** What is still under way for those who went away would be cut by a stop, and told in the log. */
export async function finished(port: number): Promise<void> {
  await until(async () => /^http_requests_in_flight [01]$/m.test((await ask(port, { target: '/metrics' })).text));
}
