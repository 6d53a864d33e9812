// The store on a PostgreSQL server: any number of processes share it; constraints and row locks decide between them.

import type { Clock } from '../clock.ts';
import { error } from '../errors.ts';
import type { Shape } from '../plan/shape.ts';
import type { Table } from '../plan/table.ts';
import type { SchemaSession } from './ddl.ts';
import { migrateAtStart } from './migration.ts';
import { CompiledShapes, PostgresAccess } from './postgres-access.ts';
import { arrive, toRefusal } from './postgres-arrival.ts';
import { type Constraint, constraintsOf, postgresDdl } from './postgres-ddl.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { Fitness } from './postgres-fitness.ts';
import { PostgresPool } from './postgres-pool.ts';
import { connectPostgres, type PostgresSettings, patienceOf } from './postgres-session.ts';
import { type Around, PostgresTransaction, singleStatements } from './postgres-transaction.ts';
import { compileShape } from './statements.ts';
import type { Awaitable, MigrationAbout, Reader, Store, WriteOptions, Writer } from './store.ts';

export class PostgresStore implements Store {
  readonly #settings: PostgresSettings;
  readonly #clock: Clock;
  readonly #pool: PostgresPool;
  readonly #shapes: CompiledShapes;
  #constraints: ReadonlyMap<string, Constraint> = new Map();
  #fitness: Fitness | undefined;
  #reader: Reader;
  readonly #running = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(settings: PostgresSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#pool = new PostgresPool({ size: settings.pool, patience: patienceOf(settings), connect: () => connectPostgres(settings) });
    this.#shapes = new CompiledShapes(settings.prepare);
    this.#reader = this.#freshReader();
  }

  async migrate(tables: readonly Table[], about: MigrationAbout = {}): Promise<void> {
    await this.schema((session) => migrateAtStart(session, tables, about));
    this.#constraints = constraintsOf(tables);
    this.#fitness = new Fitness(tables);
    this.#reader = this.#freshReader();
  }

  /** On a connection of its own, which is not given up however long it takes, and whose statements are not cut. */
  async schema<T>(work: (session: SchemaSession) => Promise<T>): Promise<T> {
    const settings = { ...this.#settings, statementTimeout: 0, lockTimeout: 0 };
    const session = await arrive(settings, () => connectPostgres(settings));
    try {
      return await work({ executor: session.executor(), ddl: postgresDdl, clock: this.#clock });
    } catch (thrown) {
      throw toRefusal(settings, thrown);
    } finally {
      await session.end();
    }
  }

  read<T>(work: (reader: Reader) => Awaitable<T>, options?: { readonly consistent?: boolean }): Awaitable<T> {
    return options?.consistent === true ? this.#within(new PostgresTransaction(this.#around(), 'snapshot'), work) : work(this.#reader);
  }

  write<T>(work: (writer: Writer) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    if (this.#isClosing) return Promise.reject(error('service-stopping'));
    const running = this.#within(new PostgresTransaction(this.#around(), modeOf(options)), work);
    const done = running.then(ignore, ignore).finally(() => this.#running.delete(done));
    this.#running.add(done);
    return running;
  }

  async ready(): Promise<boolean> {
    try {
      const session = await this.#pool.acquire();
      try {
        const ask = async (sql: string) => (await session.run([{ sql, name: '', values: [] }])).rows;
        if (this.#fitness !== undefined) return await this.#fitness.holds(ask);
        await ask('SELECT 1');
        return true;
      } finally {
        this.#pool.release(session);
      }
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
    await Promise.all(this.#running);
    await this.#pool.close();
  }

  async #within<T>(transaction: PostgresTransaction, work: (writer: Writer) => Awaitable<T>): Promise<T> {
    try {
      const result = await work(new PostgresAccess(this.#shapes, transaction));
      await transaction.commit();
      return result;
    } catch (thrown) {
      await transaction.rollback();
      throw thrown;
    }
  }

  #around(): Around {
    return { pool: this.#pool, constraints: this.#constraints, named: this.#settings.prepare };
  }

  #freshReader(): Reader {
    return new PostgresAccess(this.#shapes, singleStatements(this.#around()));
  }
}

function modeOf(options: WriteOptions | undefined): 'one statement' | 'decision' | 'write' {
  if (options?.single === true) return 'one statement';
  return options?.decides === true ? 'decision' : 'write';
}

function ignore(): void {}
