// The service's end of one thread that reads: started with its first statement, asked one at a time, ended when it takes too long.

import type { Worker } from 'node:worker_threads';
import { error } from '../../../errors.ts';
import { threadAt } from '../../../threads.ts';
import { busySignal, endOfQuestions, endSignal, type ThreadAnswer, type ThreadQuery, type ThreadStart } from './thread-messages.ts';

/** The thread looks at the time itself; where it cannot, nobody waits for it any longer than so many milliseconds more. */
const patience = 1000;
/** A process that ends waits so many milliseconds for a statement to do so. */
const longestEnd = 1000;
/** It makes texts and hands them over: a small young generation is enough. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

interface Asked {
  readonly question: ThreadQuery;
  resolve(answer: ThreadAnswer): void;
  reject(reason: unknown): void;
}

export class ReaderThread {
  readonly #signals = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Promise<Worker>;
  readonly #gone: Promise<void>;
  #asked: Asked | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReady = false;
  #isEnding = false;

  /** `onEnd` is called when it is gone, for whatever reason. */
  constructor(file: string, onEnd: () => void) {
    this.#worker = startThread({ reads: file, signals: this.#signals });
    this.#gone = this.#serve().then(() => {
      this.#isEnding = true;
      onEnd();
    });
  }

  get isFree(): boolean {
    return this.#asked === undefined && !this.#isEnding;
  }

  ask(question: ThreadQuery): Promise<ThreadAnswer> {
    return new Promise((resolve, reject) => {
      this.#asked = { question, resolve, reject };
      if (this.#isReady) this.#send();
    });
  }

  /**
   * What it does is given up: at the next row that SQLite looks at, or when the statement is done. It is never terminated from here: the
   * driver takes the whole process along when that happens while SQLite calls back.
   */
  end(): Promise<void> {
    this.#isEnding = true;
    this.#settle()?.reject(error('service-stopping'));
    Atomics.store(this.#signals, endSignal, 1);
    this.#tell((worker) => {
      worker.ref();
      worker.postMessage(endOfQuestions);
    });
    return this.#gone;
  }

  /** Until it is gone. */
  async #serve(): Promise<void> {
    // A process that exits terminates its threads.
    const beforeExit = (): void => {
      Atomics.store(this.#signals, endSignal, 1);
      Atomics.wait(this.#signals, busySignal, 1, longestEnd);
    };
    try {
      const worker = await this.#worker;
      process.once('exit', beforeExit);
      worker.on('message', (answer: ThreadAnswer) => {
        if (answer.kind === 'ready') return this.#begin();
        worker.unref();
        this.#settle()?.resolve(answer);
      });
      await new Promise<void>((resolve, reject) => {
        worker.once('error', reject).once('exit', resolve);
      });
      this.#settle()?.reject(error('store-failed'));
    } catch (thrown) {
      this.#settle()?.reject(error('store-failed', {}, thrown));
    } finally {
      process.off('exit', beforeExit);
    }
  }

  #begin(): void {
    this.#isReady = true;
    this.#send();
  }

  #send(): void {
    const asked = this.#asked;
    if (asked === undefined) return;
    this.#timer = setTimeout(() => {
      this.#settle()?.resolve({ kind: 'late' });
      void this.end();
    }, asked.question.time + patience);
    this.#tell((worker) => {
      // While it works, the process has something to wait for.
      worker.ref();
      worker.postMessage(asked.question);
    });
  }

  #tell(work: (worker: Worker) => void): void {
    this.#worker.then(work, () => {
      // It never came to be, which is told to whoever asked.
    });
  }

  #settle(): Asked | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    clearTimeout(this.#timer);
    return asked;
  }
}

async function startThread(start: ThreadStart): Promise<Worker> {
  const { threadFile } = await import('./thread-main.ts');
  const worker = threadAt(threadFile, { workerData: start, name: 'reader', resourceLimits });
  worker.unref();
  return worker;
}
