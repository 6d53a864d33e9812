// Texts that functions of the service look at: how well each answers a pattern, or the words of a search. The runtime's own driver holds on to
// everything that a function is given until its statement ends: patterns are given once, and texts, where they are long or many, not at all.

import { ByteCache, CacheBound } from '../../../byte-cache.ts';
import { ilikeMatcher, likeMatcher } from '../../../values/like.ts';
import { rankOf } from '../../../values/words.ts';
import type { OpenDatabase, PreparedStatement } from '../driver.ts';
import { longText, longTextFunction, matchFunction, matchRowFunction, patternFunction } from '../like.ts';
import { bytesOf, prepareSql } from '../statement.ts';

/** Characters that functions are given before a statement is begun anew, and given none. */
const mostGiven = 32 * 1024 * 1024;
/** What a call takes beside its text. */
const bytesOfCall = 64;
/** More patterns than one statement has. */
const mostPatterns = 1024;
/** Bytes of the statements that are kept prepared. */
const mostKept = 512 * 1024;

interface Pattern {
  readonly score: (text: string) => number;
  /** Finds the text of a row. */
  readonly sql: string;
}

export class TextMatches {
  readonly #database: OpenDatabase;
  readonly #look: () => void;
  readonly #patterns: Pattern[] = [];
  #next = 0;
  readonly #kept: ByteCache<string, PreparedStatement>;
  #given = 0;
  #mode: 'given' | 'counted' | 'read' = 'given';

  /** `look` is called for each text, and may throw. */
  constructor(database: OpenDatabase, look: () => void) {
    this.#database = database;
    this.#look = look;
    this.#kept = new ByteCache(new CacheBound(mostKept), (statement) => statement.finalize?.());
    database.function(patternFunction, {}, (matching, pattern, sql) => this.#add(String(matching), String(pattern), String(sql ?? '')));
    database.function(longTextFunction, {}, () => (this.#mode === 'read' ? -1 : longText));
    database.function(matchFunction, {}, (text, pattern) => this.#matchGiven(text, Number(pattern)));
    database.function(matchRowFunction, {}, (row, pattern) => this.#matchRow(row, Number(pattern)));
  }

  /** Runs a statement, once more where its texts are too many to be given. */
  during<T>(work: () => T): T {
    this.#given = 0;
    this.#mode = 'counted';
    try {
      return work();
    } catch (thrown) {
      if (this.#given <= mostGiven) throw thrown;
      this.#mode = 'read';
      return work();
    } finally {
      this.#mode = 'given';
    }
  }

  /** Before the database is closed. */
  close(): void {
    this.#kept.clear();
  }

  #add(matching: string, pattern: string, sql: string): number {
    const at = this.#next;
    this.#next = (at + 1) % mostPatterns;
    this.#patterns[at] = { score: scoreOf(matching, pattern), sql };
    return at;
  }

  #matchGiven(text: unknown, pattern: number): number | null {
    if (typeof text !== 'string') return null;
    this.#look();
    if (this.#mode === 'counted') this.#give(text.length + bytesOfCall);
    return this.#patternAt(pattern).score(text);
  }

  #give(bytes: number): void {
    this.#given += bytes;
    if (this.#given > mostGiven) throw new Error('the statement is begun anew, and its texts are read one by one');
  }

  #matchRow(row: unknown, pattern: number): number | null {
    this.#look();
    const { score, sql } = this.#patternAt(pattern);
    const text = this.#statement(sql).get(row)?.[0];
    return typeof text === 'string' ? score(text) : null;
  }

  #patternAt(at: number): Pattern {
    const found = this.#patterns[at];
    if (found === undefined) throw new Error('the statement has no such pattern');
    return found;
  }

  #statement(sql: string): PreparedStatement {
    const known = this.#kept.get(sql);
    if (known !== undefined) return known;
    const statement = prepareSql(this.#database, sql, false);
    this.#kept.set(sql, statement, bytesOf({ sql, parameters: 1 }));
    return statement;
  }
}

function scoreOf(matching: string, pattern: string): Pattern['score'] {
  switch (matching) {
    case 'like':
      return scoreBy(likeMatcher(pattern));
    case 'ilike':
      return scoreBy(ilikeMatcher(pattern));
    default: {
      const words = pattern.split(' ');
      return (text) => rankOf(text, words);
    }
  }
}

function scoreBy(matches: (text: string) => boolean): Pattern['score'] {
  return (text) => (matches(text) ? 1 : 0);
}
