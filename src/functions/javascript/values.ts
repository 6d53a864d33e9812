// Values on their way into JavaScript functions and back: functions get copies, so that they cannot change ours; of their results only data is taken.

import { isObject } from '../../plan/rows/attribute.ts';
import { narrow, tooManyDigits } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { objectOf } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { noValue, Result, type ResultReader } from '../values.ts';

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

/** As JSON would have it, but that nothing is lost which has another form as data. */
export function fromJavaScript(given: unknown): Value {
  return new Result(reader).value(given);
}

const reader: ResultReader = {
  bigint: (value) => (tooManyDigits(value) ? null : narrow(value)),
  other: () => null,
  single: (value) => (value instanceof ExactNumber || value instanceof Double ? value : undefined),
  parts,
};

function parts(value: object, result: Result): Value {
  if (Array.isArray(value)) return listOf(value, value.length, result);
  if (value instanceof Set) return listOf(value, value.size, result);
  if (value instanceof Map) return fieldsOf([...value], result);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return result.value(value.valueOf());
  if (value instanceof Promise) throw noValue('A promise inside of what a function gives is not waited for.');
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) throw noValue('Bytes are no value; give a text or a list.');
  if ('toJSON' in value && typeof value.toJSON === 'function') return result.value(value.toJSON());
  return fieldsOf(Object.entries(value), result);
}

function listOf(items: Iterable<unknown>, length: number, result: Result): Value {
  // A list can be long without having anything in it.
  result.expect(length);
  return Array.from(items, (each) => result.value(each));
}

function fieldsOf(entries: readonly (readonly [unknown, unknown])[], result: Result): Value {
  return objectOf(entries.filter(([, value]) => isData(value)).map(([name, value]) => [nameOf(name), result.value(value)]));
}

function nameOf(key: unknown): string {
  if (typeof key === 'object' || typeof key === 'function' || typeof key === 'symbol')
    throw noValue('The keys of a Map become names; these are none.');
  return String(key);
}

function isData(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
