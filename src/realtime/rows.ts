// The rows that a stream watches, as they are stored now or were at a place of the log.

import type { Watch } from '../engine/watch/watch.ts';
import { error, type PlatformError } from '../errors.ts';
import type { Select } from '../plan/query/shape.ts';
import { keyName } from '../plan/rows/keys.ts';
import type { Table } from '../plan/rows/table.ts';
import { byTransaction, type Change } from '../store/changes/change.ts';
import { imagesText } from '../store/changes/images.ts';
import type { Reader, Row } from '../store/store.ts';
import type { RowSupplier } from '../store/supplied-store.ts';
import type { Value } from '../values/value.ts';

/** By the names of their keys; refused where they are more than `most`. */
export async function knownRows(watch: Watch, most: number, reader: Reader, select: Select = watch.keys): Promise<Map<string, Value>> {
  const rows = await reader.rows(select, [...watch.values, most + 1]);
  if (rows.length > most) throw tooManyRows(most);
  return new Map(rows.map(({ columns: [key = null] }) => [keyName(key), key]));
}

const pageRows = 200;

/** Page by page, each when it is asked for. */
export async function* presentRows(
  watch: Watch,
  reader: Pick<Reader, 'rows'>,
  at: (select: Select) => Select = (select) => select,
): AsyncGenerator<Row, void> {
  let after: Value | undefined;
  for (;;) {
    const select = at(watch.present(after));
    const values = [...watch.values, ...(after === undefined ? [] : [after]), pageRows, ...watch.included];
    const rows = await reader.rows(select, values);
    yield* rows;
    after = rows.at(-1)?.columns[0];
    if (rows.length < pageRows || after === undefined) return;
  }
}

/** By the name of the table, what a statement needs of changes to look at rows as they were before them. */
export function textsBefore(tables: readonly Table[], changes: readonly Change[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (changes.length === 0) return texts;
  for (const { name } of tables) {
    const text = overlayOf(changes.filter(({ source }) => source === name));
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}

export function supplierOf(texts: ReadonlyMap<string, string>): RowSupplier {
  return { supplies: ({ name }) => texts.has(name), rows: ({ name }) => texts.get(name) ?? '[]' };
}

const overlaidSelects = new WeakMap<Select, Select>();

/** The same statement, for which the rows that come along stand in the place of those that are stored. */
export function overlaid(select: Select): Select {
  const known = overlaidSelects.get(select);
  if (known !== undefined) return known;
  const made: Select = { ...select, isOverlaid: true };
  overlaidSelects.set(select, made);
  return made;
}

/** The first image of each row; one that was made by these changes only takes away what is stored under its key. */
function overlayOf(changes: readonly Change[]): string | undefined {
  const seen = new Set<string>();
  const images: { readonly image: string; readonly number: 0 | 1 }[] = [];
  const add = (key: string | undefined, image: string | undefined, number: 0 | 1): void => {
    if (key === undefined || image === undefined || seen.has(key)) return;
    seen.add(key);
    images.push({ image, number });
  };
  for (const transaction of byTransaction(changes)) {
    // A row may have taken the key that another one had.
    for (const { before, keyBefore } of transaction) add(keyBefore, before, 1);
    for (const { after, keyAfter } of transaction) add(keyAfter, after, 0);
  }
  if (images.length === 0) return undefined;
  return imagesText(
    images.map(({ image }) => image),
    (index) => images[index]?.number ?? 0,
  );
}

export function tooManyRows(most: number): PlatformError {
  return error('query-invalid', { detail: `A stream watches at most ${most} instances, unless it is all of a type: filter them.` });
}
