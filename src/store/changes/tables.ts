// The tables of the log of changes. They are made with the first stream, and stand outside of the model's: a migration takes them away.

import type { Column, Table } from '../../plan/rows/table.ts';
import type { Executor } from '../sql/executor.ts';

export const watchedTable = '__platform_watched';
export const pruneState = '__platform_changes_pruned';

const integer = (name: string): Column => ({ name, kind: 'integer', required: true });
const text = (name: string, required = false): Column => ({ name, kind: 'text', required });

export const changesTable: Table = {
  name: '__platform_changes',
  columns: [
    integer('tx'),
    integer('seq'),
    integer('at'),
    text('source', true),
    text('before'),
    text('after'),
    text('old_key'),
    text('new_key'),
  ],
  primaryKey: ['tx', 'seq'],
  uniques: [],
  indexes: [],
  foreignKeys: [],
};

export const prunedTable: Table = {
  ...changesTable,
  name: pruneState,
  columns: [integer('id'), integer('tx'), integer('seq')],
  primaryKey: ['id'],
};

/** One row, where several write at once: the number of the first transaction whose changes are not settled, as some before it may not be committed yet. */
export const horizonView: Table = { ...changesTable, name: '__platform_changes_horizon', columns: [integer('tx')], primaryKey: ['tx'] };

/** A table, and those of its columns that nobody is ever shown or asks for: their values have no place in the log. */
export interface Recorded {
  readonly table: Table;
  readonly hidden: ReadonlySet<string>;
}

/** How one database keeps the log. */
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
