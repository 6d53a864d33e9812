// Tests → conditions without their values: the one place that knows what each operator asks of a store.

import { unreachable } from '../../errors.ts';
import type { ComparisonOperator } from '../../model/pattern.ts';
import { both, type ColumnOf, type Comparison, type Condition, everything, nothing } from '../query/condition.ts';
import type { ColumnPlan, Test } from './flow.ts';

export const comparisonOf = {
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  in: 'in',
  like: 'like',
  between: 'between',
} as const satisfies Record<ComparisonOperator, Comparison>;

/** As it is when every value is there, and lists have one element. */
export function conditionOf(tests: readonly Test[]): Condition {
  return tests.map(testCondition).reduce(both, everything);
}

export function columnsCondition({ left, operator, right }: Extract<Test, { kind: 'columns' }>): Condition {
  const comparison = comparisonOf[operator];
  if (comparison === 'in' || comparison === 'like' || comparison === 'between') return nothing;
  return { kind: 'columns', left: columnOf(left), operator: comparison, right: columnOf(right) };
}

/** The column alone: a condition is walked as data, and what a column is planned with leads to all types. */
function columnOf({ column, source, lookup }: ColumnPlan): ColumnOf {
  return { column, source, lookup };
}

/** Where a path says which key is meant, that is asked for. */
function askedColumn({ column, operator }: Extract<Test, { kind: 'compare' }>): string {
  return column.path !== undefined && isEquality(operator) ? column.path.key : column.column;
}

export function isEquality(operator: ComparisonOperator): operator is '==' | '!=' | 'in' {
  return operator === '==' || operator === '!=' || operator === 'in';
}

function testCondition(test: Test): Condition {
  switch (test.kind) {
    case 'compare':
      return { kind: 'compare', column: askedColumn(test), source: test.column.source, operator: comparisonOf[test.operator] };
    case 'columns':
      return columnsCondition(test);
    case 'and':
    case 'or':
      return { kind: test.kind, conditions: test.tests.map(testCondition) };
    case 'not':
      return { kind: 'not', condition: testCondition(test.test) };
    case 'search':
      return { kind: 'search', ...test.search };
    case 'value':
    case 'filter':
      return everything;
    default:
      return unreachable(test);
  }
}
