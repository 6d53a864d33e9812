// How long a text may be that instances are found by: the same on every store, so that what one holds can be moved to any other.

import { error } from '../../errors.ts';
import type { Column, Table } from '../../plan/rows/table.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { Parameter } from './dialect.ts';

/** An entry of an index of PostgreSQL has 2,704 bytes at the most; some of them are its own. */
const longestEntry = 2600;

/** The same encoding, for texts that fit the indexes their column is in; several texts in one index share it. */
export function withinIndexes(table: Table, column: Column, encode: Parameter['encode']): Parameter['encode'] {
  const limit = limitOf(table, column);
  if (limit === undefined) return encode;
  return (value) => {
    if (bytesOf(value) > limit) throw tooLong(column.name, limit);
    return encode === undefined ? value : encode(value);
  };
}

function limitOf(table: Table, { name, kind }: Column): number | undefined {
  if (!isLong(kind) || isMade(name)) return undefined;
  const indexes = [table.primaryKey, ...table.uniques, ...table.indexes].filter((each) => each.includes(name));
  if (indexes.length === 0) return undefined;
  const texts = (index: readonly string[]) => table.columns.filter((each) => index.includes(each.name) && isLong(each.kind)).length;
  return Math.floor(longestEntry / Math.max(...indexes.map(texts)));
}

/** Keys of what is contained grow with its depth. They repeat themselves, and databases compress them: there is no one limit to give. */
function isMade(name: string): boolean {
  return name.startsWith('__');
}

function isLong(kind: Column['kind']): boolean {
  return kind === 'text' || kind === 'json' || kind === 'scalar';
}

function bytesOf(value: Value): number {
  if (value === null) return 0;
  return Buffer.byteLength(typeof value === 'string' ? value : writeJson(value));
}

function tooLong(name: string, limit: number): Error {
  return error('limit-exceeded', { detail: `${name} is too long: what instances are found by can have ${limit} bytes.` });
}
