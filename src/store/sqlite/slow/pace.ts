// Runs statements that may take long: at first here, for a few milliseconds; those that take longer, in a thread, and from then on at once.

import type { Clock } from '../../../clock.ts';
import { isError } from '../../../errors.ts';
import type { Shape } from '../../../plan/query/shape.ts';
import type { Awaitable, Origin } from '../../store.ts';
import { type Fetch, fetchRows, type Pace, type Prepared, type RawRow } from '../connection/statement.ts';
import { longestText } from '../driver.ts';
import { isTooLarge } from '../errors.ts';
import { mayTakeLong } from './scans.ts';
import type { ReaderThreads } from './threads.ts';
import type { StatementWatch } from './watch.ts';

export interface PaceLimits {
  /** Milliseconds that everybody else may be held up by one statement; with 0 every statement is asked of a thread. */
  readonly budget: number;
  /** Milliseconds that any statement may take. */
  readonly time: number;
  /** Bytes of the longest text that a statement gives which gives more than a row by itself. */
  readonly memory: number;
}

export interface PacedStatement {
  readonly fetch: Fetch;
  /** A time of the clock. */
  readonly until?: number | undefined;
  readonly origin?: Origin | undefined;
}

/** What took long without being stopped may have been held up itself: it must have taken twice as long, so often in a row. */
const longEnough = 3;
/** A statement may take long with some values and not with others: so often in a row it must not have, to be run here again. */
const shortEnough = 16;

/**
 * Milliseconds that such statements may take here together before others get their turn: each of them is short, and there may be as many as
 * there are callers.
 */
const turn = 2;
/** The event loop takes one new connection each time it goes round: so often it does between two turns while somebody waits for one. */
const rounds = 16;

export class Pacing {
  readonly #watch: StatementWatch;
  readonly #threads: ReaderThreads;
  readonly #limits: PaceLimits;
  readonly #clock: Clock;
  /** Milliseconds of this turn of the event loop. */
  #spent = 0;
  #isCounting = false;
  readonly #waiting: (() => void)[] = [];

  constructor(watch: StatementWatch, threads: ReaderThreads, limits: PaceLimits, clock: Clock) {
    this.#watch = watch;
    this.#threads = threads;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether a statement may take long; `isCount` where it counts the rows of a select. */
  takes(shape: Shape, isCount: boolean): boolean {
    return this.#isForAll ? shape.kind === 'select' || shape.kind === 'report' : mayTakeLong(shape, isCount);
  }

  run(prepared: Prepared, pace: Pace, parameters: readonly unknown[], asked: PacedStatement): Awaitable<readonly RawRow[]> {
    const isUnknown = prepared.costly.some((each) => parameters[each] !== null);
    if (isUnknown || this.#isForAll) return this.#elsewhere(prepared, pace, parameters, asked);
    const work = () => (pace.isSlow ? this.#elsewhere(prepared, pace, parameters, asked) : this.#here(prepared, pace, parameters, asked));
    return !pace.isSlow && (this.#spent >= turn || this.#waiting.length > 0) ? this.#inAnotherTurn(work) : work();
  }

  #here(prepared: Prepared, pace: Pace, parameters: readonly unknown[], asked: PacedStatement): Awaitable<readonly RawRow[]> {
    const { budget } = this.#limits;
    const { fetch, until = Number.POSITIVE_INFINITY } = asked;
    const begun = this.#clock.now().getTime();
    try {
      const rows = this.#watch.during(Math.min(begun + budget, until), () =>
        fetchRows(prepared.statement, fetch, parameters, () => this.#watch.look()),
      );
      pace.long = this.#clock.now().getTime() - begun > 2 * budget ? pace.long + 1 : 0;
      pace.isSlow = pace.long >= longEnough;
      return rows;
    } catch (thrown) {
      if (isTooLarge(thrown) && !prepared.isBounded) return this.#elsewhere(prepared, pace, parameters, asked);
      // What comes to so much text takes long, however few its rows are.
      if (isTooLarge(thrown)) Object.assign(pace, { isSlow: true, short: 0 });
      if (!isError(thrown, 'store-busy')) throw thrown;
      Object.assign(pace, { isSlow: true, short: 0 });
      return this.#elsewhere(prepared, pace, parameters, asked);
    } finally {
      this.#spend(this.#clock.now().getTime() - begun);
    }
  }

  #spend(milliseconds: number): void {
    this.#spent += milliseconds;
    if (this.#spent > 0) this.#count();
  }

  #count(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => this.#nextTurn(this.#spent < turn ? 0 : rounds));
  }

  #nextTurn(left: number): void {
    if (left > 0 && this.#waiting.length > 0) {
      setImmediate(() => this.#nextTurn(left - 1));
      return;
    }
    this.#isCounting = false;
    this.#spent = 0;
    while (this.#spent < turn) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next();
    }
    this.#count();
  }

  /** Behind those that came before it. */
  #inAnotherTurn<T>(work: () => Awaitable<T>): Promise<T> {
    this.#count();
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work());
        } catch (thrown) {
          reject(thrown);
        }
      });
    });
  }

  get #isForAll(): boolean {
    return this.#limits.budget <= 0;
  }

  async #elsewhere(
    { sql, bigints, isBounded }: Prepared,
    pace: Pace,
    parameters: readonly unknown[],
    { fetch, until = Number.POSITIVE_INFINITY, origin }: PacedStatement,
  ): Promise<readonly RawRow[]> {
    const latest = this.#clock.now().getTime() + this.#limits.time;
    const longest = isBounded ? this.#limits.memory : longestText;
    const question = { sql, bigints, parameters, fetch, longest };
    const { rows, took } = await this.#threads.ask(question, Math.min(latest, until), origin?.remote);
    pace.short = took > this.#limits.budget ? 0 : pace.short + 1;
    if (pace.short >= shortEnough) Object.assign(pace, { isSlow: false, long: 0, short: 0 });
    return rows;
  }
}
