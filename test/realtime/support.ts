// A stream of changes as a test reads it: event by event, without a socket.

import { onTestFinished, vi } from 'vitest';
import type { Served } from '../support/app.ts';
import { until } from '../support/time.ts';

export interface Told {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Reading {
  readonly status: number;
  /** Where it was refused. */
  readonly text: string;
  /** Everything that was told so far, but for pings. */
  readonly told: Told[];
  /** How many pings came. */
  readonly pings: () => number;
  /** The last place from which the stream can be resumed. */
  readonly cursor: () => string | undefined;
  /** When so many events were told. */
  until(count: number): Promise<readonly Told[]>;
  /** When the service has ended it. */
  ended: Promise<void>;
  close(): Promise<void>;
}

export interface Opening {
  readonly headers?: Readonly<Record<string, string>>;
  readonly after?: string | undefined;
  /** Sent as JSON, by POST. */
  readonly body?: unknown;
}

export async function watch(
  served: Pick<Served, 'app'>,
  target: string,
  { headers = {}, after, body: sent }: Opening = {},
): Promise<Reading> {
  const mark = target.indexOf('?');
  const [path, query] = mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
  const leaving = new AbortController();
  const asked = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }), ...headers };
  const { status, body } = await served.app.respond({
    method: sent === undefined ? 'GET' : 'POST',
    path,
    query,
    headers: sent === undefined ? asked : { 'content-type': 'application/json', ...asked },
    body: sent === undefined ? undefined : Buffer.from(JSON.stringify(sent)),
    id: 'stream',
    remote: '127.0.0.1',
    signal: leaving.signal,
  });
  const told: Told[] = [];
  let last: string | undefined;
  let pings = 0;
  const take = (text: string): void => {
    for (const each of text.split('\n\n').filter((part) => part !== '' && part !== ':')) {
      const event = parse(each);
      last = event.id ?? last;
      if (event.event === 'ping') pings += 1;
      else told.push(event);
    }
  };
  const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
  const ended = isStream ? reading(body, take) : Promise.resolve();
  const reader: Reading = {
    status,
    text: typeof body === 'string' ? body : '',
    told,
    pings: () => pings,
    cursor: () => last,
    async until(count) {
      const patience = Date.now() + 30_000;
      await until(() => told.length >= count || Date.now() > patience);
      if (told.length < count) throw new Error(`${told.length} events, not ${count}: ${JSON.stringify(told.slice(-10))}`);
      return told;
    },
    ended,
    async close() {
      leaving.abort();
      await ended;
    },
  };
  onTestFinished(() => reader.close());
  return reader;
}

async function reading(body: AsyncIterable<string>, take: (text: string) => void): Promise<void> {
  try {
    for await (const text of body) take(text);
  } catch {
    // A stream that was cut has ended.
  }
}

function parse(text: string): Told {
  const field = (name: string): string | undefined =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data: unknown = JSON.parse(field('data') ?? '{}');
  return { event: field('event') ?? '', id: field('id'), data: typeof data === 'object' && data !== null ? { ...data } : {} };
}

/** Events as `create 1` by one member of their instances. */
export function brief(told: readonly Told[], member = 'id'): readonly string[] {
  return told.filter(({ event }) => event !== 'ready').map(({ event, data }) => `${event} ${String(data[member])}`);
}

/** From when it resolves on, nobody looks at the log until what it gives is called. */
export async function unread(): Promise<() => void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await atRest(1);
  return () => {
    vi.runOnlyPendingTimers();
    vi.useRealTimers();
  };
}

/** What is under way is done when each of those who read the log waits for the next time. */
async function atRest(readers: number): Promise<void> {
  await until(() => vi.getTimerCount() >= readers);
}

/** Everybody who reads the log has looked at it several times, from its beginning to its end: what was to be told of what is there has been told. */
export async function looked(readers = 1): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    await atRest(readers);
    for (let times = 0; times < 3; times += 1) {
      vi.runOnlyPendingTimers();
      await atRest(readers);
    }
    vi.runOnlyPendingTimers();
  } finally {
    vi.useRealTimers();
  }
}
