// The embedded store: one writer whose writes share a commit, one reader that never waits for it, and processes for what takes long to read.

import { realpathSync, statSync } from 'node:fs';
import { CacheBound } from '../../byte-cache.ts';
import type { Clock } from '../../clock.ts';
import { error } from '../../errors.ts';
import type { Shape } from '../../plan/query/shape.ts';
import type { Table } from '../../plan/rows/table.ts';
import { migrateAtStart } from '../migration/migration.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { compileShape } from '../sql/statements.ts';
import {
  type Awaitable,
  largestPart,
  type MigrationAbout,
  type Origin,
  type Reader,
  type ReadOptions,
  type Store,
  type WriteOptions,
  type Writer,
} from '../store.ts';
import { transactionEnd } from './changes.ts';
import { OriginReader, SqliteConnection } from './connection/connection.ts';
import { ReadTransaction } from './connection/read-transaction.ts';
import { ConsistentReads } from './consistent-reads.ts';
import { sqliteDdl, sqliteExecutor } from './ddl.ts';
import { sqliteDialect } from './dialect.ts';
import { type Database, findDriver, openDatabase, toSchemaRefusal } from './driver.ts';
import { isDiskFailure, toStoreError } from './errors.ts';
import { lockFile } from './file-lock.ts';
import { LongReads, longestHere } from './slow/long-reads.ts';
import { Readers, type WriteLog } from './slow/readers.ts';
import { StatementWatch } from './slow/time-limit.ts';
import { WriteQueue } from './write-queue.ts';

export interface SqliteOptions {
  /** Milliseconds that one statement that reads may hold up everybody else, before it is started again in a process. */
  readonly budget?: number;
  /** Seconds that a statement that reads may take. */
  readonly timeout?: number;
  /** Bytes that one request may hold at once. */
  readonly memory?: number;
  /** Is told in a line what an operator should know while it serves. */
  readonly notice?: (line: string) => void;
}

export class SqliteStore implements Store {
  readonly isShared = false;
  readonly #file: string;
  readonly #lock: Database;
  readonly #writerDatabase: Database;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  /** The same, with nothing run elsewhere. */
  readonly #steadyReader: SqliteConnection;
  readonly #reading: ReadTransaction;
  readonly #moments: ConsistentReads;
  readonly #readers: Readers;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  readonly #notice: (line: string) => void;
  #broken: unknown;

  constructor(file: string, clock: Clock, options: SqliteOptions = {}) {
    const { budget = 3, timeout = 30, memory = 16 * 1024 * 1024, notice = () => {} } = options;
    const driver = findDriver();
    this.#clock = clock;
    this.#notice = notice;
    this.#file = file;
    this.#lock = lockFile(driver, file);
    try {
      const cached = new CacheBound(mostKept);
      const writer = openDatabase(driver, file, 'write');
      this.#writerDatabase = writer;
      this.#writer = new SqliteConnection(writer, {
        watch: new StatementWatch(writer, clock, { longest: longestHold }),
        cached,
        longest: memory,
      });
      const [longText, longPart] = budget === Number.POSITIVE_INFINITY ? [memory, memory] : [longestHere, largestPart];
      const reader = openDatabase(driver, file, 'read', Math.min(longText, memory));
      const watch = new StatementWatch(reader, clock);
      // SQLite keeps the log beside the file itself, not beside a link to it.
      const logFile = `${realpathSync(file)}-wal`;
      const bytesOfLog = (): number => statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
      const log: WriteLog = { isLong: () => bytesOfLog() > longLog, shorten: () => this.#shortenLog() };
      this.#readers = new Readers(file, clock, log);
      const longReads = new LongReads(reader, watch, this.#readers, { budget, time: timeout * 1000, memory }, clock);
      const transaction = new ReadTransaction(reader);
      this.#reading = transaction;
      this.#reader = new SqliteConnection(reader, { watch, longReads, transaction, cached, longest: Math.min(longPart, memory) });
      this.#steadyReader = new SqliteConnection(reader, { watch, transaction, cached, longest: memory });
      const open = (): SqliteConnection => {
        const own = openDatabase(driver, file, 'read', memory);
        return new SqliteConnection(own, { watch: new StatementWatch(own, clock) });
      };
      this.#moments = new ConsistentReads({ commits: () => this.#queue.commits, open, log });
    } catch (thrown) {
      this.#lock.close();
      throw thrown;
    }
    const listener = {
      failed: (thrown: unknown) => this.#failed(thrown),
      commits: () => this.#reading.leave(),
    };
    this.#queue = new WriteQueue(this.#writer, listener);
    this.#queue.endWritesWith(transactionEnd(this.#writerDatabase));
  }

  async migrate(tables: readonly Table[], about: MigrationAbout = {}): Promise<void> {
    await this.schema((session) => migrateAtStart(session, tables, about));
  }

  schema<T>(work: (session: SchemaSession) => Promise<T>): Promise<T> {
    return this.#queue.alone(async () => {
      try {
        return await work({ executor: sqliteExecutor(this.#writerDatabase), ddl: sqliteDdl, clock: this.#clock });
      } catch (thrown) {
        throw toSchemaRefusal(this.#file, thrown);
      } finally {
        this.#queue.endWritesWith(transactionEnd(this.#writerDatabase));
      }
    });
  }

  read<T>(work: (reader: Reader) => Awaitable<T>, options?: ReadOptions, origin?: Origin): Awaitable<T> {
    const { consistent = false, pauses = false, repeatable = () => false } = options ?? {};
    try {
      // What waits for nothing sees one state: nobody writes meanwhile.
      const reader =
        consistent && !pauses ? this.#steadyReader : origin === undefined ? this.#reader : new OriginReader(this.#reader, origin);
      const result = consistent && pauses ? this.#moments.read(work, repeatable, reader) : work(reader);
      return result instanceof Promise ? result.catch(rethrow) : result;
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  write<T>(work: (writer: Writer) => Awaitable<T>, options: WriteOptions = {}): Promise<T> {
    if (this.#broken !== undefined) return Promise.reject(error('store-failed', {}, this.#broken));
    return this.#queue.add(work, options);
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
    await this.#readers.close();
    this.#moments.close();
    this.#reading.close();
    this.#reader.close();
    this.#settle();
    this.#writer.close();
    this.#lock.close();
  }

  #settle(): void {
    try {
      this.#writer.settle();
    } catch {
      // Somebody else reads it, or the disk is full: what was committed is in the log beside the file, and is read from there.
    }
  }

  #shortenLog(): void {
    this.#reading.leave();
    try {
      this.#writer.checkpoint();
    } catch (thrown) {
      // A transaction is open, and there will be another time; what else is wrong with the disk also shows at the next commit.
      this.#failed(thrown);
    }
  }

  /** After a failure of the disk no write is taken any more: none could be promised to be kept. */
  #failed(thrown: unknown): void {
    if (this.#broken !== undefined || !isDiskFailure(thrown)) return;
    this.#broken = thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    this.#notice(`The disk of ${this.#file} has failed (${reason}); nothing is written until the service is started again.`);
  }
}

/** Milliseconds that a query of a workflow that writes holds up everybody. */
const longestHold = 400;
/** Bytes of the statements that are kept prepared here; processes keep their own. */
const mostKept = 32 * 1024 * 1024;
/** In bytes: what is left of it when it begins anew (`sqlite-driver.ts`). */
const longLog = 64 * 1024 * 1024;

function rethrow(thrown: unknown): never {
  throw toStoreError(thrown);
}
