// Streams of changes in a generated client, opened again where they break. Part of the generated file.

import { type Call, type Connection, isPassing, pause, typed, unreachable } from './connection.ts';
import { PlatformError } from './errors.ts';
import type { Integers } from './integers.ts';
import { type ServerEvent, serverEvents } from './server-events.ts';
import type { Change } from './types.ts';

/** Seconds. The service sends something every 15. */
const longestSilence = 45;
const longestWait = 30;

export interface Watched {
  readonly path: string;
  /** As it stands in the address, with its question mark. */
  readonly query: string;
  readonly initial: boolean;
  readonly integers: Integers;
  readonly signal: AbortSignal | undefined;
}

/** Without an end, until whoever reads stops, the signal aborts, or the service refuses. */
export async function* watching<T, Key>(connection: Connection, watched: Watched): AsyncGenerator<Change<T, Key>, void> {
  const parts = { integers: watched.integers, flat: connection.form.change };
  for await (const { event, data } of reconnecting(connection, watched)) {
    switch (event) {
      case 'start':
      case 'ready':
        yield { kind: event };
        break;
      case 'present':
      case 'create':
      case 'update':
        yield { kind: event, instance: typed(connection.parse(data, parts)) };
        break;
      case 'delete':
      case 'gone':
        yield { kind: event, instance: typed(connection.parse(data, parts)) };
    }
  }
}

type Told = Omit<ServerEvent, 'id'>;

/** `start` where it begins, also anew; `ready` when everything that was there before has been told. */
async function* reconnecting(connection: Connection, watched: Watched): AsyncGenerator<Told, void> {
  let cursor: string | undefined;
  for (let failures = 0; ; ) {
    try {
      const answer = await connection.open(streamCall(watched, cursor));
      if (cursor === undefined) yield { event: 'start', data: '' };
      let isReady = false;
      for await (const { id, ...told } of serverEvents(answer, longestSilence)) {
        failures = 0;
        cursor = id ?? cursor;
        if (told.event !== 'ready' && told.event !== 'ping') yield told;
        if (!isReady && id !== undefined) yield { event: 'ready', data: '' };
        isReady ||= id !== undefined;
      }
    } catch (thrown) {
      if (watched.signal?.aborted === true) throw thrown;
      const known = thrown instanceof PlatformError ? thrown : unreachable(thrown);
      // What was missed can only be made good by beginning anew with what is there now.
      if (known.status === 410 && watched.initial && cursor !== undefined) cursor = undefined;
      else if (!isPassing(known)) throw known;
    }
    failures += 1;
    await pause(Math.min(2 ** failures / 8, longestWait), watched.signal);
  }
}

function streamCall({ path, query, initial, signal }: Watched, cursor: string | undefined): Call {
  const begins = initial && cursor === undefined ? `${query === '' ? '?' : '&'}%40initial=true` : '';
  return {
    method: 'GET',
    path: `${path}${query}${begins}`,
    headers: { accept: 'text/event-stream', ...(cursor === undefined ? {} : { 'last-event-id': cursor }) },
    signal,
    isSafe: true,
  };
}
