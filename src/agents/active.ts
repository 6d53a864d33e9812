// The runs that this process works on: how many there are, for whom, and how each of them is stopped.

import { error } from '../errors.ts';
import type { RunLimits } from './settings.ts';

/** Why a run is stopped before its end. */
export type StopReason = 'cancelled' | 'stopping';

export class ActiveRuns {
  readonly #limits: Pick<RunLimits, 'runs' | 'runsPerUser'>;
  readonly #runs = new Map<string, { readonly user: string | undefined; readonly controller: AbortController }>();

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

  enter(run: string, user: string | undefined): AbortSignal {
    const controller = new AbortController();
    this.#runs.set(run, { user, controller });
    return controller.signal;
  }

  leave(run: string): void {
    this.#runs.delete(run);
  }

  has(run: string): boolean {
    return this.#runs.has(run);
  }

  stop(run: string, reason: StopReason): void {
    this.#runs.get(run)?.controller.abort(reason);
  }

  stopAll(): void {
    for (const { controller } of this.#runs.values()) controller.abort('stopping' satisfies StopReason);
  }
}
