// Which process seals, where several have the same store: the one whose name stands there, while it shows that it is alive.

import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { SealState, Trail } from './trail.ts';

export interface LeaseParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly trail: Trail;
}

/** Milliseconds: so often the holder shows that it is alive, and after so many without a sign others take over. */
const beatEvery = 1000;
export const patience = 3000;

/** Clocks of two machines are never compared: a process waits by its own for a sign of the other. */
export class Lease {
  readonly name: string;
  readonly #parts: LeaseParts;
  #isMine = false;
  #beatAt = 0;
  /** The last sign of another holder, and when it was first seen. */
  #seen: { readonly state: SealState; readonly at: number } | undefined;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.name = parts.clock.uuid();
  }

  /** Takes over where nobody holds it any more. */
  async isHeld(): Promise<boolean> {
    const { store, clock, trail } = this.#parts;
    const now = clock.now().getTime();
    if (this.#isMine && now - this.#beatAt < beatEvery) return true;
    const state = await store.read((tx) => trail.state(tx));
    if (state === undefined) return false;
    const isFree = state.holder === undefined || state.holder === this.name || this.#isSilent(state, now);
    if (!isFree) {
      this.#isMine = false;
      return false;
    }
    this.#isMine = await store.write((tx) => this.#take(state, tx));
    this.#beatAt = now;
    return this.#isMine;
  }

  /** Another one was faster, or took it over. */
  lose(): void {
    this.#isMine = false;
    this.#seen = undefined;
  }

  async release(): Promise<void> {
    if (!this.#isMine) return;
    const { store, trail } = this.#parts;
    await store.write(async (tx) => {
      const state = await trail.lockState(tx);
      if (state?.holder === this.name) await trail.setHolder(tx, undefined, state.beat + 1);
    });
    this.#isMine = false;
  }

  async #take(seen: SealState, tx: Parameters<Parameters<Store['write']>[0]>[0]): Promise<boolean> {
    const state = await this.#parts.trail.lockState(tx);
    if (state === undefined || state.holder !== seen.holder || (state.holder !== this.name && state.beat !== seen.beat)) return false;
    await this.#parts.trail.setHolder(tx, this.name, state.beat + 1);
    return true;
  }

  #isSilent(state: SealState, now: number): boolean {
    const seen = this.#seen;
    if (seen === undefined || seen.state.holder !== state.holder || seen.state.beat !== state.beat) {
      this.#seen = { state, at: now };
      return false;
    }
    return now - seen.at >= patience;
  }
}
