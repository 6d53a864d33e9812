// The type of an expression, and what in it can never work.

import { unreachable } from '../../errors.ts';
import { equalityOf } from '../equality.ts';
import type { BinaryOperator, CallExpression, ComparisonOperator, Expression } from '../pattern.ts';
import { builtinCall, canBeNumber } from './builtin-functions.ts';
import { checkComparison, checkSame } from './checks.ts';
import { pathType, referenceType } from './members.ts';
import type { Scope, Typing } from './scope.ts';
import {
  attributeType,
  boolean,
  computedFrom,
  listOf,
  mismatch,
  nothing,
  number,
  orNull,
  presentIn,
  takenFrom,
  text,
  union,
  unknown,
  type ValueType,
} from './value-type.ts';

export function typeOf(expression: Expression, scope: Scope, typing: Typing): ValueType {
  const inside = (each: Expression): ValueType => typeOf(each, scope, typing);
  switch (expression.kind) {
    case 'literal':
      return expression.value === null ? nothing : { kind: 'literal', value: expression.value };
    case 'reference':
      return expression.related === undefined ? referenceType(expression, scope, typing) : relatedType(expression, typing);
    case 'list': {
      const items = expression.items.map(inside);
      return { kind: 'list', of: union(items), items };
    }
    case 'map':
      return {
        kind: 'map',
        fields: new Map(expression.entries.map(({ key, value }) => [String(key.value), inside(value)])),
        closed: false,
      };
    case 'call':
      return callType(expression, expression.arguments.map(inside), typing);
    case 'unary':
      return unaryType(expression, inside(expression.operand), typing);
    case 'binary':
      return binaryType(expression, inside(expression.left), inside(expression.right), typing);
    case 'pattern':
      return typing.pattern(expression.pattern, scope);
    case 'code':
      for (const each of expression.run?.inputs ?? []) inside(each);
      return unknown;
    case 'unquote':
      return inside(expression.value);
    case 'quote':
      return unknown;
    default:
      return unreachable(expression);
  }
}

function relatedType({ path, span, related }: Extract<Expression, { kind: 'reference' }>, typing: Typing): ValueType {
  const attribute = related?.attribute === undefined ? undefined : typing.attributes(related.entity).get(related.attribute);
  if (related === undefined || attribute === undefined) return unknown;
  const value = pathType(attributeType(attribute), related.inside, { kind: 'reference', path, span }, typing);
  return related.many ? listOf(value) : orNull(value);
}

function callType(call: CallExpression, types: readonly ValueType[], typing: Typing): ValueType {
  if (equalityOf(call) !== undefined) {
    checkSame(call.arguments, types, typing);
    return boolean;
  }
  if (call.aggregate === undefined) return call.function === undefined ? builtinCall(call, types, typing) : unknown;
  if (call.aggregate === 'count') return number;
  const [of = unknown] = types;
  const element = union(presentIn(of).map((each): ValueType => (each.kind === 'list' ? each.of : each)));
  return orNull(call.aggregate === 'sum' || call.aggregate === 'avg' ? computedFrom(types) : element);
}

function unaryType({ operator, operand }: Extract<Expression, { kind: 'unary' }>, type: ValueType, typing: Typing): ValueType {
  if (operator === 'not') return boolean;
  checkOperand(operand, type, typing);
  return orNull(takenFrom([type]));
}

/** What is no number is refused in a calculation, or makes its result an absent one, whatever the other operand is. */
function checkOperand(operand: Expression, type: ValueType, typing: Typing): void {
  const present = presentIn(type);
  if (present.length === 0 || present.some(canBeNumber)) return;
  typing.tell('value-unlikely', operand.span, `this must be a number${mismatch(type)}: the result is never one`);
}

const comparisons: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>(['==', '!=', '<', '<=', '>', '>=', 'in', 'like', 'between']);

function isComparison(operator: BinaryOperator): operator is ComparisonOperator {
  return comparisons.has(operator);
}

function binaryType(expression: Extract<Expression, { kind: 'binary' }>, left: ValueType, right: ValueType, typing: Typing): ValueType {
  const { operator } = expression;
  if (isComparison(operator)) {
    checkComparison(expression, left, right, typing);
    return boolean;
  }
  // In Clojure the value of one of them, else whether they hold.
  if (operator === 'and' || operator === 'or') return union([left, right, boolean, nothing]);
  if (operator === '+' && expression.numeric === undefined) return sumType(left, right);
  checkOperand(expression.left, left, typing);
  checkOperand(expression.right, right, typing);
  return orNull(computedFrom([left, right]));
}

/** Numbers are added; with a text it becomes one, or a number where a numeric attribute takes it. */
function sumType(left: ValueType, right: ValueType): ValueType {
  const both = [...presentIn(left), ...presentIn(right)];
  if (both.length > 0 && both.every((each) => isNumber(each))) return orNull(computedFrom([left, right]));
  return both.some((each) => each.kind === 'unknown' || each.kind === 'instance') ? unknown : union([text, number, nothing]);
}

function isNumber(atom: ReturnType<typeof presentIn>[number]): boolean {
  if (atom.kind === 'literal') return typeof atom.value !== 'string' && typeof atom.value !== 'boolean';
  if (atom.kind !== 'attribute') return atom.kind === 'number';
  const { type } = atom.attribute;
  return type.kind === 'plain' && ['integer', 'real', 'decimal'].includes(type.type.column);
}
