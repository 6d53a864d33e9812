// Which rows of a type a caller gets: asked wherever a statement reads rows for somebody.

import type { EntityPlan, LinkPlan } from '../plan.ts';
import { type Condition, everything } from './condition.ts';

export type RowsOf = (plan: EntityPlan | LinkPlan) => Condition;

export const allRows: RowsOf = () => everything;
