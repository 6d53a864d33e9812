// The value of an attribute, written as an expression: where the attribute is a number, the expression is one of numbers.

import { asNumber } from '../../model/numeric-expression.ts';
import type { Expression } from '../../model/pattern.ts';
import { ExactNumber } from '../../values/exact-number.ts';
import { decimalText } from '../../values/json/number.ts';
import type { AttributePlan } from '../plan.ts';

export function forTarget(expression: Expression, target: AttributePlan | undefined): Expression {
  if (target?.numbers === undefined) return expression;
  if (!target.attribute.list) return forSingle(expression, target);
  return expression.kind === 'list' ? { ...expression, items: expression.items.map((each) => forSingle(each, target)) } : expression;
}

function forSingle(expression: Expression, { numbers, fieldsOf }: AttributePlan): Expression {
  if (numbers === 'decimal') return withDigits(asNumber(expression));
  if (numbers === 'integer' || numbers === 'real') return asNumber(expression);
  if (numbers !== 'record' || expression.kind !== 'map') return expression;
  const fields = new Map(fieldsOf?.().map((each) => [each.name, each]));
  const entries = expression.entries.map(({ key, value }) => ({ key, value: forTarget(value, fields.get(String(key.value))) }));
  return { ...expression, entries };
}

/** A number that is written down keeps all of its digits, as a default does: `1.50` is not `1.5`. */
function withDigits(expression: Expression): Expression {
  if (expression.kind === 'unary' && expression.operator === '-') return { ...expression, operand: withDigits(expression.operand) };
  if (expression.kind !== 'literal' || typeof expression.value === 'string') return expression;
  const [, text] = /^([+-]?\d+\.\d+)M?$/.exec(expression.raw) ?? [];
  return text === undefined ? expression : { ...expression, value: new ExactNumber(decimalText(text)) };
}
