// Computes attributes of some rows from the instances that they look at, and writes those that have become others.

import { type Fault, invalid } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import {
  type RelatedComputedAttribute,
  type RelatedComputedGroup,
  type Source,
  sourceName,
  startName,
} from '../../plan/computed/related-computed.ts';
import type { AttributePlan } from '../../plan/plan.ts';
import type { Row } from '../../store/store.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { type Budgeted, yieldIfDue } from '../budget.ts';
import { sumOf } from '../eval/aggregate.ts';
import { elementKind, kindAmong } from '../eval/declared.ts';
import { evaluate } from '../eval/eval.ts';
import { computedFor } from '../eval/number-functions.ts';
import { fitted, operandOf } from '../eval/operands.ts';
import type { WriteContext } from '../operation.ts';
import { holdRows, updateRows } from '../rows/rows.ts';
import { inOrder, inParts, plainKey } from '../sized.ts';
import { insideOf, siblingValue } from './computed.ts';

/** A row that nobody else changes until the transaction ends. */
interface Held {
  readonly key: Value;
  readonly row: Row;
  readonly stored: Values;
  readonly siblings: Map<string, Value>;
  readonly stale: ReadonlySet<RelatedComputedAttribute>;
  readonly changes: Map<AttributePlan, Value>;
}

/** Rows of which the same attributes changed. */
export interface Recomputed {
  readonly names: readonly string[];
  readonly keys: readonly Value[];
}

/** `owners` are keys, with what is out of date of each; not more than one statement takes. Rows that are gone need nothing. */
export async function recompute(
  group: RelatedComputedGroup,
  owners: readonly (readonly [key: Value, stale: ReadonlySet<RelatedComputedAttribute>])[],
  context: WriteContext,
  counted: Budgeted,
): Promise<readonly Recomputed[]> {
  const keys = owners.map(([key]) => key);
  const stale = new Map(owners);
  const rows = await holdRows(group.hold, keys, context);
  const held = rows.map((row) => heldOf(group, row, stale));
  for (const each of group.attributes) {
    const stale = held.filter((row) => row.stale.has(each) || dependsOn(each, row.changes));
    if (stale.length === 0) continue;
    const sources = new Map<Source, ReadonlyMap<Value, Value>>();
    for (const source of each.sources) sources.set(source, await sourceValues(source, stale, context));
    for (let next = 0; next < stale.length; await yieldIfDue(counted))
      next = context.functions.together(next, stale.length, (index) => assign(group, each, stale[index], sources, context, counted));
  }
  return write(group, held, context);
}

function heldOf({ plan }: RelatedComputedGroup, row: Row, stale: ReadonlyMap<Value, ReadonlySet<RelatedComputedAttribute>>): Held {
  const key = row.columns[0] ?? null;
  const stored = parseStored(row.json);
  const siblings = new Map<string, Value>(plan.attributes.map((each) => [each.name, operandOf(each, stored[each.name] ?? null)]));
  return { key, row, stored, siblings, stale: stale.get(plainKey(key)) ?? new Set(), changes: new Map() };
}

function dependsOn({ siblings }: RelatedComputedAttribute, changes: Held['changes']): boolean {
  for (const { name } of changes.keys()) if (siblings.has(name)) return true;
  return false;
}

function assign(
  { plan: owner }: RelatedComputedGroup,
  { plan, expression, sources }: RelatedComputedAttribute,
  held: Held | undefined,
  read: ReadonlyMap<Source, ReadonlyMap<Value, Value>>,
  { clock, functions, outside, plan: whole }: WriteContext,
  { budget }: Budgeted,
): void {
  if (held === undefined) return;
  const { siblings, stored, changes, row } = held;
  const lookup = (path: readonly string[]): Value => {
    const source = sources.find((each) => each.path === path);
    if (source === undefined) return siblingValue(siblings, path);
    return read.get(source)?.get(startOf(source, row)) ?? ofNothing(source);
  };
  const kindAt = (path: readonly string[]): ColumnKind | undefined => {
    const source = sources.find((each) => each.path === path);
    return source === undefined ? kindAmong(owner.attribute, path, whole) : kindRead(source);
  };
  const name = `${owner.local}.${plan.name}`;
  const result = fitted(
    plan,
    computedFor(name, () => evaluate(expression, { clock, functions, outside, lookup, kindAt, budget })),
  );
  const faults: Fault[] = [];
  const value = result === null ? null : plan.parse(result, name, faults);
  if (faults.length > 0) throw invalid(faults);
  if (canonicalJson(value) === canonicalJson(stored[plan.name] ?? null)) return;
  changes.set(plan, value);
  siblings.set(plan.name, operandOf(plan, value));
}

/** What is inside of a record or a map is compared by its value. */
function kindRead({ attribute, related }: Source): ColumnKind | undefined {
  return attribute === undefined || related.inside.length > 0 ? undefined : elementKind(attribute.attribute);
}

/** One statement for the rows that change alike. */
async function write({ plan }: RelatedComputedGroup, all: readonly Held[], context: WriteContext): Promise<readonly Recomputed[]> {
  const alike = new Map<string, Held[]>();
  for (const each of all) {
    const names = [...each.changes.keys()].map(({ name }) => name).join(' ');
    if (names === '') continue;
    const others = alike.get(names);
    if (others === undefined) alike.set(names, [each]);
    else others.push(each);
  }
  const recomputed: Recomputed[] = [];
  for (const rows of alike.values()) {
    const attributes = [...(rows[0]?.changes.keys() ?? [])];
    const written = rows.map(({ changes, key }) => ({ key, values: [...changes.values()] }));
    await updateRows(plan, attributes, written, context);
    recomputed.push({ names: attributes.map(({ name }) => name), keys: rows.map(({ key }) => key) });
  }
  return recomputed;
}

function startOf({ start }: Source, { columns }: Row): Value {
  return plainKey(columns[start] ?? null);
}

/** What the paths of some rows lead to, by where they start; read when the rows are held, so that it is what stays. */
async function sourceValues(source: Source, rows: readonly Held[], context: WriteContext): Promise<ReadonlyMap<Value, Value>> {
  const starts = inOrder(rows.map(({ row }) => startOf(source, row)).filter((each) => each !== null));
  const found = new Map<Value, Value>();
  for (const asked of source.exact ? [starts] : starts.map((each) => [each])) {
    const read = await inParts(source.report, asked, (shape, values) => context.tx.report(shape, values));
    for (const [start, values] of byStart(read)) found.set(source.exact ? start : (asked[0] ?? null), together(source, values));
  }
  return found;
}

function byStart(rows: readonly Row[]): ReadonlyMap<Value, readonly Value[]> {
  const values = new Map<Value, Value[]>();
  for (const row of rows) {
    const { [startName]: at = null, [sourceName]: value = null } = parseStored(row.json);
    const start = plainKey(at);
    const others = values.get(start);
    if (others === undefined) values.set(start, [value]);
    else others.push(value);
  }
  return values;
}

function together({ related, attribute, aggregate }: Source, all: readonly Value[]): Value {
  if (aggregate !== undefined) return aggregated(aggregate, attribute, all[0] ?? null);
  const values = all.map((value) => insideOf(attribute === undefined ? value : operandOf(attribute, value), related.inside));
  return related.many ? values.filter((each) => each !== null) : (values[0] ?? null);
}

function aggregated(name: NonNullable<Source['aggregate']>, attribute: AttributePlan | undefined, value: Value): Value {
  if (attribute === undefined || name === 'count') return value;
  return Array.isArray(value) ? sumOf(name, columnKind(attribute.attribute), value) : operandOf(attribute, value);
}

function ofNothing({ aggregate, related }: Source): Value {
  if (aggregate !== undefined) return aggregate === 'sum' || aggregate === 'count' ? 0 : null;
  return related.many ? [] : null;
}
