// What of resolvers outlives a change of the model: where calls of those that compose are written down, and which of them are at work.

import type { Clock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Functions } from '../engine/eval/functions.ts';
import type { Model } from '../model/model.ts';
import type { StoreSettings } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { Intentions } from './compose/intentions.ts';
import type { ResolverSettings } from './resolver.ts';
import { createResolvers, type Resolvers, type ResolversLog } from './resolvers.ts';

export interface RoomParts {
  readonly settings: readonly ResolverSettings[];
  readonly clock: Clock;
  readonly store: Store;
  readonly storeSettings: StoreSettings;
  /** What files in settings are relative to. */
  readonly folder: string;
  /** Seconds that one event may take. */
  readonly flowTime: number;
  readonly log: ResolversLog;
}

export class ResolverRoom {
  readonly #parts: RoomParts;
  #intentions: Intentions | undefined;
  #serving: Resolvers | undefined;

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  open(model: Model, functions: () => Functions): Resolvers {
    const { storeSettings, clock } = this.#parts;
    return createResolvers({
      ...this.#parts,
      model,
      functions,
      intentions: async (table) => {
        this.#intentions ??= await Intentions.open(storeSettings, table, clock);
        return this.#intentions;
      },
    });
  }

  /** From now on these are at work, and the ones before are not; none where the model has none. */
  async start(resolvers: Resolvers | undefined, engine: Engine): Promise<void> {
    await this.#serving?.close();
    this.#serving = resolvers;
    await resolvers?.start(engine);
  }

  /** From now on what other systems tell is listened to; again after each start. */
  subscribe(): void {
    this.#serving?.subscribe();
  }

  figures(): ReturnType<Resolvers['figures']> {
    return this.#serving?.figures() ?? [];
  }

  async close(): Promise<void> {
    await this.#serving?.close();
    await this.#intentions?.close();
  }
}
