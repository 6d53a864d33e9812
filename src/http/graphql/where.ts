// Arguments of lists → filters and orders: the same ones that query objects become.

import type { Fault } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { type Filter, noFilter } from '../../plan/query/filter.ts';
import type { QueryComparison } from '../../plan/query/query-object.ts';
import type { SortTerm } from '../../plan/query/sort.ts';
import { fault } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import { sortOf } from '../query/sort.ts';
import { conditionFilter } from '../query/typed-filter.ts';
import { attributeOf } from './names.ts';
import { type RelatedField, relatedFields } from './relationships.ts';
import { namedInWhere } from './where-names.ts';

type Row = EntityPlan | LinkPlan;

/** As many as the filters of a URL. */
const mostComparisons = 20;

const signs: Readonly<Record<string, string>> = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

export function whereFilter(plan: Row, where: Value, faults: Fault[]): Filter {
  const counting = { left: mostComparisons };
  const filter = filterOf(plan, where, faults, counting);
  if (counting.left < 0) faults.push(fault('where', 'limit', `has at most ${mostComparisons} comparisons`));
  return counting.left < 0 ? noFilter : filter;
}

interface Counting {
  left: number;
}

/** All of its members hold. An empty `or` holds for nothing, and an empty `and` for everything. */
function filterOf(plan: Row, where: Value, faults: Fault[], counting: Counting): Filter {
  const related = plan.kind === 'entity' ? relatedFields(plan, () => true) : new Map();
  const filters = entries(where).map(([name, given]): Filter => {
    // What was meant as a condition must not become none.
    if (given === null) return refused(name, faults);
    if (name === 'and' || name === 'or') return { kind: name, filters: items(given).map((each) => filterOf(plan, each, faults, counting)) };
    if (name === 'not') return { kind: 'not', filter: filterOf(plan, given, faults, counting) };
    const way = related.get(namedInWhere(name, plan))?.way;
    if (way !== undefined) return { kind: 'related', way, filter: filterOf(way.target, given, faults, counting) };
    return comparisons(plan, name, given, faults, counting);
  });
  return filters.length === 1 && filters[0] !== undefined ? filters[0] : { kind: 'and', filters };
}

function refused(name: string, faults: Fault[]): Filter {
  faults.push(fault('where', 'value', `${name} is null; absent values are asked for by {null: true}`));
  return noFilter;
}

function comparisons(plan: Row, name: string, given: Value, faults: Fault[], counting: Counting): Filter {
  const attribute = attributeOf(namedInWhere(name, plan), plan);
  const tests = entries(given);
  counting.left -= tests.length;
  if (counting.left < 0) return noFilter;
  const filters = tests.map(([operator, value]) =>
    value === null && operator !== 'eq' && operator !== 'ne'
      ? refused(`${name}.${operator}`, faults)
      : conditionFilter(comparison(attribute, operator, value), plan, faults),
  );
  return { kind: 'and', filters };
}

function comparison(name: string, operator: string, value: Value): QueryComparison {
  if (operator === 'null') return { kind: 'compare', operator: value === true ? '=' : '!=', name, given: [null] };
  const isMany = operator === 'in' || operator === 'between';
  return { kind: 'compare', operator: signs[operator] ?? operator, name, given: isMany ? items(value) : [value] };
}

/** How many relationships an order goes along. */
const mostSteps = 3;

export function orderBy(plan: Row, order: Value, faults: Fault[]): readonly SortTerm[] {
  const terms = items(order).flatMap((each) => termsOf(plan, each, 0, faults));
  const [byKey] = sortOf(plan, [], 'orderBy', faults);
  const named = new Map(terms.map((each) => [each.name ?? each.column, each] as const).reverse());
  const distinct = terms.filter((each) => named.get(each.name ?? each.column) === each);
  return byKey === undefined || named.has(plan.key) ? distinct : [...distinct, byKey];
}

/** Of the instance itself, and of the one that a relationship leads to. */
function termsOf(plan: Row, order: Value, steps: number, faults: Fault[]): readonly SortTerm[] {
  const related = plan.kind === 'entity' ? relatedFields(plan, () => true) : new Map<string, RelatedField>();
  const given = entries(order).filter(([, value]) => value !== null);
  // GraphQL does not keep the order of the members of an input.
  if (given.length > 1) faults.push(fault('orderBy', 'value', 'has one name in each object: [{a: ASC}, {b: DESC}]'));
  return given.flatMap(([name, value]): readonly SortTerm[] => {
    const way = related.get(name)?.way;
    if (value === null) return [];
    if (way === undefined)
      return sortOf(plan, [{ name: attributeOf(name, plan), isDescending: value === 'DESC' }], 'orderBy', faults).slice(0, 1);
    if (steps >= mostSteps) {
      faults.push(fault('orderBy', 'limit', `goes along at most ${mostSteps} relationships`));
      return [];
    }
    return termsOf(way.target, value, steps + 1, faults).map((each) => ({
      ...each,
      steps: [{ kind: 'related', way }, ...(each.steps ?? [])],
      name: `${name}.${each.name ?? each.column}`,
    }));
  });
}

export function entries(value: Value): readonly (readonly [string, Value])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function items(value: Value): readonly Value[] {
  if (value === null) return [];
  return isList(value) ? value : [value];
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
