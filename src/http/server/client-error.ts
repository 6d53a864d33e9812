// Requests that the HTTP parser refuses: answered with the same problems as all others, and cut.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, error } from '../../errors.ts';
import { toProblem } from '../problem.ts';
import type { Connections } from './connections.ts';
import type { ServerLimits } from './limits.ts';

export interface ParserError extends Error {
  readonly code?: string;
  /** What had arrived when the parser gave up. */
  readonly rawPacket?: Buffer;
}

export function answerParserError(failure: ParserError, socket: Socket, connections: Connections, limits: ServerLimits): void {
  const { pending, receiving } = connections.of(socket);
  // An answer to an earlier request is still to come on this connection: another one would be taken for it.
  const misleading = pending > (receiving ? 1 : 0);
  if (failure.code === 'ECONNRESET' || misleading) socket.destroy();
  else refuseConnection(socket, codeOf(failure, limits));
}

export function refuseConnection(socket: Socket, code: ErrorCode): void {
  if (!socket.writable) {
    // What still arrives after the answer makes the parser complain again: the socket is already on its way out.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const problem = toProblem(error(code, code === 'method-not-allowed' ? { allow: ['GET'] } : {}), { path: '' });
  const body = typeof problem.body === 'string' ? problem.body : '';
  const headers = { ...problem.headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  // Not at once: a reset could overtake the answer.
  const timer = setTimeout(() => socket.destroy(), lingerTime);
  socket.once('close', () => clearTimeout(timer));
}

const lingerTime = 500;

function codeOf(failure: ParserError, limits: ServerLimits): ErrorCode {
  switch (failure.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongUrl(failure.rawPacket, limits.url) ? 'url-too-long' : 'headers-too-large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'body-too-large';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request-timeout';
    default:
      return 'request-unreadable';
  }
}

/** The parser does not say what was too large; the first line of what arrived does. */
function isLongUrl(packet: Buffer | undefined, limit: number): boolean {
  if (packet === undefined) return false;
  const lineEnd = packet.indexOf('\n');
  return lineEnd === -1 || lineEnd > limit;
}
