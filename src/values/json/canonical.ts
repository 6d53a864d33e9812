// The one text of a JSON value, whatever order its keys came in: for comparing and hashing.

import { Double, ExactNumber } from '../exact-number.ts';
import type { Value } from '../value.ts';
import { writeJson } from './json.ts';

export function canonicalJson(value: Value): string {
  return writeJson(inOrder(value));
}

function inOrder(value: Value): Value {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, inOrder(each)]));
}

function isMap(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber) && !(value instanceof Double);
}
