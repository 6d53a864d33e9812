// How streams leave room for everybody else: work in short turns, and little of it at once.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work before others have their turn. */
const turn = 2;

/** Called between pieces of work; waits where others have waited long enough. */
export function takingTurns(): () => Promise<void> | undefined {
  let until = performance.now() + turn;
  return () => {
    if (performance.now() < until) return undefined;
    return nextTurn().then(() => {
      until = performance.now() + turn;
    });
  };
}

/** Work of which only so much is done at once, each in its turn. */
export class Few {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // Whoever is next takes the place over.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
