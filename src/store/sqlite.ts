// The embedded store: one writer whose writes share a commit, one reader that never waits for it.

import type { Clock } from '../clock.ts';
import { error } from '../errors.ts';
import type { Shape } from '../plan/shape.ts';
import type { Table } from '../plan/table.ts';
import type { SchemaSession } from './ddl.ts';
import { migrateAtStart } from './migration.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { sqliteDdl, sqliteExecutor } from './sqlite-ddl.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { type Database, findDriver, lockFile, openDatabase, toRefusal } from './sqlite-driver.ts';
import { isDiskFailure, toStoreError } from './sqlite-errors.ts';
import { StatementWatch } from './sqlite-watch.ts';
import { compileShape } from './statements.ts';
import type { Awaitable, MigrationAbout, Reader, Store, Writer } from './store.ts';
import { WriteQueue } from './write-queue.ts';

export class SqliteStore implements Store {
  readonly #file: string;
  readonly #lock: Database;
  readonly #writerDatabase: Database;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  #broken: unknown;

  constructor(file: string, clock: Clock) {
    const driver = findDriver();
    this.#clock = clock;
    this.#file = file;
    this.#lock = lockFile(driver, file);
    try {
      const writer = openDatabase(driver, file, 'write');
      this.#writerDatabase = writer;
      this.#writer = new SqliteConnection(writer, new StatementWatch(writer, clock));
      const reader = openDatabase(driver, file, 'read');
      this.#reader = new SqliteConnection(reader, new StatementWatch(reader, clock));
    } catch (thrown) {
      this.#lock.close();
      throw thrown;
    }
    this.#queue = new WriteQueue(this.#writer, (thrown) => this.#failed(thrown));
  }

  async migrate(tables: readonly Table[], about: MigrationAbout = {}): Promise<void> {
    await this.schema((session) => migrateAtStart(session, tables, about));
  }

  schema<T>(work: (session: SchemaSession) => Promise<T>): Promise<T> {
    return this.#queue.alone(async () => {
      try {
        return await work({ executor: sqliteExecutor(this.#writerDatabase), ddl: sqliteDdl, clock: this.#clock });
      } catch (thrown) {
        throw toRefusal(this.#file, thrown);
      }
    });
  }

  read<T>(work: (reader: Reader) => Awaitable<T>): Awaitable<T> {
    try {
      const result = work(this.#reader);
      return result instanceof Promise ? result.catch(rethrow) : result;
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  write<T>(work: (writer: Writer) => Awaitable<T>, options?: { readonly waits?: boolean }): Promise<T> {
    if (this.#broken !== undefined) return Promise.reject(error('store-failed', {}, this.#broken));
    return this.#queue.add(work, options?.waits === true);
  }

  ready(): boolean {
    if (this.#broken !== undefined) return false;
    try {
      this.#reader.probe();
      return true;
    } catch (thrown) {
      this.#failed(thrown);
      return false;
    }
  }

  explain(shape: Shape): string {
    return compileShape(shape, sqliteDialect).sql;
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#reader.close();
    this.#writer.close();
    this.#lock.close();
  }

  /** After a failure of the disk no write is taken any more: none could be promised to be kept. */
  #failed(thrown: unknown): void {
    if (isDiskFailure(thrown)) this.#broken = thrown;
  }
}

function rethrow(thrown: unknown): never {
  throw toStoreError(thrown);
}
