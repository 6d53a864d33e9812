// A query of a flow that is known at run time only: a query object → what is to be found.

import { error, type Fault, invalid, unreachable } from '../../errors.ts';
import { comparisonSigns, type Expression, type Scalar } from '../../model/pattern.ts';
import type { ColumnPlan, Find, Test } from '../../plan/flow/flow.ts';
import { findColumn } from '../../plan/flow/tests.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { OrderTerm } from '../../plan/query/condition.ts';
import { type QueryComparison, type QueryCondition, type QueryObject, readQueryObject, shownName } from '../../plan/query/query-object.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import type { Span } from '../../source.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value } from '../../values/value.ts';
import type { Run } from './state.ts';

export function queryFind(query: Value, run: Run): Find {
  const inner = isObject(query) && isObject(query['Query']) ? query['Query'] : query;
  const faults: Fault[] = [];
  const found = readQueryObject(inner, run.reading.plan, faults);
  if (found === undefined) throw error('dataflow-failed', { detail: 'A query object names what it is from.' });
  const { from: plan, where, order, limit, offset } = found;
  const find: Find = {
    kind: 'find',
    plan,
    tests: where === undefined ? [] : [testOf(where, plan, faults)],
    order: orderOf(order, plan, faults),
    limit: literal(limit ?? null),
    offset: literal(offset ?? null),
    nested: [],
    links: [],
    key: undefined,
    cached: new Map(),
  };
  if (faults.length > 0) throw invalid(faults);
  return find;
}

function testOf(where: QueryCondition, plan: EntityPlan | LinkPlan, faults: Fault[]): Test {
  switch (where.kind) {
    case 'and':
    case 'or':
      return { kind: where.kind, tests: where.conditions.map((each) => testOf(each, plan, faults)) };
    case 'not':
      return { kind: 'not', test: testOf(where.condition, plan, faults) };
    case 'compare':
      return comparisonOf(where, plan, faults);
    default:
      return unreachable(where);
  }
}

function comparisonOf({ operator, name, given }: QueryComparison, plan: EntityPlan | LinkPlan, faults: Fault[]): Test {
  const comparison = comparisonSigns.get(operator);
  const column = visible(name, plan);
  const value = comparison === undefined ? undefined : comparedValue(comparison, given);
  if (comparison !== undefined && column !== undefined && value !== undefined)
    return { kind: 'compare', column, operator: comparison, value: literal(value) ?? nothing };
  if (comparison === undefined) faults.push(fault('where', 'operator', `has no operator ${operator}`));
  else if (column === undefined) faults.push(fault(shownName(name), 'value', `is not an attribute of ${plan.type} that can be asked for`));
  else faults.push(fault(shownName(name), 'value', 'cannot be compared like this'));
  return { kind: 'value', value: nothing };
}

/** One value, or those of `between` and `in` one after the other; what would be left out is refused. */
function comparedValue(comparison: string, given: readonly Value[]): Value | undefined {
  const [first] = given;
  if (given.length === 1) return first;
  return (comparison === 'between' && given.length === 2) || (comparison === 'in' && given.length > 1) ? [...given] : undefined;
}

/** What no answer shows cannot be asked for. */
function visible(name: Value, plan: EntityPlan | LinkPlan): ColumnPlan | undefined {
  const column = typeof name === 'string' ? findColumn(name, [plan]) : undefined;
  return column?.attribute?.hidden === true ? undefined : column;
}

function orderOf(given: QueryObject['order'], plan: EntityPlan | LinkPlan, faults: Fault[]): readonly OrderTerm[] {
  const terms = given.flatMap(({ name, isDescending }): readonly OrderTerm[] => {
    const column = visible(name, plan);
    if (column !== undefined) return [{ column: column.column, descending: isDescending }];
    faults.push(fault('order-by', 'unknown', `${name} is not an attribute of ${plan.type}`));
    return [];
  });
  return terms.some((term) => term.column === plan.key) ? terms : [...terms, { column: plan.key, descending: false }];
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
