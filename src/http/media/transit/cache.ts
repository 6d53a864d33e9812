// The codes (`^0`, `^1A`) by which transit text repeats keys, keywords and tags, kept from being an amplifier.

import { error } from '../../../errors.ts';
import type { Value } from '../../../values/value.ts';

/** `~#name`, which says what the value beside it is. */
export class Tag {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export interface TransitCache {
  /** The value of a code, `undefined` when it stands for nothing. */
  recall(code: string): Value | Tag | undefined;
  /** To be told of every text in the order of the body; keeps those that codes can stand for. */
  keep(text: string, value: Value | Tag, isKey: boolean): void;
}

/** `mostBytes` is what the whole text may have with its codes written out. */
export function transitCache(text: string, mostBytes = Number.POSITIVE_INFINITY): TransitCache {
  const entries: { readonly value: Value | Tag; readonly bytes: number }[] = [];
  let left = Math.min(text.length * mostExpansion + smallExpansion, mostBytes - Buffer.byteLength(text));
  return {
    recall(code) {
      const entry = entries[indexOf(code)];
      if (entry === undefined) return undefined;
      left -= entry.bytes;
      if (left < 0) throw error('limit-exceeded', { detail: 'The cache codes of the body stand for too much text.' });
      return entry.value;
    },
    keep(text, value, isKey) {
      if (text.length <= longestUncached || !(isKey || cachedForms.test(text))) return;
      // Whoever wrote the text began anew here too.
      if (entries.length === mostEntries) entries.length = 0;
      // The code itself is part of the text already.
      entries.push({ value, bytes: Math.max(0, Buffer.byteLength(text) - longestUncached) });
    },
  };
}

// A code takes five characters of text with its quotes and comma. Names are at most some 100 characters long, so that honest text
// grows by 20; without a bound, one long key and many codes would make gigabytes out of a megabyte.
const mostExpansion = 32;
const smallExpansion = 65_536;

const longestUncached = 3;
const cachedForms = /^~[:$#]/;

const base = 44;
const mostEntries = base * base;
const firstDigit = 0x30;

/** -1 for what is no code. */
function indexOf(code: string): number {
  if (code.length < 2 || code.length > 3) return -1;
  let index = 0;
  for (let at = 1; at < code.length; at += 1) {
    const digit = code.charCodeAt(at) - firstDigit;
    if (digit < 0 || digit >= base) return -1;
    index = index * base + digit;
  }
  return index;
}
