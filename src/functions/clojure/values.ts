// Values on their way into Clojure functions and back: instances are maps with keywords as keys, names are keywords.

import { isKeywordName } from '../../engine/eval/value-text.ts';
import { isNumeric } from '../../values/arithmetic.ts';
import { objectOf } from '../../values/json/json.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value } from '../../values/value.ts';
import { noValue, Result, type ResultReader } from '../values.ts';
import type { Core } from './interpreter.ts';
import { Decimal, isNumberObject, numericOf } from './numbers/number-types.ts';

export function toClojure(value: Value, core: Core): unknown {
  if (isNumeric(value)) return core.number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return core.vector(value.map((each: Value) => toClojure(each, core)));
  return core.map(entriesOf(value).flatMap(([name, each]) => [keyOf(name, core), toClojure(each, core)]));
}

/** A name with spaces is no keyword, nor is one that could not be read again. */
function keyOf(name: string, core: Core): unknown {
  return isKeywordName(name) ? core.keyword(name) : name;
}

export function fromClojure(given: unknown, core: Core): Value {
  return new Result(readerOf(core)).value(given);
}

function readerOf(core: Core): ResultReader {
  return {
    bigint: (value) => value,
    other(value) {
      if (value === undefined) return null;
      throw noValue(`A ${typeof value} is no value.`);
    },
    single: (value) => single(value, core),
    parts: (value, result) => parts(value, result, core),
  };
}

function single(value: object, core: Core): Value | undefined {
  if (value instanceof Decimal) return value.plain ?? value.exact;
  if (isNumberObject(value)) return numericOf(value);
  if (core.isKeyword(value) === true || core.isSymbol(value) === true) return nameOf(value, core);
  if (core.isUuid(value) === true) return String(core.str(value));
  return value instanceof Date ? value.toISOString() : undefined;
}

function parts(value: object, result: Result, core: Core): Value {
  if (Array.isArray(value)) return value.map((each) => result.value(each));
  if (core.isMap(value) === true) {
    const pairs = [...elements(value, core)];
    return objectOf(pairs.map((each) => [keyText(core.key(each), core), result.value(core.val(each))]));
  }
  if (core.isCollection(value) === true) {
    const items: Value[] = [];
    for (const each of elements(value, core)) items.push(result.value(each));
    return items;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) throw noValue('What the function gives is no value.');
  return objectOf(Object.entries(value).map(([name, each]) => [name, result.value(each)]));
}

function* elements(collection: object, core: Core): Iterable<unknown> {
  for (let rest = core.seq(collection); rest !== null && rest !== undefined; rest = core.next(rest)) yield core.first(rest);
}

function keyText(key: unknown, core: Core): string {
  return core.isKeyword(key) === true || core.isSymbol(key) === true ? nameOf(key, core) : String(core.str(key));
}

/** `:a/b` is `a/b`. */
function nameOf(name: unknown, core: Core): string {
  const space = core.namespace(name);
  return typeof space === 'string' ? `${space}/${String(core.name(name))}` : String(core.name(name));
}
