// A store as one caller uses it where the rows of some tables are kept elsewhere: statements that name such a table get its rows along.

import { type Ambient, firstSuppliedSlot } from '../plan/query/ambient.ts';
import type { Condition } from '../plan/query/condition.ts';
import type { Delete, Insert, JoinQuery, Select, Shape, Supplied, Update } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import type { Value } from '../values/value.ts';
import type { SchemaSession } from './sql/ddl.ts';
import type { Awaitable, MigrationAbout, Origin, Reader, ReadOptions, Store, WriteOptions, Writer } from './store.ts';
import { writesWithRows } from './supplied-writes.ts';

/** Who has the rows. */
export interface RowSupplier {
  /** Whether statements get rows of this table along; those of a transaction that writes may be another matter. */
  supplies(table: Table, isWriting: boolean): boolean;
  /**
   * Those that a statement may need, each with a value for every column: at least the ones that it asks for, and any number of others. Nothing
   * where the stored ones are to be taken.
   */
  rows(table: Table, asked: AskedRows | undefined): Awaitable<SuppliedRows | WrittenRows | undefined>;
  /** Absent where nobody asks others to write. */
  readonly transactions?: TransactionListener | undefined;
}

/** Told how transactions end, by whoever has asked others to do something in them. */
export interface TransactionListener {
  /** How much was done in a transaction so far. */
  mark(writer: Writer): number;
  /** What was done since then is about to be rolled back. */
  undo(writer: Writer, mark: number): Promise<void>;
  /** Nothing is held any more. */
  ended(writer: Writer, isCommitted: boolean): Promise<void> | undefined;
}

export type SuppliedRows = readonly (readonly Value[])[];

/** Rows as the text of a parameter, with what each column becomes in the store. */
export type WrittenRows = string;

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
  readonly #reader: Reader | undefined;

  /** With `reader`, everything is read by it, and so of the state that it sees. */
  constructor(store: Store, caller: CallerValues, supplier: RowSupplier, reader?: Reader) {
    this.#store = store;
    this.#caller = caller;
    this.#supplier = supplier;
    this.#reader = reader;
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
    const supplied = (reader: Reader): Awaitable<T> => work(suppliedReader(reader, this.#caller, this.#supplier, false));
    return this.#reader === undefined ? this.#store.read(supplied, options, origin) : supplied(this.#reader);
  }

  write<T>(work: (writer: Writer) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    const { transactions } = this.#supplier;
    if (transactions === undefined) return this.#store.write((writer) => work(this.#writer(writer)), options);
    return listened(
      (began) =>
        this.#store.write((writer) => {
          const own = this.#writer(writer);
          began(own);
          return undoneBefore(() => work(own), own, transactions);
        }, options),
      transactions,
    );
  }

  #writer(writer: Writer): Writer {
    return suppliedWriter(writer, this.#caller, this.#supplier);
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

/** Whatever was asked of others is undone while what it is about is still locked. */
function undoneBefore<T>(work: () => Awaitable<T>, writer: Writer, transactions: TransactionListener, mark = 0): Awaitable<T> {
  const result = work();
  if (!(result instanceof Promise)) return result;
  return result.catch(async (thrown: unknown) => {
    await transactions.undo(writer, mark);
    throw thrown;
  });
}

async function listened<T>(run: (began: (writer: Writer) => void) => Promise<T>, transactions: TransactionListener): Promise<T> {
  let current: Writer | undefined;
  const end = async (isCommitted: boolean): Promise<void> => {
    if (current !== undefined) await transactions.ended(current, isCommitted);
  };
  const running = run((writer) => {
    current = writer;
  });
  const result = await running.catch(async (thrown: unknown) => {
    await end(false);
    throw thrown;
  });
  await end(true);
  return result;
}

function suppliedReader(reader: Reader, caller: CallerValues, supplier: RowSupplier, isWriting: boolean): Reader {
  const supplying = { caller, supplier, isWriting };
  return {
    one: (select, values) => withRows(select, values, supplying, (shape, ambient) => reader.one(shape, values, ambient)),
    rows: (select, values, until, most) =>
      withRows(select, values, supplying, (shape, ambient) => reader.rows(shape, values, until, most, ambient)),
    page: (select, values) => withRows(select, values, supplying, (shape, ambient) => reader.page(shape, values, ambient)),
    count: (select, values) => withRows(select, values, supplying, (shape, ambient) => reader.count(shape, values, ambient), true),
    report: (report, values, until, most) =>
      withRows(report, values, supplying, (shape, ambient) => reader.report(shape, values, until, most, ambient)),
  };
}

/** Rows of such tables are written elsewhere, and not through a store. */
function suppliedWriter(writer: Writer, caller: CallerValues, supplier: RowSupplier): Writer {
  const { transactions } = supplier;
  const reader = suppliedReader(writer, caller, supplier, true);
  const asCaller: Parameters<typeof writesWithRows>[0] = {
    insert: (insert, values) => writer.insert(insert, values, caller),
    insertEach: (insert, rows) => writer.insertEach(insert, rows, caller),
    update: (update, values) => writer.update(update, values, caller),
    updateEach: (update, rows) => writer.updateEach(update, rows, caller),
    delete: (remove, values) => writer.delete(remove, values, caller),
  };
  const own: Writer = {
    ...reader,
    ...writesWithRows(asCaller, reader, (shape) => tablesIn(shape).some((each) => supplier.supplies(each, true))),
    alone: (name, table) => writer.alone(name, table),
    attempt: (work) => {
      if (transactions === undefined) return writer.attempt(work);
      const mark = transactions.mark(own);
      return writer.attempt(() => undoneBefore(work, own, transactions, mark));
    },
  };
  return own;
}

interface Supplying {
  readonly caller: CallerValues;
  readonly supplier: RowSupplier;
  readonly isWriting: boolean;
}

/** Runs a statement with the rows that it needs; as it is where it names no such table. */
function withRows<S extends Select | JoinQuery, T>(
  shape: S,
  values: readonly Value[],
  { caller, supplier, isWriting }: Supplying,
  run: (shape: S, ambient: CallerValues) => Awaitable<T>,
  isCount = false,
): Awaitable<T> {
  const tables = tablesIn(shape).filter((each) => supplier.supplies(each, isWriting));
  if (tables.length === 0) return run(shape, caller);
  const found = tables.map((table) =>
    supplier.rows(table, shape.kind === 'select' && table === shape.table ? askedOf(shape, values, isCount) : undefined),
  );
  const go = (all: readonly (SuppliedRows | WrittenRows | undefined)[]): Awaitable<T> => {
    const supplied = tables.filter((_, index) => all[index] !== undefined);
    if (supplied.length === 0) return run(shape, caller);
    const rows = all.filter((each) => each !== undefined);
    return run(withSupplied(shape, supplied), new SuppliedValues(caller, rows));
  };
  return found.some((each) => each instanceof Promise) ? Promise.all(found).then(go) : go(found.map(ready));
}

/** To be counted, all of them are needed, in whatever order. */
function askedOf(select: Select, values: readonly Value[], isCount: boolean): AskedRows {
  return { select: isCount ? { ...select, order: [], limit: false, offset: false } : select, values };
}

class SuppliedValues implements Ambient {
  readonly #caller: CallerValues;
  readonly #rows: readonly (SuppliedRows | WrittenRows)[];

  constructor(caller: CallerValues, rows: readonly (SuppliedRows | WrittenRows)[]) {
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

const tablesOf = new WeakMap<Select | Insert | Update | Delete | JoinQuery | Condition, readonly Table[]>();

/** All that a statement or a condition names, its own first. */
export function tablesIn(shape: Shape | Condition): readonly Table[] {
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

const suppliedShapes = new WeakMap<Select | JoinQuery, Map<string, Select | JoinQuery>>();

/** Made once for each shape and the tables that are supplied to it, which are nearly always the same. */
function withSupplied<S extends Select | JoinQuery>(shape: S, supplied: Supplied): S {
  const names = supplied.map((each) => each.name).join(' ');
  const made = suppliedShapes.get(shape) ?? new Map<string, Select | JoinQuery>();
  suppliedShapes.set(shape, made);
  const known = made.get(names);
  if (known !== undefined && isSameKind(shape, known)) return known;
  const fresh = { ...shape, supplied };
  made.set(names, fresh);
  return fresh;
}

function isSameKind<S extends Select | JoinQuery>(shape: S, other: Select | JoinQuery): other is S {
  return shape.kind === other.kind;
}
