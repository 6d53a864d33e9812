// An entity that is stored, and told to resolvers besides: its rows as instances, what a resolver has of one, and whether two are the same.

import type { Context } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import type { AttributePlan, EntityPlan, RowPlan } from '../../plan/plan.ts';
import type { Select } from '../../plan/query/shape.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { keyName } from '../../plan/rows/keys.ts';
import { placeAt } from '../../plan/rows/path.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Reader, Row } from '../../store/store.ts';
import { parseStored, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { placedColumns, rowsOf, versionOf } from '../answer.ts';
import { type CallAbout, call } from '../call.ts';
import { questionOf } from '../question.ts';
import type { Resolver } from '../resolver.ts';

export interface Composed {
  readonly plan: EntityPlan;
  /** In the order of the text. */
  readonly resolvers: readonly Resolver[];
  /** Told once of each attribute that the model does not know. */
  unknown(name: string): void;
}

/** A value for each column. */
export type TableRow = readonly Value[];

/** Nobody else changes it until the transaction ends. */
export async function storedRow(plan: RowPlan, key: Value, tx: Reader): Promise<TableRow | undefined> {
  const row = await tx.one(lockedWhole(plan), [key]);
  return row === undefined ? undefined : tableRow(plan, row);
}

const locked = new WeakMap<RowPlan, Select>();

function lockedWhole(plan: RowPlan): Select {
  const known = locked.get(plan);
  if (known !== undefined) return known;
  const made: Select = { ...plan.shapes.whole, lock: 'change' };
  locked.set(plan, made);
  return made;
}

function tableRow(plan: RowPlan, { json, columns }: Row): TableRow {
  const stored = parseStored(json);
  const [version = null, key = null, path = null] = columns;
  const placed = placedColumns(plan).map((name) => (name === plan.key ? key : name === pathColumn ? path : null));
  return [...plan.attributes.map((each) => stored[each.name] ?? null), version, ...placed];
}

/** Attribute by attribute; what nobody is answered need not come back from elsewhere. */
export function differences(plan: RowPlan, from: TableRow, to: TableRow): ReadonlyMap<AttributePlan, Value> {
  const found = new Map<AttributePlan, Value>();
  for (const [index, attribute] of plan.attributes.entries()) {
    const [before = null, after = null] = [from[index], to[index]];
    if ((attribute.hidden && after === null) || attribute.attribute.expression !== undefined) continue;
    if (writeJson(before) !== writeJson(after)) found.set(attribute, after);
  }
  return found;
}

/** Whoever calls a resolver about an instance, or settles such a call, comes past here alone. */
export function lockName({ type }: RowPlan, key: Value): string {
  // No store takes a zero byte in a text.
  return `resolver ${type} ${typeof key} ${String(key)}`;
}

/** Two that move into each other's place, or settle that, wait for each other in one order. */
export function byName(one: Value, other: Value): number {
  return String(one) < String(other) ? -1 : 1;
}

export function keyOf(plan: RowPlan, row: TableRow): Value {
  return row[plan.table.columns.findIndex((each) => each.name === plan.key)] ?? null;
}

/** The key of an instance as handlers get it. */
export function keyOfInstance(plan: EntityPlan, instance: Value): Value {
  const fields = isObject(instance) ? instance : {};
  const path = fields[pathColumn];
  if (plan.contained && typeof path === 'string') return placeAt(plan, path)?.key ?? null;
  return fields[plan.identifier.name] ?? null;
}

/** Of an update that is a move: the key before, and the one after. */
export function movedKeys(
  plan: EntityPlan,
  { before, after }: { readonly before: Value; readonly after: Value },
): { readonly from: Value; readonly to: Value } | undefined {
  if (!plan.contained || before === null || after === null) return undefined;
  const [from, to] = [keyOfInstance(plan, before), keyOfInstance(plan, after)];
  return keyName(from) === keyName(to) ? undefined : { from, to };
}

/** What a resolver has under this key. */
export async function rowThere(
  { plan, unknown }: Composed,
  resolver: Resolver,
  key: Value,
  about: CallAbout,
  context: Context,
): Promise<TableRow | undefined> {
  const question = questionOf(plan, { select: plan.shapes.byKey, values: [key] });
  const given = await call(resolver, 'query', [plan.type, question], about);
  const rows = rowsOf(given, { plan, context, unknown, path: undefined });
  return rows.find((each) => keyName(keyOf(plan, each)) === keyName(key));
}

/** What is to be stored: what a resolver gave, under the key that it was asked with. */
export function taken(plan: RowPlan, sent: TableRow, given: TableRow): TableRow {
  const values = plan.attributes.map((each, index) => given[index] ?? (each.hidden ? (sent[index] ?? null) : null));
  const count = values.length;
  return [...values, sent[count] ?? versionOf(values), ...given.slice(count + 1)];
}

export function refuseOtherKey(plan: RowPlan, key: Value, row: TableRow): void {
  if (keyName(keyOf(plan, row)) !== keyName(key))
    throw error('resolver-answer-invalid', {}, new Error(`${plan.type}: an update gave another identifier`));
}
