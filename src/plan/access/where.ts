// The condition of a rule on the row that it is about: `auth.user = this.author`.

import type { BinaryExpression, Expression } from '../../model/pattern.ts';
import type { AttributePlan } from '../plan.ts';
import { type Condition, everything, nothing, type Operand } from '../query/condition.ts';
import { allOf, anyOf } from './right.ts';

/** The attributes of `this`. */
type Attributes = { readonly attribute: ReadonlyMap<string, AttributePlan> };

/** What `link` lets through; anything else would hold for no row. */
export function whereCondition(where: Expression | undefined, plan: Attributes): Condition {
  if (where === undefined) return everything;
  if (where.kind !== 'binary') return nothing;
  switch (where.operator) {
    case 'and':
      return allOf([whereCondition(where.left, plan), whereCondition(where.right, plan)]);
    case 'or':
      return anyOf([whereCondition(where.left, plan), whereCondition(where.right, plan)]);
    default:
      return comparison(where, plan);
  }
}

function comparison({ operator, left, right }: BinaryExpression, plan: Attributes): Condition {
  const isFirst = columnOf(left, plan) !== undefined;
  const column = columnOf(isFirst ? left : right, plan);
  const value = operandOf(isFirst ? right : left);
  const compared = comparisons.find(([each]) => each === operator)?.[isFirst ? 1 : 2];
  if (column === undefined || value === undefined || compared === undefined) return nothing;
  return { kind: 'compare', column, operator: compared, value };
}

/** What each asks of a column on its left, and of one on its right. */
const comparisons = [
  ['==', 'eq', 'eq'],
  ['!=', 'ne', 'ne'],
  ['<', 'lt', 'gt'],
  ['<=', 'lte', 'gte'],
  ['>', 'gt', 'lt'],
  ['>=', 'gte', 'lte'],
  ['like', 'like', undefined],
] as const;

/** `this.attribute`. */
function columnOf(expression: Expression, plan: Attributes): string | undefined {
  if (expression.kind !== 'reference') return undefined;
  const [start, name = '', ...more] = expression.path;
  return start === 'this' && more.length === 0 ? plan.attribute.get(name)?.column : undefined;
}

/** `auth.user`, or what stands in the model. */
function operandOf(expression: Expression): Operand | undefined {
  if (expression.kind === 'literal') return { constants: [expression.value] };
  return expression.kind === 'reference' && expression.path.join('.') === 'auth.user' ? { ambient: 'caller.user' } : undefined;
}
