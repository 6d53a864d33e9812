// One subscription: its handler is begun while this process holds it, and again, after growing pauses, when it ends or throws.

import type { Clock } from '../../clock.ts';
import type { EmitValue } from '../../engine/eval/functions.ts';
import type { TypeName } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { beatEvery, checkCursor, type SubscriptionLease } from './lease.ts';
import { type Delivery, deliver } from './message.ts';
import { pauseFor } from './pause.ts';

export interface SubscriptionFigures {
  readonly isActive: boolean;
  readonly committed: number;
  readonly rejected: number;
}

export interface SubscriptionParts {
  readonly name: TypeName;
  readonly lease: SubscriptionLease;
  readonly store: Store;
  readonly clock: Clock;
  readonly delivery: Delivery;
  /** Resolves when the handler has ended by itself. */
  begin(emit: EmitValue, signal: AbortSignal, cursor: Value): Promise<void>;
  failed(thrown: unknown): void;
}

/** Milliseconds before the second time, twice as long before each further one, and no longer than the last. */
const pauses = { first: 1000, longest: 60_000 } as const;
/** Messages that wait for those before them. */
const mostWaiting = 1000;
/** Milliseconds that a handler has to end in when it is told to. */
const patience = 1000;

export class Subscription {
  readonly #parts: SubscriptionParts;
  readonly #closing = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #pause: number = pauses.first;
  #isActive = false;
  #committed = 0;
  #rejected = 0;
  /** The last failure of a message: where its handler ends with it, that is no news. */
  #logged: unknown;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
  }

  get name(): TypeName {
    return this.#parts.name;
  }

  get figures(): SubscriptionFigures {
    return { isActive: this.#isActive, committed: this.#committed, rejected: this.#rejected };
  }

  start(): void {
    this.#done = this.#keepRunning();
  }

  /** What it tells is committed by then, or refused. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#done;
  }

  async #keepRunning(): Promise<void> {
    const { lease, failed } = this.#parts;
    const { signal } = this.#closing;
    let isMine = false;
    while (!signal.aborted) {
      try {
        isMine = await lease.take();
        if (isMine) await this.#runOnce();
      } catch (thrown) {
        if (thrown !== this.#logged) failed(thrown);
      }
      await pauseFor(isMine ? this.#pause : beatEvery, signal);
      if (isMine) this.#pause = Math.min(this.#pause * 2, pauses.longest);
    }
    if (isMine) await lease.release().catch(failed);
  }

  /** Until the handler ends, the subscription is lost to another process, or everything is closed. */
  async #runOnce(): Promise<void> {
    const { begin, store, lease } = this.#parts;
    const cursor = await store.read((tx) => lease.cursor(tx));
    const run: Run = new Run((data, at) => this.#deliver(data, at, run));
    const over = new AbortController();
    const { signal } = over;
    const end = () => over.abort();
    this.#closing.signal.addEventListener('abort', end);
    if (this.#closing.signal.aborted) end();
    const beating = store.isShared ? setInterval(() => void this.#beat(run), beatEvery).unref() : undefined;
    this.#isActive = true;
    let ending: Promise<void> | undefined;
    try {
      const handled = begin((data, at) => run.emit(data, at), signal, cursor);
      ending = handled.then(noted, noted);
      // What it has told by then is seen to also where it does not wait for it.
      await Promise.race([handled.finally(() => run.isDrained()), run.failed, aborted(signal)]);
    } finally {
      clearInterval(beating);
      this.#isActive = false;
      this.#closing.signal.removeEventListener('abort', end);
      end();
      await run.close();
      await Promise.race([ending, pauseFor(patience)]);
    }
  }

  async #beat(run: Run): Promise<void> {
    try {
      if (!(await this.#parts.lease.take())) run.fail(new Error('another process has taken this subscription over'));
    } catch (thrown) {
      run.fail(thrown);
    }
  }

  async #deliver(data: Value, cursor: Value | undefined, run: Run): Promise<void> {
    try {
      if (cursor !== undefined) checkCursor(cursor);
      await deliver(data, cursor, this.#parts.delivery);
      this.#committed += 1;
      this.#pause = pauses.first;
    } catch (thrown) {
      this.#rejected += 1;
      // Whoever does not wait for it would not hear of it.
      this.#parts.failed(thrown);
      this.#logged = thrown;
      // The sign of life that it was went with it.
      if (this.#parts.store.isShared) await this.#beat(run);
      throw thrown;
    }
  }
}

/** One time that the handler runs: what it tells is done one after the other. */
class Run {
  readonly #deliver: EmitValue;
  readonly failed: Promise<never>;
  #fail: (why: unknown) => void = () => {};
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOver = false;

  constructor(deliver: EmitValue) {
    this.#deliver = deliver;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
  }

  async emit(data: Value, cursor: Value | undefined): Promise<void> {
    if (this.#isOver) throw new Error('the subscription has ended');
    if (this.#waiting >= mostWaiting) {
      const why = new Error(`more than ${mostWaiting} messages of a subscription wait; its handler has to wait for emit`);
      this.fail(why);
      throw why;
    }
    this.#waiting += 1;
    const before = this.#last;
    const done = before
      .then(() => this.#begin(data, cursor))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = done.then(noted, noted);
    return done;
  }

  isDrained(): Promise<void> {
    return this.#last;
  }

  fail(why: unknown): void {
    this.#isOver = true;
    this.#fail(why);
  }

  /** What is under way comes to its end, what waits is refused. */
  close(): Promise<void> {
    this.#isOver = true;
    return this.#last;
  }

  async #begin(data: Value, cursor: Value | undefined): Promise<void> {
    if (this.#isOver) throw new Error('the subscription has ended');
    await this.#deliver(data, cursor);
  }
}

function noted(): void {}

/** Of a signal of one run, which goes with it. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
