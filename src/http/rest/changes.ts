// GET of a list or an instance with `Accept: text/event-stream`: its changes, as server-sent events.

import type { Caller } from '../../engine/caller.ts';
import type { Operation } from '../../engine/operation.ts';
import type { Fault } from '../../errors.ts';
import { fault } from '../../plan/rows/attribute.ts';
import type { Awaitable } from '../../store/store.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { preferred } from '../media/media.ts';
import { pairsOf, queryInvalid } from './query/query-string.ts';
import type { Surface } from './surface.ts';

export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Opens a stream; throws where a read would. */
export type OpenStream = (
  operation: Extract<Operation, { kind: 'list' | 'read' }>,
  caller: Caller,
  request: StreamAsked,
) => Promise<AsyncIterable<ServerEvent>>;

interface StreamAsked {
  readonly after: string | undefined;
  readonly initial: boolean;
  readonly signal: AbortSignal | undefined;
  stillThere(): Awaitable<Caller>;
}

export interface ChangeParts {
  readonly surface: Surface;
  readonly open: OpenStream;
  /** Who asks, now. */
  authenticate(request: HttpRequest): Awaitable<Caller>;
}

export function wantsChanges({ method, headers: { accept } }: HttpRequest): boolean {
  if (method !== 'GET' || typeof accept !== 'string' || !accept.includes('event-stream')) return false;
  return preferred(accept, medias) === eventType;
}

const eventType = 'text/event-stream';
const medias = [eventType, 'application/json', 'application/transit+json'];

/** Nothing where what is asked for has no changes: then it is answered as ever. */
export async function changesAt(request: HttpRequest, caller: Caller, parts: ChangeParts): Promise<HttpResponse | undefined> {
  const { initial, query } = withoutInitial(request.query);
  const asked = parts.surface.toOperation({ ...plain(request), query });
  if (asked.kind !== 'operation' || (asked.operation.kind !== 'list' && asked.operation.kind !== 'read')) return undefined;
  refuseOrder(query);
  const last = request.headers['last-event-id'];
  const events = await parts.open(asked.operation, caller, {
    after: typeof last === 'string' && last !== '' ? last : undefined,
    initial,
    signal: request.signal,
    stillThere: () => parts.authenticate(request),
  });
  return {
    status: 200,
    headers: { 'content-type': eventType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    body: texts(events),
  };
}

/** A request as it comes from a socket has getters, which a copy would not have. */
function plain({ method, path, headers, body, id, remote }: HttpRequest): Omit<HttpRequest, 'query'> {
  return { method, path, headers, body, id, remote };
}

function withoutInitial(query: string): { readonly initial: boolean; readonly query: string } {
  const faults: Fault[] = [];
  let initial = false;
  const rest = query.split('&').filter((part) => {
    const [pair] = part === '' ? [] : pairsOf(part);
    if (pair?.name !== '@initial') return true;
    if (pair.value !== 'true' && pair.value !== 'false') faults.push(fault('@initial', 'value', 'must be true or false'));
    initial = pair.value === 'true';
    return false;
  });
  if (faults.length > 0) throw queryInvalid(faults);
  return { initial, query: rest.join('&') };
}

const ofLists: ReadonlySet<string> = new Set(['@sort', '@limit', '@offset', '@after', '@count', '@search']);

/** Changes come in the order in which they were made. */
function refuseOrder(query: string): void {
  const faults = pairsOf(query).flatMap(({ name }) =>
    ofLists.has(name) ? [fault(name, 'unknown', 'a stream of changes has no such parameter')] : [],
  );
  if (faults.length > 0) throw queryInvalid(faults);
}

/** Written out, as an iterator that was never asked for anything must still be closed. */
function texts(events: AsyncIterable<ServerEvent>): AsyncIterable<string> {
  const iterator = events[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await iterator.next();
        return done === true ? { done, value: undefined } : { done: false, value: eventText(value) };
      },
      async return() {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

function eventText({ event, id, data }: ServerEvent): string {
  // A line break in JSON stands only between its parts.
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data.replace(/[\r\n]+/g, ' ')}\n\n`;
}
