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
  const held = holdPauses();
  onTestFinished(held.letGo);
  await until(() => held.count() > 0);
  return held.letGo;
}

/** Everybody who reads the log has looked at it several times, from its beginning to its end: what was to be told of what is there has been told. */
export async function looked(readers = 1): Promise<void> {
  const held = holdPauses();
  try {
    for (let times = 0; times < 4; times += 1) {
      // What is under way is done when each of those who read the log waits for the next time.
      await until(() => held.count() >= readers);
      held.end();
    }
  } finally {
    held.letGo();
  }
}

/** Milliseconds between two looks at the log, at most. What waits for longer, such as a connection that is being opened, has its own time. */
const longestPause = 2000;

interface HeldPauses {
  /** How many wait. */
  count(): number;
  /** All that wait have waited long enough. */
  end(): void;
  /** The same, and nothing is held any more. */
  letGo(): void;
}

/** Timers that are short end when a test says so. */
function holdPauses(): HeldPauses {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<unknown, () => void>();
  const hold = (callback: (...values: readonly unknown[]) => void, milliseconds = 0, ...values: readonly unknown[]): NodeJS.Timeout => {
    const timer = setTimeout(callback, milliseconds, ...values);
    if (milliseconds > longestPause) return timer;
    clearTimeout(timer);
    held.set(timer, () => callback(...values));
    return timer;
  };
  vi.stubGlobal('setTimeout', hold);
  vi.stubGlobal('clearTimeout', (timer: NodeJS.Timeout | undefined) => {
    held.delete(timer);
    clearTimeout(timer);
  });
  const end = (): void => {
    const waiting = [...held.values()];
    held.clear();
    for (const callback of waiting) callback();
  };
  const letGo = (): void => {
    vi.unstubAllGlobals();
    end();
  };
  return { count: () => held.size, end, letGo };
}
