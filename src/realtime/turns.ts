// How streams leave room for everybody else: work in short turns, after requests that have just come, and little of it at once.

import { FairQueue } from '../fair-queue.ts';

/** Milliseconds of work before others have their turn. */
const turn = 2;

/** Requests for which work that can wait is left lying. */
export interface Others {
  readonly areWaiting: boolean;
  /** Calls when none is unanswered any more that has just come; at some time also where there is always one. */
  whenAnswered(go: () => void): void;
}

/** One turn at a time, of all that is done for streams. */
export class Turns {
  readonly #others: Others;
  readonly #waiting: (() => void)[] = [];
  #isArmed = false;
  #until = 0;

  constructor(others: Others) {
    this.#others = others;
  }

  /** Called between pieces of work; waits where others have waited long enough, or one of them has just come. */
  next(): Promise<void> | undefined {
    // Whoever waits has the next turn: one that ends with every small piece of work would get nothing done.
    if (performance.now() < this.#until) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#arm();
    });
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(this.#look);
  }

  /** By now, whatever has come in meanwhile has begun. */
  readonly #look = (): void => {
    if (this.#others.areWaiting) this.#others.whenAnswered(this.#begin);
    else this.#begin();
  };

  readonly #begin = (): void => {
    this.#isArmed = false;
    this.#until = performance.now() + turn;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#arm();
  };
}

/** Those of one who does one thing after the other, and how many milliseconds of that were waiting. */
export class OwnTurns {
  readonly #turns: Turns;
  waited = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  next(): Promise<void> | undefined {
    const began = performance.now();
    return this.#turns.next()?.then(() => {
      this.waited += performance.now() - began;
    });
  }
}

interface Waiting {
  readonly client: string;
  begin(): void;
}

/** Work of which only so much is done at once, of each client in turn. */
export class FairSemaphore {
  readonly #queue: FairQueue<Waiting>;

  constructor(places: number) {
    this.#queue = new FairQueue({ places, reserved: 0, waiting: Number.POSITIVE_INFINITY, waitingOfOne: Number.POSITIVE_INFINITY });
  }

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    const waiting = await new Promise<Waiting>((resolve) => {
      const own: Waiting = { client, begin: () => resolve(own) };
      this.#queue.add(own);
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#queue.done(waiting);
      this.#next();
    }
  }

  #next(): void {
    this.#queue.next()?.begin();
  }
}
