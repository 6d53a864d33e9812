// The service's end of one process that reads: started with its first statement, asked one at a time, killed when it takes too long.

import type { ChildProcess } from 'node:child_process';
import { error } from '../../../errors.ts';
import { processAt } from '../../../threads.ts';
import { type Answer, type Question, readerArgument } from './messages.ts';

interface Asked {
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
  readonly timer: NodeJS.Timeout;
}

export class ReaderProcess {
  readonly #child: Promise<ChildProcess>;
  readonly #ended: Promise<void>;
  #asked: Asked | undefined;
  #isEnding = false;

  /** `onEnd` is called when the process has ended, for any reason. */
  constructor(file: string, onEnd: () => void) {
    this.#child = startReader(file);
    this.#ended = this.#serve()
      .catch((thrown: unknown) => thrown)
      .then((thrown) => {
        this.#isEnding = true;
        this.#settle()?.reject(error('store-failed', {}, thrown));
        onEnd();
      });
  }

  get isFree(): boolean {
    return this.#asked === undefined && !this.#isEnding;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // A timer may end a part of a millisecond before its time: who is told that it is late looks at the clock, too.
      const timer = setTimeout(() => {
        this.#settle()?.resolve({ kind: 'late' });
        void this.end();
      }, question.time + 1);
      this.#asked = { resolve, reject, timer };
      this.#tell((child) => {
        // While it works, the service has something to wait for.
        child.channel?.ref();
        child.send(question);
      });
    });
  }

  /** What it does is given up at once: it only reads. */
  end(): Promise<void> {
    this.#isEnding = true;
    this.#settle()?.reject(error('service-stopping'));
    this.#tell((child) => {
      child.ref();
      child.kill('SIGKILL');
    });
    return this.#ended;
  }

  /** Until the process has ended. */
  async #serve(): Promise<void> {
    const child = await this.#child;
    const kill = (): boolean => child.kill('SIGKILL');
    process.once('exit', kill);
    child.on('message', (answer: Answer) => {
      child.channel?.unref();
      this.#settle()?.resolve(answer);
    });
    try {
      await new Promise((resolve, reject) => {
        child.on('error', reject).once('exit', resolve);
      });
    } finally {
      process.off('exit', kill);
      kill();
    }
  }

  #tell(work: (child: ChildProcess) => void): void {
    this.#child.then(work).catch(() => {
      // It could not be started, and its caller gets that error.
    });
  }

  #settle(): Asked | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    clearTimeout(asked?.timer);
    return asked;
  }
}

async function startReader(file: string): Promise<ChildProcess> {
  const { readerFile } = await import('./reader-main.ts');
  const child = processAt(readerFile, [readerArgument, file]);
  child.unref();
  child.channel?.unref();
  return child;
}
