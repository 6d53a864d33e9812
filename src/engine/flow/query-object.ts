// A query that is known at run time only: an object such as `{"from": "C/E", "where": ["=", "Attr", 1], "limit": 10}`.

import { error, type Fault, invalid } from '../../errors.ts';
import { comparisonSigns, type Expression, type Scalar } from '../../model/pattern.ts';
import type { ColumnPlan, Find, Test } from '../../plan/flow/flow.ts';
import { findColumn } from '../../plan/flow/tests.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { OrderTerm } from '../../plan/query/condition.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import type { Span } from '../../source.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { writeJson } from '../../values/json/json.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value } from '../../values/value.ts';
import type { Run } from './run.ts';

/** Deeper conditions than anyone writes are refused, and more of them. */
const deepest = 20;
const mostComparisons = 500;

/** How many comparisons a condition of a query object has. */
function comparisonsIn(where: Value): number {
  const [operator, ...operands] = Array.isArray(where) ? where : [];
  const isInner = operator === 'and' || operator === 'or' || operator === 'not';
  return isInner ? operands.reduce<number>((sum, each) => sum + comparisonsIn(each), 0) : 1;
}

/** The fault of a condition with more comparisons than a store takes, or than a request may ask for. */
export function tooManyIn(where: Value, most = mostComparisons): Fault | undefined {
  return comparisonsIn(where) > most ? fault('where', 'limit', `has at most ${most} comparisons`) : undefined;
}

export function queryFind(query: Value, run: Run): Find {
  const inner = isObject(query) && isObject(query['Query']) ? query['Query'] : query;
  const from = isObject(inner) ? inner['from'] : undefined;
  const { entities, links } = run.reading.plan;
  const plan = typeof from === 'string' ? (entities.get(from) ?? links.get(from)) : undefined;
  if (!isObject(inner) || plan === undefined) throw error('dataflow-failed', { detail: 'A query object names what it is from.' });
  const faults: Fault[] = [];
  const where = inner['where'] ?? null;
  const tooMany = tooManyIn(where);
  if (tooMany !== undefined) throw invalid([tooMany]);
  const find: Find = {
    kind: 'find',
    plan,
    tests: where === null ? [] : [testOf(where, plan, faults, deepest)],
    order: orderOf(inner['order-by'] ?? null, plan, faults),
    limit: literal(inner['limit'] ?? null),
    offset: literal(inner['offset'] ?? null),
    nested: [],
    links: [],
    key: undefined,
    cached: new Map(),
  };
  if (faults.length > 0) throw invalid(faults);
  return find;
}

function testOf(where: Value, plan: EntityPlan | LinkPlan, faults: Fault[], depth: number): Test {
  const [operator, ...operands] = Array.isArray(where) ? where : [];
  if (typeof operator !== 'string' || depth === 0) return wrong('where', 'must be lists that begin with an operator', faults);
  const inside = (each: Value) => testOf(each, plan, faults, depth - 1);
  if (operator === 'and' || operator === 'or')
    return operands.length === 0 ? wrong('where', `${operator} needs conditions`, faults) : { kind: operator, tests: operands.map(inside) };
  if (operator === 'not')
    return operands.length === 1 ? { kind: 'not', test: inside(operands[0] ?? null) } : wrong('where', 'not needs one condition', faults);
  const comparison = comparisonSigns.get(operator);
  const [name, ...given] = operands;
  const column = visible(name, plan);
  if (comparison === undefined) return wrong('where', `has no operator ${operator}`, faults);
  if (column === undefined) return wrong(nameOf(name), `is not an attribute of ${plan.type} that can be asked for`, faults);
  const value = comparedValue(comparison, given);
  if (value === undefined) return wrong(nameOf(name), 'cannot be compared like this', faults);
  return { kind: 'compare', column, operator: comparison, value: literal(value) ?? nothing };
}

/** One value, or those of `between` and `in` one after the other; what would be left out is refused. */
function comparedValue(comparison: string, given: readonly Value[]): Value | undefined {
  const [first] = given;
  if (given.length === 1) return first;
  return (comparison === 'between' && given.length === 2) || (comparison === 'in' && given.length > 1) ? [...given] : undefined;
}

function wrong(attribute: string, message: string, faults: Fault[]): Test {
  faults.push(fault(attribute, 'value', message));
  return { kind: 'value', value: nothing };
}

/** What no answer shows cannot be asked for. */
function visible(name: Value | undefined, plan: EntityPlan | LinkPlan): ColumnPlan | undefined {
  const column = typeof name === 'string' ? findColumn(name, [plan]) : undefined;
  return column?.attribute?.hidden === true ? undefined : column;
}

function orderOf(given: Value, plan: EntityPlan | LinkPlan, faults: Fault[]): readonly OrderTerm[] {
  const terms = (Array.isArray(given) ? given : given === null ? [] : [given]).flatMap((each): readonly OrderTerm[] => {
    const [name, direction]: readonly (Value | undefined)[] = Array.isArray(each) ? each : [each];
    const column = visible(name, plan);
    if (direction !== undefined && direction !== 'asc' && direction !== 'desc')
      faults.push(fault('order-by', 'value', 'goes in the direction `asc` or `desc`'));
    if (column !== undefined) return [{ column: column.column, descending: direction === 'desc' }];
    faults.push(fault('order-by', 'unknown', `${nameOf(name)} is not an attribute of ${plan.type}`));
    return [];
  });
  return terms.some((term) => term.column === plan.key) ? terms : [...terms, { column: plan.key, descending: false }];
}

/** Whatever stands where a name is expected. */
function nameOf(given: Value | undefined): string {
  return typeof given === 'string' ? given : writeJson(given ?? null);
}

/** Values that came at run time stand nowhere in the source. */
const span: Span = { source: { file: '', text: '' }, start: 0, end: 0 };
const nothing: Expression = { kind: 'literal', value: null, raw: 'null', span };

function literal(value: Value): Expression | undefined {
  if (Array.isArray(value)) return { kind: 'list', items: value.map((each) => literal(each) ?? nothing), span };
  if (value instanceof Double) return { kind: 'literal', value: value.value, raw: '', span };
  if (isScalar(value)) return value === null ? undefined : { kind: 'literal', value, raw: '', span };
  const entries = entriesOf(value).map(([name, each]) => ({
    key: { kind: 'literal', value: name, raw: '', span } as const,
    value: literal(each) ?? nothing,
  }));
  return { kind: 'map', entries, span };
}

function isScalar(value: Value): value is Scalar {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}
