// Answers → bytes: whole or streamed, never closed as complete when they are not.

import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { HttpResponse, Pieces } from '../exchange.ts';
import { variesBy } from '../media/media.ts';
import type { Incoming } from './incoming.ts';

export interface Sent {
  readonly status: number;
  readonly bytes: number;
  /** What made the answer end in the middle; the caller going away is not a failure. */
  readonly failure?: unknown;
}

export interface SendOptions {
  /** Whether this is the last answer on its connection. */
  closing(): boolean;
  readonly stallTimeout: number;
}

/** Sends a body that is there as a whole. Throws when a header cannot be sent; nothing has been sent then. */
export function sendWhole(request: Incoming, answer: HttpResponse, body: string | Buffer | undefined, options: SendOptions): Sent {
  const out = request.response;
  const bytes = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const bodiless = answer.status === 204 || answer.status === 304;
  writeHead(request, answer, bodiless ? undefined : bytes, options.closing());
  request.holdAnswer(typeof body === 'string' && !bodiless ? bytes : 0);
  if (body === undefined || bodiless) out.end();
  else if (typeof body === 'string') endWith(out, body, bytes);
  else out.end(body);
  if (bytes > smallAnswer && out.writableLength > 0) cutWhenSlow(request, options.stallTimeout + bytes / slowestRate);
  return { status: answer.status, bytes: request.raw.method === 'HEAD' ? 0 : bytes };
}

/** Sends piece by piece, as fast as the caller reads. Throws only while nothing has been sent. */
export async function sendStream(
  request: Incoming,
  answer: HttpResponse,
  body: Pieces<string | Buffer>,
  options: SendOptions,
): Promise<Sent> {
  const out = request.response;
  const iterator = body[Symbol.asyncIterator]();
  const sent = { status: answer.status, bytes: 0 };
  if (request.raw.method === 'HEAD') {
    await iterator.return?.();
    writeHead(request, answer, undefined, options.closing());
    out.end();
    return sent;
  }
  const take = (piece: string | Buffer): boolean => {
    const { bytes, isFull } = writeBytes(out, piece);
    sent.bytes += bytes;
    return !isFull && !out.destroyed;
  };
  // The first piece comes before the head, so that a list that cannot be read at all is answered with an error.
  let next = await iterator.next();
  try {
    writeHead(request, answer, undefined, options.closing());
    while (next.done !== true && !out.destroyed) {
      // Bytes, which the socket does not copy; the text goes before the wait for a caller who may not read.
      const hasRoom = take(next.value);
      next = unread;
      if (!hasRoom) await drained(request, options.stallTimeout);
      // Others are served between two pieces, also where all of them are there already.
      await setImmediate();
      const flowing = iterator.flow?.(take);
      if (flowing !== undefined) {
        await flowing;
        if (out.writableNeedDrain) await drained(request, options.stallTimeout);
      }
      next = await iterator.next();
    }
  } catch (failure) {
    if (!out.headersSent) {
      await iterator.return?.();
      throw failure;
    }
    cut(request);
    return { ...sent, failure };
  }
  if (next.done !== true) await iterator.return?.();
  out.end();
  return sent;
}

/**
 * Answers a request whose body has not been read, and closes the connection. Closing while bytes are arriving would reset it
 * and could take the answer along, so a little more is read and thrown away first.
 */
export function sendUnread(request: Incoming, answer: HttpResponse): Sent {
  const { raw, response: out } = request;
  const body = typeof answer.body === 'string' ? answer.body : '';
  const bytes = Buffer.byteLength(body);
  writeHead(request, answer, bytes, true);
  out.write(body);
  let discarded = 0;
  const timer = setTimeout(() => raw.socket.destroy(), lingerTime);
  raw.on('data', (chunk: Buffer) => {
    discarded += chunk.length + chunkCost;
    if (discarded > lingerBytes) raw.socket.destroy();
  });
  raw.on('end', () => out.end());
  out.on('close', () => clearTimeout(timer));
  if (raw.complete) out.end();
  raw.socket.resume();
  return { status: answer.status, bytes };
}

const smallAnswer = 16 * 1024;
const usualPiece = 512 * 1024;
/** Bytes per millisecond. */
const slowestRate = 4;
const lingerBytes = 512 * 1024;
const lingerTime = 1000;
/** What is thrown away in crumbs costs more than its bytes. */
const chunkCost = 1024;

function writeHead(request: Incoming, answer: HttpResponse, length: number | undefined, closing: boolean): void {
  request.response.writeHead(answer.status, [...givenHeaders(answer, length, closing), ...ownHeaders(request, answer)]);
}

/** Names and values in turn. */
function givenHeaders({ headers }: HttpResponse, length: number | undefined, closing: boolean): string[] {
  const list: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) list.push(name, value);
  }
  if (length !== undefined) list.push('content-length', String(length));
  if (closing) list.push('connection', 'close');
  return list;
}

function ownHeaders({ id }: Incoming, answer: HttpResponse): readonly string[] {
  const own = ['x-request-id', id, 'x-content-type-options', 'nosniff'];
  if (answer.headers['cache-control'] !== undefined) return own;
  own.push('cache-control', 'no-cache');
  const vary = variesBy(answer);
  if (vary !== undefined) own.push('vary', vary);
  return own;
}

function cutWhenSlow(request: Incoming, milliseconds: number): void {
  const out = request.response;
  const timer = setTimeout(() => out.destroy(), milliseconds);
  timer.unref();
  out.once('close', () => clearTimeout(timer));
  cutWhenAwaited(request);
}

/** Milliseconds: sooner than those that wait are refused. */
const longestIdle = 2000;

/**
 * Until it is sent, or what is returned is called: a caller who takes nothing is cut where others wait for the memory that the answer holds. Whoever
 * takes something, however slowly, is left alone: the time-out of a socket looks at what the system has taken.
 */
function cutWhenAwaited(request: Incoming): (() => void) | undefined {
  const out = request.response;
  if (!request.holdsMemory) return undefined;
  const look = () => (request.memory.isAwaited ? out.destroy() : out.setTimeout(longestIdle));
  const stop = () => out.off('timeout', look).off('finish', stop).setTimeout(0);
  // Before Node sets the time-out of a connection that waits for its next request.
  out.setTimeout(longestIdle, look).prependOnceListener('finish', stop);
  return stop;
}

const sliceSize = 262_144;

/** No character is cut in two. */
export async function* slicesOf(text: string): AsyncGenerator<string, void> {
  for (let from = 0; from < text.length; ) {
    const end = from + sliceSize;
    const isCut = text.charCodeAt(end - 1) >= 0xd800 && text.charCodeAt(end - 1) <= 0xdbff;
    const to = isCut ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

const unread: IteratorResult<string | Buffer> = { done: false, value: '' };

function writeBytes(out: ServerResponse, text: string | Buffer): { readonly bytes: number; readonly isFull: boolean } {
  if (typeof text !== 'string') return { bytes: text.length, isFull: !out.write(text) };
  // Of a usual part, making them costs more than a copy where the caller does not read.
  if (text.length <= usualPiece) {
    const bytes = Buffer.byteLength(text);
    return { bytes, isFull: !out.write(text, encodingOf(text, bytes)) };
  }
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, isFull: !out.write(bytes) };
}

function endWith(out: ServerResponse, body: string, bytes: number): void {
  const encoding = encodingOf(body, bytes);
  if (bytes <= usualPiece) out.end(body, encoding);
  // The text goes before the wait for a caller who may not read.
  else out.end(Buffer.from(body, encoding));
}

/** Text of ASCII alone is the same bytes in both encodings, and those of Latin-1 need no counting and no conversion. */
function encodingOf(text: string, bytes: number): 'latin1' | 'utf8' {
  return bytes === text.length ? 'latin1' : 'utf8';
}

/** Resolves when there is room again or nobody to send to; a caller who reads nothing for too long is cut. */
function drained(request: Incoming, stallTimeout: number): Promise<void> {
  const out = request.response;
  if (out.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => out.destroy(), stallTimeout);
    const stop = cutWhenAwaited(request);
    const done = () => {
      clearTimeout(timer);
      stop?.();
      out.off('drain', done).off('close', done);
      resolve();
    };
    out.on('drain', done).on('close', done);
  });
}

function cut(request: Incoming): void {
  const { socket } = request.raw;
  // An HTTP/1.0 answer ends where the connection ends: only a reset tells that it is not complete.
  if (request.raw.httpVersionMinor === 0 && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
  else socket.destroy();
}
