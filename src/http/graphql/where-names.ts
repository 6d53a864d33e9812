// What conditions are called beside those that combine others: `and`, `or` and `not`.

import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { freeName } from '../query/address.ts';
import { relatedFields } from './relationships.ts';

type Row = EntityPlan | LinkPlan;

const combining: ReadonlySet<string> = new Set(['and', 'or', 'not']);

/** `name` is that of an attribute, a relationship or an end of a link. */
export function whereName(name: string, plan: Row): string {
  return combining.has(name) ? freeName(`${name}_`, (each) => isName(each, plan)) : name;
}

/** The name that has this condition. */
export function namedInWhere(condition: string, plan: Row): string {
  const name = condition.replace(/_+$/, '');
  return combining.has(name) && !isName(condition, plan) ? name : condition;
}

function isName(name: string, plan: Row): boolean {
  if (plan.attribute.has(name)) return true;
  return plan.kind === 'link' ? plan.ends.some(({ attribute }) => attribute === name) : relatedFields(plan, () => true).has(name);
}
