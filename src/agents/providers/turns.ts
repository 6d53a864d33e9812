// One call of a language model after the other, where many come or are answered in the same moment: what the library does for each of them takes a while, and
// whoever reads meanwhile is not to wait for all of them.

export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves at once where nobody else had this turn of the event loop, else in one of the next ones. */
  async take(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    const next = this.#waiting.shift();
    this.#isTaken = next !== undefined;
    if (next === undefined) return;
    next();
    setImmediate(() => this.#next());
  }
}
