// Names in a query of attributes that its caller can read of no instance: they are refused as names that there are not.

import { error, type Fault } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { askedColumns } from '../../plan/query/asked-columns.ts';
import type { Filter } from '../../plan/query/filter.ts';
import type { Selection } from '../../plan/query/selection.ts';
import type { SortTerm } from '../../plan/query/sort.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { attributesFor, mayEverRead } from '../instances/seen.ts';
import type { ListQuery, Rights } from '../operation.ts';

type Plan = EntityPlan | LinkPlan;

export function refuseHiddenNames(plan: Plan, query: Pick<ListQuery, 'filter' | 'order' | 'selection'>, rights: Rights): void {
  if (attributesFor(rights) === undefined) return;
  const faults = [
    ...inFilter(query.filter, plan, rights),
    ...inOrder(query.order, plan, rights),
    ...inSelection(query.selection, plan, rights),
  ];
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
}

/** The same of what is selected alone. */
export function refuseHiddenSelection(plan: Plan, selection: Selection, rights: Rights): void {
  const faults = attributesFor(rights) === undefined ? [] : inSelection(selection, plan, rights);
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
}

/** Nothing where the column is none of an attribute with rules, or there may be a row of which it can be read. */
function isHidden(plan: Plan, column: string, rights: Rights): boolean {
  const ruled = plan.ruled.find((each) => each.column === column);
  return ruled !== undefined && !mayEverRead(plan, ruled.name, rights);
}

function inFilter(filter: Filter, plan: Plan, rights: Rights): readonly Fault[] {
  switch (filter.kind) {
    case 'test': {
      const { condition, asks } = filter;
      if (condition.kind === 'search') {
        const isNothing = condition.columns.every((column) => isHidden(plan, column, rights));
        return isNothing ? [fault('@search', 'unknown', `${plan.local} has no attribute of type String to search`)] : [];
      }
      const columns = asks === undefined ? askedColumns(condition) : [asks.column];
      return columns
        .filter((column) => isHidden(plan, column, rights))
        .map((column) => fault(asks?.name ?? column, 'unknown', `is not an attribute of ${plan.type} that can be asked for`));
    }
    case 'and':
    case 'or':
      return filter.filters.flatMap((each) => inFilter(each, plan, rights));
    case 'not':
      return inFilter(filter.filter, plan, rights);
    case 'related':
      return inFilter(filter.filter, filter.way.target, rights);
    default:
      return inFilter(filter.filter, filter.way.link, rights);
  }
}

function inOrder(order: readonly SortTerm[], plan: Plan, rights: Rights): readonly Fault[] {
  return order.flatMap(({ column, name = column, steps = [] }) => {
    const last = steps.at(-1);
    const at = last === undefined ? plan : last.kind === 'link' ? last.way.link : last.way.target;
    return isHidden(at, column, rights) ? [fault('@sort', 'unknown', `${name} cannot be sorted by`)] : [];
  });
}

function inSelection({ attributes, includes }: Selection, plan: Plan, rights: Rights): readonly Fault[] {
  const own = plan.ruled.filter(({ name, column }) => attributes?.has(name) === true && isHidden(plan, column, rights));
  const related = includes.flatMap(({ way: { target }, query, selection }) => [
    ...(query === undefined ? [] : [...inFilter(query.filter, target, rights), ...inOrder(query.order, target, rights)]),
    ...inSelection(selection, target, rights),
  ]);
  return [...own.map(({ name }) => fault('@select', 'unknown', `${name} is not an attribute of ${plan.type}`)), ...related];
}
