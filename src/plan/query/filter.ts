// One tree of filters for query strings and query objects: tests of a row's own columns, and of the rows that it is related to. It becomes
// a condition where the caller is known, as filters see only rows that the caller may read.

import { unreachable } from '../../errors.ts';
import type { Value } from '../../values/value.ts';
import type { EntityPlan, LinkPlan, LinkWay } from '../plan.ts';
import type { Table } from '../rows/table.ts';
import { both, type Condition, everything, nothing } from './condition.ts';
import { existsAlong, existsWith, foundBy } from './exists.ts';
import type { RelatedWay } from './related.ts';
import type { RowsOf } from './rows-of.ts';

export type Filter =
  /** On columns of the row, with the values of the condition in its order. */
  | { readonly kind: 'test'; readonly condition: Condition; readonly values: readonly Value[]; readonly asks?: Asked }
  /** Without any, `and` holds for every row, and `or` for none. */
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  /** There is a related instance for which it holds. */
  | { readonly kind: 'related'; readonly way: RelatedWay; readonly filter: Filter }
  /** There is such a link to an instance. */
  | { readonly kind: 'link'; readonly way: LinkWay; readonly filter: Filter };

/** A column that is asked for, and the name by which it was. */
interface Asked {
  readonly name: string;
  readonly column: string;
}

export type Test = Extract<Filter, { kind: 'test' }>;

/** A condition with its values, in the order in which the statement asks for them. */
interface Filtered {
  readonly condition: Condition;
  readonly values: readonly Value[];
}

export const noFilter: Filter = Object.freeze({ kind: 'and', filters: Object.freeze([]) });

export function filterCondition(filter: Filter, plan: EntityPlan | LinkPlan, rows: RowsOf): Filtered {
  switch (filter.kind) {
    case 'test':
      return filter;
    case 'and':
    case 'or': {
      const [first, ...more] = filter.filters.map((each) => filterCondition(each, plan, rows));
      if (first === undefined) return { condition: filter.kind === 'or' ? nothing : everything, values: [] };
      if (more.length === 0) return first;
      const all = [first, ...more];
      return {
        condition: { kind: filter.kind, conditions: all.map((each) => each.condition) },
        values: all.flatMap((each) => each.values),
      };
    }
    case 'not': {
      const { condition, values } = filterCondition(filter.filter, plan, rows);
      return { condition: { kind: 'not', condition }, values };
    }
    case 'related': {
      const { way } = filter;
      const { condition, values } = filterCondition(filter.filter, way.target, rows);
      const exists = isSelective(filter.filter, way.target.table) ? foundBy : existsWith;
      const ofLink = way.kind === 'link' ? rows(way.link) : everything;
      return { condition: existsAlong(way, plan.key, both(condition, rows(way.target)), { exists, ofLink }), values };
    }
    case 'link': {
      const { link, from, target, to } = filter.way;
      const { condition, values } = filterCondition(filter.filter, link, rows);
      const exists = isSelective(filter.filter, link.table) ? foundBy : existsWith;
      const visible = rows(target);
      // A link to an instance that the caller may not read is none.
      const there = visible.kind === 'all' ? everything : existsWith(target.table, target.key, { column: to.column }, visible);
      return { condition: exists(link.table, from.column, { column: plan.key }, both(both(condition, rows(link)), there)), values };
    }
    default:
      return unreachable(filter);
  }
}

/** The values of the condition that it becomes, whoever asks. */
export function filterValues(filter: Filter): readonly Value[] {
  switch (filter.kind) {
    case 'test':
      return filter.values;
    case 'and':
    case 'or':
      return filter.filters.flatMap(filterValues);
    default:
      return filterValues(filter.filter);
  }
}

/** Whether an index finds few rows for it, by which the rows that are asked for are found; otherwise each of those is looked at. */
function isSelective(filter: Filter, table: Table): boolean {
  switch (filter.kind) {
    case 'test': {
      const { condition } = filter;
      if (condition.kind !== 'compare' || condition.inside !== undefined)
        return condition.kind === 'exists' && condition.isSelective === true;
      return (condition.operator === 'eq' || condition.operator === 'in') && isIndexed(condition.column, table);
    }
    case 'and':
      return filter.filters.some((each) => isSelective(each, table));
    case 'or':
      return filter.filters.length > 0 && filter.filters.every((each) => isSelective(each, table));
    case 'related':
      return isSelective(filter.filter, filter.way.target.table);
    case 'link':
      return isSelective(filter.filter, filter.way.link.table);
    default:
      return false;
  }
}

function isIndexed(column: string, { primaryKey, uniques, indexes }: Table): boolean {
  return [primaryKey, ...uniques, ...indexes].some(([first]) => first === column);
}
