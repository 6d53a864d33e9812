// Large instances in another order than that of their keys: which of them come next is found out for many parts of a list at once, as all have
// to be sorted for it.

import { both, equal } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { among, filled, largest, sized } from '../../plan/query/sized.ts';
import { versionColumn } from '../../plan/rows/tables.ts';
import { type Reader, type Row, TooLarge } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { cacheShape } from '../shape-cache.ts';
import { parameters, placeColumns, type Range, selectOf } from './range.ts';

export interface KeysAhead {
  /** In the order of the list. */
  readonly keys: readonly Value[];
  /** Behind which the list goes on; absent where these are the last. */
  readonly place: readonly Value[] | undefined;
}

/** Bytes of the instances that are sorted at once, about: where they are sorted by what makes them large, it is sorted through. */
const sortedAtOnce = 64 * 1024 * 1024;
const mostKeys = 2000;
/** Bytes of these keys. */
const largestKeys = 256 * 1024;
/** An instance that is changed meanwhile does not tell where the list goes on. */
const mostTries = 3;

/** Whether so few instances fit into a part that it is worth it. */
export function isReadByKeys({ plan, order }: Range, wanted: number): boolean {
  const kind = plan.table.columns.find((each) => each.name === plan.key)?.kind;
  return order.length > 1 && wanted < largest && (kind === 'text' || kind === 'integer' || kind === 'uuid');
}

/** Nothing where it cannot be told. */
export async function keysBehind(range: Range, after: readonly Value[], rowSize: number, reader: Reader): Promise<KeysAhead | undefined> {
  const count = Math.max(largest, Math.min(mostKeys, Math.floor(sortedAtOnce / Math.max(1, rowSize))));
  const found = await keyRows(range, after, count, reader);
  if (found === undefined) return undefined;
  if (found.length < count) return { keys: found.map(keyOf), place: undefined };
  for (let last = found.length; last > found.length - mostTries; last -= 1) {
    const place = await placeOf(range, found[last - 1], reader);
    if (place !== undefined) return { keys: found.slice(0, last).map(keyOf), place };
  }
  return undefined;
}

/** These of the rows, which are at most `largest`. */
export function rangeOfKeys(range: Range, keys: readonly Value[]): Range {
  const { shape: size, values } = filled(sizes, keys);
  return {
    ...range,
    key: `${range.key} among ${size}`,
    where: both(range.where, among(range.plan.key, size)),
    values: [...range.values, ...values],
  };
}

const sizes = sized((count) => count);

async function keyRows(range: Range, after: readonly Value[], count: number, reader: Reader): Promise<readonly Row[] | undefined> {
  try {
    return await reader.rows(keysOf(range, after), [...parameters(range, after), count], undefined, largestKeys);
  } catch (thrown) {
    if (thrown instanceof TooLarge) return undefined;
    throw thrown;
  }
}

/** The key and the version of each row; the key also as a field, whose length is counted. */
function keysOf(range: Range, after: readonly Value[]): Select {
  const select = selectOf(range, after);
  const { key } = range.plan;
  return cached(range, `keys ahead ${after.map((value) => (value === null ? 0 : 1)).join('')}`, () => ({
    ...select,
    output: { fields: [{ kind: 'column', name: 'key', column: key }], columns: [key, versionColumn] },
  }));
}

/** Where a row stands, as long as it is as it was when it was sorted. */
async function placeOf(range: Range, row: Row | undefined, reader: Reader): Promise<readonly Value[] | undefined> {
  if (row === undefined) return undefined;
  const select = cached(range, 'place', () => ({
    ...selectOf(range, undefined),
    where: both(range.where, equal(range.plan.key)),
    output: { fields: [], columns: [...placeColumns(range.order), versionColumn] },
    limit: false,
  }));
  const [key, version] = row.columns;
  const found = await reader.one(select, [...range.values, key ?? null]);
  return found === undefined || found.columns.at(-1) !== version ? undefined : found.columns.slice(0, -1);
}

function cached({ plan, key }: Range, name: string, make: () => Select): Select {
  const known = plan.cached.get(`${name} ${key}`);
  return known?.kind === 'select' ? known : cacheShape(plan, `${name} ${key}`, make());
}

function keyOf({ columns }: Row): Value {
  return columns[0] ?? null;
}
