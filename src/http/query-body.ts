// `POST /q`: a query object of the earlier surface → what a list asks for (decisions 4.5).

import { tooManyIn } from '../engine/dataflow-query.ts';
import type { Collection, ListQuery } from '../engine/operation.ts';
import { error, type Fault, FaultList } from '../errors.ts';
import { writeJson } from '../model/json.ts';
import { patternFault } from '../model/like.ts';
import { comparisonSigns } from '../model/pattern.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { fault, isObject } from '../plan/attribute.ts';
import { type Condition, everything, type OrderTerm } from '../plan/condition.ts';
import { comparisonOf as storedComparison } from '../plan/dataflow-conditions.ts';
import { asText, endReference } from '../plan/link-references.ts';
import type { EntityPlan, LinkEnd, LinkPlan, Plan } from '../plan/plan.ts';
import { conditionKey } from '../plan/query/condition-key.ts';
import { type View, wholeSelection } from '../plan/query/selection.ts';
import { pathColumn } from '../plan/tables.ts';
import { columnNamed, type Equality, endComparison, isEquality, pathComparison, valueFilter } from './filter.ts';
import type { QueryLimits } from './query.ts';
import { queryInvalid } from './query-string.ts';

const mostTerms = 20;
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
  const values: Value[] = [];
  const where = query['where'] === undefined ? everything : conditionOf(from, query['where'] ?? null, values, faults, 0);
  const order = orderOf(from, query['order-by'] ?? [], faults);
  const result: ListQuery = {
    key: `${conditionKey(where)} ${JSON.stringify(order)}`,
    where,
    values,
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

/** `["=", "Attr", value]`, nested in `["and", …]`, `["or", …]`, `["not", …]`. */
function conditionOf(plan: EntityPlan | LinkPlan, input: Value, values: Value[], faults: Fault[], depth: number): Condition {
  if (!Array.isArray(input) || typeof input[0] !== 'string' || depth > deepest)
    return refuse(faults, 'must be a list that begins with an operator');
  const [operator, ...operands] = input;
  if (operator === 'and' || operator === 'or') {
    const conditions = operands.map((each) => conditionOf(plan, each ?? null, values, faults, depth + 1));
    return conditions.length === 0 ? refuse(faults, `${operator} needs conditions`) : { kind: operator, conditions };
  }
  if (operator === 'not') return { kind: 'not', condition: conditionOf(plan, operands[0] ?? null, values, faults, depth + 1) };
  return comparisonOf(plan, String(operator), operands, values, faults);
}

function comparisonOf(
  plan: EntityPlan | LinkPlan,
  operator: string,
  operands: readonly Value[],
  values: Value[],
  faults: Fault[],
): Condition {
  const sign = comparisonSigns.get(operator);
  const comparison = sign === undefined ? undefined : storedComparison[sign];
  const [name, ...rest] = operands;
  const column = typeof name === 'string' ? columnNamed(plan, name) : undefined;
  if (comparison === undefined) return refuse(faults, `has no operator ${operator}`);
  const given = rest.length === 1 && Array.isArray(rest[0]) ? rest[0] : rest;
  if (name === pathColumn && isEquality(comparison) && !given.includes(null)) return pathCondition(plan, comparison, given, values, faults);
  if (column === undefined || column.isList)
    return refuse(faults, `${textOf(name ?? null)} is not an attribute of ${plan.type} that can be asked for`);
  if (given.length === 1 && given[0] === null && comparison === 'eq') return { kind: 'compare', column: column.column, operator: 'null' };
  if (given.length === 1 && given[0] === null && comparison === 'ne')
    return { kind: 'compare', column: column.column, operator: 'not-null' };
  if (column.end !== undefined && isEquality(comparison)) return endCondition(column.end, comparison, given, values, faults);
  if (column.end?.entity.contained === true) return refuse(faults, `${column.name} is compared with =, <> and in`);
  const wanted = comparison === 'between' ? 2 : comparison === 'in' ? given.length : 1;
  // A number is no text, as everywhere else.
  const isTyped = column.isText ? given.every((each) => typeof each === 'string') : comparison !== 'like';
  const fits = given.length === wanted && values.length + wanted <= mostTerms * 25 && isTyped;
  const filter = fits ? valueFilter(column, comparison === 'like' ? 'eq' : comparison, given.map(textOf)) : undefined;
  if (filter === undefined) return refuse(faults, `${column.name} cannot be compared like this`);
  values.push(...filter.values);
  if (comparison !== 'like') return filter.condition;
  const wrong = patternFault(textOf(given[0] ?? null));
  if (wrong !== undefined) faults.push(fault(column.name, 'limit', wrong));
  return { kind: 'compare', column: column.column, operator: comparison, count: wanted };
}

function pathCondition(
  plan: EntityPlan | LinkPlan,
  operator: Equality,
  given: readonly Value[],
  values: Value[],
  faults: Fault[],
): Condition {
  const fits = (operator === 'in' || given.length === 1) && given.length <= mostTerms * 25;
  const filter = fits ? pathComparison(plan, operator, given.map(textOf)) : undefined;
  if (filter === undefined) return refuse(faults, `${pathColumn} cannot be compared like this`);
  values.push(...filter.values);
  return filter.condition;
}

function endCondition(end: LinkEnd, operator: Equality, given: readonly Value[], values: Value[], faults: Fault[]): Condition {
  const references = given.map((each) => endReference(end, textOf(each), asText)).filter((each) => each !== undefined);
  const fits = references.length === given.length && (operator === 'in' || given.length === 1) && given.length <= mostTerms * 25;
  if (!fits) return refuse(faults, `${end.attribute} cannot be compared like this`);
  const filter = endComparison(end, operator, references);
  values.push(...filter.values);
  return filter.condition;
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : writeJson(value);
}

function refuse(faults: Fault[], message: string): Condition {
  faults.push(fault('where', 'operator', message));
  return everything;
}

/** `["Name", ["Age", "desc"]]`. */
function orderOf(plan: EntityPlan | LinkPlan, input: Value, faults: Fault[]): readonly OrderTerm[] {
  const terms: OrderTerm[] = [];
  for (const each of Array.isArray(input) ? input : [input]) {
    const [name, direction = 'asc'] = Array.isArray(each) ? each : [each];
    const column = typeof name === 'string' ? columnNamed(plan, name) : undefined;
    const isDirection = direction === 'asc' || direction === 'desc';
    if (column === undefined || column.isList || !isDirection)
      faults.push(fault('order-by', 'unknown', `${textOf(name ?? null)} cannot be sorted by`));
    else if (!terms.some((term) => term.column === column.column)) terms.push({ column: column.column, descending: direction === 'desc' });
  }
  return terms.some((term) => term.column === plan.key) ? terms : [...terms, { column: plan.key, descending: false }];
}

function countOf(name: string, input: Value | undefined, faults: Fault[]): number | undefined {
  if (input === undefined) return undefined;
  if (typeof input === 'number' && Number.isSafeInteger(input) && input >= 0) return input;
  faults.push(fault(name, 'value', 'must be a whole number, 0 or more'));
  return undefined;
}
