// The one place that writes rows of the model: whoever creates, changes, moves or removes one does it here, where it is recorded.

import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import type { Delete, Insert, Update } from '../../plan/query/shape.ts';
import type { Sized } from '../../plan/query/sized.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { after } from '../context.ts';
import type { Writing } from '../operation.ts';
import { updateOf } from '../shape-cache.ts';
import { inParts } from '../sized.ts';
import { noteBefore, noteMade, noteMoved } from './record.ts';

/** `unread` is the same statement for somebody who looks at nothing of the row. */
export function insertRow(plan: RowPlan, values: readonly Value[], context: Writing, unread?: Insert): Awaitable<Row> {
  const { tx, recording } = context;
  if (recording === undefined) return tx.insert(unread ?? plan.shapes.insert, values);
  return after(tx.insert(plan.shapes.insert, values), (row) => {
    noteMade(plan, row.columns[1] ?? null, context);
    return row;
  });
}

/** `undefined` where there is no such row. */
export function updateRow(
  plan: RowPlan,
  key: Value,
  changes: ReadonlyMap<AttributePlan, Value>,
  context: Writing,
  unread = false,
): Awaitable<Row | undefined> {
  const { tx, clock } = context;
  const shape = updateOf(plan, [...changes.keys()], unread);
  const values = [...changes.values(), clock.now().getTime(), key];
  const write = (): Awaitable<Row | undefined> => after(tx.update(shape, values), ([row]) => row);
  return context.recording === undefined ? write() : noteBefore(plan, [key], context).then(write);
}

/** The same attributes of each. */
export async function updateRows(
  plan: RowPlan,
  attributes: readonly AttributePlan[],
  rows: readonly { readonly key: Value; readonly values: readonly Value[] }[],
  context: Writing,
): Promise<void> {
  const { tx, clock } = context;
  const now = clock.now().getTime();
  const keys = rows.map(({ key }) => key);
  await noteBefore(plan, keys, context);
  await tx.updateEach(
    updateOf(plan, attributes, true),
    rows.map(({ values, key }) => [...values, now, key]),
  );
}

/** Columns of one row, without a new version: where it stands, or what is on the way to another value. */
export async function setColumns(plan: RowPlan, key: Value, columns: Readonly<Record<string, Value>>, context: Writing): Promise<void> {
  await noteBefore(plan, [key], context);
  const shape: Update = {
    kind: 'update',
    table: plan.table,
    columns: Object.keys(columns),
    version: undefined,
    where: plan.shapes.byKey.where,
    output: nothing,
  };
  await context.tx.update(shape, [...Object.values(columns), key]);
  const moved = columns[plan.key];
  if (moved !== undefined) noteMoved(plan, key, moved, context);
}

/** What else goes with it must have been noted: the store removes what points at it. */
export async function removeRow(plan: RowPlan, key: Value, context: Writing): Promise<void> {
  await noteBefore(plan, [key], context);
  await context.tx.delete(plan.shapes.remove, [key]);
}

/** Rows that were noted, or that nobody records. */
export async function removeRows(shape: Delete, values: readonly Value[], context: Writing): Promise<void> {
  await context.tx.delete(shape, values);
}

/** Locks rows until the transaction ends, and leaves them as they are. */
export function holdRows(hold: Sized<Update>, keys: readonly Value[], { tx }: Writing): Promise<readonly Row[]> {
  return inParts(hold, keys, (shape, values) => tx.update(shape, values));
}

const nothing = Object.freeze({ fields: [], columns: [] });
