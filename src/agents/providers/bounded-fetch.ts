// The one way to a vendor's server: what it sends is bounded in size, a connection or a stream that does not begin or that stops is not waited for, and nobody
// is shown the key but the server that the settings name.

import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Outgoing, unpacked } from '../../outgoing.ts';

interface FetchLimits {
  /** Of one answer, as it is read. */
  readonly bytes: number;
  /** Milliseconds between two pieces of a stream. */
  readonly idle: number;
  /** Milliseconds until there is a connection. */
  readonly connect: number;
}

const usual: FetchLimits = { bytes: 16 * 1024 * 1024, idle: 15_000, connect: 5000 };

/** Over connections of its own: the `fetch` of the runtime takes twice as much of the processor for one call. */
export function boundedFetch(limits: FetchLimits = usual): typeof fetch {
  // Whoever writes the settings chooses the server, in whichever network it is.
  const outgoing = new Outgoing(undefined, { connect: limits.connect });
  return async (input, { method, headers, body, signal } = {}) => {
    if (typeof body !== 'string' && body !== undefined) throw new Error('only a text can be sent');
    const request = { method, headers: headersOf(headers, body), body, signal };
    return outgoing.send(new URL(String(input)), request, (answer) => responseOf(answer, limits));
  };
}

function headersOf(given: RequestInit['headers'], body: string | undefined): OutgoingHttpHeaders {
  const plain = given instanceof Headers || Array.isArray(given) ? Object.fromEntries(new Headers(given)) : given;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return { ...plain, 'accept-encoding': 'gzip, deflate, br', ...length };
}

async function responseOf(answer: IncomingMessage, { bytes, idle }: FetchLimits): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = answer;
  try {
    // A redirection would take the headers elsewhere, and the key with them.
    if (status >= 300 && status < 400) throw new Error(`the server leads elsewhere (${status})`);
    const type = headers['content-type'] ?? '';
    const entries = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const body = type.startsWith('application/json')
      ? await whole(unpacked(answer), bytes)
      : inPieces(unpacked(answer), bytes, type.startsWith('text/event-stream') ? idle : undefined);
    return new Response(status === 204 || status === 205 ? null : body, { status, statusText, headers: entries });
  } catch (thrown) {
    // The rest is not wanted.
    answer.destroy();
    throw thrown;
  }
}

function whole(stream: Readable, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let read = 0;
    stream.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read > most) reject(tooLong(most));
      else chunks.push(chunk);
    });
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('the answer was broken off')));
  });
}

function inPieces(stream: Readable, most: number, idle: number | undefined): ReadableStream<Uint8Array> {
  // Whoever reads is told; where nobody does, an answer that is broken off is nobody's failure.
  stream.on('error', () => {});
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let read = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await (idle === undefined ? chunks.next() : inTime(chunks.next(), idle));
        if (done === true) return controller.close();
        read += value.length;
        if (read > most) throw tooLong(most);
        controller.enqueue(value);
      } catch (thrown) {
        stream.destroy();
        throw thrown;
      }
    },
    cancel() {
      stream.destroy();
    },
  });
}

function tooLong(most: number): Error {
  return new Error(`the answer has more than ${most} bytes`);
}

function inTime<T>(pending: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(`nothing came for ${milliseconds} ms`, 'TimeoutError')), milliseconds);
  });
  return Promise.race([pending, late]).finally(() => clearTimeout(timer));
}

/**
 * A stream is given up that does not begin in time; afterwards it ends with the signal of whoever asked alone. Not for replies that come as a whole: of
 * those a server sends nothing before it has all of it.
 */
export async function firstInTime<T>(ask: (signal: AbortSignal) => PromiseLike<T>, asked: AbortSignal, first = 30_000): Promise<T> {
  const late = new AbortController();
  const signal = AbortSignal.any([asked, late.signal]);
  const timer = setTimeout(() => late.abort(new DOMException(`no answer began within ${first} ms`, 'TimeoutError')), first);
  try {
    return await ask(signal);
  } finally {
    clearTimeout(timer);
  }
}
