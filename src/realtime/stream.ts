// One stream: what of each batch of changes its caller is told, and what waits to be sent.

import type { Caller } from '../engine/caller.ts';
import { mapAwaitable } from '../engine/context.ts';
import type { Watch } from '../engine/watch/watch.ts';
import { error } from '../errors.ts';
import type { Select } from '../plan/query/shape.ts';
import { keyName } from '../plan/rows/keys.ts';
import { type Change, isBefore, type Place } from '../store/changes/change.ts';
import type { Awaitable, Reader, Row } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { type BurstRoom, mostWaiting, notRead, type VisibilityEvent, VisibilityEvents, WaitingEvents } from './backlog.ts';
import type { Batch, IdentifiedChange } from './batch.ts';
import type { Cursors } from './cursor.ts';
import { mostTogether } from './pages.ts';
import type { RowIdentity } from './read-cache.ts';
import { knownRows, presentRows, tooManyRows } from './rows.ts';
import { type Viewer, viewerOf } from './viewers.ts';
import type { VisibilityEffects } from './visibility.ts';

export interface StreamEvent {
  readonly event: 'ready' | 'present' | 'create' | 'update' | 'delete' | 'gone' | 'ping';
  /** Where the stream may be resumed once this was received; absent where it may not. */
  readonly id: string | undefined;
  /** JSON. */
  readonly data: string;
}

/** An event, and the end of the transaction that it is of. */
interface Telling {
  readonly event: StreamEvent['event'];
  readonly data: string;
  readonly place: Place;
}

/** A row that is among the watched ones after a change. */
interface Arrival extends Omit<Telling, 'event'> {
  readonly tx: number;
  readonly row: RowIdentity;
  readonly isNew: boolean;
}

export interface StreamParts {
  readonly watch: Watch;
  readonly caller: Caller;
  readonly cursors: Cursors;
  /** Shared by all streams. */
  readonly burstRoom: BurstRoom;
  /** Whose it is. */
  readonly client: string;
  /** Instances that a stream may watch where they are not all of their type. */
  readonly mostRows: number;
  /** Called when nobody reads any more, or it was cut. */
  readonly ended: () => void;
}

/** Times that a part of the present instances is read before its stream is cut. */
const mostReads = 20;

export class Stream {
  readonly watch: Watch;
  readonly caller: Caller;
  readonly viewer: Viewer;
  readonly #parts: StreamParts;
  /** Keys of the rows that the caller knows of; absent where that is all of them. */
  #known: Map<string, Value> | undefined;
  /** Sequence numbers of changes behind its place that its caller could read when it was opened. */
  #inSnapshot = new Set<number>();
  /** Keys of rows that were told as they were before changes which the snapshot has: those are told of them. */
  readonly #earlier = new Set<string>();
  /** The last of the changes that the snapshot has. */
  #snapshotEnd: Place | undefined;
  #pingPlace: Place | undefined;
  readonly #waiting: WaitingEvents<StreamEvent>;
  /** Until all of a batch has been told. */
  #telling: Promise<void> | undefined;
  #hadTakenAll = false;
  #isBounded = false;
  /** Who takes events as they come. */
  #flow: { readonly take: (event: StreamEvent) => boolean; readonly stop: () => void } | undefined;
  #taker: { resolve(result: IteratorResult<StreamEvent>): void; reject(thrown: unknown): void } | undefined;
  #drained: (() => void) | undefined;
  #failure: unknown;
  #isEnded = false;
  /** Whether it is told with the others. Before, each part is told when the one before was taken, however large it is. */
  #isLive = false;
  #place: Place;
  /** What comes before everything else, read as it is sent. */
  #first: AsyncIterator<StreamEvent> | undefined;

  constructor(parts: StreamParts, place: Place) {
    this.#parts = parts;
    this.watch = parts.watch;
    this.caller = parts.caller;
    this.viewer = viewerOf(parts.watch, parts.caller);
    this.#place = place;
    this.#waiting = new WaitingEvents(parts.burstRoom, parts.client);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get cursor(): string {
    return this.#parts.cursors.of(this.#place);
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /** From now on it is told with the others, unless so much waits that it would be cut for that. */
  join(): void {
    this.#isLive = this.#waiting.bytes <= mostWaiting / 2;
  }

  knows(keys: Map<string, Value> | undefined): void {
    this.#known = keys;
  }

  /** These were made before it was opened, and are not told although they lie behind its place. */
  snapshotHas(changes: readonly Change[]): void {
    this.#inSnapshot = new Set(changes.map(({ seq }) => seq));
    this.#snapshotEnd = changes.at(-1)?.place;
  }

  /** Whether its place lies behind all that could be read when it was opened. */
  get isSettled(): boolean {
    return this.#snapshotEnd === undefined;
  }

  /** What was told before anybody read it is in what they read from now on. */
  discard(): void {
    this.#waiting.clear();
  }

  /** Whoever has received everything up to a place, and what was told since, may go on from there. */
  pingBehind(place: Place | undefined): void {
    this.#pingPlace = place ?? this.#place;
    this.#pingIfBehind();
  }

  #pingIfBehind(): void {
    if (this.#pingPlace === undefined || isBefore(this.#place, this.#pingPlace)) return;
    this.#pingPlace = undefined;
    this.push({ event: 'ping', id: this.cursor, data: '{}' });
  }

  /** The place up to which everything has been told. */
  get place(): Place {
    return this.#place;
  }

  /** There is nothing to tell up to this place. */
  reached(place: Place): void {
    if (isBefore(this.#place, place)) this.#place = place;
  }

  begin(first: AsyncIterator<StreamEvent>): void {
    this.#first = first;
  }

  /** Where there may be something to tell, `check` is called before, and may end the stream. */
  tell(batch: Batch, check: () => Awaitable<void>): Awaitable<void> {
    // Another process, at which the stream was before, may have been further.
    if (this.#isEnded || (batch.end !== undefined && !isBefore(this.#place, batch.end))) return undefined;
    this.#hadTakenAll = this.#waiting.count === 0;
    // Who comes back is told a little at a time, unless one transaction has changed much.
    this.#isBounded = this.#isLive || batch.changes.length > mostTogether;
    const told = batch.touches(this.watch.sources) ? this.#tellOf(batch, check) : undefined;
    if (told instanceof Promise) this.#telling = told.catch(() => undefined);
    return mapAwaitable(told, () => this.#hasAllOf(batch));
  }

  /**
   * Part of the present instances, which are known from then on. It is read again where something was told meanwhile: which of the two knows of the other, nobody could
   * say.
   */
  async present(read: () => Awaitable<readonly Row[]>): Promise<readonly Row[]> {
    for (let left = mostReads; left > 0; left -= 1) {
      await this.#telling;
      const { place } = this;
      const telling = this.#telling;
      const rows = await read();
      if (this.#isEnded || this.#known === undefined) return rows;
      if (this.place !== place || this.#telling !== telling) continue;
      for (const { columns } of rows) this.#add(keyOf(columns));
      return rows;
    }
    throw notRead();
  }

  /** Most streams are told nothing of most batches: they wait for nothing that is there already. */
  #tellOf(batch: Batch, check: () => Awaitable<void>): Awaitable<void> {
    // What has been replaced since could be told to somebody who may read what it was replaced with.
    if (!batch.knowsLater && this.watch.visibilityTables.length > 0) throw error('cursor-expired');
    return mapAwaitable(batch.identified(this.watch, this.caller), (own) =>
      mapAwaitable(batch.effects(this.watch, own, this.caller), (effects) =>
        mapAwaitable(own.length > 0 ? batch.visible(this.viewer) : new Map<number, string>(), (visible) => {
          const isKnown = (row: RowIdentity | undefined): boolean => row !== undefined && this.#knows(row.key);
          if (!effects.affectsOthers && visible.size === 0 && !own.some(({ before }) => isKnown(before))) return undefined;
          return mapAwaitable(check(), () =>
            mapAwaitable(batch.unchanged(this.viewer), (unchanged) => this.#tellChecked(batch, own, effects, visible, unchanged)),
          );
        }),
      ),
    );
  }

  #tellChecked(
    batch: Batch,
    own: readonly IdentifiedChange[],
    { affectsOthers, until }: VisibilityEffects,
    visible: ReadonlyMap<number, string>,
    unchanged: ReadonlySet<number> | undefined,
  ): Awaitable<void> {
    if (this.#isEnded) return undefined;
    const told = this.#tellOwn(own, visible, unchanged);
    const { end } = batch;
    if (!affectsOthers || end === undefined) return this.#pushAll(told, until);
    // What others decide about is told at the end of the batch: until then, nothing of it is behind the caller.
    return mapAwaitable(this.#tellVisibility(batch), (others) =>
      this.#pushAll([...told, ...others].map((each) => ({ ...each, place: end }))),
    );
  }

  /** Nobody goes on within a transaction, or before what decided: only the last event has a cursor. */
  #pushAll(told: readonly Telling[], until?: Place): void {
    for (const [index, { event, data, place }] of told.entries()) {
      const next = told[index + 1]?.place;
      const isBehind = until === undefined || !isBefore(place, until);
      const isLast = next === undefined || (isBehind && next !== place);
      this.push({ event, id: isLast ? this.#parts.cursors.of(isBehind ? place : until) : undefined, data });
    }
  }

  #hasAllOf({ end }: Batch): void {
    if (this.#isEnded) return;
    if (end !== undefined) this.#place = end;
    this.#pingIfBehind();
    if (this.#snapshotEnd === undefined || isBefore(this.#place, this.#snapshotEnd)) return;
    this.#snapshotEnd = undefined;
    this.#inSnapshot.clear();
    this.#earlier.clear();
  }

  /** Of each transaction what has left comes first: another row may have got the key that it had. */
  #tellOwn(
    own: readonly IdentifiedChange[],
    visible: ReadonlyMap<number, string>,
    unchanged: ReadonlySet<number> | undefined,
  ): readonly Telling[] {
    const told: Telling[] = [];
    const came: Arrival[] = [];
    for (const { change, number, before, after } of own) {
      const { place, tx } = change;
      // Whoever may not read all of the type is told the last state of what transactions have changed one after the other, of which the log knows no state between.
      const isPassed = change.isSuperseded && !this.watch.isEverything;
      const json = isPassed ? undefined : visible.get(number);
      if (came[0] !== undefined && (came[0].place !== place || came[0].tx !== tx)) told.push(...this.#tellCame(came.splice(0)));
      const wasKnown = before !== undefined && this.#knows(before.key);
      // Of most changes most are told nothing.
      if (json === undefined && !wasKnown) continue;
      const isEarlier = this.#earlier.size > 0 && [before, after].some((row) => row !== undefined && this.#earlier.has(row.key));
      if (!isBefore(this.#place, place) || (!isEarlier && this.#inSnapshot.has(change.seq))) continue;
      const isMoved = before !== undefined && after !== undefined && before.key !== after.key;
      if (isPassed && after !== undefined && !isMoved) continue;
      // Nothing but what the caller may not see has changed.
      if (wasKnown && json !== undefined && !isMoved && unchanged?.has(number) === true) continue;
      if (wasKnown && (json === undefined || isMoved)) {
        this.#known?.delete(before.key);
        told.push({ event: after === undefined ? 'delete' : 'gone', data: before.json, place });
      }
      if (json !== undefined && after !== undefined)
        came.push({ row: after, isNew: isMoved || before === undefined, data: json, place, tx });
    }
    return [...told, ...this.#tellCame(came)];
  }

  #tellCame(came: readonly Arrival[]): readonly Telling[] {
    return came.map(({ row, isNew, data, place }) => {
      const event = isNew || !this.#knows(row.key) ? 'create' : 'update';
      this.#add(row);
      return { event, data, place };
    });
  }

  #knows(key: string): boolean {
    return this.#known?.has(key) ?? true;
  }

  #add({ key, value }: Pick<RowIdentity, 'key' | 'value'>): void {
    this.#known?.set(key, value);
    if (this.#known !== undefined && this.#known.size > this.#parts.mostRows) throw tooManyRows(this.#parts.mostRows);
  }

  /** All watched rows are looked at again: those that are not any more, and those that are now. */
  async #tellVisibility(batch: Batch): Promise<readonly VisibilityEvent[]> {
    const known = this.#known ?? new Map<string, Value>();
    const found = await batch.atEnd(this.watch, this.caller, async (reader, at) => {
      const now = await knownRows(this.watch, this.#parts.mostRows, reader, at(this.watch.keys));
      const events = new VisibilityEvents();
      const gone = [...known].filter(([key]) => !now.has(key));
      const names = at(this.watch.identityByKey);
      // What is not there at all any more is told with its own change.
      for (const [key, value] of gone) {
        const row = await reader.one(names, [value]);
        if (row !== undefined) events.add({ event: 'gone', data: row.json, key, value });
      }
      if ([...now].some(([key]) => !known.has(key))) await this.#addNew(known, events, reader, at);
      return events.all;
    });
    const told = await this.#asStored(found, batch);
    for (const { event, key, value } of told) {
      if (event === 'gone') known.delete(key);
      else known.set(key, value);
      if (this.#snapshotEnd !== undefined) this.#earlier.add(key);
    }
    this.#known = known;
    return told;
  }

  async #addNew(known: ReadonlyMap<string, Value>, found: VisibilityEvents, reader: Reader, at: (select: Select) => Select): Promise<void> {
    for await (const { json, columns } of presentRows(this.watch, reader, at)) {
      const { key, value } = keyOf(columns);
      if (!known.has(key)) found.add({ event: 'create', data: json, key, value });
    }
  }

  /**
   * Changes behind the batch are stored already. What they have changed of rows that came may have been so before the rows did: of those only what is still the same is
   * told, and the others with what has changed them.
   */
  async #asStored(told: readonly VisibilityEvent[], batch: Batch): Promise<readonly VisibilityEvent[]> {
    const came = new Map(told.flatMap(({ event, key, data }) => (event === 'create' ? [[key, data]] : [])));
    if (came.size === 0 || batch.endsAsStored(this.watch)) return told;
    const same = new Set<string>();
    await batch.stored(this.caller, async (reader) => {
      for await (const { json, columns } of presentRows(this.watch, reader)) {
        const { key } = keyOf(columns);
        if (came.get(key) === json) same.add(key);
      }
    });
    return told.filter(({ event, key }) => event === 'gone' || same.has(key));
  }

  push(event: StreamEvent): void {
    if (this.#isEnded) return;
    if (this.#flow !== undefined) {
      if (!this.#flow.take(event)) this.#stopFlow();
      return;
    }
    const taker = this.#first === undefined ? this.#taker : undefined;
    if (taker !== undefined) {
      this.#taker = undefined;
      taker.resolve({ done: false, value: event });
      return;
    }
    if (this.#isBounded && !this.#waiting.hasRoomFor(event, this.#hadTakenAll))
      this.cut(this.#isLive ? notRead() : error('cursor-expired', { detail: 'Too many instances were changed at once; begin anew.' }));
    else this.#waiting.add(event);
  }

  async next(): Promise<IteratorResult<StreamEvent>> {
    const first = this.#isEnded ? undefined : await this.#first?.next();
    // It may have been ended meanwhile: then nothing more is told.
    if (first?.done === false && !this.#isEnded) return first;
    this.#first = undefined;
    const event = this.#waiting.take();
    if (this.#waiting.count === 0) this.#drained?.();
    if (event !== undefined) return { done: false, value: event };
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isEnded) return { done: true, value: undefined };
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject };
    });
  }

  /** A stream that waits for its next event with a promise of it would have its parts made anew with each one, and collected much later. */
  flow(take: (event: StreamEvent) => boolean): Promise<void> | undefined {
    if (this.#isEnded || this.#first !== undefined || this.#waiting.count > 0) return undefined;
    return new Promise((resolve) => {
      this.#flow = { take, stop: resolve };
    });
  }

  #stopFlow(): void {
    this.#flow?.stop();
    this.#flow = undefined;
  }

  /** Resolves when all that waits has been taken, or nobody takes it any more. */
  drained(): Promise<void> {
    if (this.#isEnded || (this.#waiting.count === 0 && this.#first === undefined)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  async return(): Promise<IteratorResult<StreamEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Nothing of what waits is sent any more: whoever comes back is told it, if they still may see it. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting.clear();
    void this.#first?.return?.();
    this.#drained?.();
    this.#known = undefined;
    this.#parts.ended();
    this.#stopFlow();
    this.#taker?.resolve({ done: true, value: undefined });
    this.#taker = undefined;
  }

  /** The connection is cut, so that nobody takes the stream for complete. */
  cut(thrown: unknown): void {
    if (this.#isEnded) return;
    this.#failure = thrown;
    const taker = this.#taker;
    this.#taker = undefined;
    this.end();
    taker?.reject(thrown);
  }
}

/** Of a row that is present. */
function keyOf([value = null]: readonly Value[]): { readonly key: string; readonly value: Value } {
  return { key: keyName(value), value };
}
