// `like` and `ilike` in the embedded store: GLOB for patterns that it matches in one go, a function of the service for all others.

import { wildcardsIn } from '../../values/like.ts';
import type { Value } from '../../values/value.ts';
import type { Parameter } from '../sql/dialect.ts';

/** Functions that every connection has on which statements with conditions run. */
export const likeFunction = '__like';
export const ilikeFunction = '__ilike';
/** A text that sorts as the decimal does that it was. */
export const decimalFunction = '__decimal';
export const timeFunction = '__in_time';
/** Of the bytes of a row that is large, whether a part of a list has room for it. */
export const partFunction = '__in_part';
/** The same of a row that another one includes. */
export const includedFunction = '__in_row';

/** So many characters and wildcards GLOB takes at most: it may begin anew at every character of a text. */
const longestGlob = 32;
const mostWildcards = 4;
/** Longer texts, in bytes, take so long that the time is looked at for each. */
export const longText = 16_384;

/**
 * LIKE ignores case here and GLOB does not, so a pattern is rewritten for GLOB; of one that GLOB is too slow for, only what it begins with,
 * which an index can find. Looking at the time comes first: what GLOB has refused has taken its time too.
 */
export function like(expression: string, parameter: (encode: Parameter['encode'], isCostly?: boolean) => string): string {
  const inTime = `CASE WHEN octet_length(${expression}) > ${longText} THEN ${timeFunction}() ELSE 1 END`;
  const begins = `${expression} GLOB ${parameter(encodeGlob)}`;
  const rest = parameter(encodeRest, true);
  return `(${inTime} AND ${begins} AND (${rest} IS NULL OR ${likeFunction}(${expression}, ${rest})))`;
}

/** Nobody knows how long it takes: every text is looked at. */
export function ilike(expression: string, parameter: (encode: Parameter['encode'], isCostly?: boolean) => string): string {
  return `${ilikeFunction}(${expression}, ${parameter((pattern) => String(pattern), true)})`;
}

function encodeGlob(value: Value): string | null {
  const pattern = String(value);
  // No text that is kept holds a NUL, at which GLOB would end the pattern.
  if (pattern.includes('\0')) return null;
  return isForGlob(pattern) ? globOf(pattern) : `${globOf(pattern.slice(0, wildcardsIn(pattern)[0]))}*`;
}

function encodeRest(value: Value): string | null {
  const pattern = String(value);
  return isForGlob(pattern) ? null : pattern;
}

function isForGlob(pattern: string): boolean {
  const wildcards = wildcardsIn(pattern);
  const [first] = wildcards;
  if (first === undefined || (first === pattern.length - 1 && pattern.endsWith('%'))) return true;
  return pattern.length <= longestGlob && wildcards.length <= mostWildcards;
}

/** `%` and `_` become `*` and `?`; what GLOB would read as special stands in brackets; a backslash takes the next character as it is. */
function globOf(pattern: string): string {
  let glob = '';
  for (let index = 0; index < pattern.length; index += 1) {
    let character = pattern[index] ?? '';
    if (character === '%') glob += '*';
    else if (character === '_') glob += '?';
    else {
      if (character === '\\' && index + 1 < pattern.length) {
        index += 1;
        character = pattern[index] ?? '';
      }
      glob += character === '*' || character === '?' || character === '[' ? `[${character}]` : character;
    }
  }
  return glob;
}
