// Requests that have just come and are not answered yet: what can wait is done behind them.

import type { Respond } from './exchange.ts';

/** Milliseconds: a request that takes longer waits for something else, and nobody waits for it. */
const young = 25;
/** Milliseconds after which what can wait is done all the same, where there is always a request. */
const longestWait = 6;

interface Unanswered {
  readonly since: number;
}

export class UnansweredRequests {
  /** In the order in which they came. */
  readonly #all = new Set<Unanswered>();
  readonly #waiting = new Set<() => void>();
  /** Milliseconds. */
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Streams are not among them: they are what waits. */
  counted(respond: Respond): Respond {
    return (request) => {
      const answer = respond(request);
      if (!(answer instanceof Promise) || request.headers['accept']?.includes('text/event-stream') === true) return answer;
      const own: Unanswered = { since: this.#now() };
      this.#all.add(own);
      const answered = (): void => this.#answered(own);
      answer.then(answered, answered);
      return answer;
    };
  }

  get areWaiting(): boolean {
    const oldest = this.#now() - young;
    for (const each of this.#all) {
      if (each.since >= oldest) return true;
      this.#all.delete(each);
    }
    return false;
  }

  whenAnswered(go: () => void): void {
    const once = (): void => {
      clearTimeout(timer);
      if (this.#waiting.delete(once)) go();
    };
    const timer = setTimeout(once, longestWait);
    this.#waiting.add(once);
  }

  #answered(request: Unanswered): void {
    this.#all.delete(request);
    // Behind the answer itself, which is sent in this turn.
    if (this.#all.size === 0 && this.#waiting.size > 0) setImmediate(this.#wake);
  }

  readonly #wake = (): void => {
    if (!this.areWaiting) for (const each of [...this.#waiting]) each();
  };
}
