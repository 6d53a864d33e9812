// Gives a system that fails a rest: after several failures in a row nobody asks it for a while.

import type { Clock } from '../clock.ts';
import { error } from '../errors.ts';

const mostFailures = 5;
/** Milliseconds. */
const rest = 30_000;

export class Breaker {
  readonly #clock: Clock;
  /** In a row, and all of them. */
  #failures = 0;
  #failed = 0;
  #answered = 0;
  #until = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#clock.now().getTime() < this.#until;
  }

  get figures(): { readonly answered: number; readonly failed: number; readonly isOpen: boolean } {
    return { answered: this.#answered, failed: this.#failed, isOpen: this.isOpen };
  }

  /** Refuses a call while the system rests; after that one failure more is enough for another rest. */
  check(): void {
    const left = this.#until - this.#clock.now().getTime();
    if (left > 0) throw error('resolver-unavailable', { retryAfter: left / 1000 });
  }

  succeeded(): void {
    this.#answered += 1;
    this.#failures = 0;
    this.#until = 0;
  }

  failed(): void {
    this.#failed += 1;
    this.#failures += 1;
    if (this.#failures >= mostFailures) this.#until = this.#clock.now().getTime() + rest;
  }
}
