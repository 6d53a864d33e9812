// One run as it is written down. What is known goes to the store together with the next thing that has to be kept before the run goes on, in one
// transaction: a step that ends with the one that begins, the write of a tool with the record of its call.

import type { Context, WriteContext } from '../../engine/operation.ts';
import { writeAsCaller } from '../../engine/system-work.ts';
import type { WriteOptions } from '../../store/store.ts';

export type Entry = (writing: WriteContext) => Promise<void>;

export class Journal {
  readonly #context: Context;
  readonly #hold: Entry;
  #pending: readonly Entry[] = [];
  #isNew: boolean;

  /**
   * `hold` is part of every transaction: it says that the run is still this worker's, and throws where it is not. Only the one that writes a new run down
   * needs no such sign.
   */
  constructor(context: Context, hold: Entry, isNew: boolean) {
    this.#context = context;
    this.#hold = hold;
    this.#isNew = isNew;
  }

  /** Kept with whatever is kept next. */
  note(entry: Entry): void {
    this.#pending = [...this.#pending, entry];
  }

  /** Everything noted is on disk after this. */
  async flush(): Promise<void> {
    if (this.#pending.length > 0) await this.with(async () => {});
  }

  /** Does something in the transaction in which it is kept; begun anew where others got in the way. */
  with<T>(work: (writing: WriteContext) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    return this.#kept(!this.#isNew, work, options);
  }

  /** The last of the run, which finds out by itself whether the run is still this worker's. */
  end(work: Entry): Promise<void> {
    return this.#kept(false, work, {});
  }

  async #kept<T>(isHeld: boolean, work: (writing: WriteContext) => Promise<T>, options: WriteOptions): Promise<T> {
    const entries = this.#pending;
    const all = async (writing: WriteContext): Promise<T> => {
      for (const each of entries) await each(writing);
      if (isHeld) await this.#hold(writing);
      return work(writing);
    };
    const done = await writeAsCaller(this.#context, all, options);
    this.#isNew = false;
    this.#pending = this.#pending.slice(entries.length);
    return done;
  }
}
