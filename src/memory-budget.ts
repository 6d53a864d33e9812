// Bytes that all requests of a process together hold in memory: reserved up to a limit; whoever finds no room waits in a bounded queue.

import { error, PlatformError } from './errors.ts';

export interface BudgetFigures {
  readonly limit: number;
  readonly reserved: number;
  /** Requests that wait for room, and how many were refused for want of it. */
  readonly waiting: number;
  readonly refused: number;
}

export interface BudgetOptions {
  readonly mostWaiting?: number;
  /** Milliseconds. */
  readonly longestWait?: number;
}

/** What holds less than this is not counted: ordinary requests neither wait nor pay for the bookkeeping. */
export const countedFrom = 65_536;

const mebibyte = 1024 * 1024;
const largestDefault = 48 * mebibyte;

/** The limit where none is set: a quarter of the heap, and not so much of a large one that the process takes the machine from others. */
export function defaultBudget(heapSize: number): number {
  return Math.min(largestDefault, Math.floor(heapSize / 4));
}

interface Waiting {
  readonly reservation: Reservation;
  readonly bytes: number;
  settle(refusal: PlatformError | undefined): void;
}

export class MemoryBudget {
  readonly #limit: number;
  readonly #mostWaiting: number;
  readonly #longestWait: number;
  readonly #waiting: Waiting[] = [];
  #reserved = 0;
  #refused = 0;

  constructor(limit: number, { mostWaiting = 100, longestWait = 5000 }: BudgetOptions = {}) {
    this.#limit = limit;
    this.#mostWaiting = mostWaiting;
    this.#longestWait = longestWait;
  }

  get figures(): BudgetFigures {
    return { limit: this.#limit, reserved: this.#reserved, waiting: this.#waiting.length, refused: this.#refused };
  }

  /** Whether somebody waits for what others hold. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Holds nothing yet. Whoever opens it releases it. */
  open(): Reservation {
    return new Reservation(this);
  }

  /** Whether so many bytes more are reserved now. Whoever holds nothing yet does not get past those that wait. */
  take(bytes: number, isFirst: boolean): boolean {
    if (this.#reserved + bytes > this.#limit || (isFirst && this.#waiting.length > 0)) return false;
    this.#reserved += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#reserved -= bytes;
    this.#admit();
  }

  /** What alone is more than the limit gets all of it, when nobody else holds anything. */
  capped(bytes: number): number {
    return Math.min(bytes, this.#limit);
  }

  /** Resolves when `reservation` holds `bytes`. */
  wait(reservation: Reservation, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) return Promise.reject(this.#refuse());
    return new Promise((resolve, reject) => {
      const leave = (): void => waiting.settle(signal?.aborted === true ? noRoom() : this.#refuse());
      const timer = setTimeout(leave, this.#longestWait);
      const waiting: Waiting = {
        reservation,
        bytes,
        settle: (refusal) => {
          const index = this.#waiting.indexOf(waiting);
          if (index === -1) return;
          this.#waiting.splice(index, 1);
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          if (refusal === undefined) resolve();
          else reject(refusal);
          this.#admit();
        },
      };
      this.#waiting.push(waiting);
      if (signal?.aborted === true) leave();
      else signal?.addEventListener('abort', leave);
      this.#admit();
    });
  }

  /** Those that wait for a reservation which is released do so for nothing. */
  forget(reservation: Reservation): void {
    for (const each of this.#waiting.filter((one) => one.reservation === reservation)) each.settle(noRoom());
  }

  #refuse(): PlatformError {
    this.#refused += 1;
    return noRoom();
  }

  /** In the order in which they came: one that needs much is not passed by for ever by those that need little. */
  #admit(): void {
    const [first] = this.#waiting;
    if (first?.reservation.grow(first.bytes, true) === true) first.settle(undefined);
  }
}

/** What one request holds: it grows with the request, and is released once, when its answer has been sent or nobody is there to take it. */
export class Reservation {
  readonly #budget: MemoryBudget;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether others wait for what it holds. */
  get isAwaited(): boolean {
    return this.#bytes > 0 && this.#budget.isAwaited;
  }

  /** Whether it now holds at least so many bytes. After its release nothing is counted any more: nobody would give it back. */
  grow(bytes: number, isNext = false): boolean {
    const more = this.#budget.capped(bytes) - this.#bytes;
    if (more <= 0 || this.#isReleased) return true;
    if (!this.#budget.take(more, this.#bytes === 0 && !isNext)) return false;
    this.#bytes += more;
    return true;
  }

  /** `grow`, as soon as there is room; `store-busy` where there is none for too long, or `signal` is aborted. */
  async wait(bytes: number, signal?: AbortSignal): Promise<void> {
    if (!this.grow(bytes)) await this.#budget.wait(this, bytes, signal);
  }

  /** Gives back what is beyond `bytes`. */
  shrink(bytes: number): void {
    const less = this.#bytes - bytes;
    if (less <= 0) return;
    this.#bytes = bytes;
    this.#budget.give(less);
  }

  /**
   * Until what it returns is called: ends a holder whose other end does nothing, which `progress` tells by staying the same, while others wait
   * for what it holds. Whoever does something, however slowly, is left alone.
   */
  whileHeld(progress: () => number, end: () => void): () => void {
    let [last, idle] = [progress(), 0];
    const timer = setInterval(() => {
      const now = progress();
      idle = now === last ? idle + lookInterval : 0;
      last = now;
      if (idle >= longestIdle && this.isAwaited) end();
    }, lookInterval);
    timer.unref();
    return () => clearInterval(timer);
  }

  release(): void {
    this.#isReleased = true;
    this.shrink(0);
    this.#budget.forget(this);
  }
}

/** Milliseconds: sooner than those that wait are refused. */
const lookInterval = 500;
const longestIdle = 2000;

const secondsToWait = 1;

/** `bytes` where the request may be done again from its start once it holds so many. */
export function noRoom(bytes?: number): PlatformError {
  const details = { detail: 'The requests under way hold as much memory as they may; try again.', retryAfter: secondsToWait };
  return bytes === undefined ? error('store-busy', details) : new PlatformError('store-busy', details, undefined, { bytes });
}
