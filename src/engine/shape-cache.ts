// Shapes that requests make up are kept with their plan, so that the same question is compiled once.

import type { AttributePlan, RowPlan } from '../plan/plan.ts';
import { equal } from '../plan/query/condition.ts';
import type { Select, Update } from '../plan/query/shape.ts';
import { among, type Sized, sized } from '../plan/query/sized.ts';
import { versionColumn } from '../plan/rows/tables.ts';

/** Of a shape besides its key, which has as much to say as it: some objects for each attribute, order and condition that is named there. */
const bytesOfShape = 1024;
const bytesOfName = 16;

export function keep<S extends Select | Update>(plan: RowPlan, key: string, shape: S): S {
  plan.kept.set(key, shape, bytesOfShape + bytesOfName * key.length);
  return shape;
}

/** A query of a workflow is asked in few ways; only long lists make many of it, whose statements are large. */
const mostOfQuery = 100;

export function keepIn<K, S extends K>(kept: Map<string, K>, key: string, shape: S): S {
  if (kept.size >= mostOfQuery) kept.clear();
  kept.set(key, shape);
  return shape;
}

/** By key: these attributes, then the version. */
export function updateOf(plan: RowPlan, attributes: readonly AttributePlan[], unread: boolean): Update {
  const columns = [...attributes.map((each) => each.column), versionColumn];
  const key = `${unread ? 'unread ' : ''}update ${columns.join(' ')}`;
  const kept = plan.kept.get(key);
  if (kept?.kind === 'update') return kept;
  return keep(plan, key, {
    kind: 'update',
    table: plan.table,
    columns,
    version: versionColumn,
    where: equal(plan.key),
    output: unread ? noOutput : plan.output,
  });
}

/** What `byKey` reads of one, of many. */
export function byKeys(plan: RowPlan): Sized<Select> {
  return sized((count) => {
    const key = `by ${count} keys`;
    const kept = plan.kept.get(key);
    return kept?.kind === 'select' ? kept : keep(plan, key, { ...plan.shapes.byKey, where: among(plan.key, count) });
  });
}

const noOutput = Object.freeze({ fields: [], columns: [] });
