// Evaluates an expression over values. What has no value (an absent operand) gives null, never an exception.

import { type Clock, localTime } from '../../clock.ts';
import { error, unreachable } from '../../errors.ts';
import type { FunctionReference } from '../../model/model.ts';
import { numberFunctions } from '../../model/number-functions.ts';
import {
  type BinaryExpression,
  type BinaryOperator,
  type CallExpression,
  type CodeExpression,
  choosing,
  type Expression,
  type UnaryOperator,
} from '../../model/pattern.ts';
import type { Awaitable } from '../../store/store.ts';
import { type ArithmeticOperator, calculate, isNumeric, negated, plainNumber } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { objectOf, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { Context } from '../operation.ts';
import { areSame, type Declarations, holds, type Sides } from './comparison.ts';
import { callDate } from './date-functions.ts';
import { atOnce, callContext, type Functions } from './functions.ts';
import { asNumber, callNumber } from './number-functions.ts';
import { outside } from './operands.ts';
import { joined, textOfAll } from './value-text.ts';

export interface Scope extends Declarations {
  readonly clock: Clock;
  readonly functions: Functions;
  /** For whom functions are called; absent where a value is the same for everybody. */
  readonly context?: Pick<Context, 'caller' | 'request'> | undefined;
  readonly outside: Context['outside'];
  lookup(path: readonly string[]): Value;
  /** An instance as functions see it that calculate with its decimals; absent where there are no instances. */
  shown?(value: Value): Value;
  /** Of the event around, which looks at the time when a function was called: that may have taken long. */
  readonly budget?: { checkedAtStep: number } | undefined;
}

export function evaluate(expression: Expression, scope: Scope): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'list':
      return expression.items.map((item) => evaluate(item, scope));
    case 'map':
      return objectOf(expression.entries.map(({ key, value }) => [String(key.value), evaluate(value, scope)]));
    case 'reference':
      return scope.lookup(expression.path);
    case 'call':
      return call(expression, scope);
    case 'unary':
      return unary(expression.operator, evaluate(expression.operand, scope));
    case 'binary': {
      const first = evaluate(expression.left, scope);
      return (
        decided(expression.operator, first) ?? binary(expression.operator, first, evaluate(expression.right, scope), expression, scope)
      );
    }
    case 'quote':
      return quoted(expression.value, (inner) => evaluate(inner, scope));
    case 'unquote':
      return evaluate(expression.value, scope);
    case 'code':
      return codeValue(expression, scope);
    case 'pattern':
      // Workflows wait for them; the model refuses them in computed attributes.
      return null;
    default:
      return unreachable(expression);
  }
}

function call(expression: CallExpression, scope: Scope): Value {
  const [only] = expression.arguments;
  // What is looked up of such a path is its sum, its number or the like already: the store has put it together.
  if (expression.aggregate !== undefined && only !== undefined) return evaluate(only, scope);
  const choice = choosing(expression);
  if (choice !== undefined) return chosen(choice, expression.arguments, (each) => evaluate(each, scope));
  const values = expression.arguments.map((each) => evaluate(each, scope));
  const written =
    expression.function?.language === 'clojure' ? `(await (${expression.name.text} ...))` : `await ${expression.name.text}(...)`;
  return atOnce(callWith(expression, values, scope), laterThan(expression.name.text, written));
}

function chosen(choice: 'either' | 'all', given: readonly Expression[], compute: (each: Expression) => Value): Value {
  let last: Value = noneOf(choice);
  for (const each of given) {
    last = compute(each);
    if (decides(choice, last)) break;
  }
  return last;
}

/** The value of a choice from nothing. */
export function noneOf(choice: 'either' | 'all'): Value {
  return choice === 'all' ? true : null;
}

/** Whether no other value is looked at behind this one. */
export function decides(choice: 'either' | 'all', value: Value): boolean {
  return isTrue(value) === (choice === 'either');
}

function codeValue({ function: compiled, run, text }: CodeExpression, scope: Scope): Value {
  if (compiled === undefined) throw error('not-available', { detail: 'This code has no value in this version.' });
  const inputs = (run?.inputs ?? []).map((each) => shownTo(scope, scope.lookup(each.path)));
  return atOnce(callFunction(compiled, inputs, scope), laterThan(text, '(await (f ...))'));
}

function laterThan(name: string, written: string): string {
  return `${name} gives its result later; write \`${written}\``;
}

function shownTo(scope: Scope, value: Value): Value {
  return scope.shown === undefined ? value : scope.shown(value);
}

/** What a function gives back; of one that is to be waited for, a promise. */
export function callWith({ name, function: imported }: CallExpression, values: readonly Value[], scope: Scope): Awaitable<Value> {
  if (imported?.language === 'clojure')
    return callFunction(
      imported,
      values.map((each) => shownTo(scope, each)),
      scope,
    );
  if (imported !== undefined) return callFunction(imported, values, scope);
  switch (name.text) {
    case 'now':
      return scope.clock.now().toISOString();
    case 'localNow':
      return localTime(scope.clock.now());
    case 'str':
      return textOfAll(values);
    case 'same':
      return areSame(values);
    case 'differ':
      return !areSame(values);
    case 'uuid':
      return scope.clock.uuid();
    case 'JSON.stringify':
      return jsonText(values[0] ?? null);
    case 'console.log':
      scope.functions.log(values.map((each) => (typeof each === 'string' ? each : jsonText(each))).join(' '));
      return null;
    default:
      return numberFunctions.has(name.text)
        ? callNumber(name.text, values)
        : callDate(name.text, values.map(plainValue), scope.clock.now());
  }
}

function jsonText(value: Value): string {
  return writeJson(outside(value));
}

/** Days, months and the like are counted. */
function plainValue(value: Value): Value {
  return value instanceof ExactNumber || value instanceof Double ? plainNumber(value) : value;
}

function callFunction(
  called: FunctionReference,
  values: readonly Value[],
  { functions, outside, budget, context }: Scope,
): Awaitable<Value> {
  if (budget !== undefined) budget.checkedAtStep = Number.NEGATIVE_INFINITY;
  return functions.call(called, values, outside, context === undefined ? undefined : callContext(context));
}

/** Data as it is written; only what is unquoted is looked at. */
export function quoted(expression: Expression, unquote: (inner: Expression) => Value): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'list':
      return expression.items.map((each) => quoted(each, unquote));
    case 'map':
      return objectOf(expression.entries.map(({ key, value }) => [String(key.value), quoted(value, unquote)]));
    case 'reference':
      return expression.path.join('.');
    case 'unquote':
      return unquote(expression.value);
    default:
      return null;
  }
}

/** Everything but false and nothing counts as true. */
export function isTrue(value: Value): boolean {
  return value !== false && value !== null;
}

export function unary(operator: UnaryOperator, operand: Value): Value {
  if (operator === 'not') return !isTrue(operand);
  const number = asNumber(operand);
  return isNumeric(number) ? negated(number) : null;
}

/** What the first operand alone decides. */
export function decided(operator: BinaryOperator, first: Value): Value | undefined {
  if (operator === 'and' && !isTrue(first)) return false;
  return operator === 'or' && isTrue(first) ? true : undefined;
}

export function binary(
  operator: BinaryOperator,
  first: Value,
  second: Value,
  sides?: (Sides & Pick<BinaryExpression, 'numeric'>) | undefined,
  declarations?: Declarations | undefined,
): Value {
  switch (operator) {
    case 'and':
      return isTrue(first) && isTrue(second);
    case 'or':
      return isTrue(first) || isTrue(second);
    case '+':
      return sides?.numeric === undefined ? sum(first, second) : arithmetic('+', first, second);
    case '-':
    case '*':
    case '/':
      return arithmetic(operator, first, second);
    default:
      return holds(operator, first, second, sides, declarations);
  }
}

function arithmetic(operator: ArithmeticOperator, first: Value, second: Value): Value {
  const [left, right] = [asNumber(first), asNumber(second)];
  return isNumeric(left) && isNumeric(right) ? calculate(operator, left, right) : null;
}

/** With a text it is one. */
function sum(first: Value, second: Value): Value {
  if (typeof first !== 'string' && typeof second !== 'string') return arithmetic('+', first, second);
  const [left, right] = [outside(first), outside(second)];
  return typeof left === 'object' || typeof right === 'object' ? null : joined([String(left), String(right)]);
}
