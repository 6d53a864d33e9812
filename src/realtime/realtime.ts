// Streams of changes: one reader of the log for all of them, who tells each stream what its caller may see.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { type Caller, rolesOf, userOf } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import { type Watch, type WatchedOperation, watchOf } from '../engine/watch/watch.ts';
import { error } from '../errors.ts';
import { type ChangeLog, isBefore, type Place } from '../store/changes/changes.ts';
import type { Awaitable, Store } from '../store/store.ts';
import { Batch } from './batch.ts';
import { cursorOf, digestOf, placeIn } from './cursor.ts';
import { knownRows, presentRows, rowsBefore } from './rows.ts';
import { Stream, type StreamEvent } from './stream.ts';

export interface RealtimeParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly log: ChangeLog;
  readonly clock: Clock;
  /** Open streams, and instances that each may watch where they are not all of their type. */
  readonly limits: { readonly open: number; readonly rows: number };
  failed(thrown: unknown, what: string): void;
}

export interface StreamRequest {
  /** The cursor behind which it goes on. */
  readonly after: string | undefined;
  /** Whether the present instances come first. */
  readonly initial: boolean;
  readonly signal: AbortSignal | undefined;
  /** Who is asking, now: throws where nobody may any more. */
  stillThere(): Awaitable<Caller>;
}

/** Milliseconds from one look at the log to the next, where there is time for it. */
const pause = 100;
/** Telling takes at most this part of the time. */
const share = 4;
const mostTogether = 500;
/** Changes that are looked through to find what a caller knew of when they went away. */
const mostMissed = 10_000;
const heartbeat = 15_000;
/** Milliseconds after which it is asked again whether somebody is still signed in. */
const trust = 2_000;
/** Milliseconds of work before others have their turn. */
const turn = 2;
/** Streams that are told at once, where each waits for a server. */
const abreast = 4;

interface Open {
  readonly stream: Stream;
  readonly request: StreamRequest;
  checked: number;
}

export class Realtime {
  readonly #parts: RealtimeParts;
  readonly #open = new Set<Open>();
  #place: Place | undefined;
  #reading: Promise<void> | undefined;
  #starting: Promise<Place> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beats: NodeJS.Timeout | undefined;
  #beatsSoFar = 0;
  #opening = 0;
  #isClosed = false;

  constructor(parts: RealtimeParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws what a read of the same would throw, and 410 where the cursor is too old. */
  async open(operation: WatchedOperation, caller: Caller, request: StreamRequest): Promise<AsyncIterable<StreamEvent>> {
    const { engine, limits } = this.#parts;
    if (this.#isClosed) throw error('service-stopping');
    if (this.#open.size + this.#opening >= limits.open)
      throw error('service-busy', { detail: 'There are too many streams.', retryAfter: 5 });
    this.#opening += 1;
    try {
      const watch = await engine.asCaller(caller, (context) => watchOf(operation, context));
      return await this.#start(watch, caller, request);
    } finally {
      this.#opening -= 1;
    }
  }

  async #start(watch: Watch, caller: Caller, request: StreamRequest): Promise<Stream> {
    const { engine, log, limits } = this.#parts;
    const digest = digestOf(watch, await log.record(watch.sources), caller);
    const head = this.#place ?? (await this.#begin());
    const from = request.after === undefined ? undefined : placeIn(request.after, digest);
    if (request.after !== undefined && (from === undefined || !(await this.#canResume(from)))) throw error('cursor-expired');
    const place = this.#place ?? head;
    const open: Open = {
      stream: new Stream({ engine, watch, caller, digest, mostRows: limits.rows, ended: () => this.#closed(open) }, from ?? place),
      request,
      checked: this.#now(),
    };
    const { stream } = open;
    this.#open.add(open);
    request.signal?.addEventListener('abort', () => stream.end());
    try {
      if (!watch.isEverything) stream.knows(await this.#knownAt(watch, caller, from));
      if (from !== undefined) await this.#catchUp(stream, from, place);
      const resume = from === undefined ? place : from;
      const isInitial = request.initial && from === undefined;
      await stream.begin(this.#firstEvents(stream, cursorOf(resume, digest), isInitial));
    } catch (thrown) {
      stream.end();
      throw thrown;
    }
    if (request.signal?.aborted === true || this.#isClosed) stream.end();
    return stream;
  }

  /** Reads the log from now on. */
  #begin(): Promise<Place> {
    this.#starting ??= this.#parts.log.head().then((place) => {
      this.#place ??= place;
      this.#schedule(pause);
      this.#beats ??= setInterval(() => this.#beat(), heartbeat / 3).unref();
      this.#starting = undefined;
      return this.#place;
    });
    return this.#starting;
  }

  async #canResume(from: Place): Promise<boolean> {
    const { log, store } = this.#parts;
    // A file that was put back to an earlier state has not come so far.
    const isAhead = !store.isShared && this.#place !== undefined && isBefore(this.#place, from);
    return !isAhead && (await log.holds(from));
  }

  /** What the caller knew of at a place is what was to be seen there. */
  async #knownAt(watch: Watch, caller: Caller, from: Place | undefined) {
    const { engine, store, log, limits } = this.#parts;
    if (from === undefined) return engine.asCaller(caller, (context) => knownRows(watch, limits.rows, context));
    const missed = await store.read((reader) => log.after(from, mostMissed + 1, reader, true));
    if (missed.length > mostMissed) throw error('cursor-expired');
    const { select, supplier } = rowsBefore(watch, missed);
    return engine.reading(caller, supplier, (context) => knownRows(watch, limits.rows, context, select));
  }

  async #catchUp(stream: Stream, from: Place, to: Place): Promise<void> {
    const { store, log, engine } = this.#parts;
    for (let place = from; ; ) {
      const at = place;
      const page = (await store.read((reader) => log.after(at, mostTogether, reader))).filter((each) => !isBefore(to, each.place));
      if (page.length > 0) await stream.tell(new Batch(page, engine));
      place = page.at(-1)?.place ?? to;
      if (page.length < mostTogether) return;
    }
  }

  async *#firstEvents(stream: Stream, cursor: string, isInitial: boolean): AsyncGenerator<StreamEvent, void> {
    const data = JSON.stringify({ cursor });
    yield { event: 'ready', id: isInitial ? undefined : cursor, data };
    if (!isInitial) return;
    const { engine } = this.#parts;
    const rows = await engine.asCaller(stream.caller, async (context) => presentRows(stream.watch, context));
    for await (const { json } of rows) yield { event: 'present', id: undefined, data: json };
    // Whoever has received all of them need not begin with them again.
    yield { event: 'ping', id: cursor, data: '{}' };
  }

  #schedule(milliseconds: number): void {
    if (this.#isClosed || this.#open.size + this.#opening === 0) {
      this.#place = undefined;
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
    const started = performance.now();
    let worked = 0;
    try {
      const { store, log, engine } = this.#parts;
      const place = this.#place;
      if (place === undefined) return;
      const changes = await store.read((reader) => log.after(place, mostTogether, reader));
      const last = changes.at(-1);
      if (last !== undefined) {
        this.#place = last.place;
        worked = await this.#tell(new Batch(changes, engine));
      }
    } catch (thrown) {
      this.#parts.failed(thrown, 'reading changes for streams');
      for (const { stream } of this.#open) stream.cut(thrown);
    } finally {
      // A cycle that took long is followed by a longer pause, so that others have the time.
      const took = this.#parts.store.isShared ? worked : performance.now() - started;
      this.#schedule(Math.max(pause - took, Math.min(took * (share - 1), 2000), 10));
    }
  }

  /** Milliseconds that it took. */
  async #tell(batch: Batch): Promise<number> {
    const started = performance.now();
    const waiting = [...this.#open];
    const workers = Array.from({ length: this.#parts.store.isShared ? abreast : 1 }, async () => {
      let until = performance.now() + turn;
      for (let open = waiting.shift(); open !== undefined; open = waiting.shift()) {
        await this.#tellOne(open, batch);
        if (performance.now() < until) continue;
        await nextTurn();
        until = performance.now() + turn;
      }
    });
    await Promise.all(workers);
    return performance.now() - started;
  }

  async #tellOne(open: Open, batch: Batch): Promise<void> {
    const { stream } = open;
    if (stream.isEnded) return;
    try {
      if (batch.touches(stream.watch.sources)) await this.#check(open, trust);
      await stream.deliver(batch);
    } catch (thrown) {
      this.#parts.failed(thrown, 'telling a stream of changes');
      stream.cut(thrown);
    }
  }

  /** A stream ends with what its caller was known by, and when the caller has other roles. */
  async #check(open: Open, age: number): Promise<void> {
    const now = this.#now();
    if (now - open.checked < age) return;
    open.checked = now;
    const { stream, request } = open;
    try {
      const caller = await request.stillThere();
      const isSame = userOf(caller) === userOf(stream.caller) && sameRoles(rolesOf(caller), rolesOf(stream.caller));
      if (!isSame) stream.end();
    } catch {
      // Who was refused is told so when they come back.
      stream.end();
    }
  }

  #beat(): void {
    this.#beatsSoFar += 1;
    const isDue = this.#beatsSoFar % 3 === 0;
    for (const open of this.#open) {
      const { stream } = open;
      void this.#check(open, trust).then(() => {
        if (isDue) stream.push({ event: 'ping', id: stream.cursor, data: '{}' });
      });
    }
  }

  #closed(open: Open): void {
    this.#open.delete(open);
    if (this.#open.size > 0) return;
    clearInterval(this.#beats);
    this.#beats = undefined;
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#beats);
    for (const { stream } of [...this.#open]) stream.end();
    await this.#reading;
  }
}

function sameRoles(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}
