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
  /** Those that are about to go on. */
  readonly #reserved = new Map<string, { readonly user: string | undefined; holders: number }>();

  constructor(limits: Pick<RunLimits, 'runs' | 'runsPerUser'>) {
    this.#limits = limits;
  }

  /** Without a queue: whoever comes when all places are taken comes again later. */
  checkRoom(user: string | undefined): void {
    const { runs, runsPerUser } = this.#limits;
    const own = user === undefined ? 0 : this.#places.filter((each) => each.user === user).length;
    if (this.#places.length >= runs || own >= runsPerUser)
      throw error('too-many-requests', { detail: 'Too many runs of agents are under way.', retryAfter: 1 });
  }

  /** A place for a run that is going to go on, however many ask that of the same one; given up with what is returned. */
  reserve(run: string, user: string | undefined): () => void {
    if (!this.#runs.has(run) && !this.#reserved.has(run)) this.checkRoom(user);
    const place = this.#reserved.get(run) ?? { user, holders: 0 };
    place.holders += 1;
    this.#reserved.set(run, place);
    return () => {
      place.holders -= 1;
      if (place.holders === 0) this.#reserved.delete(run);
    };
  }

  get hasRoom(): boolean {
    return this.#places.length < this.#limits.runs;
  }

  get #places(): readonly { readonly user: string | undefined }[] {
    return [...this.#runs.values(), ...[...this.#reserved].filter(([run]) => !this.#runs.has(run)).map(([, place]) => place)];
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
