// Ends a statement of the embedded store that takes too long: while it looks at rows, it calls a function that looks at the time.

import type { Clock } from '../../../clock.ts';
import { error } from '../../../errors.ts';
import type { Dialect, JoinParts, Scan } from '../../sql/dialect.ts';
import { largestPart } from '../../store.ts';
import { decimalKey, sqliteDialect } from '../dialect.ts';
import { digestOf } from '../digest.ts';
import type { OpenDatabase } from '../driver.ts';
import { TooLargeTogether } from '../errors.ts';
import { decimalFunction, digestFunction, includedFunction, longText, partFunction, timeFunction } from '../like.ts';
import { exactSum, sumFunction } from '../sum-key.ts';
import { TextMatches } from './matches.ts';

/** Statements of this dialect run on a connection that is watched, and on no other. */
export const watchedDialect: Dialect = { ...sqliteDialect, joining: watched, scanning: watchedRows };

interface WatchOptions {
  /** Milliseconds that a statement may take for which everybody waits, unless it is to be done however long it takes. */
  readonly longest?: number;
}

/** What takes no more work than this many looks, about a thousand rows, is not ended only because the machine is busy. */
const looksOfShort = 40;

/** Of includes, and one more. */
const levels = 4;

/** The driver cannot be told to stop a statement, and nothing else runs in its thread meanwhile; what it calls can fail. */
export class StatementWatch {
  readonly #clock: Clock;
  readonly #longest: number | undefined;
  #until = Number.POSITIVE_INFINITY;
  #grace = 0;
  /** Bytes of the large rows of a part of a list so far, and how many there are of these. */
  #part = 0;
  #rows = 0;
  /** Bytes of the large rows that others include so far, on each of their levels, and how many there may be. */
  #included = 0;
  #mostIncluded = Number.POSITIVE_INFINITY;
  #isLate = false;
  readonly #matches: TextMatches;

  constructor(database: OpenDatabase, clock: Clock, { longest }: WatchOptions = {}) {
    this.#clock = clock;
    this.#longest = longest;
    database.function(timeFunction, {}, () => this.look());
    database.function(includedFunction, {}, (bytes) => this.#include(Number(bytes)));
    database.function(partFunction, {}, (bytes) => this.#hold(Number(bytes)));
    database.function(decimalFunction, {}, (text) => (text === null ? null : decimalKey(String(text))));
    database.function(digestFunction, {}, (text) => digestOf(String(text)));
    database.function(sumFunction, {}, (name, list) => decimalKey(exactSum(name, list)));
    this.#matches = new TextMatches(database, () => this.look());
  }

  /** Whether everybody waits for what it watches. */
  get isImpatient(): boolean {
    return this.#longest !== undefined;
  }

  /** Work that waits for nothing; `until` is a time of the clock. */
  during<T>(until: number, work: () => T): T {
    const longest = this.#longest;
    // What is to be done in any case takes as long as it takes.
    const isShort = longest !== undefined && until !== Number.POSITIVE_INFINITY;
    this.#until = isShort ? Math.min(until, this.#clock.now().getTime() + longest) : until;
    this.#grace = isShort ? looksOfShort : 1;
    this.#isLate = false;
    this.begin();
    try {
      return this.#matches.during(work);
    } catch (thrown) {
      if (!this.#isLate) throw thrown;
      // Asked again it would take as long: it is the model that has to ask for less.
      throw isShort ? error('dataflow-limit', { detail: heldUp(longest) }, thrown) : error('store-busy', { retryAfter: 1 }, thrown);
    } finally {
      this.#until = Number.POSITIVE_INFINITY;
    }
  }

  /** Before the database is closed. */
  close(): void {
    this.#matches.close();
  }

  /** To be called before each statement: a part of a list is given up where several rows are larger together than it should be. */
  begin(): void {
    this.#part = 0;
    this.#rows = 0;
    this.#included = 0;
  }

  /** For all statements to come: no row may be longer than this, and so none that it includes either, on none of their levels. */
  bound(longest: number): void {
    this.#mostIncluded = longest * levels;
  }

  #include(bytes: number): number {
    this.#included += bytes;
    if (this.#included > this.#mostIncluded) throw new TooLargeTogether();
    return this.look();
  }

  #hold(bytes: number): number {
    this.#part += bytes;
    this.#rows += 1;
    if (this.#part > largestPart && this.#rows > 1) throw new TooLargeTogether();
    return this.look();
  }

  /** Throws where the statement that runs has taken too long. */
  look(): number {
    const now = this.#clock.now().getTime();
    if (now <= this.#until) return 1;
    // The process itself may have been held up, and the statement be over at once: it is ended when it is late for another time.
    if (this.#grace > 0) {
      this.#grace -= 1;
      this.#until = now;
      return 1;
    }
    this.#isLate = true;
    throw new Error('the statement took too long');
  }
}

function heldUp(milliseconds: number): string {
  return `A query of a workflow that writes took longer than ${milliseconds} milliseconds, and all other writes wait for it: it needs an index, or fewer rows.`;
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

/**
 * The same for the rows of one table: one of 32 that follow upon each other calls, and which one follows from a number that is another one
 * each time the statement runs, as asking for one at each row would cost more than the rows themselves. Each calls of which much has to be read.
 */
function watchedRows(where: string, alias: string, { each = false, texts = [] }: Scan = {}): string {
  const block = `((${alias}._rowid_ >> 5) * (SELECT random() & 1073741823 | 1) >> 16)`;
  const passed = each ? `${alias}._rowid_ & 0` : [`${block} + ${alias}._rowid_ & 31`, ...texts.map(isShort)].join(' AND ');
  return `CASE WHEN ${passed} THEN 1 ELSE ${timeFunction}() END${where === '' ? '' : ` AND ${where}`}`;
}

function isShort(text: string): string {
  return `ifnull(octet_length(${text}), 0) < ${longText}`;
}
