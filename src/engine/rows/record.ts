// What a transaction does to rows that are recorded: each as it was before, and as it is when everything is written.

import { error, type PlatformError } from '../../errors.ts';
import type { RowPlan } from '../../plan/plan.ts';
import type { Insert, Select } from '../../plan/query/shape.ts';
import { among, type Sized, sized } from '../../plan/query/sized.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { isSystem } from '../caller.ts';
import { mapAwaitable } from '../context.ts';
import { heldRows, letGo, nothingHeld } from '../memory.ts';
import type { Effects, Rights, Transaction, WriteContext } from '../operation.ts';
import type { NotedRow, Recorder, Recording, RowChange } from '../seams.ts';
import { cacheShape } from '../shape-cache.ts';
import { inParts, plainKey } from '../sized.ts';

export function recordingFor(recorder: Recorder): Recording | undefined {
  if (recorder.isIdle === true) return undefined;
  return { recorder, rows: new Map(), held: nothingHeld(tooMuchChanged), known: [], isPlain: false };
}

export function isRecorded(plan: RowPlan, { recording }: Pick<Effects, 'recording'>): boolean {
  return recording?.recorder.records(plan) === true;
}

/** Before rows are changed or removed. */
export async function noteBefore(plan: RowPlan, keys: readonly Value[], context: WriteContext): Promise<void> {
  const { recording, tx } = context;
  if (recording === undefined || !recording.recorder.records(plan)) return;
  const noted = notedOf(plan, recording);
  const isBySystem = isSystem(context.caller);
  if (isBySystem) for (const key of keys) markBySystem(noted, key);
  const fresh = [...new Set(keys.map(plainKey))].filter((key) => !noted.has(key));
  // Locked: between this look and the change nobody else may change it, or the entry would tell of a state that was not the last one.
  const rows = await inParts(wholeByKeys(plan, 'change'), fresh, (shape, values) =>
    heldRows((most) => tx.rows(shape, values, undefined, most), recording.held, context),
  );
  for (const row of rows) noted.set(keyOf(row), { before: row, isBySystem, bytes: row.json.length });
}

function markBySystem(noted: Map<Value, NotedRow>, key: Value): void {
  const known = noted.get(plainKey(key));
  if (known !== undefined) known.isBySystem = true;
}

function tooMuchChanged(memory: number): PlatformError {
  return error('limit-exceeded', { detail: `One request may change or remove at most ${memory} bytes of instances that are recorded.` });
}

/** A row that was not there, unless it was removed in the same transaction. */
export function noteMade(plan: RowPlan, row: Row, { recording, caller }: Pick<Effects, 'recording'> & Pick<Rights, 'caller'>): void {
  if (recording === undefined || !recording.recorder.records(plan)) return;
  const noted = notedOf(plan, recording);
  const isBySystem = isSystem(caller);
  if (isBySystem) markBySystem(noted, keyOf(row));
  if (!noted.has(keyOf(row))) noted.set(keyOf(row), { before: undefined, isBySystem, bytes: row.json.length });
}

/** The same where the row is one that `recordedInsert` has given, and stays as it is. */
export function noteKnown(plan: RowPlan, row: Row, { known }: Recording, { caller }: Pick<Rights, 'caller'>): void {
  known.push({ plan, before: undefined, after: row, isBySystem: isSystem(caller) });
}

/** An insert of which comes back all that is recorded, and first what is answered; nothing where rows may become others, or have secrets. */
export function recordedInsert(plan: RowPlan, { isPlain }: Recording): Insert | undefined {
  if (!isPlain || plan.attributes.some(({ hidden }) => hidden)) return undefined;
  const made = recordedInserts.get(plan);
  if (made !== undefined) return made;
  const { insert } = plan.shapes;
  const shape = { ...insert, output: { ...insert.output, columns: recordedColumns(plan) } };
  recordedInserts.set(plan, shape);
  return shape;
}

const recordedInserts = new WeakMap<RowPlan, Insert>();

/** A row that has another key now. */
export function noteMoved(plan: RowPlan, from: Value, to: Value, { recording }: Pick<Effects, 'recording'>): void {
  const noted = recording?.rows.get(plan.table.name)?.rows;
  const found = noted?.get(plainKey(from));
  if (noted === undefined || found === undefined) return;
  noted.set(plainKey(to), found);
  noted.delete(plainKey(from));
}

/** What is done in a transaction of its own, or in a further attempt at one. It is plain where it inserts rows and sets nothing off. */
export function recorded<T>(work: () => Awaitable<T>, context: WriteContext, isPlain = false): Awaitable<T> {
  const { recording } = context;
  if (recording === undefined) return work();
  // What an attempt before this one has written is undone.
  recording.rows.clear();
  letGo(recording.held);
  recording.known.length = 0;
  recording.isPlain = isPlain;
  return mapAwaitable(work(), (result) => mapAwaitable(record(recording, context), () => result));
}

/** Hands the recorder the rows that have become others: in the transaction, when everything is written. */
function record(recording: Recording, context: WriteContext): Awaitable<void> {
  const { recorder, known, rows } = recording;
  if (rows.size > 0) return recordRead(recording, context);
  if (known.length > 0) return recorder.changed(known, context);
}

async function recordRead({ recorder, known, rows }: Recording, context: WriteContext): Promise<void> {
  if (known.length > 0) await recorder.changed(known, context);
  for (const { plan, rows: noted } of rows.values()) {
    for (const part of partsOfRows(noted)) {
      const changes = await changesIn(part, plan, context);
      if (changes.length > 0) await recorder.changed(changes, context);
    }
  }
}

type Part = readonly (readonly [key: Value, noted: NotedRow])[];

/** Rows that are read, and whose entries are made, at once. */
const atOnce = { rows: 256, bytes: 1024 * 1024 } as const;

function* partsOfRows(noted: ReadonlyMap<Value, NotedRow>): Iterable<Part> {
  let part: [Value, NotedRow][] = [];
  let bytes = 0;
  for (const each of noted) {
    part.push(each);
    bytes += each[1].bytes;
    if (part.length < atOnce.rows && bytes < atOnce.bytes) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

async function changesIn(part: Part, plan: RowPlan, { tx }: Transaction): Promise<readonly RowChange[]> {
  const keys = part.map(([key]) => key);
  const rows = await inParts(wholeByKeys(plan, undefined), keys, (shape, values) => tx.rows(shape, values));
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  return part.flatMap(([key, { before, isBySystem }]) => {
    const after = now.get(key);
    return isSame(before, after) ? [] : [{ plan, before, after, isBySystem }];
  });
}

/** What a recorded row holds besides its attributes: its version and key, and where it stands or what it links. */
export function recordedColumns({ table, attributes, key, output }: RowPlan): readonly string[] {
  const own = new Set(attributes.map((each) => each.column));
  const { columns } = output;
  return [...columns, ...table.columns.map(({ name }) => name).filter((name) => name !== key && !own.has(name) && !columns.includes(name))];
}

function notedOf(plan: RowPlan, { rows }: Recording): Map<Value, NotedRow> {
  const known = rows.get(plan.table.name);
  if (known !== undefined) return known.rows;
  const noted = { plan, rows: new Map<Value, NotedRow>() };
  rows.set(plan.table.name, noted);
  return noted.rows;
}

function wholeByKeys(plan: RowPlan, lock: Select['lock']): Sized<Select> {
  const { whole } = plan.shapes;
  return sized((count) => {
    const name = `recorded ${lock ?? ''} ${count}`;
    const cached = plan.cached.get(name);
    if (cached?.kind === 'select') return cached;
    // As answers show it, and what they do not show behind that.
    const shown = new Set(plan.output.fields.map((field) => field.name));
    const hidden = whole.output.fields.filter((field) => !shown.has(field.name));
    const output = { fields: [...plan.output.fields, ...hidden], columns: recordedColumns(plan) };
    const locked = lock === undefined ? {} : { lock, order: [{ column: plan.key, descending: false }] };
    return cacheShape(plan, name, { ...whole, output, where: among(plan.key, count), ...locked });
  });
}

function keyOf({ columns }: Row): Value {
  return plainKey(columns[1] ?? null);
}

function isSame(before: Row | undefined, after: Row | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return before.json === after.json && before.columns.every((value, index) => plainKey(value) === plainKey(after.columns[index] ?? null));
}
