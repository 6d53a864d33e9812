// Reads that see one state although others write in between: like any other while nobody does, else once more on a connection that stays.

import { error, PlatformError } from '../../errors.ts';
import type { Ambient } from '../../plan/query/ambient.ts';
import type { JoinQuery, Select } from '../../plan/query/shape.ts';
import type { Value } from '../../values/value.ts';
import type { Awaitable, Page, Reader, Row } from '../store.ts';
import type { SqliteConnection } from './connection/connection.ts';
import type { WriteLog } from './slow/readers.ts';

export interface ReadSources {
  /** How often the state has become another. */
  readonly commits: () => number;
  readonly open: () => SqliteConnection;
  /** It cannot begin anew while a connection stays at a state. */
  readonly log: WriteLog;
}

const mostStaying = 100;
/** Whoever waits longer until fewer stay is told that the store is busy, as whoever waits for the writer is. */
const longestWait = 5000;
const mostIdle = 2;

export class ConsistentReads {
  readonly #sources: ReadSources;
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting = new Set<() => void>();
  #staying = 0;
  #isClosed = false;

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  /**
   * `reader` sees the newest state with every statement. Work that may not be done twice has a connection of its own from the start; what
   * comes to be such on its way fails where others have written.
   */
  read<T>(work: (reader: Reader) => Awaitable<T>, repeatable: () => boolean, reader: Reader): Awaitable<T> {
    if (!repeatable()) return this.#stay(work);
    try {
      const result = work(new SameState(reader, this.#sources.commits));
      return result instanceof Promise ? result.catch((thrown) => this.#again(thrown, work, repeatable)) : result;
    } catch (thrown) {
      return this.#again(thrown, work, repeatable);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
    for (const each of this.#idle.splice(0)) each.close();
  }

  #again<T>(thrown: unknown, work: (reader: Reader) => Awaitable<T>, repeatable: () => boolean): Promise<T> {
    if (!(thrown instanceof PlatformError && thrown.again && repeatable())) throw thrown;
    return this.#stay(work);
  }

  async #stay<T>(work: (reader: Reader) => Awaitable<T>): Promise<T> {
    while (this.#isFull) await this.#turn();
    if (this.#isClosed) throw error('service-stopping');
    const connection = this.#idle.pop() ?? this.#sources.open();
    this.#staying += 1;
    try {
      connection.control('BEGIN');
      return await work(connection);
    } finally {
      this.#staying -= 1;
      this.#leave(connection);
    }
  }

  get #isFull(): boolean {
    return !this.#isClosed && (this.#staying >= mostStaying || (this.#staying > 0 && this.#sources.log.isLong()));
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        reject(error('store-busy', { retryAfter: 1 }));
      }, longestWait);
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(go);
    });
  }

  #leave(connection: SqliteConnection): void {
    const { log } = this.#sources;
    const isLeft = hasLeft(connection);
    if (isLeft && !this.#isClosed && this.#idle.length < mostIdle) this.#idle.push(connection);
    else connection.close();
    if (this.#staying === 0 && !this.#isClosed && log.isLong()) log.shorten();
    this.#wake();
  }

  /** Each looks for itself whether it is its turn. */
  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const each of waiting) each();
  }
}

/** Fails with `again` as soon as two statements may have seen different states. */
class SameState implements Reader {
  readonly #reader: Reader;
  readonly #commits: () => number;
  /** What `commits` was at the first statement; `NaN`, which equals nothing, where it changed meanwhile. */
  #first: number | undefined;

  constructor(reader: Reader, commits: () => number) {
    this.#reader = reader;
    this.#commits = commits;
  }

  one(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Row | undefined> {
    return this.#see(() => this.#reader.one(select, values, ambient));
  }

  rows(select: Select, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#see(() => this.#reader.rows(select, values, until, most, ambient));
  }

  page(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Page> {
    return this.#see(() => this.#reader.page(select, values, ambient));
  }

  count(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<number> {
    return this.#see(() => this.#reader.count(select, values, ambient));
  }

  report(report: JoinQuery, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#see(() => this.#reader.report(report, values, until, most, ambient));
  }

  #see<T>(ask: () => Awaitable<T>): Awaitable<T> {
    const isFirst = this.#first === undefined;
    this.#first ??= this.#commits();
    if (this.#first !== this.#commits()) throw changed();
    const found = ask();
    // What is read at once is read before anybody else could write.
    return found instanceof Promise ? found.then((value) => this.#seen(value, isFirst)) : found;
  }

  /** Which state the statement saw is known only where it stayed the same; of a single one it does not matter. */
  #seen<T>(value: T, isFirst: boolean): T {
    if (this.#first === this.#commits()) return value;
    if (!isFirst) throw changed();
    this.#first = Number.NaN;
    return value;
  }
}

function hasLeft(connection: SqliteConnection): boolean {
  try {
    connection.control('ROLLBACK');
    return true;
  } catch {
    // It is good for nothing any more.
    return false;
  }
}

function changed(): PlatformError {
  return new PlatformError('store-busy', { retryAfter: 1 }, undefined, { again: true });
}
