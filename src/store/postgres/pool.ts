// The connections to the server: lent one at a time, opened as they are needed, given up when they do not answer.

import { error } from '../../errors.ts';
import type { Awaitable } from '../store.ts';
import { isCrowded } from './errors.ts';
import type { PostgresSession } from './session.ts';

export interface PoolOptions {
  readonly size: number;
  /** Seconds after which a connection that does not answer is given up. */
  readonly patience: number | undefined;
  connect(): Promise<PostgresSession>;
}

interface Waiting {
  resolve(session: Awaitable<PostgresSession>): void;
  reject(thrown: unknown): void;
  timer: NodeJS.Timeout;
}

/** Whoever waits longer for a connection is told that the store is busy. */
const longestWait = 5000;
const second = 1000;
/** A connection that nobody used for so many seconds is closed. */
const longestIdle = 300;

export class PostgresPool {
  readonly #options: PoolOptions;
  readonly #sessions = new Set<PostgresSession>();
  /** The one used last is used next. */
  readonly #idle: PostgresSession[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #watch: NodeJS.Timeout;
  /** With those that are being opened. */
  #open = 0;
  #isClosed = false;
  /** Whether all connections were given up a moment ago. */
  #isRenewed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#watch = setInterval(() => this.#look(), second).unref();
  }

  acquire(): Awaitable<PostgresSession> {
    for (;;) {
      const session = this.#idle.pop();
      if (session === undefined) break;
      if (!session.isLost) return session;
      this.#forget(session);
    }
    if (this.#isClosed) throw error('service-stopping');
    return this.#open < this.#options.size ? this.#connect() : this.#wait();
  }

  release(session: PostgresSession): void {
    if (session.leadsAstray) this.#renew();
    if (session.isLost || session.isStale || this.#isClosed) {
      this.#forget(session);
      return;
    }
    session.age = 0;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(session);
    else {
      clearTimeout(next.timer);
      next.resolve(session);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#refuse(error('service-stopping'));
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  async #connect(): Promise<PostgresSession> {
    this.#open += 1;
    try {
      const session = await this.#options.connect();
      if (!this.#isClosed) {
        this.#sessions.add(session);
        return session;
      }
      await session.end();
    } catch (thrown) {
      this.#open -= 1;
      // Where the server has no connection to spare, one of those that are open gets free.
      if (isCrowded(thrown) && this.#sessions.size > 0) return this.#wait();
      this.#refuse(thrown);
      throw thrown;
    }
    throw error('service-stopping');
  }

  #wait(): Promise<PostgresSession> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { resolve, reject, timer: setTimeout(() => this.#tired(waiting), longestWait) };
      this.#waiting.push(waiting);
    });
  }

  /** Waiting does not help any more. */
  #refuse(thrown: unknown): void {
    for (const { timer, reject } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(thrown);
    }
  }

  /** After a fail-over nothing of what is open leads to the primary. On a standby this changes nothing, and need not be done all the time. */
  #renew(): void {
    if (this.#isRenewed) return;
    this.#isRenewed = true;
    for (const each of this.#sessions) each.isStale = true;
    for (const each of this.#idle.splice(0)) this.#forget(each);
  }

  #forget(session: PostgresSession): void {
    if (!this.#sessions.delete(session)) return;
    this.#open -= 1;
    if (!session.isLost) void session.end();
    this.#replace();
  }

  /** Whoever waits gets the place of a connection that went. */
  #replace(): void {
    const next = this.#isClosed ? undefined : this.#waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.resolve(this.#connect());
  }

  #tired(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    waiting.reject(error('store-busy', { retryAfter: 1 }));
  }

  #look(): void {
    const { patience } = this.#options;
    this.#isRenewed = false;
    for (const session of this.#sessions) {
      session.age += 1;
      if (session.isBusy && patience !== undefined && session.age > patience) session.giveUp();
    }
    const stale = this.#idle.filter((session) => session.isLost || session.age > longestIdle);
    for (const session of stale) {
      this.#idle.splice(this.#idle.indexOf(session), 1);
      this.#forget(session);
    }
  }
}
