// Shapes → exchanges: each shape compiled once and kept, its values written as the server reads them, its rows read as every store gives them.

import { ByteCache, CacheBound, type CacheEntry } from '../../byte-cache.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { Ambient } from '../../plan/query/ambient.ts';
import { type Delete, type Insert, includesOthers, type JoinQuery, type Select, type Shape, type Update } from '../../plan/query/shape.ts';
import type { Value } from '../../values/value.ts';
import { WordExpressions } from '../../values/words.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';
import { boundValue } from '../sql/parameters.ts';
import { compileCount, compilePage, compileShape } from '../sql/statements.ts';
import { type Awaitable, type Page, type Row, TooLarge, type Writer } from '../store.ts';
import { includingWithin, postgresDialect, readFurther } from './dialect.ts';
import type { Command, ExchangeResult, Fields } from './exchange.ts';
import { searchWith } from './search.ts';

/** A statement with the name that it is prepared under. */
export interface Compiled extends Statement {
  readonly name: string;
  readonly kind: Shape['kind'];
  /** The table of which it locks rows. */
  readonly locks: string | undefined;
  /** The table that it looks into, where it changes nothing. */
  readonly reads: string | undefined;
}

/** Runs one statement somewhere: on any connection, or in a transaction. */
export interface Runner {
  /** `most`: of several rows, in characters. */
  run(compiled: Compiled, values: (string | null)[], most?: number): Promise<ExchangeResult>;
  /** The same statement with each of these values, in one exchange; the answer is that of the last. */
  runEach(compiled: Compiled, rows: readonly (string | null)[][]): Promise<ExchangeResult>;
  alone(name: string, table: string): Promise<void>;
  attempt<T>(work: () => Awaitable<T>): Promise<T>;
}

/** Bytes of the texts and parameters that are kept, those of shapes that requests make up (filters, orders) among them. */
const mostKept = 8 * 1024 * 1024;
const bytesOfStatement = 1024;
const bytesOfParameter = 128;
/** A statement is kept, and prepared under a name, where at least so many like it could be. */
const fewest = 64;

/** Compiled shapes, shared by all connections of a store. */
export class CompiledShapes {
  readonly #named: boolean;
  readonly #memory: number;
  readonly #byShape: CompiledOf = new WeakMap();
  readonly #pages: CompiledOf = new WeakMap();
  readonly #counts: CompiledOf = new WeakMap();
  readonly #bySql = new ByteCache<string, Compiled>(new CacheBound(mostKept));
  readonly #dialect: Dialect;
  #count = 0;

  /** `memory`: bytes that one request may hold at once. */
  constructor(named: boolean, memory: number) {
    this.#named = named;
    this.#memory = memory;
    this.#dialect = { ...postgresDialect, ...searchWith(new WordExpressions()), ...includingWithin(memory) };
  }

  of(shape: Shape): Compiled {
    const known = usedIn(this.#byShape, shape);
    if (known !== undefined) return known;
    const statement = compileShape(shape, this.#dialect);
    return this.#keep(this.#byShape, shape, includesOthers(shape) ? bounded(statement, this.#memory, []) : statement);
  }

  page(select: Select): Compiled {
    const known = usedIn(this.#pages, select);
    return known ?? this.#keep(this.#pages, select, bounded(compilePage(select, this.#dialect), this.#memory, ['n']));
  }

  count(select: Select): Compiled {
    return usedIn(this.#counts, select) ?? this.#keep(this.#counts, select, compileCount(select, this.#dialect));
  }

  #keep(kept: CompiledOf, shape: Shape, statement: Statement): Compiled {
    const known = this.#bySql.find(statement.key);
    if (known?.value !== undefined) {
      kept.set(shape, known);
      return known.value;
    }
    const bytes = bytesOfStatement + 2 * statement.sql.length + bytesOfParameter * statement.parameters.length;
    const isKept = bytes <= mostKept / fewest;
    if (isKept) this.#count += 1;
    const compiled = {
      ...statement,
      kind: shape.kind,
      locks: lockedBy(shape),
      reads: readBy(shape),
      name: isKept && this.#named ? `p${this.#count}` : '',
    };
    if (isKept) kept.set(shape, this.#bySql.set(statement.key, compiled, bytes));
    return compiled;
  }
}

type CompiledOf = WeakMap<Shape, CacheEntry<Compiled>>;

function usedIn(kept: CompiledOf, shape: Shape): Compiled | undefined {
  const known = kept.get(shape);
  if (known !== undefined) known.isUsed = true;
  return known?.value;
}

/** A text that is longer than `memory` stays where it is, and nothing comes for it. */
function bounded(statement: Statement, memory: number, further: readonly string[]): Statement {
  const names = [...further, ...statement.columns.map((_, index) => `c${index}`)];
  const text = `CASE WHEN octet_length(q.j) <= ${memory} THEN q.j END AS j`;
  return { ...statement, sql: `WITH q AS MATERIALIZED (${statement.sql}) SELECT ${[text, ...names].join(', ')} FROM q` };
}

function lockedBy(shape: Shape): string | undefined {
  const isReading = shape.kind === 'report' || (shape.kind === 'select' && shape.lock === undefined);
  return isReading ? undefined : shape.table.name;
}

function readBy(shape: Shape): string | undefined {
  return shape.kind === 'select' || shape.kind === 'report' ? shape.table.name : undefined;
}

export class PostgresAccess implements Writer {
  readonly #shapes: CompiledShapes;
  readonly #runner: Runner;

  constructor(shapes: CompiledShapes, runner: Runner) {
    this.#shapes = shapes;
    this.#runner = runner;
  }

  async one(select: Select, values: readonly Value[], ambient?: Ambient): Promise<Row | undefined> {
    const compiled = this.#shapes.of(select);
    const [row] = (await this.#run(compiled, values, ambient)).rows;
    return row === undefined ? undefined : toRow(row, compiled.columns);
  }

  rows(select: Select, values: readonly Value[], _until?: number, most?: number, ambient?: Ambient): Promise<readonly Row[]> {
    return this.#rows(select, values, ambient, most);
  }

  async page(select: Select, values: readonly Value[], ambient?: Ambient): Promise<Page> {
    const compiled = this.#shapes.page(select);
    const [[json, count, ...last] = []] = (await this.#run(compiled, values, ambient)).rows;
    return {
      json: textOf(json),
      count: Number(count),
      last: compiled.columns.map((kind, index) => readFurther(kind, last[index] ?? null)),
    };
  }

  async count(select: Select, values: readonly Value[], ambient?: Ambient): Promise<number> {
    const [[count] = []] = (await this.#run(this.#shapes.count(select), values, ambient)).rows;
    return Number(count ?? 0);
  }

  async insert(insert: Insert, values: readonly Value[], ambient?: Ambient): Promise<Row> {
    const compiled = this.#shapes.of(insert);
    const [row] = (await this.#run(compiled, values, ambient)).rows;
    if (row === undefined && insert.orNothing === true) return { json: '{}', columns: [] };
    return toRow(row ?? [], compiled.columns);
  }

  async insertEach(insert: Insert, rows: readonly (readonly Value[])[], ambient?: Ambient): Promise<readonly Row[]> {
    if (rows.length === 0) return [];
    const compiled = this.#shapes.of(insert);
    const result = await this.#runner.runEach(
      compiled,
      rows.map((values) => written(compiled, values, ambient)),
    );
    return result.rows.map((row) => toRow(row, compiled.columns));
  }

  update(update: Update, values: readonly Value[], ambient?: Ambient): Promise<readonly Row[]> {
    return this.#rows(update, values, ambient);
  }

  async updateEach(update: Update, rows: readonly (readonly Value[])[], ambient?: Ambient): Promise<void> {
    const compiled = this.#shapes.of(update);
    if (rows.length > 0)
      await this.#runner.runEach(
        compiled,
        rows.map((values) => written(compiled, values, ambient)),
      );
  }

  async delete(remove: Delete, values: readonly Value[], ambient?: Ambient): Promise<number> {
    const { tag } = await this.#run(this.#shapes.of(remove), values, ambient);
    return Number(tag.slice(tag.lastIndexOf(' ') + 1));
  }

  report(report: JoinQuery, values: readonly Value[], _until?: number, most?: number, ambient?: Ambient): Promise<readonly Row[]> {
    return this.#rows(report, values, ambient, most);
  }

  alone(name: string, table: string): Promise<void> {
    return this.#runner.alone(name, table);
  }

  attempt<T>(work: () => Awaitable<T>): Promise<T> {
    return this.#runner.attempt(work);
  }

  async #rows(
    shape: Select | Update | JoinQuery,
    values: readonly Value[],
    ambient: Ambient | undefined,
    most?: number,
  ): Promise<readonly Row[]> {
    const compiled = this.#shapes.of(shape);
    return (await this.#run(compiled, values, ambient, most)).rows.map((row) => toRow(row, compiled.columns));
  }

  #run(compiled: Compiled, values: readonly Value[], ambient: Ambient | undefined, most?: number): Promise<ExchangeResult> {
    return this.#runner.run(compiled, written(compiled, values, ambient), most);
  }
}

export function commandOf({ sql, name }: Compiled, values: (string | null)[], most?: number, isEach = false): Command {
  return { sql, name, values, most, isEach };
}

/** Every value goes as text; the server knows from the statement what it is. */
function written({ parameters }: Compiled, values: readonly Value[], ambient: Ambient | undefined): (string | null)[] {
  return parameters.map((each) => {
    const given = boundValue(each, values, ambient);
    return given === null || given === undefined ? null : String(given);
  });
}

function toRow(row: Fields, kinds: readonly ColumnKind[]): Row {
  return { json: textOf(row[0]), columns: kinds.map((kind, index) => readFurther(kind, row[index + 1] ?? null)) };
}

/** Each row has one, unless it is too long. */
function textOf(text: string | null | undefined): string {
  if (typeof text !== 'string') throw new TooLarge();
  return text;
}
