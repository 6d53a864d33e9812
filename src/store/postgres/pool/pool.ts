// The connections to the server: lent one at a time, opened as they are needed, given up when they do not answer.

import { error } from '../../../errors.ts';
import type { Awaitable } from '../../store.ts';
import { isCrowded } from '../errors.ts';
import type { PostgresSession } from '../session.ts';
import { type Waiting, WaitingQueue } from './queue.ts';
import { ConnectionShares, type Loan } from './shares.ts';

export interface PoolOptions {
  readonly size: number;
  /** Seconds after which a connection that does not answer is given up. */
  readonly patience: number | undefined;
  connect(): Promise<PostgresSession>;
}

const ofService: Loan = { takesLong: false, asks: undefined, address: undefined };

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
  readonly #shares: ConnectionShares;
  readonly #waiting = new WaitingQueue();
  readonly #watch: NodeJS.Timeout;
  /** With those that are being opened. */
  #open = 0;
  #isClosed = false;
  /** Whether all connections were given up a moment ago. */
  #isRenewed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#shares = new ConnectionShares(options.size, () => this.#serve());
    this.#watch = setInterval(() => this.#look(), second).unref();
  }

  acquire(loan: Loan = ofService): Awaitable<PostgresSession> {
    if (this.#isClosed) throw error('service-stopping');
    this.#shares.note(loan.address);
    if (!this.#shares.allows(loan)) return this.#wait(loan);
    return this.#idleFor(loan) ?? (this.#open < this.#options.size ? this.#connect(loan) : this.#wait(loan));
  }

  #idleFor(loan: Loan): PostgresSession | undefined {
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
      if (!session.isLost) {
        this.#shares.lend(loan);
        return session;
      }
      this.#forget(session);
    }
    return undefined;
  }

  /** For what it was lent. */
  release(session: PostgresSession, loan: Loan = ofService): void {
    this.#shares.giveBack(loan);
    if (session.leadsAstray) this.#renew();
    if (session.isLost || session.isStale || this.#isClosed) {
      this.#forget(session, loan);
      return;
    }
    session.age = 0;
    this.#idle.push(session);
    this.#serve(loan);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#shares.close();
    this.#refuse(error('service-stopping'));
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  /** Where one has ended, several may begin; whoever had that one comes behind others who have as many as they still have. */
  #serve(ended?: Loan): void {
    if (this.#waiting.isEmpty || this.#isClosed) return;
    const allows = (loan: Loan) => this.#shares.allows(loan);
    const lentTo = (address: string | undefined) =>
      this.#shares.lentTo(address) + (ended !== undefined && ended.address === address ? 1 : 0);
    while (this.#idle.length > 0 || this.#open < this.#options.size) {
      const next = this.#waiting.next(allows, lentTo);
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.resolve(this.acquire(next.loan));
    }
  }

  async #connect(loan: Loan): Promise<PostgresSession> {
    this.#open += 1;
    this.#shares.lend(loan);
    try {
      const session = await this.#options.connect();
      if (!this.#isClosed) {
        this.#sessions.add(session);
        return session;
      }
      await session.end();
    } catch (thrown) {
      this.#open -= 1;
      this.#shares.giveBack(loan);
      // Where the server has no connection to spare, one of those that are open gets free.
      if (isCrowded(thrown) && this.#sessions.size > 0) return this.#idleFor(loan) ?? this.#wait(loan);
      this.#refuse(thrown);
      throw thrown;
    }
    throw error('service-stopping');
  }

  #wait(loan: Loan): Promise<PostgresSession> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { loan, resolve, reject, timer: setTimeout(() => this.#giveUp(waiting), longestWait) };
      this.#waiting.add(waiting);
    });
  }

  /** Waiting does not help any more. */
  #refuse(thrown: unknown): void {
    for (const { timer, reject } of this.#waiting.clear()) {
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

  #forget(session: PostgresSession, ended?: Loan): void {
    if (!this.#sessions.delete(session)) return;
    this.#open -= 1;
    if (!session.isLost) void session.end();
    // Whoever waits gets the place of a connection that went.
    this.#serve(ended);
  }

  #giveUp(waiting: Waiting): void {
    this.#waiting.remove(waiting);
    waiting.reject(error('store-busy', { retryAfter: 1 }));
  }

  #look(): void {
    const { patience } = this.#options;
    this.#isRenewed = false;
    this.#shares.tick();
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
