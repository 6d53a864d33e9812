// Writes whose conditions or answers name tables that are kept elsewhere: which rows they mean, and what they answer, is asked by selects of their own,
// since no statement that writes can show rows that come with it (SQLite resolves what it returns without its common table expressions).

import { both, type Condition, equal, everything } from '../plan/query/condition.ts';
import type { Delete, Insert, Output, Select, Update } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import type { Value } from '../values/value.ts';
import type { Row, Writer } from './store.ts';

type Writes = Pick<Writer, 'insert' | 'insertEach' | 'update' | 'updateEach' | 'delete'>;
type Write = Insert | Update | Delete;
type Selecting = Pick<Writer, 'one' | 'rows'>;

/** `own` writes; `selecting` reads with the rows that are kept elsewhere; `isNeeded` tells whether a statement names their tables. */
export function writesWithRows(own: Writes, selecting: Selecting, isNeeded: (shape: Write) => boolean): Writes {
  const insert = async (shape: Insert, values: readonly Value[]): Promise<Row> => {
    const { keyed, answer } = partsOf(shape);
    return answered(await own.insert(keyed, values), answer);
  };
  /** The row as it is asked for. */
  const answered = async (row: Row, answer: Select): Promise<Row> => (await selecting.one(answer, row.columns)) ?? row;
  const update = async (shape: Update, values: readonly Value[]): Promise<readonly Row[]> => {
    const { found, keyed, answer } = partsOf(shape);
    // Those of the columns that are set come before those of the condition.
    const count = shape.columns.length + 2 * (shape.beginnings?.length ?? 0);
    const rows: Row[] = [];
    for (const { columns } of await selecting.rows(found, values.slice(count)))
      for (const row of await own.update(keyed, [...values.slice(0, count), ...columns])) rows.push(await answered(row, answer));
    return rows;
  };
  const remove = async (shape: Delete, values: readonly Value[]): Promise<number> => {
    const { found, keyed } = partsOf(shape);
    let count = 0;
    for (const { columns } of await selecting.rows(found, values)) count += await own.delete(keyed, columns);
    return count;
  };
  return {
    insert: (shape, values) => (isNeeded(shape) ? insert(shape, values) : own.insert(shape, values)),
    insertEach: (shape, rows) => (isNeeded(shape) ? oneByOne(rows, (values) => insert(shape, values)) : own.insertEach(shape, rows)),
    update: (shape, values) => (isNeeded(shape) ? update(shape, values) : own.update(shape, values)),
    updateEach: async (shape, rows) =>
      isNeeded(shape) ? void (await oneByOne(rows, (values) => update(shape, values))) : own.updateEach(shape, rows),
    delete: (shape, values) => (isNeeded(shape) ? remove(shape, values) : own.delete(shape, values)),
  };
}

async function oneByOne<T>(rows: readonly (readonly Value[])[], write: (values: readonly Value[]) => Promise<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for (const values of rows) all.push(await write(values));
  return all;
}

interface Parts<W extends Write> {
  /** The keys of the rows that are meant, which nobody else changes then. */
  readonly found: Select;
  /** The same write by the key, which gives the key. */
  readonly keyed: W;
  /** What is asked of a row, by its key. */
  readonly answer: Select;
}

const known = new WeakMap<Insert | Update | Delete, Parts<Write>>();

/** Made once for each shape. */
function partsOf(shape: Insert): Parts<Insert>;
function partsOf(shape: Update): Parts<Update>;
function partsOf(shape: Delete): Parts<Delete>;
function partsOf(shape: Write): Parts<Write> {
  const parts = known.get(shape) ?? newParts(shape);
  known.set(shape, parts);
  return parts;
}

function newParts(shape: Write): Parts<Write> {
  const { table } = shape;
  const key: Output = { fields: [], columns: table.primaryKey };
  const where = table.primaryKey.map(equal).reduce(both, everything);
  const answer = select(table, shape.kind === 'delete' ? key : shape.output, where);
  switch (shape.kind) {
    case 'insert':
      return { found: select(table, key, where), keyed: { ...shape, output: key }, answer };
    case 'update':
      return { found: { ...select(table, key, shape.where), lock: 'change' }, keyed: { ...shape, where, output: key }, answer };
    case 'delete':
      return { found: { ...select(table, key, shape.where), lock: 'remove' }, keyed: { ...shape, where }, answer };
  }
}

function select(table: Table, output: Output, where: Condition): Select {
  return { kind: 'select', table, output, where, order: [], limit: false, offset: false };
}
