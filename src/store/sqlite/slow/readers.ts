// Statements that others must not wait for: run in processes that only read, started when they are needed, with a bounded queue before them.

import { availableParallelism } from 'node:os';
import type { Clock } from '../../../clock.ts';
import { error, unreachable } from '../../../errors.ts';
import { FairQueue, type QueueLimits } from '../../../fair-queue.ts';
import type { RawRow } from '../statement.ts';
import { type Answer, type Question, rowsIn } from './messages.ts';
import { ReaderProcess } from './reader.ts';

interface Job {
  readonly client: string;
  readonly question: Omit<Question, 'time'>;
  /** A time of the clock. */
  readonly until: number;
  resolve(rows: readonly RawRow[]): void;
  reject(reason: unknown): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * The write-ahead log can restart only while no process reads, and where one statement always follows upon the other it would grow for
 * ever: once it is long, none is begun until all are done and it is brought to the database.
 */
export interface WriteLog {
  isLong(): boolean;
  shorten(): void;
}

/** One that takes long holds up no other, and those of one client not the first of another. */
const limits: QueueLimits = { places: Math.max(2, availableParallelism()), reserved: 1, waiting: 100, waitingOfOne: 100 };
/** A read that waits longer for a process fails with store-busy, as a write that waits for the writer does. */
const longestWait = 5000;
/** A process that nobody needed for so many milliseconds is ended. */
const longestIdle = 60_000;

export class Readers {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #log: WriteLog;
  readonly #readers = new Set<ReaderProcess>();
  readonly #jobs = new FairQueue<Job>(limits);
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(file: string, clock: Clock, log: WriteLog) {
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
  }

  /** Sees what was committed before it was asked. After `until`, a time of the clock, the store is busy. Each `client` has its turn. */
  ask(question: Omit<Question, 'time'>, until: number, client = ''): Promise<readonly RawRow[]> {
    if (this.#isClosed) return Promise.reject(error('service-stopping'));
    return new Promise((resolve, reject) => {
      const job: Job = { client, question, until, resolve, reject, timer: setTimeout(() => this.#giveUp(job), longestWait) };
      const refused = this.#jobs.add(job);
      clearTimeout(refused?.timer);
      refused?.reject(busy());
      if (refused !== job) this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const job of this.#jobs.clear()) {
      clearTimeout(job.timer);
      job.reject(error('service-stopping'));
    }
    await Promise.all([...this.#readers].map((each) => each.end()));
  }

  #next(): void {
    clearTimeout(this.#idle);
    while (this.#jobs.isWaiting && this.#isLogShort() && this.#hasReader()) {
      const job = this.#jobs.next();
      if (job === undefined) return;
      clearTimeout(job.timer);
      void this.#run(job, this.#free());
    }
    if (this.#jobs.isWaiting) return;
    if (this.#readers.size > 0) this.#idle = setTimeout(() => this.#rest(), longestIdle).unref();
  }

  #isLogShort(): boolean {
    if (!this.#log.isLong()) return true;
    if ([...this.#readers].some((each) => !each.isFree)) return false;
    this.#log.shorten();
    return true;
  }

  /** One that does not end although nobody waits for it any more counts as well. */
  #hasReader(): boolean {
    return this.#readers.size < limits.places + limits.reserved || [...this.#readers].some((each) => each.isFree);
  }

  #free(): ReaderProcess {
    for (const each of this.#readers) if (each.isFree) return each;
    const reader: ReaderProcess = new ReaderProcess(this.#file, () => {
      this.#readers.delete(reader);
      if (!this.#isClosed) this.#next();
    });
    this.#readers.add(reader);
    return reader;
  }

  async #run(job: Job, reader: ReaderProcess): Promise<void> {
    const { question, until, resolve, reject } = job;
    const time = until - this.#clock.now().getTime();
    try {
      resolve(found(time > 0 ? await reader.ask({ ...question, time }) : { kind: 'late' }));
    } catch (thrown) {
      reject(thrown);
    }
    this.#jobs.done(job);
    if (!this.#isClosed) this.#next();
  }

  #giveUp(job: Job): void {
    if (this.#jobs.remove(job)) job.reject(busy());
  }

  /** Gives their memory back. */
  #rest(): void {
    for (const each of this.#readers) if (each.isFree) void each.end();
  }
}

function found(answer: Answer): readonly RawRow[] {
  switch (answer.kind) {
    case 'rows':
      return rowsIn(answer);
    case 'late':
      throw busy();
    case 'failed':
      throw failure(answer);
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
