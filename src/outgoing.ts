// Requests to other systems, over connections whose address is checked when they are made: a name cannot lead to another network than it may.

import { lookup as systemLookup } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface OutgoingOptions {
  /** Whether names may lead to addresses of the own network. By itself, only one that is such an address, or a name of that network, does. */
  readonly ownNetwork?: boolean;
  /** What names lead to; that of the machine where nothing is given. */
  readonly lookup?: LookupFunction;
  /** Milliseconds until there is a connection; as long as it takes where nothing is given. */
  readonly connect?: number;
}

export interface OutgoingRequest {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/** A text, and headers as they are sent. */
export interface PlainRequest extends Omit<OutgoingRequest, 'headers' | 'body'> {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | undefined;
}

/** Milliseconds: a connection that nobody uses for longer may be closed by the other side at the moment at which it is used. */
const longestIdle = 4000;

/** Connections to the system at one address; without one, to any, in whichever network. */
export class Outgoing {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #connect: number | undefined;

  constructor(base: URL | undefined, { ownNetwork = false, lookup, connect }: OutgoingOptions = {}) {
    const used = lookup ?? systemLookup;
    const leads = { lookup: ownNetwork || base === undefined || isOwnNetwork(base.hostname) ? used : foreignOnly(used) };
    const options = { keepAlive: true, timeout: longestIdle, ...leads };
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
    this.#connect = connect;
  }

  /** As `fetch` does, but for redirects, which are answers here. */
  async fetch(url: URL, { method = 'GET', headers, body, signal }: OutgoingRequest = {}): Promise<Response> {
    if (body !== undefined && body !== null && typeof body !== 'string') throw new Error('only a text can be sent');
    const all = new Headers(headers);
    if (!all.has('user-agent')) all.set('user-agent', 'platform');
    all.set('accept-encoding', 'gzip, deflate, br');
    if (typeof body === 'string') all.set('content-length', String(Buffer.byteLength(body)));
    return this.send(url, { method, headers: Object.fromEntries(all), body: body ?? undefined, signal }, responseOf);
  }

  /** What `take` makes of the answer, given to it as soon as its head is there. Aborted later, the answer ends with an error. */
  send<T>(
    url: URL,
    { method = 'GET', headers, body, signal }: PlainRequest,
    take: (answer: IncomingMessage) => T | Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const request =
        url.protocol === 'https:'
          ? httpsRequest(url, { method, headers, agent: this.#https })
          : httpRequest(url, { method, headers, agent: this.#http });
      request.on('error', reject);
      if (this.#connect !== undefined) connectWithin(this.#connect, request);
      // Without the reason: a socket that is destroyed with one tells it, also when nobody listens to it any more.
      const abort = (): void => {
        reject(signal?.reason);
        request.destroy();
      };
      signal?.addEventListener('abort', abort, { once: true });
      request.on('close', () => {
        signal?.removeEventListener('abort', abort);
        // A switch to another protocol that nobody has asked for is neither an answer nor an error.
        reject(new Error('the connection was closed without an answer'));
      });
      request.on('response', (answer) => {
        try {
          resolve(take(answer));
        } catch (thrown) {
          answer.destroy();
          reject(thrown);
        }
      });
      request.end(body);
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** Until it may be written to: with the name looked up, and with the handshake where it is encrypted. */
function connectWithin(milliseconds: number, request: ClientRequest): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = (): void => void request.destroy(new Error(`there was no connection within ${milliseconds} ms`));
    const timer = setTimeout(late, milliseconds);
    const stop = (): void => clearTimeout(timer);
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', stop).once('close', stop);
  });
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, headersDistinct } = answer;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) for (const each of values) headers.append(name, each);
  if (withoutBody.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(bodyOf(unpacked(answer)), { status, headers });
}

/** What was packed for the way, as it was before. */
export function unpacked(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.toLowerCase();
  const unpack =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  // What goes wrong is told to whoever reads the last of them.
  return unpack === undefined ? answer : pipeline(answer, unpack, () => {});
}

function bodyOf(stream: Readable): ReadableStream<Uint8Array> {
  // Whoever reads is told; where nobody does, an answer that is broken off is nobody's failure.
  stream.on('error', () => {});
  const chunks = stream[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel() {
      stream.destroy();
    },
  });
}

/** The one that is connected to is the one that was checked: there is no second question. */
function foreignOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (thrown, found) => {
      if (thrown !== null) {
        callback(thrown, []);
        return;
      }
      const all = typeof found === 'string' ? [{ address: found, family: isIPv6(found) ? 6 : 4 }] : found;
      const own = all.find(({ address }) => isOwnAddress(address));
      if (own !== undefined) {
        callback(new Error(`${hostname} leads to an address of the own network (${own.address}), and ownNetwork does not allow it`), []);
        return;
      }
      const [first] = all;
      if (options.all === true) callback(null, all);
      else callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
}

/** By its name: that of a machine nearby, or an address. */
export function isOwnNetwork(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (host.includes(':') || /^[\d.]+$/.test(host)) return isOwnAddress(host);
  return host === 'localhost' || !host.includes('.') || /\.(?:localhost|local|internal|home\.arpa)$/.test(host);
}

const ownAddresses = new BlockList();
for (const range of ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'])
  addRange(range, 'ipv4');
for (const range of ['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4']) addRange(range, 'ipv4');
// The last four have addresses of IPv4 inside, or lead to such that nobody knows.
for (const range of ['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8', '::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'])
  addRange(range, 'ipv6');

function addRange(range: string, family: 'ipv4' | 'ipv6'): void {
  const [net = '', bits = ''] = range.split('/');
  ownAddresses.addSubnet(net, Number(bits), family);
}

/** Loopback, private, link-local (where clouds tell machines their secrets), and everything that is no address of one machine of the internet. */
export function isOwnAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (!plain.includes(':')) return ownAddresses.check(plain, 'ipv4');
  const inside = embedded(plain);
  return ownAddresses.check(plain, 'ipv6') || (inside !== undefined && ownAddresses.check(inside, 'ipv4'));
}

/** The address of IPv4 that one of IPv6 stands for: `::ffff:127.0.0.1`, and behind a translator `64:ff9b::7f00:1`. */
function embedded(address: string): string | undefined {
  const normal = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high = '', low = ''] = /^(?:::ffff:|64:ff9b::)(?:([\da-f]+):)?([\da-f]+)$/.exec(normal) ?? [];
  if (low === '') return undefined;
  const bits = [high, low].map((each) => Number.parseInt(each || '0', 16));
  return bits.flatMap((each) => [each >> 8, each & 255]).join('.');
}
