// What is intended with a composing resolver, written down before it is called, apart from the transaction of the request: on the embedded store
// in a file beside the data, on a server on connections of its own.

import type { Clock } from '../../clock.ts';
import { OwnTable } from '../../engine/own-table.ts';
import type { TypeName } from '../../model/model.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Table } from '../../plan/rows/table.ts';
import { openStore, type StoreSettings } from '../../store/open.ts';
import type { Awaitable, Reader, Store } from '../../store/store.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import type { ComposedMethod } from '../resolver.ts';

export interface Intention {
  readonly id: string;
  readonly resolver: TypeName;
  readonly type: TypeName;
  readonly operation: ComposedMethod | 'eval';
  /** The instance, as handlers get it; null for what was not there, and for what is to be there no more. An event is `after`. */
  readonly before: Value;
  readonly after: Value;
  /** Milliseconds: when it was written down, and when nobody can be at work on it any more. */
  readonly since: number;
  readonly due: number;
}

export class Intentions {
  readonly #store: Store;
  readonly #rows: OwnTable;

  private constructor(store: Store, table: Table) {
    this.#store = store;
    this.#rows = new OwnTable(table);
  }

  static async open(settings: StoreSettings, table: Table, clock: Clock): Promise<Intentions> {
    // Whoever holds a connection of the one pool and waited for another one of it would wait for those who do the same.
    if (settings.type === 'postgres') return new Intentions(openStore({ ...settings, pool: 2, listen: false }, clock), table);
    const store = openStore({ ...settings, file: `${settings.file}-resolvers` }, clock);
    try {
      await store.migrate([table]);
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
    return new Intentions(store, table);
  }

  /** On disk when it resolves. */
  async add(intention: Intention): Promise<void> {
    const { before, after, ...rest } = intention;
    const texts = { before: before === null ? null : writeJson(before), after: after === null ? null : writeJson(after) };
    await this.#store.write((tx) => this.#rows.insert(tx, { ...rest, ...texts }));
  }

  async strike(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#store.write(async (tx) => {
      for (const id of ids) await this.#rows.remove(tx, { id });
    });
  }

  async all(): Promise<readonly Intention[]> {
    const rows = await this.#store.read((tx) => this.#rows.all(tx, {}));
    return rows.map((row) => ({ ...intendedIn(row), since: Number(row['since']), due: Number(row['due']) }));
  }

  /** What is committed, read beside a transaction that is under way and without a connection of its pool. */
  committed<T>(work: (reader: Reader) => Awaitable<T>): Awaitable<T> {
    return this.#store.read(work);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** Of a row that holds one, wherever it is kept; times are written in different ways. */
export function intendedIn(row: Values): Omit<Intention, 'since' | 'due'> {
  const whole = storedJson(row['whole']);
  const told = isObject(whole) ? whole : row;
  return {
    id: String(row['id']),
    resolver: String(row['resolver']),
    type: String(row['type']),
    operation: operationOf(row['operation']),
    before: storedJson(told['before']),
    after: storedJson(told['after']),
  };
}

function operationOf(text: Value | undefined): Intention['operation'] {
  return text === 'create' || text === 'delete' || text === 'eval' ? text : 'update';
}

const unlimited = { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

/** Of a column that holds JSON. */
export function storedJson(column: Value | undefined): Value {
  return typeof column === 'string' ? parseJson(column, unlimited) : (column ?? null);
}
