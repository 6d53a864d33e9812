// One connection with its prepared statements: runs shapes, each compiled once and kept.

import type { Value } from '../model/types/attribute-type.ts';
import type { Delete, Insert, Report, Select, Shape, Update } from '../plan/shape.ts';
import type { Statement } from './dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { Database, PreparedStatement } from './sqlite-driver.ts';
import { toStoreError } from './sqlite-errors.ts';
import { type StatementWatch, watchedDialect } from './sqlite-watch.ts';
import { compileCount, compilePage, compileShape, isSimplePage } from './statements.ts';
import type { Awaitable, Page, Row, Writer } from './store.ts';

interface Prepared {
  readonly statement: PreparedStatement;
  readonly parameters: Statement['parameters'];
  /** Whether the caller's values are the parameters, as they are. */
  readonly plain: boolean;
  readonly columns: number;
}

/** Shapes that requests make up (filters, orders) are kept by their text up to this many; the rest are made anew. */
const maxKept = 2000;

type Control =
  | 'BEGIN IMMEDIATE'
  | 'COMMIT'
  | 'ROLLBACK'
  | 'SAVEPOINT one'
  | 'RELEASE one'
  | 'ROLLBACK TO one'
  | 'SAVEPOINT attempt'
  | 'RELEASE attempt'
  | 'ROLLBACK TO attempt';

export class SqliteConnection implements Writer {
  readonly #database: Database;
  readonly #watch: StatementWatch | undefined;
  /** Shapes of the plan live as long as the plan, and their statements with them. */
  #byShape = new WeakMap<Shape, Prepared>();
  #pages = new WeakMap<Shape, Prepared>();
  #counts = new WeakMap<Shape, Prepared>();
  readonly #bySql = new Map<string, Prepared>();
  readonly #controls = new Map<Control, PreparedStatement>();

  /** Without a watch, statements take as long as they take. */
  constructor(database: Database, watch?: StatementWatch) {
    this.#database = database;
    this.#watch = watch;
  }

  one(select: Select, values: readonly Value[]): Row | undefined {
    const prepared = this.#prepared(this.#byShape, select, compile);
    const row = prepared.statement.get(...encode(prepared, values));
    return row === undefined ? undefined : toRow(row, prepared.columns);
  }

  rows(select: Select, values: readonly Value[]): readonly Row[] {
    return this.#rows(select, values);
  }

  page(select: Select, values: readonly Value[]): Page {
    if (!isSimplePage(select)) return joined(this.#rows(select, values));
    const prepared = this.#prepared(this.#pages, select, (shape) => compilePage(shape, sqliteDialect));
    const row = prepared.statement.get(...encode(prepared, values));
    return { json: String(row?.['j'] ?? ''), count: Number(row?.['n'] ?? 0), last: [toValue(row?.['c0'])] };
  }

  count(select: Select, values: readonly Value[]): number {
    const prepared = this.#prepared(this.#counts, select, (shape) => compileCount(shape, sqliteDialect));
    return Number(prepared.statement.get(...encode(prepared, values))?.['n'] ?? 0);
  }

  insert(insert: Insert, values: readonly Value[]): Row {
    const prepared = this.#prepared(this.#byShape, insert, compile);
    try {
      return toRow(prepared.statement.get(...encode(prepared, values)) ?? {}, prepared.columns);
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  update(update: Update, values: readonly Value[]): readonly Row[] {
    return this.#rows(update, values);
  }

  delete(remove: Delete, values: readonly Value[]): number {
    const prepared = this.#prepared(this.#byShape, remove, compile);
    return Number(prepared.statement.run(...encode(prepared, values)).changes);
  }

  report(report: Report, values: readonly Value[], until = Number.POSITIVE_INFINITY): readonly Row[] {
    if (this.#watch === undefined) return this.#rows(report, values);
    return this.#watch.during(until, () => this.#rows(report, values, compileWatched));
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

  close(): void {
    this.#bySql.clear();
    this.#controls.clear();
    this.#database.close();
  }

  #rows(shape: Select | Update | Report, values: readonly Value[], compileWith = compile): readonly Row[] {
    const prepared = this.#prepared(this.#byShape, shape, compileWith);
    return prepared.statement.all(...encode(prepared, values)).map((row) => toRow(row, prepared.columns));
  }

  #prepared<S extends Shape>(kept: WeakMap<Shape, Prepared>, shape: S, compileWith: (shape: S) => Statement): Prepared {
    const known = kept.get(shape);
    if (known !== undefined) return known;
    const statement = compileWith(shape);
    const prepared = this.#bySql.get(statement.sql) ?? this.#prepare(statement);
    kept.set(shape, prepared);
    return prepared;
  }

  #prepare(compiled: Statement): Prepared {
    const statement = this.#database.prepare(compiled.sql);
    // Identifiers may be 64-bit; versions are milliseconds and stay small.
    statement.setReadBigInts(compiled.columns.includes('integer'));
    const prepared = {
      statement,
      parameters: compiled.parameters,
      plain: compiled.parameters.every((each, index) => each.source === index && each.encode === undefined),
      columns: compiled.columns.length,
    };
    const [oldest] = this.#bySql.keys();
    if (this.#bySql.size >= maxKept && oldest !== undefined) this.#bySql.delete(oldest);
    this.#bySql.set(compiled.sql, prepared);
    return prepared;
  }
}

const compile: (shape: Shape) => Statement = (shape) => compileShape(shape, sqliteDialect);
const compileWatched: typeof compile = (shape) => compileShape(shape, watchedDialect);

function encode(prepared: Prepared, values: readonly Value[]): readonly unknown[] {
  if (prepared.plain) return values;
  return prepared.parameters.map(({ source, encode: write }) => {
    const value = values[source] ?? null;
    return write === undefined ? value : write(value);
  });
}

function toRow(row: Readonly<Record<string, unknown>>, columns: number): Row {
  const values: Value[] = [];
  for (let index = 0; index < columns; index += 1) values.push(toValue(row[columnNames[index] ?? `c${index}`]));
  return { json: String(row['j']), columns: values };
}

const columnNames = Array.from({ length: 32 }, (_, index) => `c${index}`);

function toValue(value: unknown): Value {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function joined(rows: readonly Row[]): Page {
  return { json: rows.map((row) => row.json).join(','), count: rows.length, last: rows.at(-1)?.columns ?? [] };
}
