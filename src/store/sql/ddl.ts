// How one database makes, changes and removes tables: migrations are written once against this, and run on every store.

import type { Clock } from '../../clock.ts';
import type { Column, ForeignKey, Table } from '../../plan/rows/table.ts';
import type { Dialect } from './dialect.ts';
import type { Executor } from './executor.ts';
import type { ForeignObjects } from './foreign-objects.ts';

/** What a store gives to whoever looks at its tables or changes them. */
export interface SchemaSession {
  readonly executor: Executor;
  readonly ddl: Ddl;
  readonly clock: Clock;
  /** Whether another process may be serving these tables; absent where none can. */
  readonly isShared?: () => Promise<boolean>;
}

export interface SearchedTable extends Table {
  readonly search: readonly string[];
}

export interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** By the moments of dates and times, and not by how these are written. */
  readonly moment?: true;
}

/**
 * Each method gives the statements that do it, in their order; none of them runs anything. A `Column` stands for all the physical columns
 * it is kept in. Only the columns of the primary key are NOT NULL: whether an attribute is required is checked by the engine, so that a column
 * that the model no longer knows keeps nobody from writing.
 */
export interface Ddl {
  readonly dialect: Dialect;
  readonly additions: ForeignObjects;
  readonly changes: ChangeDdl;
  /** Statements around a migration. Between them no other process migrates, and a failure takes everything back: all statements here are transactional. */
  readonly begin: readonly string[];
  readonly commit: readonly string[];
  readonly rollback: readonly string[];
  /** Gives a row when there is a table of the name that is its one parameter. */
  readonly tableExists: string;
  /** Whether foreign keys are added to and dropped from a table that stands; where not, they are part of `createTable` and `addColumn`. */
  readonly foreignKeysApart: boolean;
  /** A statement whose rows are references that lead nowhere, asked before the commit, where the database does not look by itself. */
  readonly broken: string | undefined;
  /** What tells other processes, once the migration is committed, that the tables are others now: none where nobody else has the database. */
  readonly announce: readonly string[];
  /**
   * Before anything else is locked: writes that make keys of instances are waited for, and begin only when the migration has ended. For
   * a migration after which processes of the model before it must not write any more.
   */
  readonly keepWritersOff: readonly string[];
  /** Until the migration ends nobody else writes to these: none where nobody else has the database. */
  lockTables(names: readonly string[]): readonly string[];
  /** With its primary key, its columns of words and, unless they are made apart, its foreign keys; without its indexes. */
  createTable(table: Table): readonly string[];
  dropTable(name: string): readonly string[];
  /** With everything whose name is made from the table's: primary key, foreign keys (where they are apart), indexes. */
  renameTable(table: Table, to: string): readonly string[];
  /** `foreignKey` is one on this column alone; it is left out where foreign keys are made apart. */
  addColumn(table: Table, column: Column, foreignKey?: ForeignKey): readonly string[];
  /** What rows get that are written by a process whose model does not know the column: none where nobody else has the database. */
  setDefault(table: Table, column: Column): readonly string[];
  dropDefault(table: Table, column: Column): readonly string[];
  /** No index and no foreign key is on it any more. */
  dropColumn(table: Table, column: Column): readonly string[];
  /** With everything whose name is made from the column's. */
  renameColumn(table: Table, column: Column, to: string): readonly string[];
  /** The index of the words of a table that has `search`, whose columns of words are filled. */
  createSearch(table: SearchedTable): readonly string[];
  /** With the columns of the words. */
  dropSearch(table: SearchedTable): readonly string[];
  createIndex(table: Table, index: Index): readonly string[];
  dropIndex(table: Table, index: Index): readonly string[];
  /** Only asked where foreign keys are apart. Its name is made from the table and its own columns, never from what it points at. */
  addForeignKey(table: Table, key: ForeignKey): readonly string[];
  dropForeignKey(table: Table, key: ForeignKey): readonly string[];
  /** How a table that stands gets another key; absent where it has to be made anew. */
  readonly inPlace: KeysInPlace | undefined;
}

export interface KeysInPlace {
  addPrimaryKey(table: Table): readonly string[];
  /** Its columns may be empty from then on. */
  dropPrimaryKey(table: Table): readonly string[];
  /** The column is kept as this from now on, and holds what `from` holds, another column of the table. */
  retypeColumn(table: Table, column: Column, from: string): readonly string[];
}

/** How one database keeps the log of changes. */
export interface ChangeDdl {
  /** What triggers write begins the name of a generation: where that is another now, what an earlier version has written is worth nothing. */
  readonly format: string;
  /** Begins a transaction that waits only a while for those who write, and has the log to itself. */
  readonly begin: readonly string[];
  /** The same, with the recording of one table to itself. */
  beginTable(table: string): readonly string[];
  /** Where it is not there yet. */
  readonly createLog: readonly string[];
  readonly dropLog: readonly string[];
  createTriggers(table: Table, hidden: ReadonlySet<string>): readonly string[];
  dropTriggers(table: string): readonly string[];
  /** What tells this log from a copy of it that was put back elsewhere, without spaces. */
  origin(executor: Executor): Promise<string>;
  /** A row where the log has a change that cannot have been written here yet. */
  readonly ahead: string;
  /** One row: `tx`, `seq` and `at` of the last change whose place is settled, or of where the first one will be, with 0 as `at`. */
  readonly head: string;
  /** One row: `tx` and `seq`, which no place is behind. */
  readonly end: string;
  /** What somebody who watches is told where the transaction fails. */
  failure(thrown: unknown): unknown;
}
