// Expressions that are plain data: what stands in @meta, @default and the fields of agents.

import { ExactNumber } from '../values/exact-number.ts';
import { objectOf } from '../values/json/json.ts';
import { decimalText } from '../values/json/number.ts';
import { entriesOf } from '../values/key-order.ts';
import type { Value, Values } from '../values/value.ts';
import type { Expression, Literal } from './pattern.ts';
import { isMap } from './types/json.ts';

/** The value that an expression of literals, lists and maps writes down, or `undefined` when there is more in it. */
export function literalValue(expression: Expression): Value | undefined {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'unary':
      return expression.operator === '-' ? negative(literalValue(expression.operand)) : undefined;
    case 'list':
      return listValue(expression.items);
    case 'map':
      return mapValue(expression.entries);
    default:
      return undefined;
  }
}

export function literalMap(expression: Expression | undefined): Values | undefined {
  const value = expression === undefined ? undefined : literalValue(expression);
  const plain = value === undefined ? undefined : rounded(value);
  return plain !== undefined && isMap(plain) ? plain : undefined;
}

export function literalText(expression: Expression | undefined): string | undefined {
  return expression?.kind === 'literal' && typeof expression.value === 'string' ? expression.value : undefined;
}

/** A name where a name is wanted, written bare (`blog.core/Post`, `m1`) or as a text. */
export function writtenName(expression: Expression | undefined): string | undefined {
  return expression?.kind === 'reference' ? expression.path.join('.') : literalText(expression);
}

/** A number as it is written, so that `1.50` keeps its digits: `undefined` for anything else. */
export function numberText(expression: Expression): string | undefined {
  if (expression.kind === 'unary' && expression.operator === '-') {
    const operand = numberText(expression.operand);
    return operand === undefined ? undefined : `-${operand}`;
  }
  // `1.50M` is how the earlier surface says that it is meant exactly.
  const isNumber = expression.kind === 'literal' && (typeof expression.value === 'number' || expression.value instanceof ExactNumber);
  return isNumber ? decimalText(expression.raw.replace(/[MN]$/, '')) : undefined;
}

/** The value as every type but Decimal keeps it: in doubles. */
export function rounded(value: Value): Value {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(rounded);
  return isMap(value) ? objectOf(entriesOf(value).map(([name, each]) => [name, rounded(each)])) : value;
}

function negative(value: Value | undefined): Value | undefined {
  if (value instanceof ExactNumber) return new ExactNumber(value.text.startsWith('-') ? value.text.slice(1) : `-${value.text}`);
  return typeof value === 'number' || typeof value === 'bigint' ? -value : undefined;
}

function listValue(items: readonly Expression[]): Value | undefined {
  const values: Value[] = [];
  for (const item of items) {
    const value = literalValue(item);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Also `undefined` when a key stands twice, or is one that changes what an object is. */
function mapValue(entries: readonly { readonly key: Literal; readonly value: Expression }[]): Values | undefined {
  const values = new Map<string, Value>();
  for (const { key, value } of entries) {
    const each = literalValue(value);
    const name = String(key.value);
    if (each === undefined || name === '__proto__' || values.has(name)) return undefined;
    values.set(name, each);
  }
  return objectOf(values);
}
