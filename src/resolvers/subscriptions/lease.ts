// Which process has a subscription: the one whose name stands in its row, while it shows that it is alive. The cursor stands in the same row.

import type { Clock } from '../../clock.ts';
import { OwnTable } from '../../engine/own-table.ts';
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

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#rows = new OwnTable(parts.table);
    this.#name = parts.clock.uuid();
  }

  /** Takes over where nobody holds it any more; shows that the holder is alive where that is this one. */
  async take(): Promise<boolean> {
    const { store, resolver } = this.#parts;
    return store.write(async (tx) => {
      const state = await this.#state(tx);
      if (state === undefined) {
        await this.#rows.insert(tx, { resolver, holder: this.#name, beat: 1, cursor: null });
        return true;
      }
      if (state.holder !== this.#name && !this.#isFree(state)) return false;
      await this.#rows.update(tx, { resolver }, { holder: this.#name, beat: state.beat + 1 });
      return true;
    });
  }

  async release(): Promise<void> {
    const { store, resolver } = this.#parts;
    await store.write((tx) => this.#rows.update(tx, { resolver, holder: this.#name }, { holder: null }));
  }

  /** Whether it is this one's; nobody takes it until the transaction ends. */
  async isHeld(tx: Writer): Promise<boolean> {
    return (await this.#state(tx))?.holder === this.#name;
  }

  async cursor(tx: Reader): Promise<Value> {
    const found = (await this.#rows.find(tx, { resolver: this.#parts.resolver }))?.['cursor'];
    return typeof found === 'string' ? parseJson(found, { depth: 1000, keys: longestCursor, items: longestCursor }) : null;
  }

  async moveTo(cursor: Value, tx: Writer): Promise<void> {
    await this.#rows.update(tx, { resolver: this.#parts.resolver }, { cursor: writeJson(cursor) });
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

  async #state(tx: Writer): Promise<State | undefined> {
    const row = await this.#rows.find(tx, { resolver: this.#parts.resolver }, 'lock');
    if (row === undefined) return undefined;
    const { holder, beat } = row;
    return { holder: typeof holder === 'string' ? holder : undefined, beat: Number(beat) };
  }
}

/** Refused before anything is done with what it came with. */
export function checkCursor(cursor: Value): void {
  if (writeJson(cursor).length > longestCursor) throw new Error(`a cursor has at most ${longestCursor} characters as JSON`);
}
