// `like` and `ilike` in the embedded store: GLOB for patterns that it matches in one go, a function of the service for all others.

import { wildcardsIn } from '../../values/like.ts';
import type { Value } from '../../values/value.ts';
import type { Dialect, RowOfText } from '../sql/dialect.ts';
import { quote, quoteText } from '../sql/names.ts';

// Functions that every connection has on which statements with conditions run.

/** The number of a pattern, for those that match a text, or that of a row. */
export const patternFunction = '__pattern';
export const matchFunction = '__match';
export const matchRowFunction = '__match_row';
/** Bytes of the longest text that a function is given itself. */
export const longTextFunction = '__long_text';
/** A text that sorts as the decimal does that it was. */
export const decimalFunction = '__decimal';
/** A whole number that stands for a text. */
export const digestFunction = '__digest';
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
export const like: Dialect['like'] = (expression, parameter, row) => {
  const inTime = `CASE WHEN octet_length(${expression}) > ${longText} THEN ${timeFunction}() ELSE 1 END`;
  const begins = `${expression} GLOB ${parameter(encodeGlob)}`;
  const rest = parameter(encodeRest, true);
  return `(${inTime} AND ${begins} AND (${rest} IS NULL OR ${matched('like', expression, rest, row)}))`;
};

/** Nobody knows how long it takes: every text is looked at. */
export const ilike: Dialect['ilike'] = (expression, parameter, row) => {
  const pattern = parameter((each) => String(each), true);
  return matched('ilike', expression, pattern, row);
};

/** How well a text answers a pattern, or words, or null where there is none. In brackets of its own, a pattern is asked for once in a statement. */
export function matched(kind: 'like' | 'ilike' | 'words', text: string, parameter: string, row: RowOfText | undefined): string {
  if (row === undefined || row.isSupplied) return `${matchFunction}(${text}, (SELECT ${patternFunction}('${kind}', ${parameter}, '')))`;
  const { table, alias } = row;
  const found = `SELECT ${text} FROM ${quote(table.name)} AS ${alias} WHERE ${alias}._rowid_ = CAST(?1 AS INTEGER)`;
  const pattern = `(SELECT ${patternFunction}('${kind}', ${parameter}, ${quoteText(found)}))`;
  // A number that is a text, as those of 64 bits are none of the runtime's.
  const ofRow = `${matchRowFunction}(${alias}._rowid_ || '', ${pattern})`;
  return `CASE WHEN octet_length(${text}) > (SELECT ${longTextFunction}()) THEN ${ofRow} ELSE ${matchFunction}(${text}, ${pattern}) END`;
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
