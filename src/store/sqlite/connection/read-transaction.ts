// The transaction of the connection that reads: open for some milliseconds while nothing is committed, as each statement by itself would lock
// the file and unlock it again. This process is the only one that writes, and ends it before each of its commits.

import type { Database, PreparedStatement } from '../driver.ts';

/** Milliseconds. Nothing is held on to for longer: somebody may bring the log to the database from outside. */
const longest = 5;

export class ReadTransaction {
  readonly #begin: PreparedStatement;
  readonly #end: PreparedStatement;
  #isOpen = false;
  /** Whether a statement has read what is committed now: one alone needs no transaction. */
  #isRead = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#begin = database.prepare('BEGIN');
    this.#end = database.prepare('COMMIT');
  }

  /** Before a statement reads. */
  enter(): void {
    if (this.#isOpen) return;
    if (this.#isRead) {
      this.#begin.get();
      this.#isOpen = true;
    }
    this.#isRead = true;
    this.#timer ??= setTimeout(() => this.#expire(), longest).unref();
  }

  /** Before something is committed: what is read afterwards is read anew. */
  leave(): void {
    this.#isRead = false;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#end.get();
    } catch {
      // After some failures SQLite has ended it by itself; whatever else is wrong with the file is told by the next statement.
    }
  }

  close(): void {
    this.leave();
    clearTimeout(this.#timer);
    this.#begin.finalize?.();
    this.#end.finalize?.();
  }

  #expire(): void {
    this.#timer = undefined;
    this.leave();
  }
}
