// Shapes that requests make up are kept with their plan, so that the same question is compiled once.

import type { AttributePlan, RowPlan } from '../plan/plan.ts';
import { equal } from '../plan/query/condition.ts';
import type { JoinQuery, Select, Update } from '../plan/query/shape.ts';
import { among, type Sized, sized } from '../plan/query/sized.ts';
import { versionColumn } from '../plan/rows/tables.ts';

/** Of a shape besides its key, which has as much to say as it: some objects for each attribute, order and condition that is named there. */
const bytesOfShape = 1024;
const bytesOfName = 16;

export function cacheShape<S extends Select | Update | JoinQuery>(plan: RowPlan, key: string, shape: S): S {
  plan.cached.set(key, shape, bytesOfShape + bytesOfName * key.length);
  return shape;
}

/** A query of a workflow is asked in few ways; only long lists make many of it, whose statements are large. */
const mostOfQuery = 100;

export function cacheQueryShape<K, S extends K>(cached: Map<string, K>, key: string, shape: S): S {
  if (cached.size >= mostOfQuery) cached.clear();
  cached.set(key, shape);
  return shape;
}

/** By key: these attributes, then the version. */
export function updateOf(plan: RowPlan, attributes: readonly AttributePlan[], unread: boolean): Update {
  const columns = [...attributes.map((each) => each.column), versionColumn];
  const key = `${unread ? 'unread ' : ''}update ${columns.join(' ')}`;
  const cached = plan.cached.get(key);
  if (cached?.kind === 'update') return cached;
  return cacheShape(plan, key, {
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
    const cached = plan.cached.get(key);
    return cached?.kind === 'select' ? cached : cacheShape(plan, key, { ...plan.shapes.byKey, where: among(plan.key, count) });
  });
}

const noOutput = Object.freeze({ fields: [], columns: [] });
