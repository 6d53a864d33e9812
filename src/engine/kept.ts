// Shapes that requests make up are kept with their plan, so that the same question is compiled once.

import { equal } from '../plan/condition.ts';
import type { AttributePlan, RowPlan } from '../plan/plan.ts';
import type { Select, Update } from '../plan/shape.ts';
import { versionColumn } from '../plan/tables.ts';

/** A plan keeps so many; requests that ask ever new questions start the collection anew. */
const most = 1000;

export function keep<S extends Select | Update>(plan: RowPlan, key: string, shape: S): S {
  if (plan.kept.size >= most) plan.kept.clear();
  plan.kept.set(key, shape);
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

const noOutput = Object.freeze({ fields: [], columns: [] });
