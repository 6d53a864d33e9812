// The runs that this process works on: how many there are, for whom, and how each of them is stopped.

import { error } from '../errors.ts';
import type { RunLimits } from './settings.ts';

/** Why a run is stopped before its end. */
export type StopReason = 'cancelled' | 'stopping';

/** Aborted when its time is over, or with another signal. One controller and one timer: signals put together by the runtime cost several times as much. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason);

  constructor(milliseconds: number, outer?: AbortSignal) {
    this.#outer = outer;
    this.#timer = setTimeout(() => this.#controller.abort(new DOMException('its time is over', 'TimeoutError')), milliseconds);
    this.#timer.unref();
    if (outer?.aborted === true) this.#follow();
    else outer?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: StopReason): void {
    this.#controller.abort(reason);
  }

  /** Nothing aborts it any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#follow);
  }
}

export class ActiveRuns {
  readonly #limits: Pick<RunLimits, 'runs' | 'runsPerUser'>;
  readonly #runs = new Map<string, { readonly user: string | undefined; readonly deadline: Deadline }>();

  constructor(limits: Pick<RunLimits, 'runs' | 'runsPerUser'>) {
    this.#limits = limits;
  }

  /** Without a queue: whoever comes when all places are taken comes again later. */
  checkRoom(user: string | undefined): void {
    const { runs, runsPerUser } = this.#limits;
    const own = user === undefined ? 0 : [...this.#runs.values()].filter((each) => each.user === user).length;
    if (this.#runs.size >= runs || own >= runsPerUser)
      throw error('too-many-requests', { detail: 'Too many runs of agents are under way.', retryAfter: 1 });
  }

  get hasRoom(): boolean {
    return this.#runs.size < this.#limits.runs;
  }

  enter(run: string, user: string | undefined, deadline: Deadline): void {
    this.#runs.set(run, { user, deadline });
  }

  leave(run: string): void {
    this.#runs.get(run)?.deadline.end();
    this.#runs.delete(run);
  }

  has(run: string): boolean {
    return this.#runs.has(run);
  }

  stop(run: string, reason: StopReason): void {
    this.#runs.get(run)?.deadline.abort(reason);
  }

  stopAll(): void {
    for (const { deadline } of this.#runs.values()) deadline.abort('stopping');
  }
}
