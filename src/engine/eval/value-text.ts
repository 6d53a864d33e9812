// The text of values, as `str` gives it: nothing for what is absent, texts and numbers as they are, lists and maps in the notation of Clojure.

import { error } from '../../errors.ts';
import { isNumeric, type Numeric } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value } from '../../values/value.ts';

/** In characters: a text that grows in a loop would take all memory in a few rounds. */
const longestText = 16_777_216;

export function textOfAll(values: readonly Value[]): string {
  return joined(
    values.map((each) => (each === null ? '' : typeof each === 'string' ? each : isNumeric(each) ? numberText(each) : written(each))),
  );
}

/** One text of several. */
export function joined(texts: readonly string[]): string {
  if (texts.reduce((sum, { length }) => sum + length, 0) > longestText)
    throw error('dataflow-limit', { detail: `A text would have more than ${longestText} characters.` });
  // Not copied until it is looked at: what is made anew in each round of a loop is mostly not.
  return texts.reduce((text, each) => text + each, '');
}

/** Inside of a list or a map texts stand in quotes, and what is absent is `nil`. */
function written(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return JSON.stringify(value);
  if (isNumeric(value)) return readableNumber(value);
  if (Array.isArray(value)) return `[${value.map((each: Value) => written(each)).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${entriesOf(value)
    .map(([name, each]) => `${isKeywordName(name) ? `:${name}` : JSON.stringify(name)} ${written(each)}`)
    .join(', ')}}`;
}

/** A number so that it is read again as what it is: a decimal ends in `M`, a whole number beyond 64 bits in `N`. */
export function readableNumber(value: Numeric): string {
  const isLarge = typeof value === 'bigint' && BigInt.asIntN(64, value) !== value;
  return `${numberText(value)}${value instanceof ExactNumber ? 'M' : isLarge ? 'N' : ''}`;
}

function numberText(value: Numeric): string {
  if (value instanceof ExactNumber) return value.text;
  return String(value instanceof Double ? value.value : value);
}

/** A name that can be read again as a keyword. */
export function isKeywordName(name: string): boolean {
  return /^[^\s/]+(?:\/[^\s/]+)?$/.test(name);
}
