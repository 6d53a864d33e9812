// The body of a request, read into one buffer within its limit.

import type { IncomingMessage, ServerResponse } from 'node:http';

export type Received =
  | { readonly kind: 'complete'; readonly body: Buffer | undefined }
  | { readonly kind: 'too-large' }
  /** The caller went away. */
  | { readonly kind: 'aborted' };

export function hasBody(raw: IncomingMessage): boolean {
  const length = raw.headers['content-length'];
  return length === undefined ? raw.headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Reads at most `limit` bytes, and nothing at all when the request announces more. Calls back once. */
export function receive(raw: IncomingMessage, response: ServerResponse, limit: number, done: (received: Received) => void): void {
  if (Number(raw.headers['content-length'] ?? 0) > limit) {
    done({ kind: 'too-large' });
    return;
  }
  // Only now: whoever is refused has not been asked for the body.
  if (raw.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else finish({ kind: 'too-large' });
  };
  const onEnd = () => finish({ kind: 'complete', body: joined(chunks) });
  const onClose = () => finish({ kind: 'aborted' });
  const finish = (received: Received) => {
    raw.off('data', onData).off('end', onEnd).off('close', onClose);
    if (received.kind === 'too-large') raw.pause();
    done(received);
  };
  raw.on('data', onData).on('end', onEnd).on('close', onClose);
}

function joined(chunks: readonly Buffer[]): Buffer | undefined {
  return chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
}
