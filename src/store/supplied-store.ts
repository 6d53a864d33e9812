// A store as one caller uses it where the rows of some tables are kept elsewhere: statements that name such a table get its rows along.

import { type Ambient, firstSuppliedSlot } from '../plan/query/ambient.ts';
import type { JoinQuery, Select, Shape, Supplied } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import type { Value } from '../values/value.ts';
import type { SchemaSession } from './migration/ddl.ts';
import type { Awaitable, MigrationAbout, Origin, Reader, ReadOptions, Store, WriteOptions, Writer } from './store.ts';

/** Who has the rows. */
export interface RowSupplier {
  supplies(table: Table): boolean;
  /** Those that a statement may need, each with a value for every column: at least the ones that it asks for, and any number of others. */
  rows(table: Table, asked: AskedRows | undefined): Awaitable<SuppliedRows>;
}

export type SuppliedRows = readonly (readonly Value[])[];

/** What is asked of the rows of a table, where it is the one that a statement selects from. */
export interface AskedRows {
  readonly select: Select;
  readonly values: readonly Value[];
}

/** The caller's own values; none where nobody asks for them. */
type CallerValues = Ambient | undefined;

export class SuppliedStore implements Store {
  readonly #store: Store;
  readonly #caller: CallerValues;
  readonly #supplier: RowSupplier;

  constructor(store: Store, caller: CallerValues, supplier: RowSupplier) {
    this.#store = store;
    this.#caller = caller;
    this.#supplier = supplier;
  }

  get isShared(): boolean {
    return this.#store.isShared;
  }

  migrate(tables: readonly Table[], about?: MigrationAbout): Promise<void> {
    return this.#store.migrate(tables, about);
  }

  schema<T>(work: (session: SchemaSession) => Promise<T>): Promise<T> {
    return this.#store.schema(work);
  }

  read<T>(work: (reader: Reader) => Awaitable<T>, options?: ReadOptions, origin?: Origin): Awaitable<T> {
    return this.#store.read((reader) => work(suppliedReader(reader, this.#caller, this.#supplier)), options, origin);
  }

  write<T>(work: (writer: Writer) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    return this.#store.write((writer) => work(suppliedWriter(writer, this.#caller, this.#supplier)), options);
  }

  ready(): Awaitable<boolean> {
    return this.#store.ready();
  }

  explain(shape: Shape): string {
    return this.#store.explain(shape);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

function suppliedReader(reader: Reader, caller: CallerValues, supplier: RowSupplier): Reader {
  return {
    one: (select, values) => withRows(select, values, caller, supplier, (shape, ambient) => reader.one(shape, values, ambient)),
    rows: (select, values, until, most) =>
      withRows(select, values, caller, supplier, (shape, ambient) => reader.rows(shape, values, until, most, ambient)),
    page: (select, values) => withRows(select, values, caller, supplier, (shape, ambient) => reader.page(shape, values, ambient)),
    count: (select, values) => withRows(select, values, caller, supplier, (shape, ambient) => reader.count(shape, values, ambient)),
    report: (report, values, until, most) =>
      withRows(report, values, caller, supplier, (shape, ambient) => reader.report(shape, values, until, most, ambient)),
  };
}

/** Rows of such tables are written elsewhere, and not through a store. */
function suppliedWriter(writer: Writer, caller: CallerValues, supplier: RowSupplier): Writer {
  return {
    ...suppliedReader(writer, caller, supplier),
    insert: (insert, values) => writer.insert(insert, values, caller),
    insertEach: (insert, rows) => writer.insertEach(insert, rows, caller),
    update: (update, values) => writer.update(update, values, caller),
    updateEach: (update, rows) => writer.updateEach(update, rows, caller),
    delete: (remove, values) => writer.delete(remove, values, caller),
    alone: (name, table) => writer.alone(name, table),
    attempt: (work) => writer.attempt(work),
  };
}

/** Runs a statement with the rows that it needs; as it is where it names no such table. */
function withRows<S extends Select | JoinQuery, T>(
  shape: S,
  values: readonly Value[],
  caller: CallerValues,
  supplier: RowSupplier,
  run: (shape: S, ambient: CallerValues) => Awaitable<T>,
): Awaitable<T> {
  const tables = tablesIn(shape).filter((each) => supplier.supplies(each));
  if (tables.length === 0) return run(shape, caller);
  const found = tables.map((table) =>
    supplier.rows(table, shape.kind === 'select' && table === shape.table ? { select: shape, values } : undefined),
  );
  const go = (rows: readonly SuppliedRows[]): Awaitable<T> => run(withSupplied(shape, tables), new SuppliedValues(caller, rows));
  return found.some((each) => each instanceof Promise) ? Promise.all(found).then(go) : go(found.map(ready));
}

class SuppliedValues implements Ambient {
  readonly #caller: CallerValues;
  readonly #rows: readonly SuppliedRows[];

  constructor(caller: CallerValues, rows: readonly SuppliedRows[]) {
    this.#caller = caller;
    this.#rows = rows;
  }

  at(slot: number): Value {
    if (slot >= firstSuppliedSlot) return this.#rows[slot - firstSuppliedSlot] ?? [];
    if (this.#caller === undefined) throw new Error('the statement asks about its caller, and none is known here');
    return this.#caller.at(slot);
  }
}

function ready<T>(value: Awaitable<T>): T {
  if (value instanceof Promise) throw new Error('rows were to be there already');
  return value;
}

const tablesOf = new WeakMap<Select | JoinQuery, readonly Table[]>();

/** All that a statement names, its own first. */
function tablesIn(shape: Select | JoinQuery): readonly Table[] {
  const known = tablesOf.get(shape);
  if (known !== undefined) return known;
  const found = new Set<Table>();
  collect(shape, found);
  const tables = [...found];
  tablesOf.set(shape, tables);
  return tables;
}

/** Shapes are data: whatever names a table, at whatever depth, names it as its `table`. */
function collect(part: unknown, found: Set<Table>): void {
  if (Array.isArray(part)) for (const each of part) collect(each, found);
  else if (isTable(part)) found.add(part);
  else if (typeof part === 'object' && part !== null) for (const each of Object.values(part)) collect(each, found);
}

function isTable(part: unknown): part is Table {
  return typeof part === 'object' && part !== null && 'primaryKey' in part && 'foreignKeys' in part;
}

const suppliedShapes = new WeakMap<Select | JoinQuery, Select | JoinQuery>();

/** Made once for each shape: which of its tables are supplied is the same for the life of the plan that it belongs to. */
function withSupplied<S extends Select | JoinQuery>(shape: S, supplied: Supplied): S {
  const known = suppliedShapes.get(shape);
  if (known !== undefined && isSameKind(shape, known)) return known;
  const made = { ...shape, supplied };
  suppliedShapes.set(shape, made);
  return made;
}

function isSameKind<S extends Select | JoinQuery>(shape: S, other: Select | JoinQuery): other is S {
  return shape.kind === other.kind;
}
