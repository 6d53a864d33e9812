// `POST /q`: a query object of the earlier surface → what a list asks for.

import { tooManyIn } from '../../../engine/flow/query-object.ts';
import type { Collection, ListQuery } from '../../../engine/operation.ts';
import { error, type Fault, FaultList } from '../../../errors.ts';
import { comparisonSigns } from '../../../model/pattern.ts';
import { comparisonOf as storedComparison } from '../../../plan/flow/conditions.ts';
import type { EntityPlan, LinkEnd, LinkPlan, Plan } from '../../../plan/plan.ts';
import type { Comparison } from '../../../plan/query/condition.ts';
import { type Filter, noFilter } from '../../../plan/query/filter.ts';
import { type View, wholeSelection } from '../../../plan/query/selection.ts';
import type { SortTerm } from '../../../plan/query/sort.ts';
import { fault, isObject } from '../../../plan/rows/attribute.ts';
import { asText, endReference } from '../../../plan/rows/link-references.ts';
import { pathColumn } from '../../../plan/rows/tables.ts';
import { writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { orderName } from '../query/cursor.ts';
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
} from '../query/filter.ts';
import { type Column, filterAlong, named } from '../query/names.ts';
import type { QueryLimits } from '../query/query.ts';
import { queryInvalid } from '../query/query-string.ts';
import { sortOf, type Wanted } from '../query/sort.ts';

const mostTerms = 20;
const mostValues = mostTerms * 25;
const deepest = 8;

export function queryBody(
  plan: Plan,
  body: Value,
  limits: QueryLimits,
  view: View,
): { readonly at: Collection; readonly query: ListQuery } {
  const query = isObject(body) ? body['Query'] : undefined;
  if (!isObject(query)) throw error('body-invalid', { detail: 'The body must be an object keyed Query.' });
  const faults = new FaultList();
  for (const name of Object.keys(query)) {
    if (!['from', 'where', 'order-by', 'limit', 'offset'].includes(name)) faults.push(fault(name, 'unknown', 'is not part of a query'));
  }
  const from = typeof query['from'] === 'string' ? (plan.entities.get(query['from']) ?? plan.links.get(query['from'])) : undefined;
  if (from === undefined) throw queryInvalid([...faults, fault('from', 'unknown', 'must be the qualified name of an entity')]);
  const tooMany = tooManyIn(query['where'] ?? null, mostTerms);
  if (tooMany !== undefined) throw queryInvalid([...faults, tooMany]);
  const filter = query['where'] === undefined ? noFilter : filterOf(query['where'] ?? null, { plan: from, faults, values: 0 }, 0);
  const order = orderOf(from, query['order-by'] ?? [], faults);
  const result: ListQuery = {
    filter,
    key: `order-by ${orderName(order)}`,
    order,
    selection: wholeSelection(view),
    limit: countOf('limit', query['limit'], faults) ?? limits.page,
    offset: countOf('offset', query['offset'], faults),
    after: undefined,
    count: false,
  };
  if (faults.length > 0) throw queryInvalid(faults);
  return { at: { plan: from, under: undefined }, query: result };
}

interface Reading {
  readonly plan: EntityPlan | LinkPlan;
  readonly faults: Fault[];
  /** How many values it compares with. */
  values: number;
}

/** `["=", "Attr", value]`, nested in `["and", …]`, `["or", …]`, `["not", …]`. */
function filterOf(input: Value, reading: Reading, depth: number): Filter {
  if (!Array.isArray(input) || typeof input[0] !== 'string' || depth > deepest)
    return refuse(reading, 'must be a list that begins with an operator');
  const [operator, ...operands] = input;
  if (operator === 'and' || operator === 'or') {
    const filters = operands.map((each) => filterOf(each ?? null, reading, depth + 1));
    return filters.length === 0 ? refuse(reading, `${operator} needs conditions`) : { kind: operator, filters };
  }
  if (operator === 'not') {
    if (operands.length !== 1) return refuse(reading, 'not needs one condition');
    return { kind: 'not', filter: filterOf(operands[0] ?? null, reading, depth + 1) };
  }
  return comparisonOf(String(operator), operands, reading);
}

function comparisonOf(operator: string, operands: readonly Value[], reading: Reading): Filter {
  const { plan } = reading;
  const sign = comparisonSigns.get(operator);
  const comparison = operator === 'ilike' || operator === 'has' ? operator : sign === undefined ? undefined : storedComparison[sign];
  const [name, ...rest] = operands;
  if (comparison === undefined) return refuse(reading, `has no operator ${operator}`);
  const given = rest.length === 1 && Array.isArray(rest[0]) ? rest[0] : rest;
  reading.values += given.length;
  if (reading.values > mostValues) return refuse(reading, `compares with more than ${mostValues} values`);
  if (name === pathColumn && isEquality(comparison) && !given.includes(null)) return pathFilter(plan, comparison, given, reading);
  const unknown = new FaultList();
  const found = typeof name === 'string' ? named(plan, name, unknown) : undefined;
  if (found === undefined) return refuse(reading, refusalOf(textOf(name ?? null), plan, unknown));
  const filter = comparedWith(found.column, comparison, given, reading);
  return filter === undefined ? refuse(reading, `${found.column.name} cannot be compared like this`) : filterAlong(found, filter);
}

function refusalOf(name: string, plan: EntityPlan | LinkPlan, faults: readonly Fault[]): string {
  const [first] = faults;
  return first === undefined || !name.includes('.')
    ? `${name} is not an attribute of ${plan.type} that can be asked for`
    : `${name} ${first.message}`;
}

type Operator = Exclude<Comparison, 'null' | 'not-null'> | 'has';

/** Nothing where the values do not fit. */
function comparedWith(column: Column, operator: Operator, given: readonly Value[], { faults }: Reading): Filter | undefined {
  if (given.length === 1 && given[0] === null && (operator === 'eq' || operator === 'ne')) return absence(column, operator === 'eq');
  const wanted = operator === 'between' ? 2 : operator === 'in' ? given.length : 1;
  if (!canCompare(column, operator) || given.length !== wanted) return undefined;
  if (column.end !== undefined && isEquality(operator)) return endFilter(column.end, operator, given);
  // A number is no text, as everywhere else.
  if (column.isText && !column.isUntyped && !given.every((each) => typeof each === 'string')) return undefined;
  const texts = given.map(textOf);
  if (operator === 'has') return hasFilter(column, texts[0] ?? '');
  if (operator !== 'like' && operator !== 'ilike') return valueFilter(column, operator, texts);
  return valueFilter(column, 'eq', texts) === undefined ? undefined : (patternFilter(column, operator, texts[0] ?? '', faults) ?? noFilter);
}

function pathFilter(plan: EntityPlan | LinkPlan, operator: Equality, given: readonly Value[], reading: Reading): Filter {
  const fits = operator === 'in' || given.length === 1;
  const filter = fits ? pathComparison(plan, operator, given.map(textOf)) : undefined;
  return filter ?? refuse(reading, `${pathColumn} cannot be compared like this`);
}

function endFilter(end: LinkEnd, operator: Equality, given: readonly Value[]): Filter | undefined {
  const references = given.map((each) => endReference(end, textOf(each), asText)).filter((each) => each !== undefined);
  return references.length === given.length ? endComparison(end, operator, references) : undefined;
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : writeJson(value);
}

function refuse({ faults }: Reading, message: string): Filter {
  faults.push(fault('where', 'operator', message));
  return noFilter;
}

/** `["Name", ["Age", "desc"]]`. */
function orderOf(plan: EntityPlan | LinkPlan, input: Value, faults: Fault[]): readonly SortTerm[] {
  const wanted = (Array.isArray(input) ? input : [input]).flatMap((each): readonly Wanted[] => {
    const [name, direction = 'asc'] = Array.isArray(each) ? each : [each];
    const isDirection = direction === 'asc' || direction === 'desc';
    if (typeof name === 'string' && isDirection) return [{ name, isDescending: direction === 'desc' }];
    faults.push(fault('order-by', 'unknown', `${textOf(name ?? null)} cannot be sorted by`));
    return [];
  });
  return sortOf(plan, wanted, 'order-by', faults);
}

function countOf(name: string, input: Value | undefined, faults: Fault[]): number | undefined {
  if (input === undefined) return undefined;
  if (typeof input === 'number' && Number.isSafeInteger(input) && input >= 0) return input;
  faults.push(fault(name, 'value', 'must be a whole number, 0 or more'));
  return undefined;
}
