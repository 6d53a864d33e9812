// Sums: where `+` adds numbers, and where it puts texts together.

import type { Span } from '../source.ts';
import { numberFunctions } from './number-functions.ts';
import type { BinaryExpression, Expression } from './pattern.ts';
import { withParts } from './walk.ts';

/** An expression whose result is wanted as a number: in it `+` adds, also what is given as a text. */
export function asNumber(expression: Expression): Expression {
  const isSum = expression.kind === 'binary' && expression.operator === '+';
  const whole: Expression = isSum ? { ...expression, numeric: 'target' } : expression;
  return calculates(whole) ? withParts(whole, asNumber) : whole;
}

/** Whether it computes a number from numbers. */
function calculates(expression: Expression): boolean {
  switch (expression.kind) {
    case 'unary':
      return expression.operator === '-';
    case 'binary':
      return ['+', '-', '*', '/'].includes(expression.operator);
    case 'call':
      return expression.function === undefined && expression.aggregate === undefined && numberFunctions.has(expression.name.text);
    default:
      return false;
  }
}

/** `add(a, b, c)`, `(+ a b c)`: the sum of numbers, whatever they are given as. */
export function sumOf(first: Expression, rest: readonly Expression[], span: Span): Expression {
  return rest.reduce<Expression>((left, right) => {
    // What gives numbers by its form needs no mark.
    const numeric = givesNumber(left) && givesNumber(right) ? {} : ({ numeric: 'written' } as const);
    return { kind: 'binary', operator: '+', ...numeric, left, right, span };
  }, first);
}

/** Whether this `+` never puts texts together. */
export function addsNumbers({ operator, numeric, left, right }: BinaryExpression): boolean {
  return operator === '+' && (numeric !== undefined || (givesNumber(left) && givesNumber(right)));
}

/** Whether it is a number or absent, by its form alone. */
export function givesNumber(expression: Expression): boolean {
  if (expression.kind === 'literal') return typeof expression.value !== 'string' && typeof expression.value !== 'boolean';
  return expression.kind === 'binary' && expression.operator === '+' ? addsNumbers(expression) : calculates(expression);
}
