// Expressions whose result is wanted as a number: in them `+` adds, also what is given as a text.

import { numberFunctions } from './number-functions.ts';
import type { Expression } from './pattern.ts';

export function asNumber(expression: Expression): Expression {
  switch (expression.kind) {
    case 'binary':
      if (!['+', '-', '*', '/'].includes(expression.operator)) return expression;
      return { ...expression, numeric: true, left: asNumber(expression.left), right: asNumber(expression.right) };
    case 'unary':
      return expression.operator === '-' ? { ...expression, operand: asNumber(expression.operand) } : expression;
    case 'call': {
      const isOurs = expression.function === undefined && expression.aggregate === undefined && numberFunctions.has(expression.name.text);
      return isOurs ? { ...expression, arguments: expression.arguments.map(asNumber) } : expression;
    }
    default:
      return expression;
  }
}
