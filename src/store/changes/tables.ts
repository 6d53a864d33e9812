// The tables of the log of changes. They are made with the first stream, and stand outside of the model's: a migration takes them away.

import type { Column, Table } from '../../plan/rows/table.ts';

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
