// One exchange with the server: statements sent together, answered together; rows come as the texts that the server wrote.

import type { Connection, Submittable } from 'pg';
import { TooLarge } from './store.ts';

/** A statement as it is sent. */
export interface Command {
  readonly sql: string;
  /** Under which it is kept prepared; empty where it is not. */
  readonly name: string;
  readonly values: (string | null)[];
  /** Characters that several rows may have together: of more than that none are kept. */
  readonly most?: number | undefined;
}

export type Fields = readonly (string | null)[];

/** What the last command of an exchange gave. */
export interface Answer {
  readonly rows: readonly Fields[];
  /** `COMMIT`, `DELETE 3`. */
  readonly tag: string;
}

/** Which statements a connection knows by their names; the longest unused is forgotten first. */
export class PreparedNames {
  readonly #most: number;
  readonly #names = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether it is known, which makes it the last to be forgotten. */
  uses(name: string): boolean {
    if (!this.#names.delete(name)) return false;
    this.#names.add(name);
    return true;
  }

  /** The name that has to go for it, if one has. */
  add(name: string): string | undefined {
    const [oldest] = this.#names;
    this.#names.add(name);
    if (this.#names.size <= this.#most || oldest === undefined) return undefined;
    this.#names.delete(oldest);
    return oldest;
  }

  remove(name: string): void {
    this.#names.delete(name);
  }
}

/** The driver's own queries ask for a description of every result, which is known here, and take one statement at a time. */
export class Exchange implements Submittable {
  readonly #commands: readonly Command[];
  readonly #names: PreparedNames;
  readonly #done: (thrown: unknown, answer: Answer) => void;
  /** Names that were sent and not yet confirmed. */
  readonly #unconfirmed: string[] = [];
  #rows: Fields[] = [];
  #tag = '';
  #completed = 0;
  #size = 0;
  #isTooLarge = false;

  constructor(commands: readonly Command[], names: PreparedNames, done: (thrown: unknown, answer: Answer) => void) {
    this.#commands = commands;
    this.#names = names;
    this.#done = done;
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    for (const { sql, name, values } of this.#commands) {
      if (name === '' || !this.#names.uses(name)) this.#parse(connection, sql, name);
      connection.bind({ statement: name, values }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription(): void {}

  handleDataRow(message: { readonly fields: Fields }): void {
    this.#rows.push(message.fields);
    const most = this.#commands[this.#completed]?.most;
    if (most === undefined) return;
    this.#size += message.fields[0]?.length ?? 0;
    // They come all the same: the server has been asked for them.
    if (this.#size > most && (this.#rows.length > 1 || this.#isTooLarge)) {
      this.#isTooLarge = true;
      this.#rows = [];
    }
  }

  handleCommandComplete(message: { readonly text: string }): void {
    this.#tag = message.text;
    this.#completed += 1;
    if (this.#completed < this.#commands.length) this.#rows = [];
  }

  handleReadyForQuery(): void {
    this.#done(this.#isTooLarge ? new TooLarge() : undefined, { rows: this.#rows, tag: this.#tag });
  }

  /** What was sent behind the failure was not looked at: names that were to be prepared with it may not be known. */
  handleError(thrown: unknown): void {
    for (const name of this.#unconfirmed) this.#names.remove(name);
    this.#done(thrown, { rows: [], tag: '' });
  }

  handleParseComplete(): void {
    this.#unconfirmed.shift();
  }

  handlePortalSuspended(): void {}

  handleEmptyQuery(): void {}

  handleCopyInResponse(): void {}

  handleCopyData(): void {}

  #parse(connection: Connection, sql: string, name: string): void {
    if (name !== '') {
      const forgotten = this.#names.add(name);
      if (forgotten !== undefined) connection.close({ type: 'S', name: forgotten }, true);
    }
    this.#unconfirmed.push(name);
    connection.parse({ name, text: sql, types: [] }, true);
  }
}
