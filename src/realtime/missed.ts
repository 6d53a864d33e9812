// What a stream has missed before it is told with the others.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { error } from '../errors.ts';
import { FairSemaphore } from '../fair-queue.ts';
import { type Change, isBefore, type Place } from '../store/changes/change.ts';
import type { ChangeLog } from '../store/changes/changes.ts';
import type { Changes } from '../store/changes/log-reader.ts';
import { largestPart, type Reader, type Store } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { Batch } from './batch.ts';
import { firstOf, mostTogether } from './pages.ts';
import type { ReadCache } from './read-cache.ts';
import type { RecentChanges } from './recent.ts';
import { knownRows, overlaid, supplierOf, textsBefore } from './rows.ts';
import type { Stream } from './stream.ts';

export interface MissedParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly log: ChangeLog;
  readonly limits: { readonly rows: number };
  readonly cache: ReadCache;
}

/** Changes that are looked through to find what a caller knew of when they went away. */
const mostMissed = 10_000;
export const snapshot = { consistent: true, pauses: true } as const;
const tooFarBehind = 'So much has changed that streams are told of it later; try again.';
/** Streams that are brought to where the others are at once: each has a connection of those that everybody shares. */
const mostCatchingUp = 2;

/** Milliseconds for which an opening waits for transactions that began before what can be read already. */
const settling = 1000;
const settlingPause = 20;

/** Where a stream is when what it has missed is told: what it knows of is looked up before, as it was at its place, or is now. */
type First = 'fresh' | 'resumed' | undefined;

/** What is known of the log without reading it. */
interface Told {
  /** Behind the place of the stream, up to `end`; nothing where that has to be read. */
  readonly recent: readonly Change[] | undefined;
  readonly end: Place;
}

export class Missed {
  readonly #parts: MissedParts;
  readonly #catchingUp = new FairSemaphore(mostCatchingUp);

  constructor(parts: MissedParts) {
    this.#parts = parts;
  }

  /** Tells a part of what lies between its place and that of the others, when it is the turn of the client whose it is. */
  async tell(stream: Stream, client: string, others: RecentChanges | undefined, first: First): Promise<void> {
    if (others === undefined || stream.isEnded) return;
    await this.#catchingUp.run(client, async () => {
      // Many wait here when all come back at once, and some of them leave meanwhile.
      if (stream.isEnded) return;
      // All of it is in the state that is read: what the others are told from now on may not be.
      const told: Told = { recent: others.after(stream.place), end: others.end };
      await this.#parts.store.read((reader) => this.#tell(stream, told, reader, first), snapshot);
    });
  }

  async #tell(stream: Stream, told: Told, reader: Reader, first: First): Promise<void> {
    const { engine, cache } = this.#parts;
    const { watch, caller } = stream;
    const { changes: missed, isAll } = await this.#read(stream, told, reader, first);
    if (first === 'fresh') return this.#beginNow(stream, told, missed, reader);
    const ordered = missed.filter(({ place }) => !isBefore(told.end, place));
    const page = firstOf(ordered);
    const batch = new Batch(page, missed.slice(page.length), { engine, reader, cache });
    if (first === 'resumed' && !watch.isEverything)
      await this.#findKnown(stream, textsBefore(watch.sources, await batch.concerning(watch, caller)), reader);
    if (page.length > 0) await stream.tell(batch, () => undefined);
    // A transaction up to there that can only be told together with a later one is told with it.
    const isHeldUp = missed.slice(ordered.length).some(({ tx, seq }) => !isBefore(told.end, { tx, seq }));
    if (!isHeldUp && page.length === ordered.length && (isAll || ordered.length < missed.length)) stream.reached(told.end);
  }

  /** A stream that is opened is told nothing of what can be read by now, also of what comes later in the log, as others may still come before it. */
  async #beginNow(stream: Stream, { end }: Told, missed: readonly Change[], reader: Reader): Promise<void> {
    const settled = await this.#parts.log.read.lastSettled(reader, end);
    const count = missed.findIndex(({ place }) => isBefore(settled, place));
    const [passed, inSnapshot] = count === -1 ? [missed, []] : [missed.slice(0, count), missed.slice(count)];
    stream.snapshotHas(inSnapshot);
    stream.reached(end);
    stream.reached(passed.at(-1)?.place ?? end);
    if (!stream.watch.isEverything) await this.#findKnown(stream, new Map(), reader);
  }

  /** What a caller knows of, as it is stored or was before changes. */
  async #findKnown(stream: Stream, texts: ReadonlyMap<string, string>, reader: Reader): Promise<void> {
    const { engine, limits } = this.#parts;
    const { watch, caller } = stream;
    const select = texts.size === 0 ? watch.keys : overlaid(watch.keys);
    const read = (own: Reader): Promise<Map<string, Value>> => knownRows(watch, limits.rows, own, select);
    stream.knows(await engine.reading(caller, supplierOf(texts), ({ store }) => store.read(read), reader));
  }

  /** The changes behind the place of a stream. */
  async #read(stream: Stream, { recent = [], end }: Told, reader: Reader, first: First): Promise<Changes> {
    const { log } = this.#parts;
    // Where nothing else decides, there is no need to know what came later.
    const needsAll = !stream.watch.isEverything || first === 'fresh';
    const from = recent.at(-1)?.place ?? stream.place;
    const { changes, isAll } = needsAll
      ? await log.read.all(from, mostMissed + 1 - recent.length, reader)
      : await log.read.next(from, end, mostTogether, reader, largestPart);
    if (needsAll && !isAll)
      throw first === 'fresh' ? error('service-busy', { detail: tooFarBehind, retryAfter: 5 }) : error('cursor-expired');
    return { changes: recent.length === 0 ? changes : [...recent, ...changes], isAll };
  }
}

/**
 * That of a new stream. One that lies before what its caller can read already would not tell what they lose of it: it is given when that is passed, unless it takes
 * long.
 */
export async function firstCursor(stream: Stream): Promise<string> {
  const { cursor } = stream;
  const until = performance.now() + settling;
  while (!stream.isSettled && !stream.isEnded && performance.now() < until) await sleep(settlingPause);
  if (!stream.isSettled) return cursor;
  // What was told meanwhile is in what is read from now on.
  stream.discard();
  return stream.cursor;
}
