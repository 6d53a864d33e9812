// Conditions of query objects, with typed values → the tree of filters.

import { type Fault, FaultList, unreachable } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import { comparisonSigns } from '../../model/pattern.ts';
import { scalarSegment } from '../../model/types/scalar.ts';
import { comparisonOf as storedComparison } from '../../plan/flow/conditions.ts';
import type { EntityPlan, LinkEnd, LinkPlan } from '../../plan/plan.ts';
import type { Comparison } from '../../plan/query/condition.ts';
import { type Filter, noFilter } from '../../plan/query/filter.ts';
import { type QueryComparison, type QueryCondition, shownName } from '../../plan/query/query-object.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { isPath } from '../../plan/rows/keys.ts';
import { asText, endReference } from '../../plan/rows/link-references.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import {
  absence,
  canCompare,
  type Equality,
  endComparison,
  hasFilter,
  isEquality,
  pathComparison,
  patternFilter,
  valueFilter,
} from './comparison.ts';
import { type Column, filterAlong, named } from './names.ts';

/** A condition of a query object as a filter; where it is refused, a fault of `where`. */
export function conditionFilter(where: QueryCondition, plan: EntityPlan | LinkPlan, faults: Fault[]): Filter {
  switch (where.kind) {
    case 'and':
    case 'or':
      return { kind: where.kind, filters: where.conditions.map((each) => conditionFilter(each, plan, faults)) };
    case 'not':
      return { kind: 'not', filter: conditionFilter(where.condition, plan, faults) };
    case 'compare':
      return comparisonOf(where, plan, faults);
    default:
      return unreachable(where);
  }
}

function comparisonOf({ operator, name, given: values }: QueryComparison, plan: EntityPlan | LinkPlan, faults: Fault[]): Filter {
  const sign = comparisonSigns.get(operator);
  const comparison = operator === 'ilike' || operator === 'has' ? operator : sign === undefined ? undefined : storedComparison[sign];
  if (comparison === undefined) return refuse(faults, `has no operator ${operator}`);
  const given = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  if (name === pathColumn && isEquality(comparison) && !given.includes(null)) return pathFilter(plan, comparison, given, faults);
  const unknown = new FaultList();
  const found = typeof name === 'string' ? named(plan, name, unknown) : undefined;
  if (found === undefined) return refuse(faults, refusalOf(shownName(name), plan, unknown));
  const filter = comparedWith(found.column, comparison, given, faults);
  return filter === undefined ? refuse(faults, `${found.column.name} cannot be compared like this`) : filterAlong(found, filter);
}

function refusalOf(name: string, plan: EntityPlan | LinkPlan, faults: readonly Fault[]): string {
  const [first] = faults;
  return first === undefined || !name.includes('.')
    ? `${name} is not an attribute of ${plan.type} that can be asked for`
    : `${name} ${first.message}`;
}

type TypedOperator = Exclude<Comparison, 'null' | 'not-null'> | 'has';

/** Nothing where the values do not fit. */
function comparedWith(column: Column, operator: TypedOperator, given: readonly Value[], faults: Fault[]): Filter | undefined {
  if (given.length === 1 && given[0] === null && (operator === 'eq' || operator === 'ne')) return absence(column, operator === 'eq');
  const wanted = operator === 'between' ? 2 : operator === 'in' ? given.length : 1;
  if (!canCompare(column, operator) || given.length !== wanted) return undefined;
  if (column.end !== undefined && isEquality(operator)) return endFilter(column.end, operator, given);
  // A number is no text, as everywhere else.
  if (column.isText && !column.isUntyped && !given.every((each) => typeof each === 'string')) return undefined;
  const texts = given.map(column.isScalar ? scalarSegment : shownName);
  if (operator === 'has') return hasFilter(column, texts[0] ?? '');
  if (operator !== 'like' && operator !== 'ilike') return valueFilter(column, operator, texts);
  return valueFilter(column, 'eq', texts) === undefined ? undefined : (patternFilter(column, operator, texts[0] ?? '', faults) ?? noFilter);
}

function pathFilter(plan: EntityPlan | LinkPlan, operator: Equality, given: readonly Value[], faults: Fault[]): Filter {
  const fits = operator === 'in' || given.length === 1;
  const filter = fits
    ? pathComparison(
        plan,
        operator,
        given.map((each) => namingText(plan, each)),
      )
    : undefined;
  return filter ?? refuse(faults, `${pathColumn} cannot be compared like this`);
}

function endFilter(end: LinkEnd, operator: Equality, given: readonly Value[]): Filter | undefined {
  const references = given.map((each) => endReference(end, namingText(end.entity, each), asText)).filter((each) => each !== undefined);
  return references.length === given.length ? endComparison(end, operator, references) : undefined;
}

/** What names an instance, as it would in a query string. */
function namingText(plan: EntityPlan | LinkPlan, value: Value): string {
  const isScalar = columnKind((plan.kind === 'entity' ? (plan.guid ?? plan.identifier) : plan.identifier).attribute) === 'scalar';
  return isScalar && !isPath(value) ? scalarSegment(value) : shownName(value);
}

function refuse(faults: Fault[], message: string): Filter {
  faults.push(fault('where', 'operator', message));
  return noFilter;
}
