// A thread that hashes and compares passwords one after the other. Started when it is needed, ended when it is not.

import type { Worker } from 'node:worker_threads';
import type { HashCost } from '../../../secrets.ts';
import { threadAt } from '../../../threads.ts';
import type { HashAnswer, HashWork } from './hash-messages.ts';

/** A thread that nobody needed for so many milliseconds is ended. */
const longestIdle = 60_000;

interface Asked {
  resolve(answer: HashAnswer): void;
  reject(reason: unknown): void;
}

export class HashingThread {
  #worker: Promise<Worker> | undefined;
  readonly #asked: Asked[] = [];
  #idle: NodeJS.Timeout | undefined;

  async hash(secret: string, cost: HashCost): Promise<string> {
    const answer = await this.#ask({ kind: 'hash', secret, cost });
    if (answer.kind !== 'hashed') throw new Error('a thread compared where it was to hash');
    return answer.hash;
  }

  async verify(hash: string, secret: string): Promise<boolean> {
    const answer = await this.#ask({ kind: 'verify', hash, secret });
    if (answer.kind !== 'verified') throw new Error('a thread hashed where it was to compare');
    return answer.isSame;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = await this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #ask(work: HashWork): Promise<HashAnswer> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    const answer = new Promise<HashAnswer>((resolve, reject) => this.#asked.push({ resolve, reject }));
    worker.ref();
    worker.postMessage(work);
    return answer;
  }

  async #start(): Promise<Worker> {
    const { threadFile } = await import('./thread-main.ts');
    const worker = threadAt(threadFile, { workerData: { kind: 'hashing' }, name: 'hashing' });
    const ended = (thrown: unknown): void => {
      this.#worker = undefined;
      for (const each of this.#asked.splice(0)) each.reject(thrown);
    };
    worker.on('message', (answer: HashAnswer) => this.#answered(worker, answer));
    worker.once('error', ended).once('exit', () => ended(new Error('the thread that hashes ended')));
    return worker;
  }

  /** Answers come in the order of the questions. */
  #answered(worker: Worker, answer: HashAnswer): void {
    const asked = this.#asked.shift();
    if (this.#asked.length === 0) {
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), longestIdle).unref();
    }
    if (answer.kind === 'failed') asked?.reject(new Error(answer.message));
    else asked?.resolve(answer);
  }
}
