// Goes through all rows of a table, page by page, in the order of its key.

import type { Pages } from '../plan/rows/transfer.ts';
import type { Reader, Row } from './store.ts';

const mostRows = 200;
/** In characters: so much of a table is in memory at once, as far as the rows before foretell it. */
const pageSize = 4_000_000;

export async function* rowsOf(reader: Reader, { first, next }: Pages): AsyncGenerator<readonly Row[]> {
  // Nothing is known of the first ones.
  let limit = 10;
  let rows = await reader.rows(first, [limit]);
  while (rows.length > 0) {
    yield rows;
    if (rows.length < limit) return;
    const size = rows.reduce((sum, { json }) => sum + json.length, 0) / rows.length;
    limit = Math.max(1, Math.min(mostRows, Math.floor(pageSize / Math.max(1, size))));
    rows = await reader.rows(next, [rows.at(-1)?.columns[0] ?? null, limit]);
  }
}
