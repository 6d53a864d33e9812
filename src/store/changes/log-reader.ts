// The log of changes is read in the order of commits, whole transactions at a time.

import { error, type PlatformError } from '../../errors.ts';
import { both, type Condition, everything, type OrderTerm } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import type { Value } from '../../values/value.ts';
import type { ExecutorRow } from '../sql/executor.ts';
import { bytesOfRow, largestPart, type Reader, type Store, TooLarge } from '../store.ts';
import { type Change, isBefore, type LoggedChange, type Place } from './change.ts';
import { changesTable, horizonView } from './tables.ts';
import { netChanges } from './transactions.ts';

export interface Changes {
  readonly changes: readonly Change[];
  /** Whether nothing lies behind them. */
  readonly isAll: boolean;
}

interface Logged {
  readonly logged: readonly LoggedChange[];
  readonly isAll: boolean;
}

/** Bytes of changes that are read together, unless one alone is larger. */
const largest = 32 * 1024 * 1024;
/** Changes that are read at first: the next ones may be larger than the last. */
const mostUnknown = 500;
/** Changes of the log that are looked at together. */
const mostTogether = 10_000;

export class LogReader {
  readonly #store: Store;
  /** Of a change, as the last ones were. */
  #bytes = bytesOfRow;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * What all transactions behind a place have changed, in their order; not all where that is more than `limit` changes of the log, or too large. Those are among
   * them whose place is not settled yet, because others may still come before them. The reader sees one state.
   */
  async all(place: Place, limit: number, reader: Reader): Promise<Changes> {
    const { logged, isAll } = await this.#whole(place, limit, reader, undefined);
    return { changes: netChanges(logged), isAll };
  }

  /** Those that come next and whose place is settled, as all up to `settled` are: about `limit`, and fewer where they are larger than `most` bytes. */
  async next(place: Place, settled: Place, limit: number, reader: Reader, most: number): Promise<Changes> {
    const { logged, isAll } = await this.#settled(place, limit, reader, await this.#horizon(reader, settled), most);
    if (!(await this.#isOvertaken(logged, reader))) return { changes: netChanges(logged), isAll };
    const { changes, later } = await this.nextOfAll(place, settled, limit, reader);
    return { changes, isAll: isAll && later?.length === 0 };
  }

  /** The same, and all others that lie behind them; those are absent where they are too many. */
  async nextOfAll(
    place: Place,
    settled: Place,
    limit: number,
    reader: Reader,
  ): Promise<{ readonly changes: readonly Change[]; readonly later: readonly Change[] | undefined }> {
    const horizon = await this.#horizon(reader, settled);
    for (let asked = limit; ; asked *= 4) {
      const { logged, isAll } = await this.#settled(place, asked, reader, horizon);
      const end = logged.at(-1)?.place;
      if (end === undefined) return { changes: [], later: [] };
      const behind = await this.#whole(end, mostTogether, reader, undefined);
      const all = netChanges([...logged, ...behind.logged]);
      const firstUnsettled = all.findIndex(({ place: its }) => isBefore(end, its));
      const count = firstUnsettled === -1 ? all.length : firstUnsettled;
      // What cannot be told without one whose place is not settled yet waits for it.
      if (count > 0 || isAll) return { changes: all.slice(0, count), later: behind.isAll ? all.slice(count) : undefined };
      if (asked > mostTogether) throw tooMuchAtOnce();
    }
  }

  /** The last change that can be read; nothing where there is none. */
  last(reader: Reader): Promise<Place | undefined> {
    return this.#last(reader, this.#store.isShared ? lastOfAll : lastInTurn, []);
  }

  /** The last one whose place is settled, as all up to `settled` are. */
  async lastSettled(reader: Reader, settled: Place): Promise<Place> {
    const last = this.#store.isShared
      ? await this.#last(reader, lastSettled, [await this.#horizon(reader, settled)])
      : await this.last(reader);
    return last ?? settled;
  }

  async #last(reader: Reader, select: Select, values: readonly Value[]): Promise<Place | undefined> {
    const [row] = await reader.rows(select, [...values, 1]);
    return row === undefined ? undefined : placeOfRow(row);
  }

  /**
   * The number of the first transaction whose changes are not settled. It is asked once for all that is read of one state, and held against what was known before: a
   * server does not always tell whose a transaction is that has just begun or ended, and may give a lower number than a moment ago.
   */
  async #horizon(reader: Reader, { tx, seq }: Place): Promise<number> {
    if (!this.#store.isShared) return 0;
    const [row] = await reader.rows(horizonNow, []);
    return Math.max(Number(row?.columns[0] ?? 0), seq === 0 ? tx : tx + 1);
  }

  async #settled(place: Place, limit: number, reader: Reader, horizon: number, most = largest): Promise<Logged> {
    const read = await this.#whole(place, limit, reader, horizon, most);
    if (read.logged.length === 0 && !read.isAll) throw tooMuchAtOnce();
    return read;
  }

  /** Whether a transaction behind these has written before the last of them. */
  async #isOvertaken(logged: readonly LoggedChange[], reader: Reader): Promise<boolean> {
    const end = logged.at(-1)?.place;
    if (end === undefined || !this.#store.isShared) return false;
    const latest = logged.reduce((most, { place: { seq } }) => Math.max(most, seq), 0);
    return (await reader.rows(overtaken, [end.tx, latest, 1])).length > 0;
  }

  /** Only of transactions of which all is read: the first of them may be larger than was asked for, and is left out where it is larger than anybody is told of. */
  async #whole(place: Place, limit: number, reader: Reader, horizon: number | undefined, most = largest): Promise<Logged> {
    const read = await this.#read(place, limit, reader, horizon, most);
    const last = read.logged.at(-1)?.place;
    if (read.isAll || last === undefined) return read;
    const [behind] = (await this.#part(last, 1, reader, horizon, most)) ?? [];
    if (behind?.place.tx !== last.tx) return { logged: read.logged, isAll: behind === undefined };
    const logged = read.logged.filter(({ place: { tx } }) => tx !== last.tx);
    if (logged.length > 0 || (limit >= mostTogether && most >= largest)) return { logged, isAll: false };
    return this.#whole(place, Math.max(limit, mostTogether), reader, horizon);
  }

  /** In the order of the log, at most `limit` of them, and fewer, at least one, where those are larger than `most` bytes together. */
  async #read(place: Place, limit: number, reader: Reader, horizon: number | undefined, most: number): Promise<Logged> {
    const logged: LoggedChange[] = [];
    let bytes = 0;
    let next = Math.min(limit, mostUnknown, Math.max(1, Math.floor(largestPart / this.#bytes)));
    while (logged.length < limit && bytes < most) {
      const read = await this.#part(logged.at(-1)?.place ?? place, next, reader, horizon, most);
      if (read === undefined && logged.length > 0) break;
      if (read === undefined) {
        next = Math.ceil(next / 2);
        continue;
      }
      for (const each of read) {
        logged.push(each);
        bytes += (each.before?.length ?? 0) + (each.after?.length ?? 0) + bytesOfRow;
      }
      if (logged.length > 0) this.#bytes = bytes / logged.length;
      if (read.length < next) return { logged, isAll: true };
      // As many as there is room for, if they are like the ones before: a server sends all that it is asked for.
      next = Math.min(limit - logged.length, Math.ceil((most - bytes) / this.#bytes));
    }
    return { logged, isAll: false };
  }

  /** Nothing where several of them are too large together. */
  async #part(
    after: Place,
    limit: number,
    reader: Reader,
    horizon: number | undefined,
    most: number,
  ): Promise<readonly LoggedChange[] | undefined> {
    const { tx, seq } = after;
    const select = horizon === undefined ? allChanges : settledChanges;
    const place = horizon === undefined ? [tx, tx, seq] : [tx, tx, seq, horizon];
    const [asked, from] = this.#store.isShared ? [select, place] : [changesInTurn, [seq]];
    try {
      return (await reader.rows(asked, [...from, limit], undefined, most)).map(changeOf);
    } catch (thrown) {
      if (thrown instanceof TooLarge && limit > 1) return undefined;
      throw thrown;
    }
  }
}

const bySeq: OrderTerm = { column: 'seq', descending: false };
const order: readonly OrderTerm[] = [{ column: 'tx', descending: false }, bySeq];

/** The first comparison says nothing new, and is what an index is searched by. */
const behind: Condition = {
  kind: 'and',
  conditions: [
    { kind: 'compare', column: 'tx', operator: 'gte' },
    { kind: 'after', order, nulls: [false, false] },
  ],
};

const isSettled: Condition = { kind: 'compare', column: 'tx', operator: 'lt' };

const allChanges: Select = {
  kind: 'select',
  table: changesTable,
  output: { fields: [], columns: ['tx', 'seq', 'at', 'source', 'before', 'after', 'old_key', 'new_key'] },
  where: behind,
  order,
  limit: true,
  offset: false,
};
const settledChanges: Select = { ...allChanges, where: both(behind, isSettled) };
/** Of a store with one writer. */
const changesInTurn: Select = { ...allChanges, where: { kind: 'compare', column: 'seq', operator: 'gt' }, order: [bySeq] };

const lastOfAll: Select = {
  ...allChanges,
  output: { fields: [], columns: ['tx', 'seq', 'at'] },
  where: everything,
  order: order.map(({ column }) => ({ column, descending: true })),
};
const lastSettled: Select = { ...lastOfAll, where: isSettled };
const lastInTurn: Select = { ...lastOfAll, order: [{ ...bySeq, descending: true }] };

const horizonNow: Select = {
  ...allChanges,
  table: horizonView,
  output: { fields: [], columns: ['tx'] },
  where: everything,
  order: [],
  limit: false,
};

const overtaken: Select = {
  ...allChanges,
  output: { fields: [], columns: ['seq'] },
  where: {
    kind: 'and',
    conditions: [
      { kind: 'compare', column: 'tx', operator: 'gt' },
      { kind: 'compare', column: 'seq', operator: 'lt' },
    ],
  },
  order: [],
};

function tooMuchAtOnce(): PlatformError {
  return error('cursor-expired', { detail: 'Too many instances were changed in one transaction; begin anew.' });
}

export function placeOf({ tx, seq, at }: ExecutorRow = {}): Place {
  return { tx: Number(tx ?? 0), seq: Number(seq ?? 0), at: Number(at ?? 0) };
}

function placeOfRow({ columns: [tx, seq, at] }: { readonly columns: readonly unknown[] }): Place {
  return placeOf({ tx, seq, at });
}

function changeOf(row: { readonly columns: readonly unknown[] }): LoggedChange {
  const [source, before, after, keyBefore, keyAfter] = row.columns.slice(3);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    place: placeOfRow(row),
    source: String(source),
    before: text(before),
    after: text(after),
    keyBefore: text(keyBefore),
    keyAfter: text(keyAfter),
  };
}
