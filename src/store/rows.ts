// Goes through all rows of a table, page by page, in the order of its key.

import type { Pages } from '../plan/transfer.ts';
import type { Reader, Row } from './store.ts';

/** Few enough that a page of large rows fits into memory. */
const pageSize = 200;

export async function* rowsOf(reader: Reader, { first, next }: Pages): AsyncGenerator<readonly Row[]> {
  let rows = await reader.rows(first, [pageSize]);
  while (rows.length > 0) {
    yield rows;
    if (rows.length < pageSize) return;
    rows = await reader.rows(next, [rows.at(-1)?.columns[0] ?? null, pageSize]);
  }
}
