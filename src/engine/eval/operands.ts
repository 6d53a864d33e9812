// Numbers on their way into expressions and out of them: by the declared types where there are some, through records and lists.

import { typeMember } from '../../model/subtypes.ts';
import type { AttributePlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { isNumeric, jsonNumber, toDouble, wholeNumber } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';

/** Values that say themselves what their attributes are: they are left as they are. */
type Typed = Pick<WeakSet<object>, 'has'>;

/** The value of an attribute, as expressions compute with it: decimals are numbers, and a `Float` is known to be one. */
export function operandOf(plan: AttributePlan, value: Value, typed?: Typed): Value {
  if (value === null || plan.numbers === undefined) return value;
  if (!plan.attribute.list) return singleOperand(plan, value, typed);
  return Array.isArray(value) ? mapped(value, (each) => singleOperand(plan, each, typed)) : value;
}

function singleOperand(plan: AttributePlan, value: Value, typed: Typed | undefined): Value {
  switch (plan.numbers) {
    case 'decimal':
      return typeof value === 'string' ? new ExactNumber(value) : value;
    case 'real':
      return isNumeric(value) && !(value instanceof Double) ? new Double(toDouble(value)) : value;
    case 'record':
      if (!isObject(value) || typed?.has(value) === true) return value;
      return withFields(value, plan, (each, inner) => operandOf(each, inner, typed));
    default:
      return value;
  }
}

/** What an expression gave, as the attribute takes it: what does not fit is left as it is, and refused by the attribute. */
export function fitted(plan: AttributePlan, value: Value): Value {
  if (value === null || typeof value === 'string' || plan.numbers === undefined) return value;
  if (!plan.attribute.list) return singleFitted(plan, value);
  return Array.isArray(value) ? mapped(value, (each) => singleFitted(plan, each)) : value;
}

function singleFitted(plan: AttributePlan, value: Value): Value {
  switch (plan.numbers) {
    case 'integer':
      return isNumeric(value) ? (wholeNumber(value) ?? value) : value;
    case 'decimal':
      return value instanceof Double ? value.value : value;
    case 'real':
      return isNumeric(value) && Number.isFinite(toDouble(value)) ? toDouble(value) : value;
    case 'json':
      return untyped(value);
    case 'record':
      return isObject(value) ? withFields(value, plan, fitted) : value;
    default:
      return value;
  }
}

/** A value without declared types, as `Any` and `Map` hold it. */
function untyped(value: Value): Value {
  return eachNumber(value, jsonNumber);
}

/** A value as answers and functions know it: decimals are texts. */
export function outside(value: Value): Value {
  return typeof value === 'object' && value !== null ? eachNumber(value, shown) : value;
}

function shown(value: number | bigint | ExactNumber | Double): Value {
  if (value instanceof Double) return value.value;
  return value instanceof ExactNumber ? value.text : value;
}

function eachNumber(value: Value, change: (number: number | bigint | ExactNumber | Double) => Value): Value {
  if (isNumeric(value)) return change(value);
  if (Array.isArray(value)) return mapped(value, (each) => eachNumber(each, change));
  if (!isObject(value)) return value;
  let copy: Record<string, Value> | undefined;
  for (const name of Object.keys(value)) {
    const before = value[name] ?? null;
    const after = eachNumber(before, change);
    if (after === before) continue;
    copy ??= { ...value };
    copy[name] = after;
  }
  return copy ?? value;
}

function mapped(items: readonly Value[], change: (item: Value) => Value): readonly Value[] {
  let copy: Value[] | undefined;
  for (const [index, before] of items.entries()) {
    const after = change(before);
    if (after === before) continue;
    copy ??= [...items];
    copy[index] = after;
  }
  return copy ?? items;
}

/** The attributes of a record, each changed: of its own type, or of the one that it names or is keyed by. */
function withFields(
  value: { readonly [name: string]: Value },
  { fieldsOf }: AttributePlan,
  change: (field: AttributePlan, value: Value) => Value,
): Value {
  const [key = '', ...others] = Object.keys(value);
  const inner = others.length === 0 && key.includes('/') ? value[key] : undefined;
  if (isObject(inner)) return { [key]: withEach(inner, fieldsOf?.(key) ?? [], change) };
  const named = value[typeMember];
  return withEach(value, fieldsOf?.(typeof named === 'string' ? named : undefined) ?? [], change);
}

function withEach(
  value: { readonly [name: string]: Value },
  fields: readonly AttributePlan[],
  change: (field: AttributePlan, value: Value) => Value,
): Value {
  let copy: Record<string, Value> | undefined;
  for (const each of fields) {
    const before = Object.hasOwn(value, each.name) ? value[each.name] : undefined;
    const after = before === undefined ? before : change(each, before);
    if (after === undefined || after === before) continue;
    copy ??= { ...value };
    copy[each.name] = after;
  }
  return copy ?? value;
}
