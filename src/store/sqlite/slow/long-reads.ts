// Where a read that may look at many rows is run, so that others do not wait for it: in a process of its own, or here for as long as it is short.

import type { Clock } from '../../../clock.ts';
import { isError } from '../../../errors.ts';
import { quote } from '../../sql/names.ts';
import type { Awaitable, Origin } from '../../store.ts';
import { type Database, longestText, type PreparedStatement } from '../driver.ts';
import { isOneTooLarge } from '../errors.ts';
import type { Fetch, Prepared, RawRow } from '../statement.ts';
import type { Reach } from './reach.ts';
import type { Readers } from './readers.ts';
import type { StatementWatch } from './time-limit.ts';

export interface LongReadLimits {
  /** Milliseconds that everybody else may be held up by one statement; with 0 every statement is asked of a process. */
  readonly budget: number;
  /** Milliseconds that any statement may take. */
  readonly time: number;
  /** Bytes of the longest text that a statement gives which gives more than a row by itself. */
  readonly memory: number;
}

export interface AskedStatement {
  readonly fetch: Fetch;
  /** A time of the clock. */
  readonly until?: number | undefined;
  readonly origin?: Origin | undefined;
}

/** A scan starts here where none of its tables has more rows than that, and where no more pairs are compared than that. */
const mostRows = 200;
const mostPairs = 2000;

/** Bytes: a row whose text is longer is read in a process. */
export const longestHere = 524_288;

/**
 * A read that an index answers, and a scan of small tables, starts here. If it exceeds the budget, a process does it again. Other scans go to
 * a process at once.
 */
export class LongReads {
  readonly #database: Database;
  readonly #watch: StatementWatch;
  readonly #readers: Readers;
  readonly #limits: LongReadLimits;
  readonly #clock: Clock;
  /** By table, what counts its rows. */
  readonly #counts = new Map<string, PreparedStatement>();

  constructor(database: Database, watch: StatementWatch, readers: Readers, limits: LongReadLimits, clock: Clock) {
    this.#database = database;
    this.#watch = watch;
    this.#readers = readers;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether reads by a key are asked of it too. */
  get takesAll(): boolean {
    return this.#limits.budget === 0;
  }

  /** `here` reads it where requests are served. */
  run(
    prepared: Prepared,
    parameters: readonly unknown[],
    asked: AskedStatement,
    here: () => readonly RawRow[],
  ): Awaitable<readonly RawRow[]> {
    const isCostly = prepared.costly.some((each) => parameters[each] !== null);
    if (isCostly || !this.#isShort(prepared.reach)) return this.elsewhere(prepared, parameters, asked);
    const { until = Number.POSITIVE_INFINITY } = asked;
    try {
      return this.#watch.during(Math.min(this.#clock.now().getTime() + this.#limits.budget, until), here);
    } catch (thrown) {
      if (!isError(thrown, 'store-busy') && !isOneTooLarge(thrown)) throw thrown;
      return this.elsewhere(prepared, parameters, asked);
    }
  }

  #isShort(reach: Reach | undefined): boolean {
    const { budget } = this.#limits;
    if (reach === undefined || budget === 0) return false;
    if (budget === Number.POSITIVE_INFINITY) return true;
    const rows = reach.scanned.map((table) => this.#rowsOf(table));
    return rows.every((each) => each <= mostRows) && rows.reduce((pairs, each) => pairs * Math.max(1, each), 1) <= mostPairs;
  }

  /** No more than that are counted. */
  #rowsOf(table: string): number {
    let statement = this.#counts.get(table);
    if (statement === undefined) {
      statement = this.#database.prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM ${quote(table)} LIMIT ${mostRows + 1})`);
      this.#counts.set(table, statement);
    }
    return Number(statement.get()?.['n']);
  }

  async elsewhere(
    { sql, bigints, isBounded }: Prepared,
    parameters: readonly unknown[],
    { fetch, until = Number.POSITIVE_INFINITY, origin }: AskedStatement,
  ): Promise<readonly RawRow[]> {
    const latest = this.#clock.now().getTime() + this.#limits.time;
    const longest = isBounded ? this.#limits.memory : longestText;
    return this.#readers.ask({ sql, bigints, parameters, fetch, longest }, Math.min(latest, until), origin?.remote);
  }
}
