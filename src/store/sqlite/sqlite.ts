// The embedded store: one writer whose writes share a commit, one reader that never waits for it, and threads for what takes long to read.

import { CacheBound } from '../../byte-cache.ts';
import type { Clock } from '../../clock.ts';
import { error } from '../../errors.ts';
import type { Shape } from '../../plan/query/shape.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { SchemaSession } from '../migration/ddl.ts';
import { migrateAtStart } from '../migration/migration.ts';
import { compileShape } from '../sql/statements.ts';
import type { Awaitable, MigrationAbout, Origin, Reader, ReadOptions, Store, WriteOptions, Writer } from '../store.ts';
import { transactionEnd } from './changes.ts';
import { OriginReader, SqliteConnection } from './connection/connection.ts';
import { ReadTransaction } from './connection/read-transaction.ts';
import { ConsistentReads } from './consistent-reads.ts';
import { sqliteDdl, sqliteExecutor } from './ddl.ts';
import { sqliteDialect } from './dialect.ts';
import { type Database, findDriver, lockFile, openDatabase, toRefusal, toSchemaRefusal } from './driver.ts';
import { isDiskFailure, isFull, toStoreError } from './errors.ts';
import { type Disk, LogFile } from './log-file.ts';
import { Pacing } from './slow/pace.ts';
import { ReaderThreads, type WriteLog } from './slow/threads.ts';
import { StatementWatch } from './slow/watch.ts';
import { WriteQueue } from './write-queue.ts';

export interface SqliteOptions {
  /** Milliseconds that one statement that reads may hold up everybody else, before a thread takes it over. */
  readonly budget?: number;
  /** Seconds that a statement that reads may take. */
  readonly timeout?: number;
  /** Bytes that one request may hold at once. */
  readonly memory?: number;
  /** Brings the log to disk; absent: as the system does. */
  readonly disk?: Disk;
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
  readonly #threads: ReaderThreads;
  readonly #queue: WriteQueue;
  readonly #logFile: LogFile;
  readonly #clock: Clock;
  readonly #notice: (line: string) => void;
  #broken: unknown;
  /** Whether what can be read may not be there after the next start. */
  #isLost = false;

  constructor(file: string, clock: Clock, options: SqliteOptions = {}) {
    const { budget = 3, timeout = 30, memory = 16 * 1024 * 1024, disk, notice = () => {} } = options;
    const driver = findDriver();
    this.#clock = clock;
    this.#notice = notice;
    this.#file = file;
    this.#lock = lockFile(driver, file);
    try {
      const cached = new CacheBound(mostKept);
      const logFile = new LogFile(file, disk);
      this.#logFile = logFile;
      const isLeft = logFile.bytes > 0;
      const writer = openDatabase(driver, file, 'write');
      if (isLeft) takeOverLog(writer, file);
      this.#writerDatabase = writer;
      this.#writer = new SqliteConnection(writer, {
        watch: new StatementWatch(writer, clock, { longest: longestHold }),
        cached,
        longest: memory,
      });
      const reader = openDatabase(driver, file, 'read', memory);
      const watch = new StatementWatch(reader, clock);
      const log: WriteLog = { isLong: () => logFile.bytes > longLog, shorten: () => this.#shortenLog() };
      this.#threads = new ReaderThreads(file, clock, log);
      const pacing = new Pacing(watch, this.#threads, { budget, time: timeout * 1000, memory }, clock);
      const transaction = new ReadTransaction(reader);
      this.#reading = transaction;
      this.#reader = new SqliteConnection(reader, { watch, pacing, transaction, cached });
      this.#steadyReader = new SqliteConnection(reader, { watch, transaction, cached });
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
      lost: (thrown: unknown) => this.#lose(thrown),
    };
    this.#queue = new WriteQueue(this.#writer, listener, this.#logFile);
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
    const { consistent = false, pauses = false, repeatable = false, durable = false } = options ?? {};
    if (this.#isLost) throw error('store-failed', {}, this.#broken);
    // Nothing is committed between the end of a sync and what follows upon it at once.
    if (durable && this.#queue.unsynced !== undefined) return this.#queue.unsynced.then(() => this.read(work, options, origin));
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
    await this.#threads.close();
    this.#moments.close();
    if (this.#isLost) this.#leaveLog();
    this.#reading.close();
    this.#reader.close();
    this.#logFile.close();
    if (!this.#isLost) {
      this.#settle();
      this.#writer.close();
    }
    this.#lock.close();
  }

  /**
   * What is not on disk is left in the log, which is read by its checksums at the next start: a checkpoint would copy from it without them. SQLite makes
   * one when the last connection to a file closes, unless that one only reads: it has to have the file open when the writer closes.
   */
  #leaveLog(): void {
    try {
      this.#reader.probe();
    } catch {
      // What cannot be read cannot be copied either.
    }
    this.#writer.close();
  }

  #settle(): void {
    try {
      this.#writer.settle();
    } catch {
      // Somebody else reads it, or the disk is full: what was committed is in the log beside the file, and is read from there.
    }
  }

  #shortenLog(): void {
    if (this.#isLost) return;
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
    if (isDiskFailure(thrown)) this.#broken = thrown;
  }

  /** What was committed and could be read already is perhaps not on the disk: nobody is told any of it any more. */
  #lose(thrown: unknown): void {
    this.#broken = thrown;
    this.#isLost = true;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    this.#notice(
      `The log of ${this.#file} could not be brought to disk (${reason}); nothing is read or written until the service is started again.`,
    );
  }
}

/**
 * What another process has left in the log may not be on disk yet, and is brought there before anybody reads it. By a checkpoint: where the
 * disk had failed, the system may hold pages of the log that it takes for written, and that are on no disk.
 */
function takeOverLog(writer: Database, file: string): void {
  try {
    writer.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (thrown) {
    // The log itself was brought to disk before: there is only no room to copy it.
    if (isFull(thrown)) return;
    writer.close();
    throw toRefusal(file, thrown);
  }
}

/** Milliseconds that a query of a workflow that writes holds up everybody. */
const longestHold = 400;
/** Bytes of the statements that are kept prepared here; threads keep their own. */
const mostKept = 32 * 1024 * 1024;
/** In bytes: what is left of it when it begins anew (`sqlite-driver.ts`). */
const longLog = 64 * 1024 * 1024;

function rethrow(thrown: unknown): never {
  throw toStoreError(thrown);
}
