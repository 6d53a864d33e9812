// The body of a request, read into one buffer within its limit.

import type { IncomingMessage } from 'node:http';
import { error } from '../../errors.ts';
import { countedFrom } from '../../memory-budget.ts';
import type { Incoming } from './incoming.ts';

export type Received =
  | { readonly kind: 'complete'; readonly body: Buffer | undefined }
  | { readonly kind: 'too-large' }
  /** There was no room for it, or nothing more came of it while others waited for room. */
  | { readonly kind: 'refused'; readonly reason: unknown }
  /** The caller went away. */
  | { readonly kind: 'aborted' };

export function hasBody(raw: IncomingMessage): boolean {
  const length = raw.headers['content-length'];
  return length === undefined ? raw.headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Reads at most `limit` bytes in at most 20,000 chunks, and nothing at all when the request announces more. Calls back once. */
export function receive(request: Incoming, limit: number, done: (received: Received) => void): void {
  const { raw, response } = request;
  if (Number(raw.headers['content-length'] ?? 0) > limit) {
    done({ kind: 'too-large' });
    return;
  }
  // Only now: whoever is refused has not been asked for the body.
  if (raw.headers.expect !== undefined) response.writeContinue();
  let body: Buffer | undefined;
  let size = 0;
  let chunks = 0;
  let isFinished = false;
  let stopLooking: (() => void) | undefined;
  const onData = (chunk: Buffer) => {
    chunks += 1;
    if (size + chunk.length > limit || chunks > mostChunks) {
      finish({ kind: 'too-large' });
      return;
    }
    body = body === undefined || size === 0 ? chunk : appended(body, size, chunk, limit);
    size += chunk.length;
    if (size <= countedFrom) return;
    stopLooking ??= request.memory.whileHeld(
      // Whoever is not read from is not idle: no two of these are the same.
      () => (raw.isPaused() ? Number.NaN : size),
      () => finish({ kind: 'refused', reason: error('request-timeout') }),
    );
    if (!raw.isPaused() && !request.memory.grow(size)) waitForRoom();
  };
  /** For all of it: several that wait for a little more each time would keep the room from each other. */
  const waitForRoom = () => {
    raw.pause();
    request.memory.wait(Math.min(limit, Number(raw.headers['content-length'] ?? limit))).then(
      () => isFinished || raw.resume(),
      (reason: unknown) => finish({ kind: 'refused', reason }),
    );
  };
  const onEnd = () => finish({ kind: 'complete', body: body?.subarray(0, size) });
  const onClose = () => finish({ kind: 'aborted' });
  const finish = (received: Received) => {
    if (isFinished) return;
    isFinished = true;
    stopLooking?.();
    raw.off('data', onData).off('end', onEnd).off('close', onClose);
    if (received.kind === 'too-large' || received.kind === 'refused') raw.socket.pause();
    done(received);
  };
  raw.on('data', onData).on('end', onEnd).on('close', onClose);
}

/** Each costs some microseconds: more are as good as a body that is too large. */
const mostChunks = 20_000;

/** Into one buffer that grows by doubling: a body in a million chunks of a byte costs its bytes, and not a million buffers. */
function appended(body: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  const needed = size + chunk.length;
  const roomy = needed <= body.length ? body : Buffer.allocUnsafe(Math.min(limit, Math.max(needed, size * 2)));
  if (roomy !== body) body.copy(roomy, 0, 0, size);
  chunk.copy(roomy, size);
  return roomy;
}
