// One transaction on one connection, begun with its first statement; and single statements on whichever connection is free.

import { error, PlatformError } from '../../errors.ts';
import { quote } from '../sql/names.ts';
import type { Awaitable, DecisionBasis, Origin, WriteOptions } from '../store.ts';
import { codeOf, isConflict, isLost, type StatementKind, toPostgresError } from './errors.ts';
import type { Command, ExchangeResult } from './exchange.ts';
import { unfit } from './model-check.ts';
import type { PostgresPool } from './pool.ts';
import type { PostgresSession } from './session.ts';
import { type Compiled, commandOf, type Runner } from './statements.ts';

/** What all work of a store shares. */
export interface TransactionParts {
  readonly pool: PostgresPool;
  readonly constraints: StatementKind['constraints'];
  /** Whether statements are prepared under names. */
  readonly named: boolean;
  /** What goes before the first statement of a write of several; where it fails, the tables are to be looked at. */
  readonly guard: readonly Command[];
  /** Looks at the tables: they may be others by now. */
  look(): Promise<void>;
}

/** That a statement can be prepared under, in bytes. */
const longestName = 63;

type Mode = 'write' | DecisionBasis | 'one statement' | 'snapshot';

/**
 * Plain writes lock the rows that they are about, and see what was committed before each statement. What the model's logic reads is not known
 * beforehand: it sees one state, and fails where a row that it changes is no longer in that state. Where it asks for rows by queries, it also
 * fails where another such transaction has added or removed rows that they would have given.
 */
const beginnings = {
  write: 'BEGIN ISOLATION LEVEL READ COMMITTED',
  'by rows': 'BEGIN ISOLATION LEVEL REPEATABLE READ',
  'by queries': 'BEGIN ISOLATION LEVEL SERIALIZABLE',
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
} as const;

/** Statements that stand for themselves, each on any connection. */
export class SingleStatements implements Runner {
  readonly #around: TransactionParts;
  readonly #client: string | undefined;

  constructor(around: TransactionParts, origin: Origin | undefined) {
    this.#around = around;
    this.#client = origin?.remote;
  }

  async run(compiled: Compiled, values: (string | null)[], most?: number): Promise<ExchangeResult> {
    try {
      // What only reads is asked again where its connection had gone away unnoticed.
      return await this.#once(compiled, values, most).catch((thrown: unknown) => {
        if (isLost(thrown)) return this.#once(compiled, values, most);
        throw thrown;
      });
    } catch (thrown) {
      throw toPostgresError(thrown, { kind: compiled.kind, constraints: this.#around.constraints });
    }
  }

  runEach(): Promise<never> {
    return Promise.reject(new Error('what only reads changes nothing'));
  }

  alone(): Promise<never> {
    return Promise.reject(new Error('what only reads keeps nobody off'));
  }

  attempt(): Promise<never> {
    return Promise.reject(new Error('what only reads has nothing to take back'));
  }

  async #once(compiled: Compiled, values: (string | null)[], most: number | undefined): Promise<ExchangeResult> {
    const { pool } = this.#around;
    const session = await pool.acquire(this.#client);
    try {
      return await session.run([commandOf(compiled, values, most)]);
    } finally {
      pool.release(session, this.#client);
    }
  }
}

export class PostgresTransaction implements Runner {
  readonly #around: TransactionParts;
  readonly #mode: Mode;
  readonly #client: string | undefined;
  #session: Awaitable<PostgresSession> | undefined;
  #begun = false;
  /** What it counts up from the one state that it sees: `table column`. */
  readonly #counted = new Set<string>();
  readonly #exclusive: readonly string[];
  readonly #locked = new Set<string>();
  /** Of which it knows the one state that it sees, unless whatever is taken is to be told. */
  readonly #read: Set<string> | undefined;
  #conflict: PlatformError | undefined;

  constructor(around: TransactionParts, mode: Mode, { exclusive = [], settled, origin }: WriteOptions = {}) {
    this.#around = around;
    this.#mode = mode;
    this.#client = origin?.remote;
    this.#exclusive = exclusive;
    this.#read = settled !== true && (mode === 'by rows' || mode === 'by queries') ? new Set() : undefined;
  }

  /**
   * A serialization failure or a deadlock that one of its statements met. All of the transaction is lost then, whatever was made of the
   * failure by code that caught it: nothing else may be told of it.
   */
  get conflict(): PlatformError | undefined {
    return this.#conflict;
  }

  async run(compiled: Compiled, values: (string | null)[], most?: number): Promise<ExchangeResult> {
    if (compiled.locks !== undefined) this.#locked.add(compiled.locks);
    if (compiled.reads !== undefined) this.#read?.add(compiled.reads);
    return this.#send([commandOf(compiled, values, most)], compiled.kind);
  }

  async runEach(compiled: Compiled, rows: readonly (string | null)[][]): Promise<ExchangeResult> {
    if (compiled.locks !== undefined) this.#locked.add(compiled.locks);
    const commands = rows.map((values) => commandOf(compiled, values, undefined, true));
    return this.#send(commands, compiled.kind);
  }

  async alone(name: string, table: string): Promise<void> {
    if (this.#mode === 'by rows' || this.#mode === 'by queries') this.#counted.add(name);
    // Whoever keeps all others off the table comes to the name behind it: in the other order they would wait for each other.
    // Under no name: those of two tables may begin alike, and so would their statements.
    const before = { sql: `LOCK TABLE ${quote(table)} IN ROW EXCLUSIVE MODE`, name: '', values: [] };
    await this.#send([before, this.#plain('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])], undefined);
  }

  /** Savepoints of one name nest: each end means the innermost. */
  async attempt<T>(work: () => Awaitable<T>): Promise<T> {
    await this.#control('SAVEPOINT attempt');
    try {
      const result = await work();
      await this.#control('RELEASE attempt');
      return result;
    } catch (thrown) {
      if (!(await this.#session)?.isLost) {
        await this.#control('ROLLBACK TO attempt');
        await this.#control('RELEASE attempt');
      }
      throw thrown;
    }
  }

  /** Everything is kept when it resolves. */
  async commit(): Promise<void> {
    if (this.#session === undefined) return;
    if (this.#mode !== 'one statement') {
      const { tag } = await this.#control('COMMIT');
      // The server answers so where a statement had failed and nobody looked.
      if (tag !== 'COMMIT') throw error('store-failed', {}, new Error('the transaction had failed before its commit'));
    }
    await this.#release();
  }

  async rollback(): Promise<void> {
    const session = await this.#acquired();
    if (session === undefined) return;
    if (this.#mode !== 'one statement' && this.#begun && !session.isLost) {
      await this.#control('ROLLBACK').catch(() => session.destroy());
    }
    await this.#release();
  }

  #control(sql: string): Promise<ExchangeResult> {
    return this.#send([this.#plain(sql, [])], undefined);
  }

  #plain(sql: string, values: string[]): Command {
    return { sql, name: this.#around.named ? sql.slice(0, longestName).toLowerCase() : '', values };
  }

  async #send(commands: readonly Command[], kind: StatementKind['kind']): Promise<ExchangeResult> {
    try {
      const beginning = this.#beginning();
      const isRepeatable = this.#mode === 'snapshot' && beginning.length > 0;
      return await this.#exchange([...beginning, ...commands]).catch((thrown: unknown) => {
        if (!isRepeatable || !isLost(thrown)) throw thrown;
        return this.#elsewhere([...beginning, ...commands]);
      });
    } catch (thrown) {
      if (codeOf(thrown) === unfit && this.#around.guard.length > 0) throw await this.#overtaken(thrown);
      const failure = toPostgresError(thrown, {
        kind,
        constraints: this.#around.constraints,
        counted: this.#counted,
        tables: [...this.#locked],
        ...(this.#read === undefined ? {} : { read: this.#read }),
      });
      if (isConflict(thrown) && failure instanceof PlatformError) this.#conflict ??= failure;
      throw failure;
    }
  }

  async #exchange(commands: readonly Command[]): Promise<ExchangeResult> {
    this.#session ??= this.#around.pool.acquire(this.#client);
    const session = this.#session instanceof Promise ? await this.#session : this.#session;
    return session.run(commands);
  }

  /** What only reads, and has read nothing yet, begins again where its connection had gone away unnoticed. */
  async #elsewhere(commands: readonly Command[]): Promise<ExchangeResult> {
    if ((await this.#acquired()) !== undefined) await this.#release();
    return this.#exchange(commands);
  }

  /** A migration came before it: it is done again, or refused, by what the tables are now. */
  async #overtaken(thrown: unknown): Promise<PlatformError> {
    await this.#around.look();
    return new PlatformError('store-busy', { retryAfter: 1 }, thrown, { again: true });
  }

  /** Sent together with the first statement, so that it costs no round trip of its own. */
  #beginning(): readonly Command[] {
    if (this.#mode === 'one statement') {
      if (this.#begun) throw new Error('a write of one statement asked for a second one');
      this.#begun = true;
      return [];
    }
    if (this.#begun) return [];
    this.#begun = true;
    const beginning = { sql: beginnings[this.#mode], name: this.#around.named ? `begin ${this.#mode}` : '', values: [] };
    return this.#mode === 'snapshot' ? [beginning] : [beginning, ...this.#locking(), ...this.#around.guard];
  }

  /** Locks whole tables. This takes no snapshot, so that the transaction sees what those that it waited for have committed. */
  #locking(): readonly Command[] {
    if (this.#exclusive.length === 0) return [];
    return [{ sql: `LOCK TABLE ${this.#exclusive.map(quote).join(', ')} IN EXCLUSIVE MODE`, name: '', values: [] }];
  }

  /** Nothing where there was no statement, or no connection for it. */
  async #acquired(): Promise<PostgresSession | undefined> {
    try {
      return await this.#session;
    } catch {
      this.#session = undefined;
      return undefined;
    }
  }

  async #release(): Promise<void> {
    const session = await this.#session;
    this.#session = undefined;
    if (session !== undefined) this.#around.pool.release(session, this.#client);
  }
}
