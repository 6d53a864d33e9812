// Two equalities: by the declared types, which reads a text as what it is compared with, and by the values alone, as Clojure has it.

import type { Span } from '../source.ts';
import { givesNumber } from './numeric-expression.ts';
import type { BinaryExpression, CallExpression, Expression } from './pattern.ts';

/** Built-in functions: whether all values are the same, and of the same kind; or not. */
export const equalityFunctions = ['same', 'differ'] as const;

export type EqualityFunction = (typeof equalityFunctions)[number];

/** Which of them a call is, if any. */
export function equalityOf({ name, function: own }: CallExpression): EqualityFunction | undefined {
  return own === undefined ? equalityFunctions.find((each) => each === name.text) : undefined;
}

/** `same(a, b)`, `(= a b)`: an operator where both equalities agree, because stores know those. */
export function sameOf(name: EqualityFunction, values: readonly Expression[], span: Span): Expression {
  const [left, right, ...more] = values;
  const call: CallExpression = { kind: 'call', name: { text: name, span }, arguments: values, awaited: false, span };
  if (left === undefined || right === undefined || more.length > 0) return call;
  const operator = name === 'same' ? '==' : '!=';
  const plain: BinaryExpression = { kind: 'binary', operator, left, right, span };
  return comparesValues(plain) ? plain : call;
}

/** Whether this comparison by declared types is one by values too: nothing else reads as such a constant. */
export function comparesValues({ left, right }: Pick<BinaryExpression, 'left' | 'right'>): boolean {
  if (givesNumber(left) && givesNumber(right)) return true;
  return [left, right].some((each) => each.kind === 'literal' && isUnmistakable(each.value));
}

/** Numbers, dates and times begin with a digit or a sign, and a UUID has a dash behind eight digits. */
function isUnmistakable(value: unknown): boolean {
  if (typeof value !== 'string') return value === null || typeof value === 'boolean';
  return !/^[\s\d+.-]/.test(value) && value.charAt(8) !== '-';
}

/** As a store is asked, which compares by declared types. */
export function byDeclaredTypes(expression: Expression): Expression {
  if (expression.kind === 'unary') return { ...expression, operand: byDeclaredTypes(expression.operand) };
  if (expression.kind === 'binary' && (expression.operator === 'and' || expression.operator === 'or'))
    return { ...expression, left: byDeclaredTypes(expression.left), right: byDeclaredTypes(expression.right) };
  const equality = expression.kind === 'call' ? equalityOf(expression) : undefined;
  const [left, right, ...more] = expression.kind === 'call' ? expression.arguments : [];
  if (equality === undefined || left === undefined || right === undefined || more.length > 0) return expression;
  return { kind: 'binary', operator: equality === 'same' ? '==' : '!=', left, right, span: expression.span };
}
