// Expressions that are plain data: what stands in @meta, @default and the fields of agents.

import type { Expression, Literal } from '../pattern.ts';
import type { Value, Values } from '../types/attribute-type.ts';
import { isMap } from '../types/json.ts';

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
  return value !== undefined && isMap(value) ? value : undefined;
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
  return expression.kind === 'literal' && typeof expression.value === 'number' ? expression.raw.replace(/[MN]$/, '') : undefined;
}

function negative(value: Value | undefined): Value | undefined {
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
  return Object.fromEntries(values);
}
