// The value of an attribute, written as an expression: where the attribute is a number, the expression is one of numbers.

import { asNumber } from '../../model/numeric-expression.ts';
import type { Expression } from '../../model/pattern.ts';
import type { AttributePlan } from '../plan.ts';

export function forTarget(expression: Expression, target: AttributePlan | undefined): Expression {
  if (target?.numbers === undefined) return expression;
  if (!target.attribute.list) return forSingle(expression, target);
  return expression.kind === 'list' ? { ...expression, items: expression.items.map((each) => forSingle(each, target)) } : expression;
}

function forSingle(expression: Expression, { numbers, fieldsOf }: AttributePlan): Expression {
  if (numbers === 'integer' || numbers === 'decimal' || numbers === 'real') return asNumber(expression);
  if (numbers !== 'record' || expression.kind !== 'map') return expression;
  const fields = new Map(fieldsOf?.().map((each) => [each.name, each]));
  const entries = expression.entries.map(({ key, value }) => ({ key, value: forTarget(value, fields.get(String(key.value))) }));
  return { ...expression, entries };
}
