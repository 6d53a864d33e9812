// The text of values, as `str` gives it: nothing for what is absent, texts and numbers as they are, lists and maps in the notation of Clojure.

import { Double, ExactNumber } from '../exact-number.ts';
import { entriesOf } from '../model/key-order.ts';
import type { Value } from '../model/types/attribute-type.ts';

export function textOfAll(values: readonly Value[]): string {
  return values.map((each) => (each === null ? '' : typeof each === 'string' ? each : written(each))).join('');
}

/** Inside of a list or a map texts stand in quotes, and what is absent is `nil`. */
function written(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof Double) return String(value.value);
  if (Array.isArray(value)) return `[${value.map((each: Value) => written(each)).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${entriesOf(value)
    .map(([name, each]) => `${isKeywordName(name) ? `:${name}` : JSON.stringify(name)} ${written(each)}`)
    .join(', ')}}`;
}

/** A name that can be read again as a keyword. */
export function isKeywordName(name: string): boolean {
  return /^[^\s/]+(?:\/[^\s/]+)?$/.test(name);
}
