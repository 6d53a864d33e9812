// Transit text → values: `application/transit+json` in all its forms, within the limits of JSON, as the values JSON has.

import { error, type Fault, invalid, type PlatformError } from '../../../errors.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import { JsonObject, parseJson } from '../../../values/json/json.ts';
import type { JsonLimits } from '../../../values/json/reader.ts';
import { entriesOf, keepOrder } from '../../../values/key-order.ts';
import type { Value } from '../../../values/value.ts';
import { Tag, type TransitCache, transitCache } from './cache.ts';
import { groundValue, numericLetters, unfitGround, uuidOfHalves } from './scalars.ts';

/**
 * Keywords and symbols are their names, UUIDs, URIs and decimals their texts, dates ISO 8601 in UTC, sets and lists arrays.
 * What has no such form is refused.
 */
export function parseTransit(text: string, limits: JsonLimits): Value {
  // A map may come as an array of its keys and values.
  const node = parseJson(text, { ...limits, items: 2 * Math.max(limits.keys, limits.items) + 1 });
  const reader: Reader = { limits, cache: transitCache(text, limits.bytes), faults: [], path: [] };
  const value = read(reader, node);
  if (reader.faults.length > 0) throw invalid(reader.faults);
  return value;
}

interface Reader {
  readonly limits: JsonLimits;
  readonly cache: TransitCache;
  /** What is no value of any attribute; the rest is read all the same, so that all of it is told at once. */
  readonly faults: Fault[];
  /** Where reading stands: keys and indexes. */
  readonly path: (string | number)[];
}

const mapMark = '^ ';

function read(reader: Reader, node: Value): Value {
  if (typeof node === 'string') return untagged(reader, readText(reader, node, false));
  if (typeof node !== 'object' || node === null || node instanceof ExactNumber) return node;
  if (!isList(node)) return readObject(reader, node);
  return node[0] === mapMark ? readPairs(reader, node, 1, true) : readArray(reader, node);
}

function readArray(reader: Reader, items: readonly Value[]): Value {
  const [first, second] = items;
  if (items.length !== 2 || typeof first !== 'string' || second === undefined) return readItems(reader, items);
  const head = within(reader, 0, () => readText(reader, first, false));
  if (head instanceof Tag) return readTagged(reader, head.name, second);
  const next = within(reader, 1, () => read(reader, second));
  return checkedItems(reader, [head, next]);
}

function readItems(reader: Reader, items: readonly Value[]): readonly Value[] {
  return checkedItems(reader, items).map((item, index) => within(reader, index, () => read(reader, item)));
}

function checkedItems(reader: Reader, items: readonly Value[]): readonly Value[] {
  if (items.length > reader.limits.items) throw error('limit-exceeded', { detail: `Too many items in one array${whereOf(reader)}.` });
  return items;
}

/** The verbose form. Its keys are never shortened. */
function readObject(reader: Reader, object: Readonly<Record<string, Value>>): Value {
  const entries = entriesOf(object);
  const [only] = entries;
  if (entries.length === 1 && only?.[0].startsWith('~#')) return readTagged(reader, only[0].slice(2), only[1]);
  const result = new JsonObject();
  const names = entries.map(([key, node]) => {
    if (key.startsWith('^')) throw unreadable(reader, 'A cache code stands in an object');
    return put(reader, result, readPlain(reader, key), node);
  });
  keepOrder(result, names);
  return result;
}

/** Keys and values in turn. */
function readPairs(reader: Reader, items: readonly Value[], start: number, cachesKeys: boolean): Value {
  const count = (items.length - start) / 2;
  if (!Number.isInteger(count)) throw unreadable(reader, 'A map has a key without a value');
  if (count > reader.limits.keys) throw error('limit-exceeded', { detail: `Too many keys in one map${whereOf(reader)}.` });
  const result = new JsonObject();
  const names: string[] = [];
  for (let at = start; at < items.length; at += 2) {
    const key = items[at] ?? null;
    const name = typeof key === 'string' ? untagged(reader, readText(reader, key, cachesKeys)) : read(reader, key);
    names.push(put(reader, result, name, items[at + 1] ?? null));
  }
  keepOrder(result, names);
  return result;
}

function put(reader: Reader, object: JsonObject, key: Value, node: Value): string {
  if (typeof key !== 'string') throw unreadable(reader, 'A key of a map is neither a keyword nor a text');
  if (Object.hasOwn(object, key)) throw unreadable(reader, 'A key stands twice in its map');
  object[key] = within(reader, key, () => read(reader, node));
  return key;
}

function readTagged(reader: Reader, tag: string, node: Value): Value {
  switch (tag) {
    case "'":
      return read(reader, node);
    case 'set':
    case 'list':
      return readItems(reader, listOf(reader, node));
    case 'cmap':
      return readPairs(reader, listOf(reader, node), 0, false);
    default:
      return tag.length === 1 ? readTaggedGround(reader, tag, read(reader, node)) : unknownTag(reader);
  }
}

function readTaggedGround(reader: Reader, letter: string, value: Value): Value {
  if (typeof value === 'string') return ground(reader, letter, value);
  if (value instanceof ExactNumber) return numericLetters.includes(letter) ? ground(reader, letter, value.text) : unknownTag(reader);
  if (typeof value === 'number' || typeof value === 'bigint')
    return numericLetters.includes(letter) ? ground(reader, letter, String(value)) : unknownTag(reader);
  if (typeof value === 'boolean' && letter === '?') return value;
  if (value === null && letter === '_') return value;
  const halves = letter === 'u' && isList(value) ? value.map(integerOf) : [];
  const [high, low] = halves;
  return halves.length === 2 && high !== undefined && low !== undefined ? uuidOfHalves(high, low) : unknownTag(reader);
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === 'bigint' && BigInt.asIntN(65, value) === value ? value : undefined;
}

function readText(reader: Reader, text: string, isKey: boolean): Value | Tag {
  if (text.startsWith('^')) {
    const known = reader.cache.recall(text);
    if (known === undefined) throw unreadable(reader, 'A cache code stands for nothing');
    return known;
  }
  const value = text.startsWith('~#') ? new Tag(text.slice(2)) : readPlain(reader, text);
  reader.cache.keep(text, value, isKey);
  return value;
}

function readPlain(reader: Reader, text: string): Value {
  if (text.length < 2 || !text.startsWith('~')) return text;
  const letter = text.charAt(1);
  return '~^`'.includes(letter) ? text.slice(1) : ground(reader, letter, text.slice(2));
}

function ground(reader: Reader, letter: string, text: string): Value {
  const unfit = unfitGround(letter, text);
  if (unfit !== undefined) {
    reader.faults.push({ attribute: pathOf(reader), code: 'value', message: unfit });
    return null;
  }
  const value = groundValue(letter, text);
  if (value === undefined) throw unreadable(reader, 'A transit value is malformed or of an unknown kind');
  return value;
}

function untagged(reader: Reader, value: Value | Tag): Value {
  if (value instanceof Tag) throw unreadable(reader, 'A tag has no value of its own');
  return value;
}

function listOf(reader: Reader, node: Value): readonly Value[] {
  if (!isList(node) || node[0] === mapMark) throw unreadable(reader, 'A tagged value is not an array');
  return node;
}

function unknownTag(reader: Reader): never {
  throw unreadable(reader, 'A tagged value is malformed or of an unknown kind');
}

function within<T>(reader: Reader, step: string | number, inside: () => T): T {
  reader.path.push(step);
  const result = inside();
  reader.path.pop();
  return result;
}

function unreadable(reader: Reader, what: string): PlatformError {
  return error('body-unreadable', { detail: `${what}${whereOf(reader)}.` });
}

function whereOf(reader: Reader): string {
  return reader.path.length === 0 ? '' : ` at ${pathOf(reader)}`;
}

/** `PostComment[0].content`. */
function pathOf({ path }: Reader): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
