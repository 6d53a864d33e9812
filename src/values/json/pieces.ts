// Values → JSON text in pieces, for those that are so large that writing them takes a while.

import { Double, ExactNumber } from '../exact-number.ts';
import { entriesOf } from '../key-order.ts';
import type { Value } from '../value.ts';
import { writeJson } from './json.ts';

/** Characters of a piece, about. */
const pieceSize = 65_536;

export function isLarge(value: Value): boolean {
  return sizeOf(value, pieceSize) > pieceSize;
}

/** The same text as `writeJson(convert(value))`, where `convert` changes nothing but numbers. */
export function* jsonPieces(value: Value, convert: (value: Value) => Value): Generator<string, void> {
  let text = '';
  for (const part of partsOf(value, convert)) {
    text += part;
    if (text.length < pieceSize) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function* partsOf(value: Value, convert: (value: Value) => Value): Generator<string, void> {
  if (!isLarge(value)) yield writeJson(convert(value));
  else if (typeof value === 'string') yield* partsOfText(value);
  else if (isList(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* partsOf(item, convert);
    }
    yield ']';
  } else if (isMembers(value)) {
    let isFirst = true;
    for (const [name, member] of entriesOf(value)) {
      if (member === undefined) continue;
      yield `${isFirst ? '{' : ','}${JSON.stringify(name)}:`;
      isFirst = false;
      yield* partsOf(member, convert);
    }
    yield isFirst ? '{}' : '}';
  } else yield writeJson(convert(value));
}

/** No character is cut in two. */
function* partsOfText(text: string): Generator<string, void> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const end = from + pieceSize;
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Characters that it takes, about, or more than `most`. */
function sizeOf(value: Value, most: number): number {
  if (typeof value === 'string') return value.length;
  let size = 0;
  if (isList(value)) {
    for (const item of value) {
      size += 1 + sizeOf(item, most - size);
      if (size > most) break;
    }
    return size;
  }
  if (!isMembers(value)) return 8;
  for (const name in value) {
    size += name.length + sizeOf(value[name] ?? null, most - size);
    if (size > most) break;
  }
  return size;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function isMembers(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof ExactNumber) && !(value instanceof Double);
}
