// Values on their way into Clojure functions and back: instances are maps with keywords as keys, names are keywords.

import { isKeywordName } from '../../engine/eval/value-text.ts';
import { isNumeric } from '../../values/arithmetic.ts';
import { JsonObject, objectOf } from '../../values/json/json.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value } from '../../values/value.ts';
import { deepestLevel, mostParts, noValue } from '../javascript/values.ts';
import type { Core } from './interpreter.ts';
import { Decimal, isNumberObject, numericOf } from './number-types.ts';

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

/** What a function gave, as a value of the service; at most so many parts of it, because a sequence may have no end. */
export function fromClojure(value: unknown, core: Core): Value {
  return convert(value, { core, left: mostParts, depth: 0 });
}

interface Conversion {
  readonly core: Core;
  left: number;
  depth: number;
}

function convert(value: unknown, conversion: Conversion): Value {
  conversion.left -= 1;
  if (conversion.left < 0) throw noValue(`What the function gives has more than ${mostParts} parts.`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : convertObject(value, conversion);
    default:
      throw noValue(`A ${typeof value} is no value.`);
  }
}

function convertObject(value: object, conversion: Conversion): Value {
  const { core } = conversion;
  if (value instanceof Decimal) return value.plain ?? value.exact;
  if (isNumberObject(value)) return numericOf(value);
  if (core.isKeyword(value) === true || core.isSymbol(value) === true) return nameOf(value, core);
  if (core.isUuid(value) === true) return String(core.str(value));
  if (value instanceof Date) return value.toISOString();
  conversion.depth += 1;
  if (conversion.depth > deepestLevel) throw noValue(`What the function gives is deeper than ${deepestLevel} levels.`);
  const found = convertParts(value, conversion);
  conversion.depth -= 1;
  return found;
}

function convertParts(value: object, conversion: Conversion): Value {
  const { core } = conversion;
  if (Array.isArray(value)) return value.map((each) => convert(each, conversion));
  if (core.isMap(value) === true) {
    const pairs = [...elements(value, core)];
    return objectOf(pairs.map((each) => [keyText(core.key(each), core), convert(core.val(each), conversion)]));
  }
  if (core.isCollection(value) === true) {
    const items: Value[] = [];
    for (const each of elements(value, core)) items.push(convert(each, conversion));
    return items;
  }
  if (Object.getPrototypeOf(value) === Object.prototype) {
    const fields: Record<string, Value> = new JsonObject();
    for (const [name, each] of Object.entries(value)) fields[name] = convert(each, conversion);
    return fields;
  }
  throw noValue('What the function gives is no value.');
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
