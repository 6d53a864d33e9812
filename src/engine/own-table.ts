// Rows of one of the service's own tables: found, made, changed and removed by the values of columns. Shapes are made once for each set of columns.

import { isError } from '../errors.ts';
import { both, type Condition, equal, everything, rankedOrder } from '../plan/query/condition.ts';
import type { Delete, Insert, Output, Select, Update } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import { versionColumn } from '../plan/rows/tables.ts';
import type { Awaitable, Reader, Row, Writer } from '../store/store.ts';
import type { Value } from '../values/value.ts';

export type Columns = Readonly<Record<string, Value>>;

/** Rows in whose `column` one of these values stands. */
interface AmongValues {
  readonly column: string;
  readonly values: readonly Value[];
}

export interface SearchedRows extends AmongValues {
  /** The column that rows of the same rank are sorted by. */
  readonly order: string;
  readonly limit: number;
}

/** Stores find what they have prepared by the shape itself: it has to be the same one each time, whoever asks. */
interface Shapes {
  readonly output: Output;
  readonly insert: Insert;
  readonly selects: Map<string, Select>;
  readonly updates: Map<string, Update>;
  readonly deletes: Map<string, Delete>;
}

const shapesOfTables = new WeakMap<Table, Shapes>();

function shapesOf(table: Table): Shapes {
  const known = shapesOfTables.get(table);
  if (known !== undefined) return known;
  const output: Output = { fields: [], columns: table.columns.map(({ name }) => name) };
  const insert: Insert = { kind: 'insert', table, columns: output.columns, output: none };
  const made: Shapes = { output, insert, selects: new Map(), updates: new Map(), deletes: new Map() };
  shapesOfTables.set(table, made);
  return made;
}

export class OwnTable {
  readonly #table: Table;
  readonly #shapes: Shapes;

  constructor(table: Table) {
    this.#table = table;
    this.#shapes = shapesOf(table);
  }

  /** Locked, nobody else changes it until the transaction ends; `free` does not wait for somebody who has locked it. */
  async find(tx: Reader, by: Columns, lock?: 'lock' | 'free'): Promise<Columns | undefined> {
    const row = await tx.one(this.#select(Object.keys(by), lock), Object.values(by));
    return row === undefined ? undefined : this.#columnsOf(row);
  }

  async all(tx: Reader, by: Columns): Promise<readonly Columns[]> {
    const rows = await tx.rows(this.#select(Object.keys(by)), Object.values(by));
    return rows.map((row) => this.#columnsOf(row));
  }

  /** The first `limit` rows in whose `column` stands no more than `most`, and no less than `least`, in its order. */
  async upTo(
    tx: Reader,
    column: string,
    most: number | string,
    limit: number,
    least: number | string = 0,
    among?: AmongValues,
  ): Promise<readonly Columns[]> {
    const { values = [] } = among ?? {};
    const select = cached(this.#shapes.selects, `up to ${column} ${among?.column} ${values.length}`, () => {
      const range: Condition = { kind: 'compare', column, operator: 'between' };
      const where =
        among === undefined ? range : both(range, { kind: 'compare', column: among.column, operator: 'in', count: values.length });
      return { ...this.#selectWhere(where), order: [{ column, descending: false }], limit: true };
    });
    return (await tx.rows(select, [least, most, ...values, limit])).map((row) => this.#columnsOf(row));
  }

  /** The last `limit` rows of these in the order of `column`, the last one first. */
  async last(tx: Reader, by: Columns, column: string, limit: number): Promise<readonly Columns[]> {
    const select = cached(this.#shapes.selects, `last ${column} ${Object.keys(by)}`, () => ({
      ...this.#selectWhere(allEqual(Object.keys(by))),
      order: [{ column, descending: true }],
      limit: true,
    }));
    return (await tx.rows(select, [...Object.values(by), limit])).map((row) => this.#columnsOf(row));
  }

  /** The rows that have this word in what is searched of them, of those in whose `column` one of these values stands: the best first. */
  async search(tx: Reader, word: string, { column, values, order, limit }: SearchedRows): Promise<readonly Columns[]> {
    const select = cached(this.#shapes.selects, `search ${column} ${values.length} ${order}`, () => {
      const words: Condition = { kind: 'search', columns: this.#table.search ?? [], isIndexed: true };
      const among: Condition = { kind: 'compare', column, operator: 'in', count: values.length };
      return { ...this.#selectWhere(both(words, among)), order: rankedOrder(order), limit: true };
    });
    return (await tx.rows(select, [word, ...values, limit])).map((row) => this.#columnsOf(row));
  }

  async insert(tx: Writer, columns: Columns): Promise<void> {
    const values = this.#shapes.insert.columns.map((name) => columns[name] ?? null);
    try {
      await tx.insert(this.#shapes.insert, values);
    } catch (thrown) {
      // Whoever inserts has looked before: another one was faster, and what is done again from its start finds that row.
      throw isError(thrown, 'duplicate') ? thrown.asRace() : thrown;
    }
  }

  /** How many rows were changed. */
  async update(tx: Writer, by: Columns, columns: Columns): Promise<number> {
    const [found, changed] = [Object.keys(by), Object.keys(columns)];
    const update = cached(
      this.#shapes.updates,
      `${changed} by ${found}`,
      (): Update => ({
        kind: 'update',
        table: this.#table,
        columns: changed,
        version: changed.find((each) => each === versionColumn),
        where: allEqual(found),
        output: none,
      }),
    );
    return (await tx.update(update, [...Object.values(columns), ...Object.values(by)])).length;
  }

  async remove(tx: Writer, by: Columns): Promise<number> {
    const columns = Object.keys(by);
    const remove = cached(
      this.#shapes.deletes,
      String(columns),
      (): Delete => ({ kind: 'delete', table: this.#table, where: allEqual(columns) }),
    );
    return tx.delete(remove, Object.values(by));
  }

  /** Nobody else who asks for this name gets past here until the transaction ends. */
  alone(tx: Writer, name: string): Awaitable<void> {
    return tx.alone(name, this.#table.name);
  }

  /** Leaves a row that somebody else has locked: for what is only tidied up, and may wait. */
  async removeFree(tx: Writer, by: Columns): Promise<void> {
    if ((await this.find(tx, by, 'free')) !== undefined) await this.remove(tx, by);
  }

  #select(columns: readonly string[], lock?: 'lock' | 'free'): Select {
    return cached(this.#shapes.selects, `${columns} ${lock}`, () => {
      const select = this.#selectWhere(allEqual(columns));
      return lock === undefined ? select : { ...select, lock: lock === 'free' ? 'free' : 'change' };
    });
  }

  #selectWhere(where: Condition): Select {
    return { kind: 'select', table: this.#table, output: this.#shapes.output, where, order: [], limit: false, offset: false };
  }

  #columnsOf(row: Row): Columns {
    return Object.fromEntries(this.#shapes.output.columns.map((name, index) => [name, row.columns[index] ?? null]));
  }
}

const none: Output = { fields: [], columns: [] };

function allEqual(columns: readonly string[]): Condition {
  return columns.map(equal).reduce(both, everything);
}

function cached<T>(known: Map<string, T>, key: string, make: () => T): T {
  let found = known.get(key);
  if (found === undefined) {
    found = make();
    known.set(key, found);
  }
  return found;
}
