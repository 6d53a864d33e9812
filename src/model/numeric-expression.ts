// Sums: where `+` adds numbers, and where it puts texts together.

import type { Span } from '../source.ts';
import { numberFunctions } from './number-functions.ts';
import type { BinaryExpression, Expression } from './pattern.ts';

/** An expression whose result is wanted as a number: in it `+` adds, also what is given as a text. */
export function asNumber(expression: Expression): Expression {
  switch (expression.kind) {
    case 'binary':
      if (!isArithmetic(expression)) return expression;
      return {
        ...expression,
        ...(expression.operator === '+' ? { numeric: 'target' } : {}),
        left: asNumber(expression.left),
        right: asNumber(expression.right),
      };
    case 'unary':
      return expression.operator === '-' ? { ...expression, operand: asNumber(expression.operand) } : expression;
    case 'call':
      return isNumberFunction(expression) ? { ...expression, arguments: expression.arguments.map(asNumber) } : expression;
    default:
      return expression;
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
function givesNumber(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value !== 'string' && typeof expression.value !== 'boolean';
    case 'unary':
      return expression.operator === '-';
    case 'binary':
      return expression.operator === '+' ? addsNumbers(expression) : isArithmetic(expression);
    default:
      return isNumberFunction(expression);
  }
}

function isArithmetic({ operator }: BinaryExpression): boolean {
  return operator === '+' || operator === '-' || operator === '*' || operator === '/';
}

function isNumberFunction(expression: Expression): boolean {
  return (
    expression.kind === 'call' &&
    expression.function === undefined &&
    expression.aggregate === undefined &&
    numberFunctions.has(expression.name.text)
  );
}
