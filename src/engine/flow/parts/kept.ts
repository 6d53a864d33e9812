// Values of a flow as they are kept between its parts, and found again: with what is known of them, so that an instance stays one, and a number what it was.

import type { EntityPlan, LinkPlan } from '../../../plan/plan.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import { bytesOfRow, type Row } from '../../../store/store.ts';
import { Double, ExactNumber } from '../../../values/exact-number.ts';
import { JsonObject } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import type { Origin } from '../../outcome.ts';
import { LazyRow, LazyRows } from '../lazy-row.ts';
import { originOf, recordOrigin } from '../run.ts';
import type { Binding, Completed, Fields, Run } from '../state.ts';
import { noteMade } from '../told.ts';
import type { Kept, KeptBinding, KeptOrigin, KeptRow } from './checkpoint.ts';

export function keepBinding(binding: Binding & { readonly created?: boolean }, run: Run): KeptBinding {
  const { plan, row, rows, declared, created } = binding;
  const made = created === true ? { created } : {};
  if (plan !== undefined && row !== undefined) return { type: plan.type, row: keepRow(row), ...made };
  if (plan !== undefined && rows !== undefined) return { type: plan.type, rows: rows.map(keepRow), ...made };
  const kinds = declared === undefined ? {} : { declared: typeof declared === 'string' ? declared : [...declared] };
  return { value: keep(binding.value, run), ...made, ...kinds };
}

export function bindingFrom({ type = '', row, rows, value = null, created = false, declared }: KeptBinding, run: Run): Completed {
  if (row !== undefined) {
    const [plan, kept] = [planOf(type, run), rowFrom(row, run)];
    noteMade({ plan, key: kept.columns[1] ?? null }, run);
    return new LazyRow(plan, kept, created, run);
  }
  if (rows !== undefined) {
    const all = rows.map((each) => rowFrom(each, run));
    return new LazyRows(planOf(type, run), all, run);
  }
  const kinds = declared === undefined ? {} : { declared: typeof declared === 'string' ? declared : new Map(declared) };
  return { value: valueFrom(value, run), created, ...kinds };
}

export function keep(value: Value, run: Pick<Run, 'budget'> | undefined): Kept {
  if (typeof value === 'bigint') return { integer: String(value) };
  if (value instanceof ExactNumber) return { exact: value.text };
  if (value instanceof Double) return { double: String(value.value) };
  if (Array.isArray(value)) return value.map((each: Value) => keep(each, run));
  if (!isObject(value)) return typeof value === 'object' ? null : value;
  const fields = Object.keys(value).map((name): [string, Kept] => [name, keep(value[name] ?? null, run)]);
  const origin = run && originOf(value, run);
  return origin === undefined ? { fields } : { fields, origin: keepOrigin(origin) };
}

function keepOrigin(origin: Origin): KeptOrigin {
  if (origin.kind !== 'instance') return { kind: origin.kind, type: origin.type };
  const { plan, located, row, nested } = origin;
  const { key, id, path } = located;
  return {
    kind: 'instance',
    type: plan.type,
    key: keep(key, undefined),
    id: keep(id, undefined),
    ...(path === undefined ? {} : { path }),
    ...(row === undefined ? {} : { row: keepRow(row) }),
    nested,
  };
}

/** Columns hold no objects of a flow. */
function keepRow({ json, columns }: Row): KeptRow {
  return { json, columns: columns.map((each) => keep(each, undefined)) };
}

export function valueFrom(kept: Kept, run: Run): Value {
  if (Array.isArray(kept)) return kept.map((each: Kept) => valueFrom(each, run));
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return primitive(kept);
  if ('integer' in kept) return BigInt(kept.integer);
  if ('exact' in kept) return new ExactNumber(kept.exact);
  if ('double' in kept) return new Double(Number(kept.double));
  if (!('fields' in kept)) return null;
  const value: Fields = new JsonObject();
  for (const [name, each] of kept.fields) value[name] = valueFrom(each, run);
  if (kept.origin !== undefined) restoreOrigin(value, kept.origin, run);
  return value;
}

function primitive(kept: Kept): Value {
  return typeof kept === 'object' ? null : kept;
}

function restoreOrigin(fields: Fields, origin: KeptOrigin, run: Run): void {
  const { dataflows } = run.reading.plan;
  if (origin.kind !== 'instance') {
    const known = origin.kind === 'event' ? dataflows.events.get(origin.type) : dataflows.records.get(origin.type);
    run.budget.origins.set(fields, { kind: origin.kind, type: origin.type, operands: known?.operands ?? new Map() });
    return;
  }
  const plan = planOf(origin.type, run);
  const located = { plan, key: valueFrom(origin.key, run), id: valueFrom(origin.id, run), path: origin.path };
  // Whether this run has made it is not kept: it is asked for as if it had.
  noteMade(located, run);
  recordOrigin(fields, plan, located, origin.row === undefined ? undefined : rowFrom(origin.row, run), run, origin.nested);
}

function rowFrom({ json, columns }: KeptRow, run: Run): Row {
  return { json, columns: columns.map((each) => valueFrom(each, run)) };
}

function planOf(type: string, { reading: { plan } }: Run): EntityPlan | LinkPlan {
  const found = plan.entities.get(type) ?? plan.links.get(type);
  if (found === undefined) throw new Error(`${type} was kept by a model that had it`);
  return found;
}

/** Of an entry by itself, besides the texts in it. */
const bytesOfKept = 100;

/** About how many bytes are held with it. */
export function sizeOfKept({ row, rows = [], value }: KeptBinding): number {
  const all = row === undefined ? rows : [...rows, row];
  return all.reduce((sum, { json }) => sum + json.length + bytesOfRow, bytesOfKept) + (value === undefined ? 0 : sizeOfValue(value));
}

function sizeOfValue(value: Kept): number {
  if (typeof value === 'string') return value.length + bytesOfKept;
  if (typeof value !== 'object' || value === null) return 8;
  if (isList(value)) return value.reduce<number>((sum, each) => sum + sizeOfValue(each), bytesOfKept);
  if (!('fields' in value)) return bytesOfKept;
  return value.fields.reduce((sum, [name, inner]) => sum + name.length + sizeOfValue(inner), bytesOfKept);
}

function isList(value: Kept): value is readonly Kept[] {
  return Array.isArray(value);
}
