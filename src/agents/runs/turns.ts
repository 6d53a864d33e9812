// One part of one run after the other, each in a turn of the event loop of its own: what many runs do in the same moment, and what one does in one go, takes
// a while, and whoever reads meanwhile is not to wait for all of it.

export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn in which nobody else goes on. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
