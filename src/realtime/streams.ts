// Streams of an application, of which nothing is loaded, asked or kept in memory before the first one is opened.

import type { Caller } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { WatchedOperation } from '../engine/watch/watch.ts';
import { error } from '../errors.ts';
import type { Realtime, RealtimeParts, StreamRequest } from './realtime.ts';
import type { Stream } from './stream.ts';

export interface Streams {
  /** Streams are of this engine from now on; those of the one before are ended, and opened anew by whoever watches. */
  serve(engine: Engine): Promise<void>;
  open(operation: WatchedOperation, caller: Caller, request: StreamRequest): Promise<Stream>;
  close(): Promise<void>;
}

type StreamsParts = Omit<RealtimeParts, 'log' | 'engine'>;

/** Milliseconds from one look at what is too old to the next. */
const pruning = 10 * 60 * 1000;

export function createStreams(parts: StreamsParts): Streams {
  let opened: Promise<Realtime> | undefined;
  let served: Engine | undefined;
  let isClosed = false;
  const logOf = async () => {
    const { ChangeLog } = await import('../store/changes/changes.ts');
    return new ChangeLog(parts.store, parts.clock);
  };
  const start = async (engine: Engine): Promise<Realtime> => {
    const [{ Realtime: Opened }, log] = await Promise.all([import('./realtime.ts'), logOf()]);
    return new Opened({ ...parts, engine, log });
  };
  // Another process, or this one before its last start, may have had streams: what they left is taken away by whoever runs.
  const timer = setInterval(() => {
    logOf()
      .then((log) => (isClosed ? undefined : log.prune()))
      .catch((thrown: unknown) => parts.failed(thrown, 'pruning the log of changes'));
  }, pruning);
  timer.unref();
  return {
    async serve(engine) {
      const before = opened;
      [served, opened] = [engine, undefined];
      await (await before)?.close();
    },
    async open(operation, caller, request) {
      if (served === undefined || isClosed) throw error('service-stopping');
      const starting = opened ?? start(served);
      opened = starting;
      // Where it fails, whoever comes next tries again.
      starting.catch(() => {
        if (opened === starting) opened = undefined;
      });
      return (await starting).open(operation, caller, request);
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await (await opened)?.close();
    },
  };
}
