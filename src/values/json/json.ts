// JSON text → values and back, exact in every number and guarded against depth, width and repeated keys.

import { error } from '../../errors.ts';
import { Double, ExactNumber } from '../exact-number.ts';
import { entriesOf, hasOwnOrder, keepOrder, mayBeIndex } from '../key-order.ts';
import type { Value } from '../value.ts';
import { readNumber } from './number.ts';
import { type JsonLimits, type JsonReader, tooLarge, unexpected } from './reader.ts';

export function parseJson(text: string, limits: JsonLimits): Value {
  const reader: JsonReader = { text, limits, at: 0, special: -1 };
  const value = readValue(reader, Math.min(limits.depth, deepest));
  skipSpace(reader);
  if (reader.at < text.length) throw unexpected(reader);
  return value;
}

/** An object that a store wrote: what is in it was within limits when it came in. */
export function parseStored(text: string): JsonObject {
  const value = parseJson(text, storedLimits);
  return value instanceof JsonObject ? value : new JsonObject();
}

const storedLimits: JsonLimits = { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

/** Like JSON.stringify, and exact for what JSON.stringify cannot write. */
export function writeJson(value: Value): string {
  return isPlain(value) ? JSON.stringify(value) : writeExact(value);
}

// Reading is recursive; whatever is configured, the stack holds this much.
const deepest = 1000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Inherits nothing: `constructor` and `__proto__` are keys like any other. Unlike Object.create(null) it keeps V8's fast shapes. */
export class JsonObject {
  [key: string]: Value;
}
Object.setPrototypeOf(JsonObject.prototype, null);
Reflect.deleteProperty(JsonObject.prototype, 'constructor');

/** An object whose keys stay in the order of the entries. */
export function objectOf(entries: Iterable<readonly [string, Value]>): JsonObject {
  const object = new JsonObject();
  const names: string[] = [];
  let isOrdered = true;
  for (const [name, value] of entries) {
    object[name] = value;
    names.push(name);
    isOrdered &&= !mayBeIndex(name);
  }
  if (!isOrdered) keepOrder(object, names);
  return object;
}

function readValue(reader: JsonReader, depth: number): Value {
  skipSpace(reader);
  switch (reader.text.charCodeAt(reader.at)) {
    case quote:
      return readString(reader);
    case openBrace:
      return readObject(reader, depth - 1);
    case openBracket:
      return readArray(reader, depth - 1);
    case 0x74:
      return readWord(reader, 'true', true);
    case 0x66:
      return readWord(reader, 'false', false);
    case 0x6e:
      return readWord(reader, 'null', null);
    default:
      return readNumber(reader);
  }
}

function readObject(reader: JsonReader, depth: number): Value {
  if (depth < 0) throw tooLarge('Nested too deeply', reader);
  const object = new JsonObject();
  const { text } = reader;
  reader.at += 1;
  skipSpace(reader);
  if (text.charCodeAt(reader.at) === closeBrace) {
    reader.at += 1;
    return object;
  }
  let order: string[] | undefined;
  for (let count = 1; ; count += 1) {
    if (count > reader.limits.keys) throw tooLarge('Too many keys in one object', reader);
    const key = readMember(reader, object, depth);
    if (order !== undefined) order.push(key);
    else if (mayBeIndex(key)) order = [...Object.keys(object).filter((each) => each !== key), key];
    const next = text.charCodeAt(reader.at);
    if (next !== comma && next !== closeBrace) throw unexpected(reader);
    reader.at += 1;
    if (next === closeBrace) break;
    skipSpace(reader);
  }
  if (order !== undefined) keepOrder(object, order);
  return object;
}

function readMember(reader: JsonReader, object: JsonObject, depth: number): string {
  const start = reader.at;
  if (reader.text.charCodeAt(start) !== quote) throw unexpected(reader);
  const key = readString(reader);
  if (Object.hasOwn(object, key)) throw error('body-unreadable', { detail: `The key at offset ${start} stands twice in its object.` });
  skipSpace(reader);
  if (reader.text.charCodeAt(reader.at) !== colon) throw unexpected(reader);
  reader.at += 1;
  object[key] = readValue(reader, depth);
  skipSpace(reader);
  return key;
}

function readArray(reader: JsonReader, depth: number): Value {
  if (depth < 0) throw tooLarge('Nested too deeply', reader);
  const items: Value[] = [];
  const { text } = reader;
  reader.at += 1;
  skipSpace(reader);
  if (text.charCodeAt(reader.at) === closeBracket) {
    reader.at += 1;
    return items;
  }
  for (;;) {
    if (items.length >= reader.limits.items) throw tooLarge('Too many items in one array', reader);
    items.push(readValue(reader, depth));
    skipSpace(reader);
    const next = text.charCodeAt(reader.at);
    if (next !== comma && next !== closeBracket) throw unexpected(reader);
    reader.at += 1;
    if (next === closeBracket) return items;
  }
}

function readWord(reader: JsonReader, word: string, value: boolean | null): Value {
  if (!reader.text.startsWith(word, reader.at)) throw unexpected(reader);
  reader.at += word.length;
  return value;
}

/** The text between the quotes; reading stands on the first of them. */
function readString(reader: JsonReader): string {
  const { text } = reader;
  let start = reader.at + 1;
  let read = '';
  let end = -1;
  for (;;) {
    // Native searches instead of a loop over characters, each remembered until it is passed, so that reading stays linear.
    if (end < start) end = text.indexOf('"', start);
    if (end === -1) end = text.length;
    if (reader.special < start) reader.special = nextSpecial(text, start);
    if (end < reader.special) {
      reader.at = end + 1;
      return read === '' ? text.slice(start, end) : read + text.slice(start, end);
    }
    reader.at = reader.special;
    if (text.charCodeAt(reader.at) !== backslash) throw unexpected(reader);
    read += text.slice(start, reader.at) + readEscape(reader);
    start = reader.at;
  }
}

const special = /[\x00-\x1f\\]/g;

function nextSpecial(text: string, from: number): number {
  special.lastIndex = from;
  return special.test(text) ? special.lastIndex - 1 : text.length;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function readEscape(reader: JsonReader): string {
  reader.at += 1;
  const letter = reader.text.charAt(reader.at);
  if (letter === 'u') return readUnicodeEscape(reader);
  const plain = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
  if (plain === undefined) throw unexpected(reader);
  reader.at += 1;
  return plain;
}

/** A lone surrogate is kept as it is: the attribute types refuse it where it does not belong. */
function readUnicodeEscape(reader: JsonReader): string {
  let unit = 0;
  for (let count = 0; count < 4; count += 1) {
    reader.at += 1;
    const digit = hexDigit(reader.text.charCodeAt(reader.at));
    if (digit < 0) throw unexpected(reader);
    unit = unit * 16 + digit;
  }
  reader.at += 1;
  return String.fromCharCode(unit);
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function skipSpace(reader: JsonReader): void {
  const { text } = reader;
  for (let code = text.charCodeAt(reader.at); code <= 0x20; code = text.charCodeAt(reader.at)) {
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    reader.at += 1;
  }
}

/** Whether JSON.stringify writes it exactly: no bigint, no ExactNumber and no Double inside, and no keys in another order. */
function isPlain(value: Value): boolean {
  if (typeof value === 'bigint') return false;
  if (typeof value !== 'object' || value === null) return true;
  if (isList(value)) return value.every(isPlain);
  if (value instanceof ExactNumber || value instanceof Double) return false;
  for (const key in value) {
    if (mayBeIndex(key) && hasOwnOrder(value)) return false;
    const member = value[key];
    if (member !== undefined && !isPlain(member)) return false;
  }
  return true;
}

function writeExact(value: Value): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(writeExact).join(',')}]`;
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof Double) return JSON.stringify(value.value);
  const members: string[] = [];
  for (const [key, member] of entriesOf(value)) if (member !== undefined) members.push(`${JSON.stringify(key)}:${writeExact(member)}`);
  return `{${members.join(',')}}`;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
