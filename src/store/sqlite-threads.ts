// Statements that others must not wait for: run in threads that only read, started when they are needed, with a bounded queue before them.

import { availableParallelism } from 'node:os';
import type { Clock } from '../clock.ts';
import { error, unreachable } from '../errors.ts';
import type { RawRow } from './sqlite-statement.ts';
import { ReaderThread } from './sqlite-thread.ts';
import { type Answer, type Question, rowsIn } from './sqlite-thread-messages.ts';

export interface ThreadRows {
  readonly rows: readonly RawRow[];
  /** Milliseconds. */
  readonly took: number;
}

interface Job {
  readonly question: Omit<Question, 'time'>;
  /** A time of the clock. */
  readonly until: number;
  resolve(found: ThreadRows): void;
  reject(reason: unknown): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * The write-ahead log can begin anew only while no thread reads, and where one statement always follows upon the other it would grow for
 * ever: once it is long, none is begun until all are done and it is brought to the database.
 */
export interface WriteLog {
  isLong(): boolean;
  shorten(): void;
}

/** One that takes long holds up no other. */
const mostThreads = Math.max(2, availableParallelism());
const mostWaiting = 100;
/** Whoever waits longer for a thread is told that the store is busy, as whoever waits for the writer is. */
const longestWait = 5000;
/** A thread that nobody needed for so many milliseconds is ended. */
const longestIdle = 60_000;

export class ReaderThreads {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #log: WriteLog;
  readonly #threads = new Set<ReaderThread>();
  readonly #jobs: Job[] = [];
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(file: string, clock: Clock, log: WriteLog) {
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
  }

  /** Sees what was committed before it was asked. After `until`, a time of the clock, the store is busy. */
  ask(question: Omit<Question, 'time'>, until: number): Promise<ThreadRows> {
    if (this.#isClosed) return Promise.reject(error('service-stopping'));
    if (this.#jobs.length >= mostWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const job: Job = { question, until, resolve, reject, timer: setTimeout(() => this.#giveUp(job), longestWait) };
      this.#jobs.push(job);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const job of this.#jobs.splice(0)) {
      clearTimeout(job.timer);
      job.reject(error('service-stopping'));
    }
    await Promise.all([...this.#threads].map((each) => each.end()));
  }

  #next(): void {
    clearTimeout(this.#idle);
    while (this.#jobs.length > 0) {
      if (!this.#isLogShort()) return;
      const thread = this.#free();
      if (thread === undefined) return;
      const job = this.#jobs.shift();
      if (job === undefined) return;
      clearTimeout(job.timer);
      void this.#run(job, thread);
    }
    if (this.#threads.size > 0) this.#idle = setTimeout(() => this.#rest(), longestIdle).unref();
  }

  #isLogShort(): boolean {
    if (!this.#log.isLong()) return true;
    if ([...this.#threads].some((each) => !each.isFree)) return false;
    this.#log.shorten();
    return true;
  }

  #free(): ReaderThread | undefined {
    for (const each of this.#threads) if (each.isFree) return each;
    if (this.#threads.size >= mostThreads) return undefined;
    const thread: ReaderThread = new ReaderThread(this.#file, () => {
      this.#threads.delete(thread);
      if (!this.#isClosed) this.#next();
    });
    this.#threads.add(thread);
    return thread;
  }

  async #run({ question, until, resolve, reject }: Job, thread: ReaderThread): Promise<void> {
    const time = until - this.#clock.now().getTime();
    try {
      resolve(found(time > 0 ? await thread.ask({ ...question, time }) : { kind: 'late' }));
    } catch (thrown) {
      reject(thrown);
    }
    if (!this.#isClosed) this.#next();
  }

  #giveUp(job: Job): void {
    const index = this.#jobs.indexOf(job);
    if (index === -1) return;
    this.#jobs.splice(index, 1);
    job.reject(busy());
  }

  /** Gives their memory back. */
  #rest(): void {
    for (const each of this.#threads) if (each.isFree) void each.end();
  }
}

function found(answer: Answer): ThreadRows {
  switch (answer.kind) {
    case 'rows':
      return { rows: rowsIn(answer), took: answer.took };
    case 'late':
      throw busy();
    case 'failed':
      throw failure(answer);
    case 'ready':
      throw new Error('a thread answered nothing');
    default:
      return unreachable(answer);
  }
}

/** As the driver throws it here. */
function failure({ message, code }: Extract<Answer, { kind: 'failed' }>): Error {
  return code === undefined ? new Error(message) : Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: code });
}

function busy(): Error {
  return error('store-busy', { retryAfter: 1 });
}
