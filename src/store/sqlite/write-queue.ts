// Group commit: writes that arrive together run one after the other, each in its savepoint, and share one commit. They are answered when it is on disk.

import { error } from '../../errors.ts';
import type { Awaitable, WriteOptions, Writer } from '../store.ts';
import type { SqliteConnection } from './connection/connection.ts';
import { toStoreError } from './errors.ts';

interface Job {
  readonly work: (writer: Writer) => Awaitable<unknown>;
  /** Waits for something outside the store, and so has the writer to itself. */
  readonly waits: boolean;
  /** Writes by one statement at the most, which leaves nothing behind when it fails. */
  readonly single: boolean;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  timer: NodeJS.Timeout | undefined;
  value: unknown;
}

/** So many writes at the most share a commit, so that the first of them does not wait long. */
const maxTogether = 128;
/** Milliseconds after which no further write joins a commit: between two commits others have their turn. */
const longestTogether = 5;
/** Whoever waits longer for the writer is told that the store is busy. */
const longestWait = 5000;

export interface QueueListener {
  failed(thrown: unknown): void;
  /** What is read from now on is to be something else. */
  commits(): void;
}

export class WriteQueue {
  readonly #writer: SqliteConnection;
  readonly #listener: QueueListener;
  #jobs: Job[] = [];
  #running: Promise<void> | undefined;
  #closing = false;
  #commits = 0;
  /** Whether the writer itself waits: those behind it do so for an unknown time, and only then need a timer. */
  #isHeld = false;
  /** What each of them ends with where it has written. */
  #endOfWrite: (() => void) | undefined;

  constructor(writer: SqliteConnection, listener: QueueListener) {
    this.#writer = writer;
    this.#listener = listener;
  }

  add<T>(work: (writer: Writer) => Awaitable<T>, { waits = false, single = false }: WriteOptions = {}): Promise<T> {
    if (this.#closing) return Promise.reject(error('service-stopping'));
    return new Promise<T>((resolve, reject) => {
      const resolved = (value: unknown) => resolve(value as T);
      const job: Job = { work, waits, single, resolve: resolved, reject, timer: undefined, value: undefined };
      this.#jobs.push(job);
      if (this.#running === undefined) this.#running = this.#start();
      else if (this.#isHeld) job.timer = this.#impatient(job);
    });
  }

  endWritesWith(work: (() => void) | undefined): void {
    this.#endOfWrite = work;
  }

  /** How often readers have come to see something new. */
  get commits(): number {
    return this.#commits;
  }

  /** Runs outside any transaction, with the writer to itself: for changes of the tables. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running !== undefined) await this.#running;
    this.#listener.commits();
    const result = work();
    this.#running = result.then(nothing, nothing);
    try {
      return await this.#held(result);
    } finally {
      this.#listener.commits();
      this.#commits += 1;
      this.#running = undefined;
      if (this.#jobs.length > 0) this.#running = this.#start();
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    while (this.#running !== undefined) await this.#running;
  }

  /** The writes of one turn of the event loop are collected before the first of them runs. */
  async #start(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.#jobs.length > 0) {
        await this.#commitTogether(this.#next());
        // Requests that came in meanwhile are read before the next commit, and join it.
        if (this.#jobs.length > 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      this.#running = undefined;
    }
  }

  #next(): readonly Job[] {
    const waiting = this.#jobs.findIndex((job) => job.waits);
    const count = waiting === 0 ? 1 : Math.min(maxTogether, waiting === -1 ? this.#jobs.length : waiting);
    return this.#jobs.splice(0, count);
  }

  async #commitTogether(jobs: readonly Job[]): Promise<void> {
    const left = [...jobs];
    const done: Job[] = [];
    try {
      this.#writer.control('BEGIN IMMEDIATE');
      const begun = performance.now();
      for (let job = left.shift(); job !== undefined; job = performance.now() - begun < longestTogether ? left.shift() : undefined) {
        clearTimeout(job.timer);
        const { written } = this.#writer;
        try {
          const value = this.#work(job, jobs.length > 1);
          job.value = value instanceof Promise ? await this.#held(value) : value;
          done.push(job);
        } catch (thrown) {
          this.#listener.failed(thrown);
          job.reject(toStoreError(thrown));
          continue;
        }
        if (this.#writer.written !== written) this.#endOfWrite?.();
      }
      if (done.length > 0) this.#listener.commits();
      this.#writer.control(done.length > 0 ? 'COMMIT' : 'ROLLBACK');
      if (done.length > 0) this.#commits += 1;
    } catch (thrown) {
      this.#failAll([...done, ...left], thrown);
      return;
    }
    this.#jobs.unshift(...left);
    for (const job of done) job.resolve(job.value);
  }

  /** A failing write rolls back alone; where it is the only one, the whole transaction goes. */
  #work(job: Job, shared: boolean): Awaitable<unknown> {
    return shared && !job.single ? this.#inSavepoint(job) : job.work(this.#writer);
  }

  #inSavepoint(job: Job): Awaitable<unknown> {
    this.#writer.control('SAVEPOINT one');
    try {
      const result = job.work(this.#writer);
      if (result instanceof Promise) return result.then((value) => this.#released(value)).catch((thrown) => this.#undone(thrown));
      return this.#released(result);
    } catch (thrown) {
      return this.#undone(thrown);
    }
  }

  #released(value: unknown): unknown {
    this.#writer.control('RELEASE one');
    return value;
  }

  #undone(thrown: unknown): never {
    this.#writer.control('ROLLBACK TO one');
    this.#writer.control('RELEASE one');
    throw thrown;
  }

  #failAll(jobs: readonly Job[], thrown: unknown): void {
    this.#listener.failed(thrown);
    try {
      this.#writer.control('ROLLBACK');
    } catch (second) {
      // SQLite has already rolled back by itself after some failures; anything else shows at the next BEGIN.
      this.#listener.failed(second);
    }
    for (const job of jobs) job.reject(toStoreError(thrown));
  }

  async #held<T>(pending: Promise<T>): Promise<T> {
    this.#isHeld = true;
    for (const job of this.#jobs) job.timer ??= this.#impatient(job);
    try {
      return await pending;
    } finally {
      this.#isHeld = false;
    }
  }

  #impatient(job: Job): NodeJS.Timeout {
    return setTimeout(() => {
      const index = this.#jobs.indexOf(job);
      if (index === -1) return;
      this.#jobs.splice(index, 1);
      job.reject(error('store-busy', { retryAfter: 1 }));
    }, longestWait);
  }
}

function nothing(): void {}
