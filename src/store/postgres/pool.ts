// The connections to the server: lent one at a time, opened as they are needed, given up when they do not answer.

import { error } from '../../errors.ts';
import type { Asks, Awaitable } from '../store.ts';
import { isCrowded } from './errors.ts';
import type { PostgresSession } from './session.ts';

export interface PoolOptions {
  readonly size: number;
  /** Seconds after which a connection that does not answer is given up. */
  readonly patience: number | undefined;
  connect(): Promise<PostgresSession>;
}

/** What a connection is lent for. */
export interface Loan {
  /** All that the model's logic does, which may take seconds. */
  readonly takesLong: boolean;
  /** Absent where the service asks by itself. */
  readonly asks: Asks | undefined;
}

const ofService: Loan = { takesLong: false, asks: undefined };

interface Waiting {
  readonly loan: Loan;
  resolve(session: Awaitable<PostgresSession>): void;
  reject(thrown: unknown): void;
  timer: NodeJS.Timeout;
}

/** Whoever waits longer for a connection is told that the store is busy. */
const longestWait = 5000;
const second = 1000;
/** A connection that nobody used for so many seconds is closed. */
const longestIdle = 300;
/** Milliseconds for which whoever asks for little, and was just served, is taken to ask again: what would begin meanwhile, they would wait for. */
const nextSoon = 50;
/** Of so many that were lent to those who waited, one is for whoever has waited longest, whatever they ask for. */
const share = 8;

export class PostgresPool {
  readonly #options: PoolOptions;
  readonly #sessions = new Set<PostgresSession>();
  /** The one used last is used next. */
  readonly #idle: PostgresSession[] = [];
  readonly #waiting: Waiting[] = [];
  /** Of all connections, a third is left to those who ask for little. */
  readonly #most: number;
  /** While one of those is under way or was a moment ago, the others have no more than this third: the server's processors are shared by all that it works on. */
  readonly #fewest: number;
  #long = 0;
  #little = 0;
  #much = 0;
  #served = 0;
  /** Until when somebody who asks for little is expected; and what looks again then, where others wait for it. */
  #expectedUntil = 0;
  #later: NodeJS.Timeout | undefined;
  readonly #watch: NodeJS.Timeout;
  /** With those that are being opened. */
  #open = 0;
  #isClosed = false;
  /** Whether all connections were given up a moment ago. */
  #isRenewed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#most = options.size - Math.floor(options.size / 3);
    this.#fewest = Math.max(1, Math.floor(options.size / 3));
    this.#watch = setInterval(() => this.#look(), second).unref();
  }

  acquire(loan: Loan = ofService): Awaitable<PostgresSession> {
    if (this.#isClosed) throw error('service-stopping');
    if (!this.#allows(loan)) return this.#wait(loan);
    return this.#idleFor(loan) ?? (this.#open < this.#options.size ? this.#connect(loan) : this.#wait(loan));
  }

  #idleFor(loan: Loan): PostgresSession | undefined {
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
      if (!session.isLost) {
        this.#count(loan, 1);
        return session;
      }
      this.#forget(session);
    }
    return undefined;
  }

  /** For what it was lent. */
  release(session: PostgresSession, loan: Loan = ofService): void {
    this.#count(loan, -1);
    if (session.leadsAstray) this.#renew();
    if (session.isLost || session.isStale || this.#isClosed) {
      this.#forget(session);
      return;
    }
    session.age = 0;
    this.#idle.push(session);
    this.#serve();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#later);
    this.#refuse(error('service-stopping'));
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  #allows({ takesLong, asks }: Loan): boolean {
    if (takesLong && this.#long >= this.#most) return false;
    return asks !== 'much' || this.#much < this.#fewest || (this.#much < this.#most && !this.#isLittleExpected());
  }

  #count({ takesLong, asks }: Loan, by: 1 | -1): void {
    if (takesLong) this.#long += by;
    if (asks === 'much') this.#much += by;
    else if (asks === 'little' && !takesLong) {
      this.#little += by;
      if (by === -1) this.#expectedUntil = performance.now() + nextSoon;
    }
  }

  #isLittleExpected(): boolean {
    if (this.#little > 0) return true;
    const left = this.#expectedUntil - performance.now();
    if (left <= 0) return false;
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.#serve();
    }, left + 1).unref();
    return true;
  }

  /** Where one has ended, several may begin. */
  #serve(): void {
    while (this.#waiting.length > 0 && !this.#isClosed && (this.#idle.length > 0 || this.#open < this.#options.size)) {
      const next = this.#next();
      if (next === undefined) return;
      next.resolve(this.acquire(next.loan));
    }
  }

  /** Of those who may have a connection now, who asks for little, and of these who has waited longest. */
  #next(): Waiting | undefined {
    this.#served += 1;
    const first = this.#served % share === 0 ? -1 : this.#waiting.findIndex(({ loan }) => loan.asks === 'little' && this.#allows(loan));
    const at = first === -1 ? this.#waiting.findIndex(({ loan }) => this.#allows(loan)) : first;
    const next = at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
    clearTimeout(next?.timer);
    return next;
  }

  async #connect(loan: Loan): Promise<PostgresSession> {
    this.#open += 1;
    this.#count(loan, 1);
    try {
      const session = await this.#options.connect();
      if (!this.#isClosed) {
        this.#sessions.add(session);
        return session;
      }
      await session.end();
    } catch (thrown) {
      this.#open -= 1;
      this.#count(loan, -1);
      // Where the server has no connection to spare, one of those that are open gets free.
      if (isCrowded(thrown) && this.#sessions.size > 0) return this.#idleFor(loan) ?? this.#wait(loan);
      this.#refuse(thrown);
      throw thrown;
    }
    throw error('service-stopping');
  }

  #wait(loan: Loan): Promise<PostgresSession> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { loan, resolve, reject, timer: setTimeout(() => this.#tired(waiting), longestWait) };
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
    // Whoever waits gets the place of a connection that went.
    this.#serve();
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
