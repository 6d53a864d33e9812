// One connection with its prepared statements: runs shapes, each compiled once and kept.

import { ByteCache, CacheBound, type CacheEntry } from '../../../byte-cache.ts';
import type { Ambient } from '../../../plan/query/ambient.ts';
import {
  type Delete,
  type Insert,
  includesOthers,
  isEmptyOutput,
  type JoinQuery,
  type Select,
  type Shape,
  type Update,
} from '../../../plan/query/shape.ts';
import type { Value } from '../../../values/value.ts';
import type { Dialect, Statement } from '../../sql/dialect.ts';
import { compileCount, compilePage, compileShape } from '../../sql/statements.ts';
import { type Awaitable, type Origin, type Page, type Reader, type Row, TooLarge, type Writer } from '../../store.ts';
import { sqliteDialect } from '../dialect.ts';
import { type Database, longestText, type PreparedStatement } from '../driver.ts';
import { isOneTooLarge, isTooLarge, toStoreError } from '../errors.ts';
import type { AskedStatement, LongReads } from '../slow/long-reads.ts';
import { countsAll, reachOf } from '../slow/reach.ts';
import { type StatementWatch, watchedDialect } from '../slow/time-limit.ts';
import { bytesOf, encode, type Fetch, fetchRows, type Prepared, prepare, type RawRow, toPage, toRow } from '../statement.ts';
import { type GivenInsert, givenInsert } from './given-insert.ts';
import type { ReadTransaction } from './read-transaction.ts';

type Control =
  | 'BEGIN'
  | 'BEGIN IMMEDIATE'
  | 'COMMIT'
  | 'ROLLBACK'
  | 'SAVEPOINT one'
  | 'RELEASE one'
  | 'ROLLBACK TO one'
  | 'SAVEPOINT attempt'
  | 'RELEASE attempt'
  | 'ROLLBACK TO attempt';

/** Without any of these, statements take as long as they take. */
export interface ConnectionOptions {
  /** Ends reports that take too long. */
  readonly watch?: StatementWatch;
  /** Runs elsewhere what others must not wait for: of a connection that only reads. */
  readonly longReads?: LongReads;
  /** Bytes of the longest text of what includes others, where the connection takes longer ones. */
  readonly longest?: number;
  /** Of a connection that only reads. */
  readonly transaction?: ReadTransaction;
  /** Of what the statements may take that are kept prepared, together with those of others; the connection's own where it is absent. */
  readonly cached?: CacheBound;
}

export class SqliteConnection implements Writer {
  readonly #database: Database;
  readonly #watch: StatementWatch | undefined;
  readonly #longReads: LongReads | undefined;
  readonly #kept: CacheBound;
  readonly #longest: number | undefined;
  readonly #transaction: ReadTransaction | undefined;
  /** Those of shapes that are asked again are found without their text, for as long as they are kept. */
  readonly #byShape: PreparedShapes = new WeakMap();
  readonly #pages: PreparedShapes = new WeakMap();
  readonly #counts: PreparedShapes = new WeakMap();
  readonly #inserts = new WeakMap<Insert, GivenInsert | 'none'>();
  readonly #bySql: ByteCache<string, Prepared>;
  /** Too large to be kept: it is run before the next one comes. */
  #large: Prepared | undefined;
  readonly #controls = new Map<Control, PreparedStatement>();
  /** Statements that have written: whoever fails without a change of it has left nothing behind. */
  written = 0;

  constructor(database: Database, options: ConnectionOptions = {}) {
    const { watch, longReads, longest, transaction, cached = new CacheBound(mostKept) } = options;
    this.#database = database;
    this.#watch = watch;
    this.#longReads = longReads;
    this.#kept = cached;
    this.#longest = longest;
    this.#transaction = transaction;
    this.#bySql = new ByteCache(cached, finalized);
  }

  one(select: Select, values: readonly Value[], ambient?: Ambient, origin?: Origin): Awaitable<Row | undefined> {
    const prepared = this.#prepared(this.#byShape, select, compileShape);
    if (this.#isLong(prepared)) return first(this.#rows(prepared, values, ambient, { fetch: 'first', origin }));
    const found = this.#get(prepared, encode(prepared, values, ambient), origin);
    return after(found, (row) => (row === undefined ? undefined : toRow(row, prepared)));
  }

  rows(
    select: Select,
    values: readonly Value[],
    until?: number,
    most?: number,
    ambient?: Ambient,
    origin?: Origin,
  ): Awaitable<readonly Row[]> {
    const prepared = this.#prepared(this.#byShape, select, compileShape);
    return this.#rows(prepared, values, ambient, { fetch: boundedBy(most), until, origin });
  }

  page(select: Select, values: readonly Value[], ambient?: Ambient, origin?: Origin): Awaitable<Page> {
    const prepared = this.#prepared(this.#pages, select, compilePage);
    if (this.#isLong(prepared))
      return after(this.#fetch(prepared, values, ambient, { fetch: 'first', origin }), ([row]) => toPage(row, prepared));
    return after(this.#get(prepared, encode(prepared, values, ambient), origin), (row) => toPage(row, prepared));
  }

  count(select: Select, values: readonly Value[], ambient?: Ambient, origin?: Origin): Awaitable<number> {
    const found = this.#fetch(this.#prepared(this.#counts, select, compileCount), values, ambient, { fetch: 'first', origin });
    return after(found, ([row]) => Number(row?.[0] ?? 0));
  }

  insert(insert: Insert, values: readonly Value[], ambient?: Ambient): Row {
    const given = this.#givenInsert(insert);
    const made = given === 'none' ? undefined : given.row(values);
    if (given === 'none' || made === undefined) return this.#insert(insert, values, ambient);
    this.#insert(given.silent, values, ambient);
    return made;
  }

  insertEach(insert: Insert, rows: readonly (readonly Value[])[], ambient?: Ambient): readonly Row[] {
    return rows.map((values) => this.insert(insert, values, ambient));
  }

  #givenInsert(insert: Insert): GivenInsert | 'none' {
    const known = this.#inserts.get(insert);
    if (known !== undefined) return known;
    const found = givenInsert(insert) ?? 'none';
    this.#inserts.set(insert, found);
    return found;
  }

  #insert(insert: Insert, values: readonly Value[], ambient?: Ambient): Row {
    const prepared = this.#prepared(this.#byShape, insert, compileShape);
    return this.#told(() => {
      const row = prepared.statement.get(...encode(prepared, values, ambient));
      return row === undefined ? unseen : toRow(row, prepared);
    });
  }

  update(update: Update, values: readonly Value[], ambient?: Ambient): Awaitable<readonly Row[]> {
    const prepared = this.#prepared(this.#byShape, update, compileShape);
    if (!isEmptyOutput(update.output)) return this.#told(() => this.#rows(prepared, values, ambient));
    const { changes } = this.#told(() => prepared.statement.run(...encode(prepared, values, ambient)));
    return Array.from({ length: Number(changes) }, () => unseen);
  }

  updateEach(update: Update, rows: readonly (readonly Value[])[], ambient?: Ambient): void {
    const prepared = this.#prepared(this.#byShape, update, compileShape);
    for (const values of rows) this.#told(() => prepared.statement.run(...encode(prepared, values, ambient)));
  }

  delete(remove: Delete, values: readonly Value[], ambient?: Ambient): number {
    const prepared = this.#prepared(this.#byShape, remove, compileShape);
    return Number(this.#told(() => prepared.statement.run(...encode(prepared, values, ambient))).changes);
  }

  report(
    report: JoinQuery,
    values: readonly Value[],
    until?: number,
    most?: number,
    ambient?: Ambient,
    origin?: Origin,
  ): Awaitable<readonly Row[]> {
    const prepared = this.#prepared(this.#byShape, report, compileShape);
    return this.#rows(prepared, values, ambient, { fetch: boundedBy(most), until, origin });
  }

  /** There is one writer, and it writes one transaction after the other. */
  alone(): void {}

  /** Savepoints of one name nest: each end means the innermost. */
  async attempt<T>(work: () => Awaitable<T>): Promise<T> {
    this.control('SAVEPOINT attempt');
    try {
      const result = await work();
      this.control('RELEASE attempt');
      return result;
    } catch (thrown) {
      this.control('ROLLBACK TO attempt');
      this.control('RELEASE attempt');
      throw toStoreError(thrown);
    }
  }

  /** Begins and ends transactions; parsed once, as they come with every write. */
  control(sql: Control): void {
    let statement = this.#controls.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#controls.set(sql, statement);
    }
    // None of them gives a row; `run` would make an object of what was changed.
    statement.get();
  }

  /** Throws when the database cannot be read. */
  probe(): void {
    this.#database.prepare('SELECT 1 AS n').get();
  }

  /** Brings the write-ahead log to the database, as far as nobody reads it; throws in a transaction. */
  checkpoint(): void {
    this.#database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  }

  /** Brings all of it there, so that the file alone holds everything: where a driver keeps statements, closing does not. */
  settle(): void {
    this.#database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);');
  }

  close(): void {
    this.#replaceLarge(undefined);
    this.#bySql.clear();
    this.#controls.clear();
    this.#watch?.close();
    this.#database.close();
  }

  #rows(
    prepared: Prepared,
    values: readonly Value[],
    ambient: Ambient | undefined,
    asked: AskedStatement = all,
  ): Awaitable<readonly Row[]> {
    const found = this.#fetch(prepared, values, ambient, asked);
    return found instanceof Promise ? found.then((rows) => toRows(rows, prepared)) : toRows(found, prepared);
  }

  #fetch(prepared: Prepared, values: readonly Value[], ambient: Ambient | undefined, asked: AskedStatement): Awaitable<readonly RawRow[]> {
    const parameters = encode(prepared, values, ambient);
    const run = () => fetchRows(prepared.statement, asked.fetch, parameters, () => this.#watch?.look());
    this.#transaction?.enter();
    this.#watch?.begin();
    try {
      if (this.#longReads === undefined || !this.#isLong(prepared)) return this.#inTime(prepared, asked.until, run);
      const found = this.#longReads.run(prepared, parameters, asked, prepared.isBounded ? () => this.#bounded(run) : run);
      return found instanceof Promise ? found.catch(rethrow) : found;
    } catch (thrown) {
      return (
        this.#elsewhere(prepared, parameters, asked, thrown) ??
        this.#whole(prepared, thrown, () => this.#inTime(prepared, asked.until, run))
      );
    }
  }

  #get(prepared: Prepared, parameters: readonly unknown[], origin: Origin | undefined): Awaitable<RawRow | undefined> {
    this.#transaction?.enter();
    this.#watch?.begin();
    try {
      return prepared.isBounded ? this.#bounded(() => prepared.statement.get(...parameters)) : prepared.statement.get(...parameters);
    } catch (thrown) {
      const long = this.#elsewhere(prepared, parameters, { fetch: 'first', origin }, thrown);
      return long === undefined ? this.#whole(prepared, thrown, () => prepared.statement.get(...parameters)) : long.then(([row]) => row);
    }
  }

  /** What is too long to be read here, where others do not wait for it; nothing where it failed by something else. */
  #elsewhere(
    prepared: Prepared,
    parameters: readonly unknown[],
    asked: AskedStatement,
    thrown: unknown,
  ): Promise<readonly RawRow[]> | undefined {
    return isOneTooLarge(thrown) ? this.#longReads?.elsewhere(prepared, parameters, asked).catch(rethrow) : undefined;
  }

  #inTime<T>(prepared: Prepared, until: number | undefined, run: () => T): T {
    const bounded = prepared.isBounded ? () => this.#bounded(run) : run;
    return until === undefined || this.#watch === undefined ? bounded() : this.#watch.during(until, bounded);
  }

  /** No text of what it gives is longer than a request may hold, also where a connection takes longer ones. */
  #bounded<T>(run: () => T): T {
    return this.#longest === undefined ? run() : this.#withLength(this.#longest, run);
  }

  /** A row by itself is given however long it is: once more, where it was longer than the connection takes. */
  #whole<T>({ isBounded }: Prepared, thrown: unknown, work: () => T): T {
    if (isBounded || this.#database.limits.length >= longestText || !isOneTooLarge(thrown)) return rethrow(thrown);
    try {
      return this.#withLength(longestText, work);
    } catch (again) {
      return rethrow(again);
    }
  }

  #withLength<T>(longest: number, work: () => T): T {
    const { limits } = this.#database;
    const { length } = limits;
    limits.length = longest;
    try {
      return work();
    } finally {
      limits.length = length;
    }
  }

  #prepared<S extends Shape>(cached: PreparedShapes, shape: S, compile: (shape: S, dialect: Dialect) => Statement): Prepared {
    const known = cached.get(shape);
    if (known?.value !== undefined) {
      known.isUsed = true;
      return known.value;
    }
    const reach = this.#longReads === undefined ? undefined : reachOf(shape, compile === compileCount);
    const isWatched =
      this.#watch !== undefined && (shape.kind === 'report' ? !countsAll(shape) : reach !== undefined || this.#isQuery(shape));
    const statement = compile(shape, isWatched ? watchedDialect : sqliteDialect);
    const isBounded = cached === this.#pages || includesOthers(shape);
    const bySql = this.#bySql.find(statement.key);
    if (bySql?.value !== undefined) {
      cached.set(shape, bySql);
      return bySql.value;
    }
    const prepared = prepare(this.#database, statement, reach, isBounded);
    const bytes = bytesOf({ sql: statement.sql, parameters: statement.parameters.length });
    if (bytes > this.#kept.most / fewest) this.#replaceLarge(prepared);
    else cached.set(shape, this.#bySql.set(statement.key, prepared, bytes));
    return prepared;
  }

  #isLong({ reach }: Prepared): boolean {
    return this.#longReads !== undefined && (reach !== undefined || this.#longReads.takesAll);
  }

  /** Whether it looks for the rows of a page, and everybody waits for it. */
  #isQuery(shape: Shape): boolean {
    return this.#watch?.isImpatient === true && shape.kind === 'select' && shape.limit && reachOf(shape, false) !== undefined;
  }

  /** A write that fails says at once what it failed by: whoever asked for it tells which step it was. */
  #told<T>(write: () => T): T {
    try {
      const result = write();
      this.written += 1;
      return result;
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  #replaceLarge(prepared: Prepared | undefined): void {
    if (this.#large !== undefined) finalized(this.#large);
    this.#large = prepared;
  }
}

/** Reads for a client. */
export class OriginReader implements Reader {
  readonly #connection: SqliteConnection;
  readonly #origin: Origin;

  constructor(connection: SqliteConnection, origin: Origin) {
    this.#connection = connection;
    this.#origin = origin;
  }

  one(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Row | undefined> {
    return this.#connection.one(select, values, ambient, this.#origin);
  }

  rows(select: Select, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#connection.rows(select, values, until, most, ambient, this.#origin);
  }

  page(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Page> {
    return this.#connection.page(select, values, ambient, this.#origin);
  }

  count(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<number> {
    return this.#connection.count(select, values, ambient, this.#origin);
  }

  report(report: JoinQuery, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#connection.report(report, values, until, most, ambient, this.#origin);
  }
}

const all: AskedStatement = { fetch: 'all' };
/** What comes back of a row that nobody looks at. */
const unseen: Row = Object.freeze({ json: '{}', columns: [] });

type PreparedShapes = WeakMap<Shape, CacheEntry<Prepared>>;

/** Bytes, where nobody says how many: of a connection beside the others. */
const mostKept = 4 * 1024 * 1024;
/** A statement is kept where at least so many like it could be. */
const fewest = 16;

function finalized({ statement }: Prepared): void {
  statement.finalize?.();
}

function toRows(rows: readonly RawRow[], prepared: Prepared): readonly Row[] {
  return rows.map((row) => toRow(row, prepared));
}

function boundedBy(most: number | undefined): Fetch {
  return most === undefined ? 'all' : { most };
}

function rethrow(thrown: unknown): never {
  throw isTooLarge(thrown) ? new TooLarge(thrown) : thrown;
}

function first(rows: Awaitable<readonly Row[]>): Awaitable<Row | undefined> {
  return after(rows, ([row]) => row);
}

/** At once where the value is there. */
function after<T, U>(value: Awaitable<T>, next: (value: T) => U): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
