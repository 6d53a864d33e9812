// Answers that go on as server-sent events, and how the changes of instances are asked for.

import { createHash } from 'node:crypto';
import type { Caller } from '../engine/caller.ts';
import type { Operation } from '../engine/operation.ts';
import type { Awaitable } from '../store/store.ts';
import type { Authenticate, Identifying } from './endpoint.ts';
import type { HttpResponse, Pieces } from './exchange.ts';

/** One change, or what stands around changes, as the stream tells it. */
export interface ChangeEvent {
  readonly event: string;
  /** Where the stream may be resumed. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Opens a stream; throws where a read would. */
export type OpenStream = (
  operation: Extract<Operation, { kind: 'list' | 'read' }>,
  caller: Caller,
  request: StreamAsked,
) => Promise<Pieces<ChangeEvent>>;

export interface StreamAsked {
  readonly after: string | undefined;
  readonly initial: boolean;
  /** The address of whoever asks. */
  readonly remote: string;
  readonly signal: AbortSignal | undefined;
  stillThere(): Awaitable<Caller>;
  /** The same for requests by which the same caller is known: `stillThere` need not be asked for each. */
  readonly credentials: string;
}

/** What every edge needs to answer with changes. */
export interface ChangeSource {
  readonly open: OpenStream;
  /** Who asks, now. */
  readonly authenticate: Authenticate;
}

/** All that a request says of whoever sends it. */
export function credentialsOf({ method, path, remote, headers }: Identifying): string {
  const { 'last-event-id': _, ...said } = headers;
  return createHash('sha256')
    .update(JSON.stringify([method, path, remote, said]))
    .digest('base64url');
}

export const eventType = 'text/event-stream';

export function eventResponse<T>(events: Pieces<T>, write: (event: T) => string): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': eventType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    body: texts(events, write),
  };
}

/** Written out, as an iterator that was never asked for anything must still be closed. */
function texts<T>(events: Pieces<T>, write: (event: T) => string): Pieces<string> {
  const iterator = events[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await iterator.next();
        return done === true ? { done, value: undefined } : { done: false, value: write(value) };
      },
      flow: (take) => iterator.flow?.((event) => take(write(event))),
      async return() {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

export function eventText({ event, id, data }: ChangeEvent): string {
  // A line break in JSON stands only between its parts.
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data.replace(/[\r\n]+/g, ' ')}\n\n`;
}
