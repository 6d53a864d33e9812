// The connections to the server: lent one at a time, opened as they are needed, given up when they do not answer.

import { error } from '../../errors.ts';
import { FairQueue } from '../../fair-queue.ts';
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
  readonly client: string;
  resolve(session: Awaitable<PostgresSession>): void;
  reject(thrown: unknown): void;
  timer: NodeJS.Timeout;
}

/** What the service asks of its own accord has its turn as a client has. */
const service = '';
/** Of fewer connections than these, none is kept for a client that has none. */
const fewestWithReserve = 3;
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
  /** Those who wait for one of them. */
  readonly #queue: FairQueue<Waiting>;
  readonly #watch: NodeJS.Timeout;
  #isClosed = false;
  /** Whether all connections were given up a moment ago. */
  #isRenewed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { size } = options;
    const reserved = size < fewestWithReserve ? 0 : 1;
    this.#queue = new FairQueue({
      places: size - reserved,
      reserved,
      waiting: Number.POSITIVE_INFINITY,
      waitingOfOne: Number.POSITIVE_INFINITY,
    });
    this.#watch = setInterval(() => this.#look(), second).unref();
  }

  acquire(client = service): Awaitable<PostgresSession> {
    if (this.#isClosed) throw error('service-stopping');
    return this.#queue.begin({ client }) ? this.#lend(client) : this.#wait(client);
  }

  /** For whom it was lent. */
  release(session: PostgresSession, client = service): void {
    this.#queue.done({ client });
    if (session.leadsAstray) this.#renew();
    if (session.isLost || session.isStale || this.#isClosed) {
      this.#forget(session);
    } else {
      session.age = 0;
      this.#idle.push(session);
    }
    this.#serve();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#refuse(error('service-stopping'));
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  /** For a client that has its place: there is a connection for each place. */
  #lend(client: string): Awaitable<PostgresSession> {
    return this.#takeIdle() ?? this.#connect(client);
  }

  #takeIdle(): PostgresSession | undefined {
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
      if (!session.isLost) return session;
      this.#forget(session);
    }
    return undefined;
  }

  async #connect(client: string): Promise<PostgresSession> {
    try {
      const session = await this.#options.connect();
      if (!this.#isClosed) {
        this.#sessions.add(session);
        return session;
      }
      await session.end();
    } catch (thrown) {
      // Where the server has no connection to spare, one of those that are open gets free.
      if (isCrowded(thrown) && this.#sessions.size > 0) return this.#takeIdle() ?? this.#waitAgain(client);
      this.#queue.done({ client });
      this.#refuse(thrown);
      throw thrown;
    }
    throw error('service-stopping');
  }

  #waitAgain(client: string): Promise<PostgresSession> {
    this.#queue.done({ client });
    return this.#wait(client);
  }

  #wait(client: string): Promise<PostgresSession> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { client, resolve, reject, timer: setTimeout(() => this.#giveUp(waiting), longestWait) };
      this.#queue.add(waiting);
    });
  }

  #serve(): void {
    while (!this.#isClosed) {
      const next = this.#queue.next();
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.resolve(this.#lend(next.client));
    }
  }

  /** Waiting does not help any more. */
  #refuse(thrown: unknown): void {
    for (const { timer, reject } of this.#queue.clear()) {
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
    if (this.#sessions.delete(session) && !session.isLost) void session.end();
  }

  #giveUp(waiting: Waiting): void {
    if (this.#queue.remove(waiting)) waiting.reject(error('store-busy', { retryAfter: 1 }));
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
