// Computes attributes of one row from the instances that they look at, and writes those that have become others.

import { type Fault, invalid } from '../errors.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { parseStored } from '../model/json.ts';
import type { ColumnKind, Value } from '../model/types/attribute-type.ts';
import { type DerivedAttribute, type DerivedGroup, type Source, sourceName } from '../plan/derived.ts';
import type { AttributePlan } from '../plan/plan.ts';
import { kindOf } from '../plan/tables.ts';
import type { Row } from '../store/store.ts';
import { sumOf } from './aggregate.ts';
import { fitting, insideOf, operandOf, siblingValue } from './computed.ts';
import { elementKind, kindAmong } from './declared.ts';
import { evaluate } from './expression.ts';
import { updateOf } from './kept.ts';
import type { Writing } from './operation.ts';

/** The names of those that changed; none where the row is gone. */
export async function recompute(
  group: DerivedGroup,
  key: Value,
  touched: ReadonlySet<DerivedAttribute>,
  context: Writing,
): Promise<readonly string[]> {
  const { plan, attributes, hold } = group;
  const [row] = await context.tx.update(hold, [key]);
  if (row === undefined) return [];
  const stored = parseStored(row.json);
  const siblings = new Map<string, Value>(plan.attributes.map((each) => [each.name, operandOf(each, stored[each.name] ?? null)]));
  const changes = new Map<AttributePlan, Value>();
  for (const each of attributes) {
    if (!touched.has(each) && ![...changes.keys()].some(({ name }) => each.siblings.has(name))) continue;
    const value = await computed(group, each, siblings, row, context);
    if (canonicalJson(value) === canonicalJson(stored[each.plan.name] ?? null)) continue;
    changes.set(each.plan, value);
    siblings.set(each.plan.name, operandOf(each.plan, value));
  }
  if (changes.size === 0) return [];
  await context.tx.update(updateOf(plan, [...changes.keys()], true), [...changes.values(), context.clock.now().getTime(), key]);
  return [...changes.keys()].map(({ name }) => name);
}

async function computed(
  { plan: owner }: DerivedGroup,
  { plan, expression, sources }: DerivedAttribute,
  siblings: ReadonlyMap<string, Value>,
  row: Row,
  context: Writing,
): Promise<Value> {
  const read = new Map<readonly string[], Value>();
  for (const each of sources) read.set(each.path, await sourceValue(each, row.columns[each.start] ?? null, context));
  const { clock, functions, running } = context;
  const lookup = (path: readonly string[]): Value => (read.has(path) ? (read.get(path) ?? null) : siblingValue(siblings, path));
  const kindAt = (path: readonly string[]): ColumnKind | undefined => {
    const source = sources.find((each) => each.path === path);
    return source === undefined ? kindAmong(owner, path, context.plan) : kindRead(source);
  };
  const result = fitting(plan, evaluate(expression, { clock, functions, lookup, kindAt, shared: running?.shared }));
  if (result === null) return null;
  const faults: Fault[] = [];
  const value = plan.parse(result, `${owner.local}.${plan.name}`, faults);
  if (faults.length > 0) throw invalid(faults);
  return value;
}

/** What is inside of a record or a map is compared by its value. */
function kindRead({ attribute, related }: Source): ColumnKind | undefined {
  return attribute === undefined || related.inside.length > 0 ? undefined : elementKind(attribute.attribute);
}

async function sourceValue(source: Source, start: Value, context: Writing): Promise<Value> {
  const { read, related, attribute } = source;
  if (read.kind === 'aggregate') return (await aggregated(source, start, context)) ?? ofNothing(read.function);
  const rows = start === null ? [] : await context.tx.rows(read.select, [start]);
  const values = rows.map((row): Value => {
    const value = parseStored(row.json)[sourceName] ?? null;
    return insideOf(attribute === undefined ? value : operandOf(attribute, value), related.inside);
  });
  return related.many ? values.filter((each) => each !== null) : (values[0] ?? null);
}

async function aggregated({ read, attribute }: Source, start: Value, { tx }: Writing): Promise<Value> {
  if (read.kind !== 'aggregate' || start === null) return null;
  const [row] = await tx.report(read.report, [start]);
  const value = row === undefined ? null : (parseStored(row.json)[sourceName] ?? null);
  if (attribute === undefined || read.function === 'count') return value;
  return Array.isArray(value) ? sumOf(read.function, kindOf(attribute.attribute), value) : operandOf(attribute, value);
}

function ofNothing(name: string): Value {
  return name === 'sum' || name === 'count' ? 0 : null;
}
