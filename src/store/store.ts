// The one narrow door to disk: what the engine asks of a store. Shapes are data, made once; values travel beside them.

import type { Ambient } from '../plan/query/ambient.ts';
import type { Delete, Insert, JoinQuery, Select, Shape, Update } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import type { Value } from '../values/value.ts';
import type { SchemaSession } from './sql/ddl.ts';

export type Awaitable<T> = T | Promise<T>;

export interface Store {
  /** Makes the tables be what the plan asks for. Additive changes are applied; anything else throws `StartRefused`. Nothing is ever dropped. */
  migrate(tables: readonly Table[], about?: MigrationAbout): Promise<void>;
  /** Alone with the tables, outside any transaction: for what plans, applies and tells migrations. */
  schema<T>(work: (session: SchemaSession) => Promise<T>): Promise<T>;
  /** Reads see the newest committed state and never wait for writes. */
  read<T>(work: (reader: Reader) => Awaitable<T>, options?: ReadOptions, origin?: Origin): Awaitable<T>;
  /** All or nothing, durable when it resolves. Work that waits for anything outside the store says so, and gets the writer alone. */
  write<T>(work: (writer: Writer) => Awaitable<T>, options?: WriteOptions): Promise<T>;
  /** Whether the store can be read and written now. */
  ready(): Awaitable<boolean>;
  /** The statement that a shape becomes: for people, never for answers. */
  explain(shape: Shape): string;
  close(): Promise<void>;
  /** Whether several write at once, so that rows are locked, and are to be locked in one order. */
  readonly isShared: boolean;
}

/** For whom something is done: where work has to wait, each client has its turn. Absent where the service does it of its own accord. */
export interface Origin {
  /** The address of the client; of an IPv6 one, the network. */
  readonly remote: string;
}

export interface ReadOptions {
  /** All statements of the work see one state. */
  readonly consistent?: boolean;
  /** It lets others through in between, which what it reads must not be affected by where it is to be consistent. */
  readonly pauses?: boolean;
  /**
   * Whether nothing comes of it but its result: where the connection is lost in between, or others wrote, it is done once more. Asked before it
   * begins, and again before it is repeated, as by then it may have called something outside.
   */
  repeatable?(): boolean;
}

/** By rows, each found by its identity, or by queries, whose rows may also become more or fewer meanwhile. */
export type DecisionBasis = 'by rows' | 'by queries';

export interface WriteOptions {
  /** It waits for something outside the store. */
  readonly waits?: boolean;
  readonly origin?: Origin | undefined;
  /** It is one statement, which needs no transaction around it. */
  readonly single?: boolean;
  /** It decides by what it reads: where others change that meanwhile, it fails so that it can be done again. */
  readonly decides?: DecisionBasis | undefined;
  /** Nobody else writes rows of these tables meanwhile, where a store lets several write at once: for what has lost to others before. */
  readonly exclusive?: readonly string[];
  /** It was begun anew because of a duplicate that it had not seen: whatever is taken now, it could have seen. */
  readonly settled?: boolean;
}

/** What the history of migrations says about the model that asked for one. */
export interface MigrationAbout {
  /** The application's own version: `:version` of model.platform, or that of package.json. */
  readonly version?: string;
  /** Whether rows that do not stand where their parents are are looked for, and mended; called with what was mended. */
  readonly mended?: (words: string) => void;
}

/** `ambient` are the values that conditions ask for by name: `ambient-store.ts` hands them to every statement of a caller. */
export interface Reader {
  /** The first row of a select, or nothing. */
  one(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Row | undefined>;
  /**
   * After `until`, a time of the clock, nobody waits for them any more: a store that everybody would wait for ends the statement then, or
   * when it has held up others for long, any other one after its own time, and it is busy. Throws `TooLarge` where several rows take more than
   * `most` bytes together; a row by itself is given however large it is.
   */
  rows(select: Select, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]>;
  /** The rows as one JSON text, objects separated by commas, without brackets; throws `TooLarge` where that is more than one request may hold, or several are more than `largestPart`. */
  page(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Page>;
  count(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<number>;
  /** Rows that are no instances; their JSON alone. `until` and `most` as with `rows`. */
  report(report: JoinQuery, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]>;
}

export interface Writer extends Reader {
  insert(insert: Insert, values: readonly Value[], ambient?: Ambient): Awaitable<Row>;
  /** The same insert with these values, one after the other, and the rows that come of them; nothing is left of them where one fails only inside of `attempt`. */
  insertEach(insert: Insert, rows: readonly (readonly Value[])[], ambient?: Ambient): Awaitable<readonly Row[]>;
  /** The changed rows; their old versions are gone. */
  update(update: Update, values: readonly Value[], ambient?: Ambient): Awaitable<readonly Row[]>;
  /** The same update with these values, one after the other; what they give is not asked for. */
  updateEach(update: Update, rows: readonly (readonly Value[])[], ambient?: Ambient): Awaitable<void>;
  /** How many rows went. */
  delete(remove: Delete, values: readonly Value[], ambient?: Ambient): Awaitable<number>;
  /**
   * Until the transaction ends, nobody else gets past here with the same name: for what is counted up from what is stored. `table` is what it
   * writes to behind it.
   */
  alone(name: string, table: string): Awaitable<void>;
  /** Work whose changes go when it fails, while the transaction goes on. */
  attempt<T>(work: () => Awaitable<T>): Promise<T>;
}

/** `json` is what the shape's output says; `columns` are the further columns it asks for, in their order. */
export interface Row {
  readonly json: string;
  readonly columns: readonly Value[];
}

/** What a row takes beside its text: of very many small ones that is most of it. */
export const bytesOfRow = 100;

/** The text of a row, and what it takes beside it: its further columns where those are larger. */
export function bytesIn(fields: Readonly<Record<number, unknown>>): number {
  let [text, others] = [0, 0];
  for (let index = 0; index in fields; index += 1) {
    const field = fields[index];
    const { length } = typeof field === 'string' ? field : '';
    if (index === 0) text = length;
    else others += length;
  }
  return text + Math.max(bytesOfRow, others);
}

/** In bytes: what a part of a list is at most, unless an instance alone is larger. */
export const largestPart = 2 * 1024 * 1024;

export interface Page {
  readonly json: string;
  readonly count: number;
  /** The further columns of the last row, from which the next page goes on. */
  readonly last: readonly Value[];
}

/** What was asked for is there, and more than one statement gives: an answer without it would be wrong. */
export class TooLarge extends Error {
  constructor(cause?: unknown) {
    super('what was asked of the store is longer than one statement gives', cause === undefined ? undefined : { cause });
    this.name = 'TooLarge';
  }
}

/** A start or a reload that must not go on: one clear line for the operator. */
export class StartRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartRefused';
  }
}
