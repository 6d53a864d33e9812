// Ends a statement of the embedded store that takes too long: while it joins rows, it calls a function that looks at the time.

import type { Clock } from '../clock.ts';
import { error } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { OpenDatabase } from './sqlite-driver.ts';

/** Statements of this dialect run on a connection that is watched, and on no other. */
export const watchedDialect: Dialect = { ...sqliteDialect, watched };

/** The driver cannot be told to stop a statement, and nothing else runs in its thread meanwhile; what it calls can fail. */
export class StatementWatch {
  readonly #clock: Clock;
  #until = Number.POSITIVE_INFINITY;
  #isLate = false;

  constructor(database: OpenDatabase, clock: Clock) {
    this.#clock = clock;
    database.function(functionName, {}, () => this.#look());
  }

  /** Work that waits for nothing; `until` is a time of the clock. */
  during<T>(until: number, work: () => T): T {
    this.#until = until;
    this.#isLate = false;
    try {
      return work();
    } catch (thrown) {
      throw this.#isLate ? error('store-busy', { retryAfter: 1 }, thrown) : thrown;
    } finally {
      this.#until = Number.POSITIVE_INFINITY;
    }
  }

  #look(): number {
    this.#isLate = this.#clock.now().getTime() > this.#until;
    if (this.#isLate) throw new Error('the statement took too long');
    return 1;
  }
}

const functionName = '__in_time';

/**
 * Always true, and in front, so that it is asked also where the rest is false. Calls cost more than comparisons: of an inner join SQLite
 * asks once for each row of the one table, of an outer join for each pair of rows, and so only some of them call.
 */
function watched(on: string, side: 'inner' | 'left' | 'right' | 'full', [one, other]: readonly [one: string, other: string]): string {
  const passed = side === 'inner' ? `${one}._rowid_ & 15` : `(${one}._rowid_ + ${other}._rowid_) & 255`;
  return `CASE WHEN ${passed} THEN 1 ELSE ${functionName}() END AND ${on}`;
}
