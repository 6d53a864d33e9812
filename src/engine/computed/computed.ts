// Attributes with `@expr`, computed from their siblings on every write.

import { type Fault, invalid } from '../../errors.ts';
import type { RowPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import { kindAmong } from '../eval/declared.ts';
import { evaluate, type Scope } from '../eval/eval.ts';
import { computedFor } from '../eval/number-functions.ts';
import { fitted, operandOf } from '../eval/operands.ts';
import type { Context } from '../operation.ts';

/** Fills `values` (by attribute, in the plan's order). */
export function compute(plan: RowPlan, values: Value[], context: Context): void {
  const siblings = new Map<string, Value>(plan.attributes.map((each, index) => [each.name, operandOf(each, values[index] ?? null)]));
  const scope: Scope = {
    clock: context.clock,
    functions: context.functions,
    lookup: (path) => siblingValue(siblings, path),
    kindAt: (path) => kindAmong(plan, path, context.plan),
    budget: context.running?.budget,
  };
  const faults: Fault[] = [];
  for (const each of plan.computed) {
    const { expression, optional } = each.attribute;
    if (expression === undefined) continue;
    const result = fitted(
      each,
      computedFor(each.name, () => evaluate(expression, scope)),
    );
    const value = result === null && optional ? null : each.parse(result, each.name, faults);
    siblings.set(each.name, operandOf(each, value));
    values[plan.attributes.indexOf(each)] = value;
  }
  if (faults.length > 0) throw invalid(faults);
}

export function siblingValue(siblings: ReadonlyMap<string, Value>, path: readonly string[]): Value {
  if (path[0] === 'this' && path.length === 1 && !siblings.has('this')) return Object.fromEntries(siblings);
  const [first = '', ...rest] = path[0] === 'this' ? path.slice(1) : path;
  return insideOf(siblings.get(first) ?? null, rest);
}

/** A part of a value, by the names that lead to it. */
export function insideOf(whole: Value, names: readonly string[]): Value {
  let value = whole;
  for (const name of names)
    value = (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, name) ? (Reflect.get(value, name) ?? null) : null;
  return value;
}
