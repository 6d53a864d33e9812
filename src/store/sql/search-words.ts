// What a store keeps of a text that has an index of its words, and how much of it.

import { error } from '../../errors.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { Value } from '../../values/value.ts';
import { wordText } from '../../values/words.ts';
import type { Parameter } from './dialect.ts';

/** The words of one row that PostgreSQL keeps in an index have 1,048,575 bytes at the most. */
const mostBytes = 1_000_000;

/** Of each of the columns that a table is searched by. */
export function mostWordBytes({ search = [] }: Table): number {
  return Math.floor(mostBytes / Math.max(1, search.length));
}

/** Nothing where it is too much. */
export function wordsWithin(text: string, most: number): string | undefined {
  const words = wordText(text);
  return Buffer.byteLength(words) > most ? undefined : words;
}

/** How the words of a column of this table are written. */
export function encodeWords(table: Table, name: string): Parameter['encode'] {
  const most = mostWordBytes(table);
  return (value: Value) => {
    if (typeof value !== 'string') return null;
    const words = wordsWithin(value, most);
    if (words === undefined)
      throw error('limit-exceeded', { detail: `${name} is too long: what is searched by its words can have ${most} bytes of them.` });
    return words;
  };
}
