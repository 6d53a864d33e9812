// Group commit: writes that arrive together run one after the other, each in its savepoint, and share one commit. They are answered when it is on disk.

import { error, type PlatformError } from '../../errors.ts';
import type { Awaitable, WriteOptions, Writer } from '../store.ts';
import type { SqliteConnection } from './connection/connection.ts';
import { toStoreError } from './errors.ts';

interface Job {
  readonly work: (writer: Writer) => Awaitable<unknown>;
  /** Waits for something outside the store, and so has the writer to itself. */
  readonly waits: boolean;
  /** Writes by one statement at the most, which leaves nothing behind when it fails. */
  readonly single: boolean;
  /** Writes what can fail by what is stored, and then what fails only with the store itself. */
  readonly isPlain: boolean;
  /** Who reads comes first. */
  readonly givesWay: boolean;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  timer: NodeJS.Timeout | undefined;
  value: unknown;
  isRejected: boolean;
}

/** So many writes at the most share a commit, so that the first of them does not wait long. */
const maxTogether = 128;
/** So many that share a commit are flushed with it at once; fewer in a thread, and so are those that give way. */
const manyTogether = 4;
/** Milliseconds of such writes, after which others have their turn: who reads does not wait for their commit. */
const longestHold = 2;
/** The same where one of them gives way. */
const shortestHold = 0.2;
/** Whoever waits longer for the writer is told that the store is busy. */
const longestWait = 5000;

export interface QueueListener {
  failed(thrown: unknown): void;
  /** What is read from now on is to be something else. */
  commits(): void;
  /** What can be read is not on disk, and nobody knows what of it will be: the queue takes nothing any more. */
  lost(thrown: unknown): void;
}

/** Everything that was committed before the call is on disk when `sync` resolves, or `syncNow` returns. */
interface SyncedLog {
  sync(): Promise<void>;
  syncNow(): void;
}

export class WriteQueue {
  readonly #writer: SqliteConnection;
  readonly #listener: QueueListener;
  readonly #log: SyncedLog;
  #jobs: Job[] = [];
  #running: Promise<void> | undefined;
  #closing = false;
  #commits = 0;
  /** Whether the writer itself waits: those behind it do so for an unknown time, and only then need a timer. */
  #isHeld = false;
  /** What `written` of the writer was when it was last brought to disk; `NaN`, which equals nothing, where others wrote besides. */
  #onDisk = Number.NaN;
  #unsynced: Promise<void> | undefined;
  #lost: PlatformError | undefined;
  /** What each of them ends with where it has written. */
  #endOfWrite: (() => void) | undefined;

  constructor(writer: SqliteConnection, listener: QueueListener, log: SyncedLog) {
    this.#writer = writer;
    this.#listener = listener;
    this.#log = log;
  }

  add<T>(work: (writer: Writer) => Awaitable<T>, options: WriteOptions = {}): Promise<T> {
    const { waits = false, single = false, isPlain = false, givesWay = false } = options;
    if (this.#closing) return Promise.reject(error('service-stopping'));
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise<T>((resolve, reject) => {
      const told = { resolve: (value: unknown) => resolve(value as T), reject };
      const job: Job = { work, waits, single, isPlain, givesWay, ...told, timer: undefined, value: undefined, isRejected: false };
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

  /** Until what can be read now is on disk, or lost; nothing where it is on disk. */
  get unsynced(): Promise<void> | undefined {
    return this.#unsynced;
  }

  /** Runs outside any transaction, with the writer to itself: for changes of the tables. What it did is on disk when it resolves. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running !== undefined) await this.#running;
    if (this.#lost !== undefined) throw this.#lost;
    this.#listener.commits();
    this.#onDisk = Number.NaN;
    const result = this.#durable(work);
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
    const done: Job[] = [];
    const givesWay = jobs.some((job) => job.givesWay);
    const most = givesWay ? shortestHold : longestHold;
    try {
      this.#writer.control('BEGIN IMMEDIATE');
      let since = performance.now();
      const giveWay = async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      };
      for (const job of jobs) {
        if (performance.now() - since > most) await giveWay();
        clearTimeout(job.timer);
        const written = this.#writer.written;
        try {
          const value = this.#work(job, jobs.length > 1);
          job.value = value instanceof Promise ? await this.#held(value) : value;
          done.push(job);
        } catch (thrown) {
          // Nothing takes back what it has written: all of them go.
          if (job.isPlain && jobs.length > 1 && this.#writer.written !== written) throw thrown;
          this.#listener.failed(thrown);
          job.isRejected = true;
          job.reject(toStoreError(thrown));
          continue;
        }
        if (this.#writer.written !== written) this.#endOfWrite?.();
      }
      if (givesWay && performance.now() - since > most) await giveWay();
      if (done.length > 0) this.#listener.commits();
      this.#writer.control(done.length > 0 ? 'COMMIT' : 'ROLLBACK');
      if (done.length > 0) this.#commits += 1;
    } catch (thrown) {
      return this.#failAll(
        jobs.filter((job) => !job.isRejected),
        thrown,
      );
    }
    try {
      if (done.length >= manyTogether && !givesWay) this.#flushNow();
      else if (done.length > 0) await this.#flush();
    } catch (thrown) {
      for (const job of done) job.reject(thrown);
      return;
    }
    for (const job of done) job.resolve(job.value);
  }

  async #durable<T>(work: () => Promise<T>): Promise<T> {
    const value = await work();
    await this.#flush();
    return value;
  }

  /**
   * Brings what was committed to disk. Meanwhile others read, and writes collect for the next commit. What only read has something to wait for only where it
   * could have read what is not on disk.
   */
  async #flush(): Promise<void> {
    const { written } = this.#writer;
    if (written === this.#onDisk) return;
    const flushed = this.#log.sync();
    this.#unsynced = flushed.then(nothing, nothing);
    try {
      await this.#held(flushed);
      this.#onDisk = written;
    } catch (thrown) {
      throw this.#lose(thrown);
    } finally {
      this.#unsynced = undefined;
    }
  }

  /** One wait for the disk is shared by so many that the way to a thread and back would cost more of the processor than it spares others. */
  #flushNow(): void {
    const { written } = this.#writer;
    if (written === this.#onDisk) return;
    try {
      this.#log.syncNow();
      this.#onDisk = written;
    } catch (thrown) {
      throw this.#lose(thrown);
    }
  }

  /** The system may have dropped what it could not write, and would say at a second attempt that all is well: there is none. */
  #lose(thrown: unknown): PlatformError {
    this.#lost = error('store-failed', {}, thrown);
    this.#listener.lost(thrown);
    for (const job of this.#jobs.splice(0)) {
      clearTimeout(job.timer);
      job.reject(this.#lost);
    }
    return this.#lost;
  }

  /** A failing write rolls back alone; where it is the only one, the whole transaction goes. */
  #work(job: Job, shared: boolean): Awaitable<unknown> {
    return shared && !job.single && !job.isPlain ? this.#inSavepoint(job) : job.work(this.#writer);
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
