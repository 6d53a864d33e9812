// Names to sort by → what a list is sorted by. Shared by query strings and query objects.

import { type Fault, FaultList } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isToOne } from '../../plan/query/related.ts';
import type { RelatedStep, SortTerm } from '../../plan/query/sort.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { type FilterName, named } from './names.ts';

/** One name of those to sort by. */
export interface Wanted {
  readonly name: string;
  readonly isDescending: boolean;
}

/** Of those that are no columns of the rows themselves. */
const mostReached = 20;

/** `parameter` is where they stand, for faults. */
export function sortOf(plan: EntityPlan | LinkPlan, wanted: readonly Wanted[], parameter: string, faults: Fault[]): readonly SortTerm[] {
  const byKey: SortTerm = { column: plan.key, descending: false };
  if (wanted.length === 0) return [byKey];
  const reached = wanted.filter(({ name }) => name.includes('.')).length;
  if (reached > mostReached) {
    faults.push(fault(parameter, 'limit', `at most ${mostReached} names that lead into records or along relationships`));
    return [byKey];
  }
  const terms = new Map<string, SortTerm>();
  for (const each of wanted) {
    const term = termOf(plan, each, parameter, faults);
    const id = term?.name ?? term?.column;
    if (term !== undefined && id !== undefined && !terms.has(id)) terms.set(id, term);
  }
  // The key makes the order total, so that pages neither repeat nor skip.
  return terms.has(plan.key) ? [...terms.values()] : [...terms.values(), byKey];
}

/** An attribute of the instance itself, an end of a link, the path; and what stands in a record, or along relationships that lead to one instance. */
function termOf(plan: EntityPlan | LinkPlan, { name, isDescending }: Wanted, parameter: string, faults: Fault[]): SortTerm | undefined {
  const unknown = new FaultList();
  const found = named(plan, name, unknown);
  const why = found === undefined ? (name.includes('.') ? unknown[0]?.message : '') : refusalOf(found);
  if (found === undefined || why !== undefined) {
    const because = why === undefined || why === '' ? '' : `: ${why}`;
    faults.push(fault(parameter, unknown[0]?.code === 'limit' ? 'limit' : 'unknown', `${name} cannot be sorted by${because}`));
    return undefined;
  }
  const { place } = found.column;
  const { steps } = found;
  const term: SortTerm = { column: place.column, descending: isDescending };
  const inside = place.inside?.kind === 'record' ? { ...term, inside: place.inside, name } : term;
  return steps.length === 0 ? inside : { ...inside, steps, name };
}

/** Why rows cannot be sorted by it; nothing where they can. */
function refusalOf({ column, steps }: FilterName): string | undefined {
  const several = steps.find(({ way }) => !isToOne(way));
  if (several !== undefined) return `${nameOf(several)} may lead to more than one ${several.way.target.local}`;
  if (column.isUntyped) return 'the values of a map have no declared type, and so no order';
  return column.isJson ? 'it is no single value' : undefined;
}

function nameOf({ way }: RelatedStep): string {
  return way.kind === 'link' ? way.link.local : way.contains.contains.local;
}
