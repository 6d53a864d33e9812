// `?attr=value`, `?attr[op]=value` and `?@or=(…)` → the tree of filters, with typed values.

import type { Fault } from '../../../errors.ts';
import type { EntityPlan, LinkEnd, LinkPlan } from '../../../plan/plan.ts';
import type { Filter, Test } from '../../../plan/query/filter.ts';
import { fault } from '../../../plan/rows/attribute.ts';
import { asText, endReference } from '../../../plan/rows/link-references.ts';
import { pathColumn } from '../../../plan/rows/tables.ts';
import {
  absence,
  canCompare,
  type Equality,
  endComparison,
  hasFilter,
  isEquality,
  type Operator,
  pathComparison,
  patternFilter,
  type ValueOperator,
  valueFilter,
} from '../../query/comparison.ts';
import { type Column, filterAlong, named } from '../../query/names.ts';
import { isUnreadable, itemsOf, termsOf } from './items.ts';
import type { QueryPair } from './query-string.ts';

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'between', 'null', 'has']);
const mostFilters = 20;
const mostItems = 500;

/** All of the pairs together; `@or` may stand several times. */
export function filtersOf(plan: EntityPlan | LinkPlan, pairs: readonly QueryPair[], faults: Fault[]): readonly Filter[] {
  const groups = pairs.map((pair) => (pair.name === '@or' ? groupOf(pair.value, faults) : undefined));
  const terms = groups.reduce((sum, group) => sum + (group?.length ?? 1), 0);
  if (terms > mostFilters) {
    faults.push(fault(groups.some((group) => group !== undefined) ? '@or' : '', 'limit', `at most ${mostFilters} filters`));
    return [];
  }
  const seen = new Set<string>();
  return pairs.flatMap((pair, index) => {
    const group = groups[index];
    if (group !== undefined) return [{ kind: 'or', filters: group.flatMap((each) => filterOf(plan, each, faults) ?? []) }];
    if (seen.has(pair.name)) faults.push(fault(pair.name, 'value', 'stands more than once'));
    seen.add(pair.name);
    return filterOf(plan, pair, faults) ?? [];
  });
}

/** `(a=1,b[gt]=2)`: a comma or a bracket inside a value stands in quotes, or percent-encoded twice. */
function groupOf(text: string, faults: Fault[]): readonly QueryPair[] {
  const isBracketed = text.startsWith('(') && text.endsWith(')') && text.length > 2;
  const terms = isBracketed ? termsOf(text.slice(1, -1)) : [];
  if (isUnreadable(terms)) faults.push(fault('@or', 'value', terms.unreadable));
  else if (terms.length === 0 || terms.some(({ name }) => name.startsWith('@')))
    faults.push(fault('@or', 'value', 'is a list of filters in brackets: (a=1,b[gt]=2)'));
  else return terms;
  return [];
}

function filterOf(plan: EntityPlan | LinkPlan, { name, value }: QueryPair, faults: Fault[]): Filter | undefined {
  const open = name.lastIndexOf('[');
  const [attribute, operator] = open !== -1 && name.endsWith(']') ? [name.slice(0, open), name.slice(open + 1, -1)] : [name, 'eq'];
  if (attribute === pathColumn && isEquality(operator)) return pathFilter(plan, operator, value, faults);
  const found = named(plan, attribute, faults);
  if (found === undefined) return undefined;
  if (!isComparison(operator)) {
    faults.push(fault(attribute, 'operator', `has no operator ${operator}; there are ${[...operators].join(', ')}`));
    return undefined;
  }
  const filter = compare(found.column, operator, value, faults);
  return filter && filterAlong(found, filter);
}

function isComparison(operator: string): operator is Operator {
  return operators.has(operator);
}

function compare(column: Column, operator: Operator, text: string, faults: Fault[]): Test | undefined {
  if (operator === 'null') return nullFilter(column, text, faults);
  if (!canCompare(column, operator)) {
    const isEqualOnly = column.isScalar || column.end?.entity.contained === true;
    faults.push(
      fault(column.name, 'operator', isEqualOnly ? 'is compared with eq, ne, in and null' : `cannot be compared with ${operator}`),
    );
    return undefined;
  }
  const { end } = column;
  if (end !== undefined && isEquality(operator)) return endFilter(end, operator, text, faults);
  switch (operator) {
    case 'has': {
      const filter = hasFilter(column, text);
      if (filter === undefined) faults.push(fault(column.name, 'type', 'does not fit the type of the elements'));
      return filter;
    }
    case 'like':
    case 'ilike':
      return likeFilter(column, operator, text, faults);
    case 'in':
    case 'between':
      return manyFilter(column, operator, text, faults);
    default:
      return typed(column, operator, [text], faults);
  }
}

function nullFilter(column: Column, text: string, faults: Fault[]): Test | undefined {
  if (text === 'true' || text === 'false') return absence(column, text === 'true');
  faults.push(fault(column.name, 'value', 'null takes true or false'));
  return undefined;
}

function likeFilter(column: Column, operator: 'like' | 'ilike', text: string, faults: Fault[]): Test | undefined {
  const filter = patternFilter(column, operator, text, faults);
  if (filter === undefined || !text.includes('\0')) return filter;
  faults.push(fault(column.name, 'type', 'does not fit the type of the attribute'));
  return undefined;
}

function manyFilter(column: Column, operator: 'in' | 'between', text: string, faults: Fault[]): Test | undefined {
  const items = listOf(column.name, text, faults);
  if (items === undefined) return undefined;
  const fits = operator === 'in' ? items.length <= mostItems : items.length === 2;
  if (!fits) {
    faults.push(fault(column.name, 'value', operator === 'in' ? `in takes at most ${mostItems} values` : 'between takes two values'));
    return undefined;
  }
  return typed(column, operator, items, faults);
}

function listOf(name: string, text: string, faults: Fault[]): readonly string[] | undefined {
  const items = itemsOf(text);
  if (!isUnreadable(items)) return items;
  faults.push(fault(name, 'value', items.unreadable));
  return undefined;
}

/** The path of an instance, or the identifier of one that stands under no parent. */
function pathFilter(plan: EntityPlan | LinkPlan, operator: Equality, text: string, faults: Fault[]): Test | undefined {
  const items = operator === 'in' ? listOf(pathColumn, text, faults) : [text];
  if (items === undefined) return undefined;
  if (items.length > mostItems) faults.push(fault(pathColumn, 'value', `in takes at most ${mostItems} values`));
  else {
    const found = pathComparison(plan, operator, items);
    if (found !== undefined) return found;
    faults.push(fault(pathColumn, 'type', `is neither the path nor the identifier of a ${plan.local}`));
  }
  return undefined;
}

/** An instance at the end of a link goes by its path, its guid or its identifier. */
function endFilter(end: LinkEnd, operator: Equality, text: string, faults: Fault[]): Test | undefined {
  const items = operator === 'in' ? listOf(end.attribute, text, faults) : [text];
  if (items === undefined) return undefined;
  if (items.length > mostItems) faults.push(fault(end.attribute, 'value', `in takes at most ${mostItems} values`));
  const references = items.slice(0, mostItems).map((item) => endReference(end, item, asText));
  const known = references.filter((each) => each !== undefined);
  if (known.length < items.length) {
    if (items.length <= mostItems)
      faults.push(fault(end.attribute, 'type', `is neither the path nor the identifier of a ${end.entity.local}`));
    return undefined;
  }
  return endComparison(end, operator, known);
}

function typed(column: Column, operator: ValueOperator, texts: readonly string[], faults: Fault[]): Test | undefined {
  const filter = valueFilter(column, operator, texts);
  if (filter === undefined) faults.push(fault(column.name, 'type', 'does not fit the type of the attribute'));
  return filter;
}
