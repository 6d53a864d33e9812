// One exchange with the server: statements sent together, answered together; rows come as the texts that the server wrote.

import type { Connection, Submittable } from 'pg';
import { ByteCache, CacheBound } from '../../byte-cache.ts';
import { bytesIn, TooLarge } from '../store.ts';

/** A statement as it is sent. */
export interface Command {
  readonly sql: string;
  /** Under which it is kept prepared; empty where it is not. */
  readonly name: string;
  readonly values: (string | null)[];
  /** Characters that several rows may have together: of more than that none are kept. */
  readonly most?: number | undefined;
  /** Whether it is one of several that are the same but for their values: what each of them gives is kept. */
  readonly isEach?: boolean;
}

export type Fields = readonly (string | null)[];

/** What the last command of an exchange gave, or several that are the same. */
export interface ExchangeResult {
  readonly rows: readonly Fields[];
  /** `COMMIT`, `DELETE 3`. */
  readonly tag: string;
}

/**
 * What a server keeps of a prepared statement and its plan, in bytes. Measured by the memory of a connection for 100 of a kind: 100 KB with few
 * columns (600 characters), 270 KB with forty (2,600), 105 KB with a list of 200 values (1,700).
 */
const bytesOfStatement = 49_152;
const bytesOfCharacter = 80;

/** Which statements a connection knows by their names; those that were not used for long are forgotten first. */
export class PreparedNames {
  readonly #names: ByteCache<string, string>;
  #forgotten: string[] = [];

  /** In bytes of the server. */
  constructor(most: number) {
    this.#names = new ByteCache(new CacheBound(most), (name) => this.#forgotten.push(name));
  }

  /** Whether it is known, and so is not forgotten soon. */
  uses(name: string): boolean {
    return this.#names.find(name) !== undefined;
  }

  /** The names that have to go for it. */
  add(name: string, sql: string): readonly string[] {
    this.#forgotten = [];
    this.#names.set(name, name, bytesOfStatement + bytesOfCharacter * sql.length);
    return this.#forgotten;
  }

  remove(name: string): void {
    this.#names.remove(name);
  }
}

/** The driver's own queries ask for a description of every result, which is known here, and take one statement at a time. */
export class Exchange implements Submittable {
  readonly #commands: readonly Command[];
  readonly #names: PreparedNames;
  readonly #done: (thrown: unknown, answer: ExchangeResult) => void;
  /** Names that were sent and not yet confirmed. */
  readonly #unconfirmed: string[] = [];
  #rows: Fields[] = [];
  #tag = '';
  #completed = 0;
  #size = 0;
  #isTooLarge = false;

  constructor(commands: readonly Command[], names: PreparedNames, done: (thrown: unknown, answer: ExchangeResult) => void) {
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
    this.#size += bytesIn(message.fields);
    // They come all the same: the server has been asked for them.
    if (this.#size > most && (this.#rows.length > 1 || this.#isTooLarge)) {
      this.#isTooLarge = true;
      this.#rows = [];
    }
  }

  handleCommandComplete(message: { readonly text: string }): void {
    this.#tag = message.text;
    const isKept = this.#commands[this.#completed]?.isEach === true;
    this.#completed += 1;
    if (this.#completed < this.#commands.length && !isKept) this.#rows = [];
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
      for (const forgotten of this.#names.add(name, sql)) connection.close({ type: 'S', name: forgotten }, true);
    }
    this.#unconfirmed.push(name);
    connection.parse({ name, text: sql, types: [] }, true);
  }
}
