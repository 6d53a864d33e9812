// Shapes that requests make up are kept with their plan, so that the same question is compiled once.

import type { RowPlan } from '../plan/plan.ts';
import type { Select, Update } from '../plan/shape.ts';

/** A plan keeps so many; requests that ask ever new questions start the collection anew. */
const most = 1000;

export function keep<S extends Select | Update>(plan: RowPlan, key: string, shape: S): S {
  if (plan.kept.size >= most) plan.kept.clear();
  plan.kept.set(key, shape);
  return shape;
}
