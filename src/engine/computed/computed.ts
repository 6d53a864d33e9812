// Attributes with `@expr`, computed from their siblings on every write.

import { type Fault, invalid } from '../../errors.ts';
import { referencesIn, siblingOf } from '../../model/references.ts';
import { computedOrder } from '../../plan/computed/order.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import { kindAmong } from '../eval/declared.ts';
import { evaluate, type Scope } from '../eval/eval.ts';
import { computedFor } from '../eval/number-functions.ts';
import { fitted, operandOf } from '../eval/operands.ts';
import type { Context } from '../operation.ts';

/** What expressions may ask for. */
type Computing = Pick<Context, 'plan' | 'clock' | 'functions' | 'outside' | 'running'>;

/** Fills `values` (by attribute, in the plan's order). `prefix` stands in errors before the names of the attributes. */
export function compute(plan: RowPlan, values: Value[], context: Context, prefix = ''): void {
  const siblings = new Map<string, Value>(plan.attributes.map((each, index) => [each.name, operandOf(each, values[index] ?? null)]));
  const faults: Fault[] = [];
  const kindAt = (path: readonly string[]) => kindAmong(plan.attribute, path, context.plan);
  computeEach(plan.computed, siblings, prefix, faults, kindAt, context, (each, value) => {
    values[plan.attributes.indexOf(each)] = value;
  });
  if (faults.length > 0) throw invalid(faults);
}

/** The same of what is no row: an event, a record, an instance that came with an event. Nothing is related to it, so that stays absent. */
export function computeFields(
  attributes: readonly AttributePlan[],
  fields: Record<string, Value>,
  path: string,
  faults: Fault[],
  context: Computing,
): void {
  const { computed, late } = computedOrder(attributes);
  for (const { name } of late) fields[name] = null;
  // What was not accepted is told; computing with it would only tell more of the same.
  if (computed.length === 0 || faults.length > 0) return;
  const siblings = new Map<string, Value>(attributes.map((each) => [each.name, operandOf(each, fields[each.name] ?? null)]));
  const byName = new Map(attributes.map((each) => [each.name, each]));
  const kindAt = (names: readonly string[]) => kindAmong(byName, names, context.plan);
  computeEach(computed, siblings, path === '' ? '' : `${path}.`, faults, kindAt, context, ({ name }, value) => {
    fields[name] = value;
  });
}

function computeEach(
  computed: readonly AttributePlan[],
  siblings: Map<string, Value>,
  prefix: string,
  faults: Fault[],
  kindAt: NonNullable<Scope['kindAt']>,
  context: Computing,
  set: (attribute: AttributePlan, value: Value) => void,
): void {
  const { clock, functions, outside, running } = context;
  const scope: Scope = { clock, functions, outside, lookup: (path) => siblingValue(siblings, path), kindAt, budget: running?.budget };
  for (const each of computed) {
    const { expression } = each.attribute;
    if (expression === undefined) continue;
    const result = fitted(
      each,
      computedFor(each.name, () => evaluate(expression, scope)),
    );
    const value = result === null ? nothingComputed(each, siblings, prefix, faults) : each.parse(result, `${prefix}${each.name}`, faults);
    siblings.set(each.name, operandOf(each, value));
    set(each, value);
  }
}

/** What is computed from something absent is absent: where it must not be, what it lacks is named. */
function nothingComputed({ attribute, name }: AttributePlan, siblings: ReadonlyMap<string, Value>, prefix: string, faults: Fault[]): null {
  if (attribute.optional) return null;
  const used = attribute.expression === undefined ? [] : referencesIn(attribute.expression).flatMap((each) => siblingOf(each) ?? []);
  const absent = [...new Set(used)].filter((each) => siblings.has(each) && siblings.get(each) === null);
  const reason = absent.length === 0 ? '' : `: ${absent.join(', ')} ${absent.length === 1 ? 'is' : 'are'} absent`;
  faults.push(fault(`${prefix}${name}`, 'required', `is required, and nothing comes out of what it is computed from${reason}`));
  return null;
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
