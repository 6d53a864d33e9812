// Which process has a subscription: the one whose name stands in its row, while it shows that it is alive. The cursor stands in the same row.

import type { Clock } from '../../clock.ts';
import { OwnTable } from '../../engine/own-table.ts';
import { PlatformError } from '../../errors.ts';
import type { TypeName } from '../../model/model.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { Reader, Store, Writer } from '../../store/store.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

export interface LeaseParts {
  readonly resolver: TypeName;
  readonly table: Table;
  readonly store: Store;
  readonly clock: Clock;
}

/** Milliseconds: so often the holder shows that it is alive, and after so many without a sign others take over. */
export const beatEvery = 1000;
const patience = 5000;

/** Characters of a cursor as JSON. */
const longestCursor = 10_000;

interface State {
  readonly holder: string | undefined;
  readonly beat: number;
}

/** Clocks of two machines are never compared: a process waits by its own for a sign of the other. */
export class SubscriptionLease {
  readonly #parts: LeaseParts;
  readonly #rows: OwnTable;
  readonly #name: string;
  /** The last sign of another holder, and when it was first seen. */
  #seen: (State & { readonly at: number }) | undefined;
  #taking: Promise<boolean> | undefined;
  /** What stood there when it was locked last. */
  #beat = 0;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#rows = new OwnTable(parts.table);
    this.#name = parts.clock.uuid();
  }

  /** Takes over where nobody holds it any more; shows that the holder is alive where that is this one. Never waits for a message that is being committed. */
  take(): Promise<boolean> {
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #take(): Promise<boolean> {
    const { store, resolver } = this.#parts;
    const seen = await store.read((tx) => this.#state(tx));
    if (seen !== undefined && !this.#isOpen(seen)) return false;
    try {
      return await store.write(async (tx) => {
        const state = await this.#state(tx, 'free');
        if (state === undefined) {
          if (seen !== undefined) return this.#whileLocked(seen);
          await this.#rows.insert(tx, { resolver, holder: this.#name, beat: 1, cursor: null });
          return true;
        }
        // Its holder may have shown itself since it was looked at.
        if (!this.#isOpen(state)) return false;
        await this.#rows.update(tx, { resolver }, { holder: this.#name, beat: state.beat + 1 });
        return true;
      });
    } catch (thrown) {
      // A message that lost to others before locks the whole table.
      if (!(thrown instanceof PlatformError && thrown.again)) throw thrown;
      return this.#whileLocked(seen);
    }
  }

  async release(): Promise<void> {
    const { store, resolver } = this.#parts;
    await store.write((tx) => this.#rows.update(tx, { resolver, holder: this.#name }, { holder: null }));
  }

  /** Whether it is this one's; nobody takes it until the transaction ends. */
  async isHeld(tx: Writer): Promise<boolean> {
    const state = await this.#state(tx, 'lock');
    this.#beat = state?.beat ?? 0;
    return state?.holder === this.#name;
  }

  async cursor(tx: Reader): Promise<Value> {
    const found = (await this.#rows.find(tx, { resolver: this.#parts.resolver }))?.['cursor'];
    return typeof found === 'string' ? parseJson(found, { depth: 1000, keys: longestCursor, items: longestCursor }) : null;
  }

  /** After `isHeld`: what is committed is a sign of life, with a cursor or without. */
  async moveTo(cursor: Value | undefined, tx: Writer): Promise<void> {
    const moved = cursor === undefined ? {} : { cursor: writeJson(cursor) };
    await this.#rows.update(tx, { resolver: this.#parts.resolver }, { beat: this.#beat + 1, ...moved });
  }

  #isOpen(state: State): boolean {
    return state.holder === this.#name || this.#isFree(state);
  }

  /** Whoever has it locked is alive, also where nothing comes of it: others wait for the next sign from now on. */
  #whileLocked(seen: State | undefined): boolean {
    if (seen === undefined) return false;
    if (seen.holder === this.#name) return true;
    this.#seen = { ...seen, at: this.#parts.clock.now().getTime() };
    return false;
  }

  /** On a store of this process alone, whoever stands there is no more. */
  #isFree({ holder, beat }: State): boolean {
    if (holder === undefined || !this.#parts.store.isShared) return true;
    const now = this.#parts.clock.now().getTime();
    if (this.#seen?.holder !== holder || this.#seen.beat !== beat) {
      this.#seen = { holder, beat, at: now };
      return false;
    }
    return now - this.#seen.at >= patience;
  }

  async #state(tx: Reader, lock?: 'lock' | 'free'): Promise<State | undefined> {
    const row = await this.#rows.find(tx, { resolver: this.#parts.resolver }, lock);
    if (row === undefined) return undefined;
    const { holder, beat } = row;
    return { holder: typeof holder === 'string' ? holder : undefined, beat: Number(beat) };
  }
}

/** Refused before anything is done with what it came with. */
export function checkCursor(cursor: Value): void {
  if (writeJson(cursor).length > longestCursor) throw new Error(`a cursor has at most ${longestCursor} characters as JSON`);
}
