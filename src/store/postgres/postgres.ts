// The store on a PostgreSQL server: any number of processes share it; constraints and row locks decide between them.

import type { Clock } from '../../clock.ts';
import { error, PlatformError, unreachable } from '../../errors.ts';
import type { Shape } from '../../plan/query/shape.ts';
import type { Table } from '../../plan/rows/table.ts';
import { migrateAtStart } from '../migration/migration.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import type { Executor } from '../sql/executor.ts';
import { compileShape } from '../sql/statements.ts';
import type { Awaitable, DecisionBasis, MigrationAbout, Origin, Reader, ReadOptions, Store, WriteOptions, Writer } from '../store.ts';
import { postgresDdl } from './ddl.ts';
import { postgresDialect } from './dialect.ts';
import { isLost } from './errors.ts';
import { openFirstConnection, toRefusal } from './first-connection.ts';
import { type Ask, PostgresListener } from './listener.ts';
import { ModelCheck } from './model-check.ts';
import { type Constraint, constraintsOf } from './names.ts';
import { PostgresPool } from './pool.ts';
import { connectPostgres, type PostgresSettings, patienceOf } from './session.ts';
import { CompiledShapes, PostgresAccess } from './statements.ts';
import { PostgresTransaction, SingleStatements, type TransactionParts } from './transaction.ts';

export const listenerName = 'platform listener';

export class PostgresStore implements Store {
  readonly isShared = true;
  readonly #settings: PostgresSettings;
  readonly #clock: Clock;
  readonly #pool: PostgresPool;
  readonly #shapes: CompiledShapes;
  #constraints: ReadonlyMap<string, Constraint> = new Map();
  readonly #notice: (line: string) => void;
  /** What the server knows the listener of this process by, to tell it from those of others. */
  readonly #listenerName: string;
  #fitness: ModelCheck | undefined;
  #listener: PostgresListener | undefined;
  #isMigrating = false;
  #parts: TransactionParts;
  /** For what the service itself asks. */
  #ownReader: Reader;
  readonly #running = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(settings: PostgresSettings, clock: Clock, notice: (line: string) => void = () => {}) {
    this.#notice = notice;
    this.#listenerName = `${listenerName} ${clock.uuid()}`;
    this.#settings = settings;
    this.#clock = clock;
    this.#pool = new PostgresPool({ size: settings.pool, patience: patienceOf(settings), connect: () => connectPostgres(settings) });
    this.#shapes = new CompiledShapes(settings.prepare, settings.memory ?? 16 * 1024 * 1024);
    this.#parts = this.#partsNow();
    this.#ownReader = this.#readerFor(undefined);
  }

  async migrate(tables: readonly Table[], about: MigrationAbout = {}): Promise<void> {
    this.#isMigrating = true;
    try {
      await this.schema((session) => migrateAtStart(session, tables, about));
      this.#constraints = constraintsOf(tables);
      this.#fitness = new ModelCheck({ tables, named: this.#settings.prepare, notice: this.#notice });
      this.#parts = this.#partsNow();
      this.#ownReader = this.#readerFor(undefined);
    } finally {
      this.#isMigrating = false;
    }
    this.#listener ??= this.#listening();
  }

  /** On a connection of its own, which is not given up however long it takes, and whose statements are not cut. */
  async schema<T>(work: (session: SchemaSession) => Promise<T>): Promise<T> {
    const settings = { ...this.#settings, statementTimeout: 0, lockTimeout: 0 };
    const session = await openFirstConnection(settings, () => connectPostgres(settings));
    try {
      const executor = session.executor();
      return await work({ executor, ddl: postgresDdl, clock: this.#clock, isShared: () => this.#isShared(executor) });
    } catch (thrown) {
      throw toRefusal(settings, thrown);
    } finally {
      await session.end();
    }
  }

  /** Processes that serve have a listener; where none listens, nobody can tell. */
  async #isShared(executor: Executor): Promise<boolean> {
    if (!this.#settings.listen) return true;
    const others = `SELECT 1 AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1 AND application_name <> $2 LIMIT 1`;
    return (await executor.rows(others, [`${listenerName}%`, this.#listenerName])).length > 0;
  }

  /** Each statement waits for a connection by itself, unless all of them are to see one state. */
  read<T>(work: (reader: Reader) => Awaitable<T>, options: ReadOptions = {}, origin?: Origin): Awaitable<T> {
    if (this.#fitness?.holds === false) throw this.#fitness.refusal();
    if (options.consistent !== true) return work(origin === undefined ? this.#ownReader : this.#readerFor(origin));
    const once = () => this.#within(new PostgresTransaction(this.#parts, 'snapshot', { origin }), work);
    return once().catch((thrown: unknown) => {
      if (thrown instanceof PlatformError && isLost(thrown.cause) && options.repeatable?.() === true) return once();
      throw thrown;
    });
  }

  write<T>(work: (writer: Writer) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    if (this.#isClosing) return Promise.reject(error('service-stopping'));
    if (this.#fitness?.holds === false) return Promise.reject(this.#fitness.refusal());
    const running = this.#within(new PostgresTransaction(this.#parts, modeOf(options), options), work);
    const done = running.then(ignore, ignore).finally(() => this.#running.delete(done));
    this.#running.add(done);
    return running;
  }

  async ready(): Promise<boolean> {
    try {
      if (this.#fitness === undefined) await this.#ask('SELECT 1');
      else await this.#fitness.look(this.#ask);
      return this.#fitness?.holds ?? true;
    } catch {
      // Why is told to whoever asks for data.
      return false;
    }
  }

  explain(shape: Shape): string {
    return compileShape(shape, postgresDialect).sql;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#listener?.close();
    await Promise.all(this.#running);
    await this.#pool.close();
  }

  async #within<T>(transaction: PostgresTransaction, work: (writer: Writer) => Awaitable<T>): Promise<T> {
    try {
      const result = await work(new PostgresAccess(this.#shapes, transaction));
      if (transaction.conflict !== undefined) throw transaction.conflict;
      await transaction.commit();
      return result;
    } catch (thrown) {
      await transaction.rollback();
      throw transaction.conflict ?? thrown;
    }
  }

  /** They are others after a migration. */
  #partsNow(): TransactionParts {
    const fitness = this.#fitness;
    return {
      pool: this.#pool,
      constraints: this.#constraints,
      named: this.#settings.prepare,
      // It changes with every migration that still fits.
      get guard() {
        return fitness?.guard ?? [];
      },
      look: async () => fitness?.look(this.#ask),
    };
  }

  readonly #ask: Ask = async (sql, values = []) => {
    const session = await this.#pool.acquire();
    try {
      return (await session.run([{ sql, name: '', values: [...values] }])).rows;
    } finally {
      this.#pool.release(session);
    }
  };

  #listening(): PostgresListener {
    return new PostgresListener({
      listen: this.#settings.listen,
      connect: () => connectPostgres(this.#settings, this.#listenerName),
      ask: this.#ask,
      heard: async (topic, ask) => {
        switch (topic) {
          case 'schema':
            // What this process does itself is known to it.
            if (!this.#isMigrating) await this.#fitness?.look(ask);
            return;
          default:
            unreachable(topic);
        }
      },
    });
  }

  #readerFor(origin: Origin | undefined): Reader {
    return new PostgresAccess(this.#shapes, new SingleStatements(this.#parts, origin));
  }
}

function modeOf(options: WriteOptions | undefined): 'one statement' | DecisionBasis | 'write' {
  if (options?.single === true && options.exclusive === undefined) return 'one statement';
  return options?.decides ?? 'write';
}

function ignore(): void {}
