// Values on their way into JavaScript functions and back: they get copies, which they cannot spoil; of what they give, data is kept.

import { error, type PlatformError } from '../../errors.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { narrow, tooManyDigits } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { objectOf } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

/** What a function gives has at most so many parts, and levels: it may have no end. */
export const mostParts = 1_000_000;
export const deepestLevel = 200;

/** A copy that the function may change as it likes; decimals are texts, as in answers. */
export function toJavaScript(value: Value): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof Double) return value.value;
  if (Array.isArray(value)) return value.map(toJavaScript);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) put(copy, name, toJavaScript(value[name] ?? null));
  return copy;
}

/** A key like any other, also where plain objects have a setter of that name. */
function put(copy: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
  else copy[name] = value;
}

/** What a function gave, as a value of the service: as JSON would have it, but that nothing is lost which has another form as data. */
export function fromJavaScript(result: unknown): Value {
  return convert(result, { left: mostParts, depth: 0 });
}

/** What a function gives that cannot be told in data: whoever calls it hears why. */
export function noValue(detail: string): PlatformError {
  return error('dataflow-failed', { detail });
}

interface Conversion {
  left: number;
  depth: number;
}

function convert(value: unknown, conversion: Conversion): Value {
  conversion.left -= 1;
  if (conversion.left < 0) throw noValue(`What the function gives has more than ${mostParts} parts.`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return tooManyDigits(value) ? null : narrow(value);
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'object':
      return value === null ? null : convertObject(value, conversion);
    default:
      return null;
  }
}

function convertObject(value: object, conversion: Conversion): Value {
  if (value instanceof ExactNumber || value instanceof Double) return value;
  conversion.depth += 1;
  if (conversion.depth > deepestLevel) throw noValue(`What the function gives is deeper than ${deepestLevel} levels.`);
  const found = convertParts(value, conversion);
  conversion.depth -= 1;
  return found;
}

function convertParts(value: object, conversion: Conversion): Value {
  if (Array.isArray(value)) return listOf(value, value.length, conversion);
  if (value instanceof Set) return listOf(value, value.size, conversion);
  if (value instanceof Map) return fieldsOf([...value], conversion);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return convert(value.valueOf(), conversion);
  if (value instanceof Promise) throw noValue('A promise inside of what a function gives is not waited for.');
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) throw noValue('Bytes are no value; give a text or a list.');
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), conversion);
  return fieldsOf(Object.entries(value), conversion);
}

function listOf(items: Iterable<unknown>, length: number, conversion: Conversion): Value {
  // A list can be long without having anything in it.
  if (length > conversion.left) conversion.left = 0;
  return Array.from(items, (each) => convert(each, conversion));
}

function fieldsOf(entries: readonly (readonly [unknown, unknown])[], conversion: Conversion): Value {
  return objectOf(entries.filter(([, value]) => isData(value)).map(([name, value]) => [nameOf(name), convert(value, conversion)]));
}

function nameOf(key: unknown): string {
  if (typeof key === 'object' || typeof key === 'function' || typeof key === 'symbol')
    throw noValue('The keys of a Map become names; these are none.');
  return String(key);
}

function isData(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
