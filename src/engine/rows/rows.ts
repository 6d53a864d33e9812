// The one place that writes rows of the model: whoever creates, changes, moves or removes one does it here, where it is recorded.

import { isSlip } from '../../diagnostics.ts';
import { entriesOnlyRead } from '../../errors.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { both, equal, inRange } from '../../plan/query/condition.ts';
import type { Delete, Insert, Update } from '../../plan/query/shape.ts';
import type { Sized } from '../../plan/query/sized.ts';
import { targetColumn } from '../../plan/rows/assignments.ts';
import { below, type Prefix } from '../../plan/rows/keys.ts';
import { pathColumn, versionColumn } from '../../plan/rows/tables.ts';
import type { Awaitable, Row, Writer } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { mapAwaitable } from '../context.ts';
import type { Service, Transaction, WriteContext } from '../operation.ts';
import type { Composing, ExternalRows, NewPlace } from '../seams.ts';
import { updateOf } from '../shape-cache.ts';
import { inParts } from '../sized.ts';
import { noteBefore, noteKnown, noteMade, noteMoved, recordedInsert } from './record.ts';

/** `unread` is the same statement for somebody who looks at nothing of the row. */
export function insertRow(plan: RowPlan, values: readonly Value[], context: WriteContext, unread?: Insert): Awaitable<Row> {
  if (plan.isAppendOnly) throw entriesOnlyRead();
  if (plan.external !== undefined) return insertElsewhere(plan, values, context);
  if (isRoles(plan, context)) noticeRole(values[plan.shapes.insert.columns.indexOf(roleColumn)], context);
  const composing = composingOf(plan, context);
  if (composing !== undefined) return composing.create(plan, values, context).then((given) => insertHere(plan, given, context, unread));
  return insertHere(plan, values, context, unread);
}

function insertHere(plan: RowPlan, values: readonly Value[], context: WriteContext, unread?: Insert): Awaitable<Row> {
  const { tx, recording } = context;
  if (recording === undefined || !recording.recorder.records(plan)) return tx.insert(unread ?? plan.shapes.insert, values);
  const insert = recordedInsert(plan, recording);
  return mapAwaitable(tx.insert(insert ?? plan.shapes.insert, values), (row) => {
    if (insert === undefined) noteMade(plan, row, context);
    else noteKnown(plan, row, recording, context);
    return row;
  });
}

const roleColumn = 'role';
/** Characters of one that are told. */
const longestRole = 200;

function isRoles({ table }: RowPlan, { plan: { access } }: WriteContext): boolean {
  return access?.roles.table.name === table.name;
}

/** A role is whatever somebody is given: one that no rule names is kept, and told of when it is. */
function noticeRole(role: Value | undefined, { plan: { access }, warn, later }: WriteContext): void {
  if (warn === undefined || typeof role !== 'string' || access?.roleNames.has(role) !== false) return;
  const similar = role.length > longestRole ? undefined : [...access.roleNames].find((each) => isSlip(role, each));
  const meant = similar === undefined ? '' : `; did you mean ${similar}?`;
  const line = `the role ${role.slice(0, longestRole)} was given to a user, and no rule of the model names it${meant}`;
  later.push({ what: 'telling of a role that no rule names', run: async () => warn(line) });
}

/** Whoever is to be told of a write before it is made. */
export function composingOf({ composed }: RowPlan, { external }: Pick<WriteContext, 'external'>): Composing | undefined {
  return composed === true ? external?.composing : undefined;
}

/** Its key is known when it is there. */
async function insertElsewhere(plan: RowPlan, values: readonly Value[], context: WriteContext): Promise<Row> {
  const row = await externalOf(context).create(plan, values, context);
  noteMade(plan, row, context);
  return row;
}

function externalOf({ external }: WriteContext): ExternalRows {
  if (external === undefined) throw new Error('an instance is kept elsewhere, and nobody knows where');
  return external;
}

/** Several at once; either all of them, or none. */
export async function insertRows(plan: RowPlan, rows: readonly (readonly Value[])[], context: WriteContext): Promise<readonly Row[]> {
  if (plan.isAppendOnly) throw entriesOnlyRead();
  if (isRoles(plan, context)) for (const each of rows) noticeRole(each[plan.shapes.insert.columns.indexOf(roleColumn)], context);
  const made = await context.tx.insertEach(plan.shapes.insert, rows);
  if (context.recording !== undefined) for (const row of made) noteMade(plan, row, context);
  return made;
}

/** `undefined` where there is no such row. */
export function updateRow(
  plan: RowPlan,
  key: Value,
  changes: ReadonlyMap<AttributePlan, Value>,
  context: WriteContext,
  unread = false,
): Awaitable<Row | undefined> {
  const { tx, clock } = context;
  if (plan.isAppendOnly) throw entriesOnlyRead();
  if (isRoles(plan, context)) for (const [{ column }, value] of changes) if (column === roleColumn) noticeRole(value, context);
  const write = (): Awaitable<Row | undefined> => {
    if (plan.external !== undefined) return externalOf(context).update(plan, key, changes, context);
    const composing = composingOf(plan, context);
    return composing === undefined ? updateHere(changes) : composing.update(plan, key, changes, context).then(updateHere);
  };
  const updateHere = (given: ReadonlyMap<AttributePlan, Value>): Awaitable<Row | undefined> => {
    const shape = updateOf(plan, [...given.keys()], unread);
    return mapAwaitable(tx.update(shape, [...given.values(), clock.now().getTime(), key]), ([row]) => row);
  };
  return context.recording === undefined ? write() : noteBefore(plan, [key], context).then(write);
}

/** The same attributes of each. */
export async function updateRows(
  plan: RowPlan,
  attributes: readonly AttributePlan[],
  rows: readonly { readonly key: Value; readonly values: readonly Value[] }[],
  context: WriteContext,
): Promise<void> {
  const { tx, clock } = context;
  if (plan.isAppendOnly) throw entriesOnlyRead();
  const now = clock.now().getTime();
  const keys = rows.map(({ key }) => key);
  await noteBefore(plan, keys, context);
  await tx.updateEach(
    updateOf(plan, attributes, true),
    rows.map(({ values, key }) => [...values, now, key]),
  );
}

/** Columns of one row, without a new version: where it stands, or what is on the way to another value. */
export async function setColumns(
  plan: RowPlan,
  key: Value,
  columns: Readonly<Record<string, Value>>,
  context: WriteContext,
): Promise<void> {
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

/** Before it is made: whoever composes the type may give other values. */
export async function announceMove(plan: RowPlan, key: Value, to: NewPlace, context: WriteContext): Promise<void> {
  const changes = await composingOf(plan, context)?.move(plan, key, to, context);
  if (changes === undefined || changes.size === 0) return;
  await context.tx.update(updateOf(plan, [...changes.keys()], true), [...changes.values(), context.clock.now().getTime(), key]);
}

/** One row with its place and its parents in `columns`, of a new version; what points at it follows. Whether it is there. */
export async function moveRow(
  plan: RowPlan,
  key: Value,
  columns: Readonly<Record<string, Value>>,
  context: WriteContext,
): Promise<boolean> {
  const { tx, clock } = context;
  const shape: Update = {
    kind: 'update',
    table: plan.table,
    columns: [...Object.keys(columns), versionColumn],
    version: versionColumn,
    where: plan.shapes.byKey.where,
    output: nothing,
  };
  const moved = await tx.update(shape, [...Object.values(columns), clock.now().getTime(), key]);
  noteMoved(plan, key, columns[plan.key] ?? key, context);
  return moved.length > 0;
}

/** Rows with a key between two others, which stand below something that was moved. They must have been noted. */
export async function followRows(
  { table, key }: RowPlan,
  [from, to]: readonly [from: string, to: string],
  was: Prefix,
  now: Prefix,
  { tx, clock }: Transaction<Writer> & Pick<Service, 'clock'>,
): Promise<void> {
  const shape: Update = {
    kind: 'update',
    table,
    columns: [versionColumn],
    version: versionColumn,
    beginnings: [key, pathColumn],
    where: inRange(key),
    output: nothing,
  };
  await tx.update(shape, [clock.now().getTime(), now.key, charactersOf(was.key) + 1, now.path, charactersOf(was.path) + 1, from, to]);
}

/** Owners or grants of something that was moved, and of what stands below it: where that is now, of a new version. */
export async function moveAssigned(
  { table }: RowPlan,
  was: Prefix,
  now: Prefix,
  resourceId: string,
  { tx, clock }: Transaction<Writer> & Pick<Service, 'clock'>,
): Promise<void> {
  const time = clock.now().getTime();
  const columns = [targetColumn, 'resourceId', versionColumn];
  const own: Update = { kind: 'update', table, columns, version: versionColumn, where: equal(targetColumn), output: nothing };
  await tx.update(own, [now.key, resourceId, time, was.key]);
  const under: Update = { ...own, columns: [versionColumn], beginnings: [targetColumn, 'resourceId'], where: inRange(targetColumn) };
  const { from, to } = below(was.key);
  await tx.update(under, [time, now.key, charactersOf(was.key) + 1, now.path, charactersOf(was.path) + 1, from, to]);
}

/** As stores count them. */
function charactersOf(text: string): number {
  return Array.from(text).length;
}

/** A new version of links that show where something stands: those that point at a key in this column, or at one below it. */
export async function renewLinks(
  { table }: RowPlan,
  column: string,
  key: string,
  { tx, clock }: Transaction<Writer> & Pick<Service, 'clock'>,
): Promise<void> {
  const where = both({ kind: 'compare', column, operator: 'gte' }, { kind: 'compare', column, operator: 'lt' });
  const shape: Update = { kind: 'update', table, columns: [versionColumn], version: versionColumn, where, output: nothing };
  await tx.update(shape, [clock.now().getTime(), key, below(key).to]);
}

/** What else goes with it must have been noted: the store removes what points at it. */
export async function removeRow(plan: RowPlan, key: Value, context: WriteContext): Promise<void> {
  if (plan.isAppendOnly) throw entriesOnlyRead();
  await noteBefore(plan, [key], context);
  if (plan.external === undefined) await context.tx.delete(plan.shapes.remove, [key]);
  else await externalOf(context).remove(plan, key, context);
}

/** Rows that were noted, or that nobody records. */
export async function removeRows(shape: Delete, values: readonly Value[], context: Transaction<Writer>): Promise<void> {
  await context.tx.delete(shape, values);
}

/** Locks rows until the transaction ends, and leaves them as they are. */
export function holdRows(hold: Sized<Update>, keys: readonly Value[], { tx }: Transaction<Writer>): Promise<readonly Row[]> {
  return inParts(hold, keys, (shape, values) => tx.update(shape, values));
}

const nothing = Object.freeze({ fields: [], columns: [] });
