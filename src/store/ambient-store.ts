// A store as one caller uses it: each of its statements can ask for the values that belong to that caller and to the time of the request.

import type { Ambient } from '../plan/query/ambient.ts';
import type { Delete, Insert, JoinQuery, Select, Shape, Update } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import type { Value } from '../values/value.ts';
import type { SchemaSession } from './sql/ddl.ts';
import type { Awaitable, MigrationAbout, Origin, Page, Reader, ReadOptions, Row, Store, WriteOptions, Writer } from './store.ts';

export class AmbientStore implements Store {
  readonly #store: Store;
  readonly #ambient: Ambient;

  constructor(store: Store, ambient: Ambient) {
    this.#store = store;
    this.#ambient = ambient;
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
    return this.#store.read((reader) => work(new AmbientReader(reader, this.#ambient)), options, origin);
  }

  write<T>(work: (writer: Writer) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    return this.#store.write((writer) => work(new AmbientWriter(writer, this.#ambient)), options);
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

class AmbientReader implements Reader {
  readonly #reader: Reader;
  readonly #ambient: Ambient;

  constructor(reader: Reader, ambient: Ambient) {
    this.#reader = reader;
    this.#ambient = ambient;
  }

  one(select: Select, values: readonly Value[]): Awaitable<Row | undefined> {
    return this.#reader.one(select, values, this.#ambient);
  }

  rows(select: Select, values: readonly Value[], until?: number, most?: number): Awaitable<readonly Row[]> {
    return this.#reader.rows(select, values, until, most, this.#ambient);
  }

  page(select: Select, values: readonly Value[]): Awaitable<Page> {
    return this.#reader.page(select, values, this.#ambient);
  }

  count(select: Select, values: readonly Value[]): Awaitable<number> {
    return this.#reader.count(select, values, this.#ambient);
  }

  report(report: JoinQuery, values: readonly Value[], until?: number, most?: number): Awaitable<readonly Row[]> {
    return this.#reader.report(report, values, until, most, this.#ambient);
  }
}

class AmbientWriter implements Writer {
  readonly #writer: Writer;
  readonly #ambient: Ambient;

  constructor(writer: Writer, ambient: Ambient) {
    this.#writer = writer;
    this.#ambient = ambient;
  }

  one(select: Select, values: readonly Value[]): Awaitable<Row | undefined> {
    return this.#writer.one(select, values, this.#ambient);
  }

  rows(select: Select, values: readonly Value[], until?: number, most?: number): Awaitable<readonly Row[]> {
    return this.#writer.rows(select, values, until, most, this.#ambient);
  }

  page(select: Select, values: readonly Value[]): Awaitable<Page> {
    return this.#writer.page(select, values, this.#ambient);
  }

  count(select: Select, values: readonly Value[]): Awaitable<number> {
    return this.#writer.count(select, values, this.#ambient);
  }

  report(report: JoinQuery, values: readonly Value[], until?: number, most?: number): Awaitable<readonly Row[]> {
    return this.#writer.report(report, values, until, most, this.#ambient);
  }

  insert(insert: Insert, values: readonly Value[]): Awaitable<Row> {
    return this.#writer.insert(insert, values, this.#ambient);
  }

  insertEach(insert: Insert, rows: readonly (readonly Value[])[]): Awaitable<readonly Row[]> {
    return this.#writer.insertEach(insert, rows, this.#ambient);
  }

  update(update: Update, values: readonly Value[]): Awaitable<readonly Row[]> {
    return this.#writer.update(update, values, this.#ambient);
  }

  updateEach(update: Update, rows: readonly (readonly Value[])[]): Awaitable<void> {
    return this.#writer.updateEach(update, rows, this.#ambient);
  }

  delete(remove: Delete, values: readonly Value[]): Awaitable<number> {
    return this.#writer.delete(remove, values, this.#ambient);
  }

  alone(name: string, table: string): Awaitable<void> {
    return this.#writer.alone(name, table);
  }

  attempt<T>(work: () => Awaitable<T>): Promise<T> {
    return this.#writer.attempt(work);
  }
}
