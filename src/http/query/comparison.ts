// What a column can be compared with, and the test that this becomes. Values come as texts, read as the column's type reads them.

import type { ValueComparison } from '../../engine/eval/query-value.ts';
import type { Fault } from '../../errors.ts';
import type { EntityPlan, LinkEnd, LinkPlan } from '../../plan/plan.ts';
import { type Comparison, everything, nothing } from '../../plan/query/condition.ts';
import type { Test } from '../../plan/query/filter.ts';
import { placeNamed, standsAt } from '../../plan/query/path-condition.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { asText, type EndReference, pointsAt } from '../../plan/rows/link-references.ts';
import { patternFault } from '../../values/like.ts';
import type { Value } from '../../values/value.ts';
import { type Column, testOf } from './names.ts';

export type Equality = 'eq' | 'ne' | 'in';

export function isEquality(operator: string): operator is Equality {
  return operator === 'eq' || operator === 'ne' || operator === 'in';
}

export type Operator = Exclude<Comparison, 'not-null'> | 'has';

/** Whether a column can be compared so, with one value or several. */
export function canCompare({ isJson, isText, isUntyped, isScalar, item, end }: Column, operator: Operator): boolean {
  if (operator === 'null') return true;
  if (operator === 'has') return item !== undefined;
  if (operator === 'like' || operator === 'ilike') return isText && !isJson;
  return !isJson && (isEquality(operator) || !(isUntyped || isScalar || end?.entity.contained === true));
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

export function patternFilter(column: Column, operator: 'like' | 'ilike', pattern: string, faults: Fault[]): Test | undefined {
  const wrong = patternFault(pattern);
  if (wrong === undefined) return testOf(column, { condition: { kind: 'compare', ...column.place, operator }, values: [pattern] });
  faults.push(fault(column.name, 'limit', wrong));
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

export function endComparison(end: LinkEnd, operator: Equality, references: readonly EndReference[]): Test {
  const { condition, values } = pointsAt(end, references);
  return { kind: 'test', condition: operator === 'ne' ? { kind: 'not', condition } : condition, values };
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
  return {
    kind: 'test',
    condition: operator === 'ne' ? everything : nothing,
    values: [],
    asks: { name: column.name, column: column.place.column },
  };
}
