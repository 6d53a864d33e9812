// What must already stand in the store for a write to fit: `@ref` and `@oneof` targets, and numbers that count up.

import { type Fault, FaultList } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { AttributePlan, ReferenceTarget, RowPlan } from '../../plan/plan.ts';
import type { Select } from '../../plan/query/shape.ts';
import { among, sized } from '../../plan/query/sized.ts';
import { fault } from '../../plan/rows/attribute.ts';
import type { Reader } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { identityOf } from '../eval/comparison.ts';
import type { Draft } from '../row.ts';
import { cacheShape } from '../shape-cache.ts';
import { inParts, plainKey } from '../sized.ts';

/** A reference to nothing is a fault of the attribute. Of a moment, which can be written in several ways, `values` then holds the text of what it points at. */
export async function checkReferences(
  { plan, values, prefix, restored }: Pick<Draft, 'values' | 'prefix' | 'restored'> & { readonly plan: RowPlan },
  faults: Fault[],
  reader: Reader,
): Promise<void> {
  for (const [index, attribute] of plan.attributes.entries()) {
    const { target } = attribute;
    const value = values[index] ?? null;
    if (target === undefined || value === null || pointsAtItself(plan, values, target, value)) continue;
    if (restored === true && !isHeld(plan, attribute)) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      const row = await reader.one(target.exists, [each]);
      if (row !== undefined && !Array.isArray(value)) values[index] = row.columns[0] ?? value;
      if (row !== undefined) continue;
      faults.push(fault(`${prefix}${attribute.name}`, 'reference', `must be the ${target.attribute} of a ${target.entity}`));
    }
  }
}

/** Whether the store keeps what an attribute points at from going; else what was stored once may point at nothing by now. */
export function isHeld({ table }: RowPlan, { column }: AttributePlan): boolean {
  return table.foreignKeys.some((each) => each.columns[0] === column);
}

/** The same for several rows of one type, none of which refers to another of them: each value is asked for once, and as many as can be together. */
export async function checkAllReferences(
  plan: RowPlan,
  rows: readonly { readonly values: Value[]; readonly prefix: string }[],
  reader: Reader,
): Promise<readonly Fault[]> {
  const faults = new FaultList();
  for (const [index, { name, target, attribute }] of plan.attributes.entries()) {
    if (target === undefined) continue;
    const wanted = new Set(rows.flatMap(({ values }) => listed(values[index] ?? null)));
    const found = exact.has(columnKind({ ...attribute, list: false }))
      ? await storedAmong(plan, target, [...wanted], reader)
      : await storedOf(target, [...wanted], reader);
    for (const { values, prefix } of rows) {
      const value = values[index] ?? null;
      const missing = listed(value).filter((each) => !found.has(each));
      for (const _ of missing) faults.push(fault(`${prefix}${name}`, 'reference', `must be the ${target.attribute} of a ${target.entity}`));
      if (value !== null && !Array.isArray(value) && missing.length === 0) values[index] = found.get(value) ?? value;
    }
  }
  return faults;
}

function listed(value: Value): readonly Value[] {
  return value === null ? [] : Array.isArray(value) ? value : [value];
}

/** Kinds of which equal values are written in one way. */
const exact: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['text', 'integer', 'uuid', 'scalar']);

type Stored = ReadonlyMap<Value, Value>;

async function storedAmong(plan: RowPlan, target: ReferenceTarget, wanted: readonly Value[], reader: Reader): Promise<Stored> {
  const { attribute, entity, exists } = target;
  const shapes = sized((count): Select => {
    const name = `referred ${entity}.${attribute} ${count}`;
    const cached = plan.cached.get(name);
    if (cached?.kind === 'select') return cached;
    return cacheShape(plan, name, { ...exists, output: { fields: [], columns: [attribute] }, where: among(attribute, count) });
  });
  const rows = await inParts(shapes, wanted, (shape, values) => reader.rows(shape, values));
  return new Map(rows.map(({ columns: [value = null] }) => [plainKey(value), value]));
}

async function storedOf(target: ReferenceTarget, wanted: readonly Value[], reader: Reader): Promise<Stored> {
  const found = new Map<Value, Value>();
  for (const value of wanted) {
    const row = await reader.one(target.exists, [value]);
    if (row !== undefined) found.set(value, row.columns[0] ?? value);
  }
  return found;
}

/** A row may refer to itself, although it is not stored yet. */
function pointsAtItself(plan: RowPlan, values: readonly Value[], target: ReferenceTarget, value: Value): boolean {
  if (target.entity !== plan.type) return false;
  const own = plan.attributes.findIndex((each) => each.name === target.attribute);
  const kind = plan.attributes[own]?.attribute;
  return kind !== undefined && identityOf(values[own] ?? null, columnKind(kind)) === identityOf(value, columnKind(kind));
}
