// One connection with its prepared statements: runs shapes, each compiled once and kept.

import type { Value } from '../model/types/attribute-type.ts';
import type { Ambient } from '../plan/query/ambient.ts';
import { type Delete, type Insert, includesOthers, type Report, type Select, type Shape, type Update } from '../plan/shape.ts';
import type { Dialect, Statement } from './dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { type Database, longestText, type PreparedStatement } from './sqlite-driver.ts';
import { isTooLarge, toStoreError } from './sqlite-errors.ts';
import type { Pacing } from './sqlite-pace.ts';
import { countsAll } from './sqlite-scans.ts';
import { encode, type Fetch, fetchRows, type Prepared, prepare, type RawRow, toPage, toRow } from './sqlite-statement.ts';
import { type StatementWatch, watchedDialect } from './sqlite-watch.ts';
import { compileCount, compilePage, compileShape, isKept } from './statements.ts';
import { type Awaitable, type Page, type Row, TooLarge, type Writer } from './store.ts';

/** Shapes that requests make up (filters, orders) are kept by their text up to this many; the rest are made anew. */
const maxKept = 2000;

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
  readonly pacing?: Pacing;
}

export class SqliteConnection implements Writer {
  readonly #database: Database;
  readonly #watch: StatementWatch | undefined;
  readonly #pacing: Pacing | undefined;
  /** Shapes of the plan live as long as the plan, and their statements with them. */
  #byShape = new WeakMap<Shape, Prepared>();
  #pages = new WeakMap<Shape, Prepared>();
  #counts = new WeakMap<Shape, Prepared>();
  readonly #bySql = new Map<string, Prepared>();
  readonly #controls = new Map<Control, PreparedStatement>();

  constructor(database: Database, { watch, pacing }: ConnectionOptions = {}) {
    this.#database = database;
    this.#watch = watch;
    this.#pacing = pacing;
  }

  one(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Row | undefined> {
    const prepared = this.#prepared(this.#byShape, select, compileShape);
    if (prepared.pace !== undefined) return first(this.#rows(prepared, values, ambient, 'first'));
    const row = this.#get(prepared, encode(prepared, values, ambient));
    return row === undefined ? undefined : toRow(row, prepared);
  }

  rows(select: Select, values: readonly Value[], most?: number, ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#rows(this.#prepared(this.#byShape, select, compileShape), values, ambient, boundedBy(most));
  }

  page(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Page> {
    const prepared = this.#prepared(this.#pages, select, compilePage);
    if (prepared.pace === undefined) return toPage(this.#get(prepared, encode(prepared, values, ambient)), prepared);
    return after(this.#fetch(prepared, values, ambient, 'first'), ([row]) => toPage(row, prepared));
  }

  count(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<number> {
    const found = this.#fetch(this.#prepared(this.#counts, select, compileCount), values, ambient, 'first');
    return after(found, ([row]) => Number(row?.['n'] ?? 0));
  }

  insert(insert: Insert, values: readonly Value[], ambient?: Ambient): Row {
    const prepared = this.#prepared(this.#byShape, insert, compileShape);
    try {
      return toRow(prepared.statement.get(...encode(prepared, values, ambient)) ?? {}, prepared);
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  update(update: Update, values: readonly Value[], ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#rows(this.#prepared(this.#byShape, update, compileShape), values, ambient);
  }

  updateEach(update: Update, rows: readonly (readonly Value[])[], ambient?: Ambient): void {
    const prepared = this.#prepared(this.#byShape, update, compileShape);
    for (const values of rows) prepared.statement.run(...encode(prepared, values, ambient));
  }

  delete(remove: Delete, values: readonly Value[], ambient?: Ambient): number {
    const prepared = this.#prepared(this.#byShape, remove, compileShape);
    return Number(prepared.statement.run(...encode(prepared, values, ambient)).changes);
  }

  report(
    report: Report,
    values: readonly Value[],
    until = Number.POSITIVE_INFINITY,
    most?: number,
    ambient?: Ambient,
  ): Awaitable<readonly Row[]> {
    const prepared = this.#prepared(this.#byShape, report, compileShape);
    if (this.#watch === undefined || prepared.pace !== undefined) return this.#rows(prepared, values, ambient, boundedBy(most), until);
    return this.#watch.during(until, () => this.#rows(prepared, values, ambient, boundedBy(most)));
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
    statement.run();
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
    this.#bySql.clear();
    this.#controls.clear();
    this.#database.close();
  }

  #rows(
    prepared: Prepared,
    values: readonly Value[],
    ambient: Ambient | undefined,
    fetch: Fetch = 'all',
    until?: number,
  ): Awaitable<readonly Row[]> {
    const found = this.#fetch(prepared, values, ambient, fetch, until);
    return found instanceof Promise ? found.then((rows) => toRows(rows, prepared)) : toRows(found, prepared);
  }

  #fetch(
    prepared: Prepared,
    values: readonly Value[],
    ambient: Ambient | undefined,
    fetch: Fetch,
    until?: number,
  ): Awaitable<readonly RawRow[]> {
    const { pace, statement } = prepared;
    const parameters = encode(prepared, values, ambient);
    const run = () => fetchRows(statement, fetch, parameters);
    try {
      if (pace === undefined || this.#pacing === undefined) return run();
      const found = this.#pacing.run(prepared, pace, parameters, fetch, until);
      return found instanceof Promise ? found.catch(rethrow) : found;
    } catch (thrown) {
      return this.#whole(prepared, thrown, run);
    }
  }

  #get(prepared: Prepared, parameters: readonly unknown[]): RawRow | undefined {
    try {
      return prepared.statement.get(...parameters);
    } catch (thrown) {
      return this.#whole(prepared, thrown, () => prepared.statement.get(...parameters));
    }
  }

  /** A row by itself is given however long it is: once more, where it was longer than the connection takes. */
  #whole<T>({ isBounded }: Prepared, thrown: unknown, work: () => T): T {
    const { limits } = this.#database;
    const { length } = limits;
    if (isBounded || length >= longestText || !isTooLarge(thrown)) return rethrow(thrown);
    limits.length = longestText;
    try {
      return work();
    } catch (again) {
      return rethrow(again);
    } finally {
      limits.length = length;
    }
  }

  #prepared<S extends Shape>(kept: WeakMap<Shape, Prepared>, shape: S, compile: (shape: S, dialect: Dialect) => Statement): Prepared {
    const known = kept.get(shape);
    if (known !== undefined) return known;
    const isPaced = this.#pacing?.takes(shape, compile === compileCount) === true;
    const isWatched = this.#watch !== undefined && (shape.kind === 'report' ? !countsAll(shape) : isPaced);
    const statement = compile(shape, isWatched ? watchedDialect : sqliteDialect);
    const isBounded = kept === this.#pages || includesOthers(shape);
    if (!isKept(shape, statement.parameters.length)) return prepare(this.#database, statement, isPaced, isBounded);
    const prepared = this.#bySql.get(statement.key) ?? this.#prepare(statement, isPaced, isBounded);
    kept.set(shape, prepared);
    return prepared;
  }

  #prepare(compiled: Statement, isPaced: boolean, isBounded: boolean): Prepared {
    const prepared = prepare(this.#database, compiled, isPaced, isBounded);
    const [oldest] = this.#bySql.keys();
    if (this.#bySql.size >= maxKept && oldest !== undefined) this.#bySql.delete(oldest);
    this.#bySql.set(compiled.key, prepared);
    return prepared;
  }
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
