// Streams of changes: one reader of the log for all of them, who tells each stream what its caller may see.

import type { Clock } from '../clock.ts';
import { type Caller, rolesOf, userOf } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import { type Watch, type WatchedOperation, watchOf } from '../engine/watch/watch.ts';
import { error, isError } from '../errors.ts';
import { type ChangeLog, isBefore, type Place } from '../store/changes/changes.ts';
import { type Awaitable, largestPart, type Reader, type Store } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { Batch } from './batch.ts';
import { Callers } from './callers.ts';
import { cursorOf, digestOf, placeIn } from './cursor.ts';
import { firstOf, mostTogether, withTheirOwners } from './pages.ts';
import { knownRows, overlaid, presentRows, supplierOf, textsBefore } from './rows.ts';
import { Stream, type StreamEvent } from './stream.ts';
import { Few, takingTurns } from './turns.ts';

export interface RealtimeParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly log: ChangeLog;
  readonly clock: Clock;
  /** Open streams, those of one caller, and instances that each may watch where they are not all of their type. */
  readonly limits: { readonly open: number; readonly caller: number; readonly rows: number };
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
/** Telling takes at most this part of the time. */
const share = 10;
/** Changes that are looked through to find what a caller knew of when they went away. */
const mostMissed = 10_000;
const tooFarBehind = 'So much has changed that streams are told of it later; try again.';
const heartbeat = 15_000;
/** Milliseconds for which present instances are told before it is asked again who watches. */
const trust = 500;
/** Streams that are brought to where the others are at once: each has a connection of those that everybody shares. */
const mostCatchingUp = 2;
const snapshot = { consistent: true, pauses: true, durable: true } as const;

interface Open {
  readonly stream: Stream;
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
  readonly #catchingUp = new Few(mostCatchingUp);
  readonly #callers = new Callers();
  #place: Place | undefined;
  #reading: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
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
    const who = userOf(caller) ?? `#${request.remote}`;
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
      throw thrown;
    } finally {
      this.#opening -= 1;
    }
  }

  #left(who: string): void {
    const count = (this.#perCaller.get(who) ?? 1) - 1;
    if (count > 0) this.#perCaller.set(who, count);
    else this.#perCaller.delete(who);
  }

  async #start(watch: Watch, caller: Caller, request: StreamRequest, left: () => void): Promise<Stream> {
    const { log, limits } = this.#parts;
    const generation = await log.record(watch.recorded);
    const digest = digestOf(watch, generation, caller);
    const head = this.#place ?? (await this.#begin());
    const from = request.after === undefined ? undefined : placeIn(request.after, digest);
    if (request.after !== undefined && (from === undefined || !(await this.#canResume(from)))) throw error('cursor-expired');
    const start = from ?? this.#place ?? head;
    const open: Open = {
      stream: new Stream({ watch, caller, digest, mostRows: limits.rows, ended: () => this.#closed(open, left) }, start),
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
      stream.begin(this.#firstEvents(open, cursorOf(start, digest), request.initial && from === undefined));
      await this.#catchUp(stream, from === undefined ? 'fresh' : 'resumed');
      void this.#catchUpWithAll(open);
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
  #begin(): Promise<Place> {
    this.#starting ??= this.#parts.log
      .head()
      .then((place) => {
        this.#place ??= place;
        this.#schedule(pause);
        return this.#place;
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  async #canResume(from: Place): Promise<boolean> {
    const { log, store } = this.#parts;
    // A file that was put back to an earlier state has not come so far.
    const isAhead = !store.isShared && this.#place !== undefined && isBefore(this.#place, from);
    return !isAhead && (await log.holds(from));
  }

  /** Whether it has been told all that the others have: from then on it is told with them. */
  #isLive(stream: Stream): boolean {
    const to = this.#place;
    if (to === undefined || !isBefore(stream.place, to)) stream.join();
    return stream.isLive || stream.isEnded;
  }

  /** Tells a part of what lies between its place and that of the others. */
  async #catchUp(stream: Stream, first: 'fresh' | 'resumed' | undefined): Promise<void> {
    const to = this.#place;
    if (to === undefined || stream.isEnded) return;
    await this.#catchingUp.run(() => this.#parts.store.read((reader) => this.#tellMissed(stream, to, reader, first), snapshot));
  }

  /** The rest of it, each part when the one before has been taken: somebody who has missed much is not cut off for it. */
  async #catchUpWithAll(open: Open): Promise<void> {
    const { stream } = open;
    try {
      while (!this.#isLive(stream)) {
        await stream.drained();
        await this.#check(open);
        const from = stream.place;
        await this.#catchUp(stream, undefined);
        // Whoever takes very long may find that what comes next is not kept any more.
        if (!(await this.#parts.log.holds(from))) throw error('cursor-expired');
      }
    } catch (thrown) {
      this.#cut(stream, thrown);
    }
  }

  /** What whoever watches can do something about is told them when they come back, and is no failure. */
  #cut(stream: Stream, thrown: unknown): void {
    if (!isError(thrown, 'cursor-expired') && !isError(thrown, 'query-invalid')) this.#parts.failed(thrown, 'telling a stream of changes');
    stream.cut(thrown);
  }

  /** With `first`, what the caller knows of comes first: what is to be seen at its place, or now where the stream is a new one. */
  async #tellMissed(stream: Stream, to: Place, reader: Reader, first: 'fresh' | 'resumed' | undefined): Promise<void> {
    const { log, engine, limits } = this.#parts;
    const { watch, caller } = stream;
    // Where nothing else decides, there is no need to know what came later.
    const needsAll = !watch.isEverything || first === 'fresh';
    const { changes: missed, isAll } = needsAll
      ? await log.after(stream.place, mostMissed + 1, reader, true)
      : await log.after(stream.place, mostTogether, reader, true, largestPart);
    if (needsAll && !isAll)
      throw first === 'fresh' ? error('service-busy', { detail: tooFarBehind, retryAfter: 5 }) : error('cursor-expired');
    if (first === 'fresh') stream.omits(missed);
    if (first !== undefined && !watch.isEverything) {
      const texts = textsBefore(watch.sources, first === 'fresh' ? [] : missed);
      const select = texts.size === 0 ? watch.keys : overlaid(watch.keys);
      const read = (own: Reader): Promise<Map<string, Value>> => knownRows(watch, limits.rows, own, select);
      stream.knows(await engine.reading(caller, supplierOf(texts), ({ store }) => store.read(read), reader));
    }
    const ordered = missed.filter(({ place }) => !isBefore(to, place));
    const page = firstOf(ordered, watch);
    if (page.length > 0) await stream.tell(new Batch(page, missed.slice(page.length), { engine, reader }), () => undefined);
    if (page.length === ordered.length && (isAll || ordered.length < missed.length)) stream.reached(to);
  }

  async *#firstEvents(open: Open, cursor: string, isInitial: boolean): AsyncGenerator<StreamEvent, void> {
    const { stream } = open;
    const data = JSON.stringify({ cursor });
    yield { event: 'ready', id: isInitial ? undefined : cursor, data };
    if (!isInitial) return;
    const { engine } = this.#parts;
    const rows = await engine.asCaller(stream.caller, async ({ store }) =>
      presentRows(stream.watch, { rows: (select, values) => store.read((reader) => reader.rows(select, values)) }),
    );
    let asked = performance.now();
    for await (const { json } of rows) {
      yield { event: 'present', id: undefined, data: json };
      if (performance.now() - asked < trust) continue;
      await this.#check(open);
      asked = performance.now();
    }
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
      const { store } = this.#parts;
      if (this.#place !== undefined) worked = await store.read((reader) => this.#tellNew(reader), snapshot);
    } catch (thrown) {
      // A migration takes the log away: whoever watches begins anew, as with every changed model.
      const isForgotten = await this.#parts.log.isForgotten().catch(() => false);
      if (!isForgotten && !isError(thrown, 'cursor-expired')) this.#parts.failed(thrown, 'reading changes for streams');
      for (const { stream } of [...this.#open]) {
        if (isForgotten) stream.end();
        else stream.cut(thrown);
      }
    } finally {
      // A cycle that took long is followed by a longer pause, so that others have the time.
      const took = this.#parts.store.isShared ? worked : performance.now() - started;
      this.#schedule(Math.max(pause - took, Math.min(took * (share - 1), 2000), 10));
    }
  }

  /** All streams are told of the same state, however long it takes. Gives the milliseconds that it took. */
  async #tellNew(reader: Reader): Promise<number> {
    const { log, engine } = this.#parts;
    const place = this.#place;
    if (place === undefined) return 0;
    const { changes: first } = await log.after(place, mostTogether, reader);
    const end = first.at(-1);
    if (end === undefined) return 0;
    const started = performance.now();
    // A transaction that was open for very long may have held up more than is kept: then everybody begins anew.
    const isComplete = await log.holds(place, reader);
    // Where there are too many, or they are too large, what decides is what is stored now: nobody sees more for it.
    const { changes: behind, isAll } = await log.after(end.place, mostMissed + 1, reader, true);
    const live = [...this.#open].filter(({ stream }) => stream.isLive);
    const viewers = live.map(({ stream }) => stream.viewer);
    const changes = withTheirOwners(
      first,
      behind,
      viewers.map(({ watch }) => watch),
    );
    this.#place = changes.at(-1)?.place ?? end.place;
    if (!isComplete) throw error('cursor-expired');
    const later = isAll ? behind.slice(changes.length - first.length) : [];
    const batch = new Batch(changes, later, { engine, reader, viewers });
    const others = takingTurns();
    for (const open of live) {
      const told = this.#tellOne(open, batch);
      if (told instanceof Promise) await told;
      const turn = others();
      if (turn !== undefined) await turn;
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

  /** A stream ends with what its caller was known by, and when the caller has other roles. */
  async #check({ stream, request }: Open): Promise<void> {
    if (stream.isEnded) return;
    try {
      const caller = await this.#callers.now(request);
      const isSame = userOf(caller) === userOf(stream.caller) && sameRoles(rolesOf(caller), rolesOf(stream.caller));
      if (!isSame) stream.end();
    } catch (thrown) {
      // Who was refused is told so when they come back.
      if (!isError(thrown, 'unauthenticated')) this.#parts.failed(thrown, 'asking who watches a stream of changes');
      stream.end();
    }
  }

  #beat(): void {
    this.#beatsSoFar += 1;
    const isDue = this.#beatsSoFar % 3 === 0;
    for (const { stream } of isDue ? this.#open : []) if (stream.isLive) stream.push({ event: 'ping', id: stream.cursor, data: '{}' });
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** One after the other: all at once, they would keep everybody else from the store. */
  async #look(): Promise<void> {
    const others = takingTurns();
    for (const open of [...this.#open]) {
      await this.#keep(open);
      await this.#check(open);
      await others();
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
    await Promise.all([this.#reading, this.#looking]);
  }
}

function sameRoles(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}
