// Streams of changes: one reader of the log for all of them, who tells each stream what its caller may see.

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Caller } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import { isParentReadable, type Watch, type WatchedOperation, watchOf } from '../engine/watch/watch.ts';
import { error, isError, PlatformError } from '../errors.ts';
import { isBefore, type Place } from '../store/changes/change.ts';
import type { ChangeLog } from '../store/changes/changes.ts';
import type { Awaitable, Reader, Store } from '../store/store.ts';
import { BurstRoom } from './backlog.ts';
import { Batch } from './batch.ts';
import { Callers, clientOf, isSameCaller } from './callers.ts';
import { CursorKeys } from './cursor.ts';
import { firstCursor, Missed, snapshot } from './missed.ts';
import { mostTogether } from './pages.ts';
import { ReadCache } from './read-cache.ts';
import { RecentChanges } from './recent.ts';
import { presentRows } from './rows.ts';
import { Stream, type StreamEvent } from './stream.ts';

export interface RealtimeParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly log: ChangeLog;
  readonly clock: Clock;
  /** Open streams, those of one caller, and instances that each may watch where they are not all of their type. */
  readonly limits: { readonly open: number; readonly caller: number; readonly rows: number };
  /** Whoever else is served: streams come behind them. */
  failed(thrown: unknown, what: string): void;
}

export interface StreamRequest {
  /** The cursor behind which it goes on. */
  readonly after: string | undefined;
  /** Whether the present instances come first. */
  readonly initial: boolean;
  /** Whose it is where nobody is signed in. */
  readonly remote: string;
  readonly signal: AbortSignal | undefined;
  /** Who is asking, now: throws where nobody may any more. */
  stillThere(): Awaitable<Caller>;
  /** The same for all streams of which that is the same. */
  readonly credentials: string;
}

/** Milliseconds from one look at the log to the next, where there is time for it. */
const pause = 100;
/** Streams that are told one after the other before others are served. */
const toldTogether = 32;
/** Telling takes at most this part of the time. */
const mostOfTime = 10;
const heartbeat = 15_000;
/** Milliseconds for which present instances are told before it is asked again who watches. */
const recheckInterval = 500;

interface Open {
  readonly stream: Stream;
  /** The user, or the address of somebody who is not signed in. */
  readonly client: string;
  readonly request: StreamRequest;
  /** The stretch of the log that it is told of. */
  readonly generation: string;
  /** Whether whoever asked for it has it: before that, its opening has failed. */
  isBegun: boolean;
}

export class Realtime {
  readonly #parts: RealtimeParts;
  readonly #open = new Set<Open>();
  readonly #perCaller = new Map<string, number>();
  readonly #callers = new Callers();
  readonly #cursorKeys = new CursorKeys();
  readonly #burstRoom = new BurstRoom();
  readonly #cache = new ReadCache();
  readonly #missed: Missed;
  /** What all have been told, up to where the log has been read; nothing where nobody reads it. */
  #recent: RecentChanges | undefined;
  #reading: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #starting: Promise<RecentChanges> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beats: NodeJS.Timeout | undefined;
  #beatsSoFar = 0;
  #pinging: Promise<void> | undefined;
  #opening = 0;
  #isClosed = false;

  constructor(parts: RealtimeParts) {
    this.#parts = parts;
    this.#missed = new Missed({ ...parts, cache: this.#cache });
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws what a read of the same would throw, and 410 where the cursor is too old. */
  async open(operation: WatchedOperation, caller: Caller, request: StreamRequest): Promise<Stream> {
    const { engine, limits } = this.#parts;
    if (this.#isClosed) throw error('service-stopping');
    if (this.#open.size + this.#opening >= limits.open)
      throw error('service-busy', { detail: 'There are too many streams.', retryAfter: 5 });
    const who = clientOf(caller, request);
    const count = this.#perCaller.get(who) ?? 0;
    if (count >= limits.caller)
      throw error('too-many-requests', { detail: `At most ${limits.caller} streams of one caller are open at once.`, retryAfter: 5 });
    this.#perCaller.set(who, count + 1);
    this.#opening += 1;
    try {
      const watch = await engine.asCaller(caller, (context) => watchOf(operation, context));
      return await this.#start(watch, caller, request, () => this.#left(who));
    } catch (thrown) {
      this.#left(who);
      throw await this.#refusal(thrown);
    } finally {
      this.#opening -= 1;
    }
  }

  /** Another process may have taken the log away in the middle of it. */
  async #refusal(thrown: unknown): Promise<unknown> {
    if (thrown instanceof PlatformError || !(await this.#isForgotten())) return thrown;
    return error('service-busy', { detail: 'The log of changes begins anew; try again.', retryAfter: 1 });
  }

  #isForgotten(): Promise<boolean> {
    return this.#parts.log.isForgotten().catch(() => false);
  }

  #left(who: string): void {
    const count = (this.#perCaller.get(who) ?? 1) - 1;
    if (count > 0) this.#perCaller.set(who, count);
    else this.#perCaller.delete(who);
  }

  async #start(watch: Watch, caller: Caller, request: StreamRequest, left: () => void): Promise<Stream> {
    const { log, limits } = this.#parts;
    const client = clientOf(caller, request);
    const generation = await log.record(watch.recorded);
    const cursors = this.#cursorKeys.cursorsOf(watch, generation, caller);
    const { end: head } = this.#recent ?? (await this.#begin());
    const from = request.after === undefined ? undefined : cursors.placeIn(request.after);
    if (request.after !== undefined && (from === undefined || !(await this.#canResume(from)))) throw error('cursor-expired');
    const start = from ?? this.#recent?.end ?? head;
    const open: Open = {
      stream: new Stream(
        { watch, caller, cursors, burstRoom: this.#burstRoom, client, mostRows: limits.rows, ended: () => this.#closed(open, left) },
        start,
      ),
      client,
      request,
      generation,
      isBegun: false,
    };
    const { stream } = open;
    this.#open.add(open);
    // The last one before it may have ended them, while the log is still read.
    this.#beats ??= setInterval(() => this.#beat(), heartbeat / 3).unref();
    request.signal?.addEventListener('abort', () => stream.end());
    try {
      await this.#missed.tell(stream, open.client, this.#recent, from === undefined ? 'fresh' : 'resumed');
      void this.#catchUpWithAll(open);
      const cursor = from === undefined ? await firstCursor(stream) : cursors.of(from);
      stream.begin(this.#firstEvents(open, cursor, request.initial && from === undefined));
    } catch (thrown) {
      stream.end();
      throw thrown;
    }
    open.isBegun = true;
    if (stream.isEnded) left();
    else if (request.signal?.aborted === true || this.#isClosed) stream.end();
    return stream;
  }

  /** Reads the log from now on. */
  #begin(): Promise<RecentChanges> {
    this.#starting ??= this.#parts.log
      .head()
      .then((place) => {
        this.#recent ??= new RecentChanges(place);
        this.#schedule(pause);
        return this.#recent;
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  async #canResume(from: Place): Promise<boolean> {
    const { log } = this.#parts;
    return (await log.isKnown(from)) && (await log.holds(from));
  }

  /** What is left of what it has missed, each part when the one before has been taken: somebody who has missed much is not cut off for it. */
  async #catchUpWithAll(open: Open): Promise<void> {
    const { stream } = open;
    try {
      while (!this.#isLive(stream)) {
        await stream.drained();
        await this.#check(open);
        const from = stream.place;
        await this.#missed.tell(stream, open.client, this.#recent, undefined);
        // What comes next waits for a transaction that is under way.
        if (stream.place === from && !stream.isEnded) await sleep(pause, undefined, { ref: false });
        // Whoever takes very long may find that what comes next is not kept any more.
        if (!(await this.#parts.log.holds(from))) throw error('cursor-expired');
      }
    } catch (thrown) {
      this.#cut(stream, thrown);
    }
  }

  /** Whether it has been told all that the others have: from then on it is told with them. */
  #isLive(stream: Stream): boolean {
    const to = this.#recent?.end;
    if (to === undefined || !isBefore(stream.place, to)) stream.join();
    return stream.isLive || stream.isEnded;
  }

  /** What whoever watches can do something about is told them when they come back, and is no failure. */
  #cut(stream: Stream, thrown: unknown): void {
    if (stream.isEnded) return;
    if (!isError(thrown, 'cursor-expired') && !isError(thrown, 'query-invalid')) this.#parts.failed(thrown, 'telling a stream of changes');
    stream.cut(thrown);
  }

  async *#firstEvents(open: Open, cursor: string, isInitial: boolean): AsyncGenerator<StreamEvent, void> {
    const { stream } = open;
    const data = JSON.stringify({ cursor });
    yield { event: 'ready', id: isInitial ? undefined : cursor, data };
    if (!isInitial) return;
    const { engine } = this.#parts;
    const rows = await engine.asCaller(stream.caller, async ({ store }) =>
      presentRows(stream.watch, { rows: (select, values) => stream.present(() => store.read((reader) => reader.rows(select, values))) }),
    );
    let asked = performance.now();
    for await (const { json } of rows) {
      yield { event: 'present', id: undefined, data: json };
      if (performance.now() - asked < recheckInterval) continue;
      await this.#check(open);
      asked = performance.now();
    }
    // Whoever has received all of them need not begin with them again, once told what has changed while they were read.
    stream.pingBehind(await this.#parts.store.read((reader) => this.#parts.log.read.last(reader)));
  }

  #schedule(milliseconds: number): void {
    if (this.#isClosed || this.#open.size + this.#opening === 0) {
      this.#recent = undefined;
      return;
    }
    this.#timer = setTimeout(() => {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
    }, milliseconds);
    this.#timer.unref();
  }

  async #read(): Promise<void> {
    let took = 0;
    try {
      const { store } = this.#parts;
      const told = this.#recent;
      if (told !== undefined) took = await store.read((reader) => this.#tellNew(told, reader), snapshot);
    } catch (thrown) {
      if (isError(thrown, 'cursor-expired')) await this.#skip();
      // A migration takes the log away: whoever watches begins anew, as with every changed model.
      const isForgotten = await this.#isForgotten();
      if (!isForgotten && !isError(thrown, 'cursor-expired')) this.#parts.failed(thrown, 'reading changes for streams');
      for (const { stream } of [...this.#open]) {
        if (isForgotten) stream.end();
        else stream.cut(thrown);
      }
    } finally {
      // A cycle that took long is followed by a longer pause, so that others have the time.
      this.#schedule(Math.max(pause - took, Math.min(took * (mostOfTime - 1), 2000), 10));
    }
  }

  /** What cannot be told is passed over. */
  async #skip(): Promise<void> {
    try {
      this.#recent = new RecentChanges(await this.#parts.log.head());
    } catch (thrown) {
      this.#parts.failed(thrown, 'reading changes for streams');
    }
  }

  /** All streams are told of the same state, however long it takes. Gives the milliseconds that it took. */
  async #tellNew(told: RecentChanges, reader: Reader): Promise<number> {
    const { log, engine } = this.#parts;
    const { changes, later } = await log.read.nextOfAll(told.end, told.end, mostTogether, reader);
    if (changes.length === 0) return 0;
    const started = performance.now();
    // A transaction that was open for very long may have held up more than is kept: then everybody begins anew.
    if (!(await log.holds(told.end, reader))) throw error('cursor-expired');
    told.add(changes);
    const live = [...this.#open].filter(({ stream }) => stream.isLive);
    const viewers = live.map(({ stream }) => stream.viewer);
    const batch = new Batch(changes, later, { engine, reader, viewers, cache: this.#cache });
    for (const [index, open] of live.entries()) {
      const telling = this.#tellOne(open, batch);
      if (telling instanceof Promise) await telling;
      if ((index + 1) % toldTogether === 0) await setImmediate();
    }
    return performance.now() - started;
  }

  #tellOne(open: Open, batch: Batch): Awaitable<void> {
    const { stream } = open;
    try {
      const told = stream.tell(batch, () => this.#check(open));
      return told instanceof Promise ? told.catch((thrown: unknown) => this.#cut(stream, thrown)) : undefined;
    } catch (thrown) {
      return this.#cut(stream, thrown);
    }
  }

  /** A stream ends with what its caller was known by, when the caller has other roles, and with what its instances were asked for under. */
  async #check({ stream, request }: Open): Promise<void> {
    if (stream.isEnded) return;
    try {
      const caller = await this.#callers.now(request);
      if (!isSameCaller(caller, stream.caller) || !(await this.#hasParent(stream))) stream.end();
    } catch (thrown) {
      // Who was refused is told so when they come back.
      if (!isError(thrown, 'unauthenticated')) this.#parts.failed(thrown, 'asking who watches a stream of changes');
      stream.end();
    }
  }

  async #hasParent({ watch: { parent }, caller }: Stream): Promise<boolean> {
    return parent === undefined || this.#parts.engine.asCaller(caller, (context) => isParentReadable(parent, context));
  }

  #beat(): void {
    this.#beatsSoFar += 1;
    if (this.#beatsSoFar % 3 === 0)
      this.#pinging ??= this.#ping().finally(() => {
        this.#pinging = undefined;
      });
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #ping(): Promise<void> {
    for (const { stream } of [...this.#open]) {
      if (stream.isLive) stream.push({ event: 'ping', id: stream.cursor, data: '{}' });
    }
  }

  /** One after the other: all at once, they would keep everybody else from the store. */
  async #look(): Promise<void> {
    for (const open of [...this.#open]) {
      if (open.stream.isEnded) continue;
      await this.#keep(open);
      await this.#check(open);
    }
  }

  /** What is watched for longer than the log is kept is recorded as long. */
  async #keep({ stream, generation }: Open): Promise<void> {
    try {
      const now = await this.#parts.log.record(stream.watch.recorded);
      if (now !== generation) stream.cut(error('cursor-expired'));
    } catch (thrown) {
      this.#parts.failed(thrown, 'recording changes for streams');
    }
  }

  #closed(open: Open, left: () => void): void {
    this.#open.delete(open);
    if (open.isBegun) left();
    if (this.#open.size > 0) return;
    clearInterval(this.#beats);
    this.#beats = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#beats);
    for (const { stream } of [...this.#open]) stream.end();
    await Promise.all([this.#reading, this.#looking, this.#pinging]);
  }
}
