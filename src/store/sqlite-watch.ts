// Ends a statement of the embedded store that takes too long: while it looks at rows, it calls a function that looks at the time.

import type { Clock } from '../clock.ts';
import { error } from '../errors.ts';
import { likeMatcher } from '../model/like.ts';
import type { Dialect, JoinParts } from './dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { OpenDatabase } from './sqlite-driver.ts';
import { likeFunction, timeFunction } from './sqlite-like.ts';

/** Statements of this dialect run on a connection that is watched, and on no other. */
export const watchedDialect: Dialect = { ...sqliteDialect, joining: watched, scanning: watchedRows };

/** The driver cannot be told to stop a statement, and nothing else runs in its thread meanwhile; what it calls can fail. */
export class StatementWatch {
  readonly #clock: Clock;
  readonly #isUnwanted: () => boolean;
  #until = Number.POSITIVE_INFINITY;
  #wasLate = false;
  #isLate = false;
  #pattern = '';
  #matches = likeMatcher('');

  /** `isUnwanted` ends a statement at once. */
  constructor(database: OpenDatabase, clock: Clock, isUnwanted: () => boolean = () => false) {
    this.#clock = clock;
    this.#isUnwanted = isUnwanted;
    database.function(timeFunction, {}, () => this.#look());
    database.function(likeFunction, {}, (text, pattern) => this.#like(text, pattern));
  }

  /** Work that waits for nothing; `until` is a time of the clock. */
  during<T>(until: number, work: () => T): T {
    this.#until = until;
    this.#wasLate = false;
    this.#isLate = false;
    try {
      return work();
    } catch (thrown) {
      throw this.#isLate ? error('store-busy', { retryAfter: 1 }, thrown) : thrown;
    } finally {
      this.#until = Number.POSITIVE_INFINITY;
    }
  }

  /** A statement asks for one text after the other, mostly with the same pattern. */
  #like(text: unknown, pattern: unknown): number | null {
    if (typeof text !== 'string' || typeof pattern !== 'string') return null;
    this.#look();
    if (this.#pattern !== pattern) [this.#pattern, this.#matches] = [pattern, likeMatcher(pattern)];
    return this.#matches(text) ? 1 : 0;
  }

  #look(): number {
    const now = this.#clock.now().getTime();
    const isUnwanted = this.#isUnwanted();
    if (now <= this.#until && !isUnwanted) return 1;
    // The process itself may have been held up, and the statement be over at once: it is ended when it is late for a second time.
    if (!this.#wasLate && !isUnwanted) {
      this.#wasLate = true;
      this.#until = now;
      return 1;
    }
    this.#isLate = true;
    throw new Error('the statement took too long');
  }
}

/**
 * Always true, and in front, so that it is asked also where the rest is false. Calls cost more than comparisons: of an inner join SQLite
 * asks once for each row of the one table, of an outer join for each pair of rows, and so only some of them call: by chance, so that no
 * choice of rows keeps a statement from it.
 */
function watched(on: string, { side, aliases: [one, other] }: JoinParts): string {
  const passed = side === 'inner' ? `(${one}._rowid_ + random()) & 15` : `(${one}._rowid_ + ${other}._rowid_ + random()) & 255`;
  return `CASE WHEN ${passed} THEN 1 ELSE ${timeFunction}() END AND ${on}`;
}

/** The same for the rows of one table. */
function watchedRows(where: string, alias: string, each = false): string {
  return `CASE WHEN (${alias}._rowid_ + random()) & ${each ? 0 : 255} THEN 1 ELSE ${timeFunction}() END${where === '' ? '' : ` AND ${where}`}`;
}
