// `?attr=value`, `?attr[op]=value` and `?@or=(…)` → the tree of filters, with typed values.

import type { ValueComparison } from '../../../engine/eval/query-value.ts';
import type { Fault } from '../../../errors.ts';
import type { EntityPlan, LinkEnd, LinkPlan } from '../../../plan/plan.ts';
import { type Comparison, everything, nothing } from '../../../plan/query/condition.ts';
import type { Filter, Test } from '../../../plan/query/filter.ts';
import { placeNamed, standsAt } from '../../../plan/query/path-condition.ts';
import { fault } from '../../../plan/rows/attribute.ts';
import { asText, type EndReference, endReference, pointsAt } from '../../../plan/rows/link-references.ts';
import { pathColumn } from '../../../plan/rows/tables.ts';
import { patternFault } from '../../../values/like.ts';
import type { Value } from '../../../values/value.ts';
import { isUnreadable, itemsOf, termsOf } from './items.ts';
import { type Column, filterAlong, named, testOf } from './names.ts';
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

export type Equality = 'eq' | 'ne' | 'in';

export function isEquality(operator: string): operator is Equality {
  return operator === 'eq' || operator === 'ne' || operator === 'in';
}

type Operator = Exclude<Comparison, 'not-null'> | 'has';

function isComparison(operator: string): operator is Operator {
  return operators.has(operator);
}

/** Whether a column can be compared so, with one value or several. */
export function canCompare({ isJson, isText, isUntyped, isScalar, item, end }: Column, operator: Operator): boolean {
  if (operator === 'null') return true;
  if (operator === 'has') return item !== undefined;
  if (operator === 'like' || operator === 'ilike') return isText && !isJson;
  return !isJson && (isEquality(operator) || !(isUntyped || isScalar || end?.entity.contained === true));
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

export function absence(column: Column, isAbsent: boolean): Test {
  return testOf(column, { condition: { kind: 'compare', ...column.place, operator: isAbsent ? 'null' : 'not-null' }, values: [] });
}

/** Nothing where a text does not fit the type of the elements. */
export function hasFilter(column: Column, text: string): Test | undefined {
  const { item, place } = column;
  const value = item?.read(text);
  if (item === undefined || value === undefined || value === null) return undefined;
  return testOf(column, { condition: { kind: 'holds', item: item.kind, ...place }, values: [value] });
}

function likeFilter(column: Column, operator: 'like' | 'ilike', text: string, faults: Fault[]): Test | undefined {
  const filter = patternFilter(column, operator, text, faults);
  if (filter === undefined || !text.includes('\0')) return filter;
  faults.push(fault(column.name, 'type', 'does not fit the type of the attribute'));
  return undefined;
}

export function patternFilter(column: Column, operator: 'like' | 'ilike', pattern: string, faults: Fault[]): Test | undefined {
  const wrong = patternFault(pattern);
  if (wrong === undefined) return testOf(column, { condition: { kind: 'compare', ...column.place, operator }, values: [pattern] });
  faults.push(fault(column.name, 'limit', wrong));
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

export function pathComparison(plan: EntityPlan | LinkPlan, operator: Equality, items: readonly string[]): Test | undefined {
  const places = items.map((item) => placeNamed(plan, item, asText));
  if (places.includes('unread')) return undefined;
  const { condition, values } = standsAt(
    plan,
    places.filter((each) => each !== undefined && each !== 'unread'),
  );
  return { kind: 'test', condition: operator === 'ne' ? { kind: 'not', condition } : condition, values };
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

export function endComparison(end: LinkEnd, operator: Equality, references: readonly EndReference[]): Test {
  const { condition, values } = pointsAt(end, references);
  return { kind: 'test', condition: operator === 'ne' ? { kind: 'not', condition } : condition, values };
}

function typed(column: Column, operator: ValueOperator, texts: readonly string[], faults: Fault[]): Test | undefined {
  const filter = valueFilter(column, operator, texts);
  if (filter === undefined) faults.push(fault(column.name, 'type', 'does not fit the type of the attribute'));
  return filter;
}

export type ValueOperator = ValueComparison | 'in' | 'between';

/** Nothing where a text does not fit the type of the column; `between` has two of them, and all but `in` one. */
export function valueFilter(column: Column, operator: ValueOperator, texts: readonly string[]): Test | undefined {
  const { place, asked } = column;
  const one = operator === 'in' ? 'eq' : operator;
  const all = texts.map((text, index) => asked(one === 'between' ? (index === 0 ? 'gte' : 'lte') : one, text));
  if (all.includes(undefined)) return undefined;
  const values: readonly Value[] = all.flatMap((each) => (typeof each === 'object' ? [each.value] : []));
  if (operator === 'in' || values.length === all.length) {
    const count = texts.length === 1 && operator !== 'in' ? {} : { count: values.length };
    return testOf(column, { condition: { kind: 'compare', ...place, operator, ...count }, values });
  }
  if (all.includes('all')) return absence(column, false);
  return { kind: 'test', condition: operator === 'ne' ? everything : nothing, values: [] };
}
