// Passwords: which are taken, and how they are hashed and compared, a few at a time, so that logins do not take the processors from everybody.

import { availableParallelism } from 'node:os';
import { error, type Fault } from '../../errors.ts';
import { type HashCost, hashCost, hashSecret, verifySecret } from '../../secrets.ts';
import { HashingThread } from './hashing/hashing.ts';

const length = { least: 8, most: 256 } as const;
/** Hashed at once, where there are processors for it besides the one that serves; and waiting. */
const atOnce = Math.max(1, Math.min(2, availableParallelism() - 1));
const mostWaiting = 64;

interface Hashing {
  hash(secret: string, cost: HashCost): Promise<string>;
  verify(hash: string, secret: string): Promise<boolean>;
}

const atOwnPriority: Hashing = { hash: hashSecret, verify: verifySecret };

export class Passwords {
  readonly #waiting: (() => void)[] = [];
  /** For those that had to wait: where many come at once, who only reads does not wait for them. */
  readonly #threads = Array.from({ length: atOnce }, () => new HashingThread());
  #running = 0;
  #dummy: Promise<string> | undefined;
  readonly #cost: HashCost;

  constructor(cost = hashCost) {
    this.#cost = cost;
  }

  /** What is wrong with it as a new password of this user. */
  async faultsOf(password: string, email: string, attribute: string): Promise<readonly Fault[]> {
    const count = [...password].length;
    const weak = (message: string): readonly Fault[] => [{ attribute, code: 'value', message }];
    if (count < length.least || Buffer.byteLength(password) > length.most)
      return weak(`must have ${length.least} characters and at most ${length.most} bytes`);
    if (password.includes('\0')) return weak('must not contain a NUL character');
    const { isCommon } = await import('./common.ts');
    const folded = password.toLowerCase();
    if (isCommon(folded) || folded === email) return weak('is one of those that are tried first; take another one');
    return [];
  }

  hash(password: string): Promise<string> {
    return this.#bounded((hashing) => hashing.hash(password, this.#cost));
  }

  /** Takes as long where there is no such user. */
  async isRight(password: string, hash: string | undefined): Promise<boolean> {
    this.#dummy ??= this.hash('nobody has this password');
    const dummy = await this.#dummy;
    const isSame = await this.#bounded((hashing) => hashing.verify(hash ?? dummy, password));
    return isSame && hash !== undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((each) => each.close()));
  }

  async #bounded<T>(work: (hashing: Hashing) => Promise<T>): Promise<T> {
    const isFirst = this.#running < atOnce;
    if (isFirst) this.#running += 1;
    else {
      if (this.#waiting.length >= mostWaiting) throw error('service-busy', { retryAfter: 1 });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const thread = isFirst ? undefined : this.#threads.pop();
    try {
      return await work(thread ?? atOwnPriority);
    } finally {
      if (thread !== undefined) this.#threads.push(thread);
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
