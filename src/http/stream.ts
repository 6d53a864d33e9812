// Long lists as a stream of JSON text: page by page, with room for other requests between two pages.

import type { List } from '../engine/operation.ts';
import type { Page } from '../store/store.ts';

/** `before` and `after` stand around the objects. */
export async function* streamed(first: Page, rest: NonNullable<List['rest']>, before = '[', after = ']'): AsyncGenerator<string, void> {
  yield `${before}${first.json}`;
  let page: Page | undefined = first;
  while (page !== undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    page = await rest(page.last);
    if (page !== undefined) yield `,${page.json}`;
  }
  yield after;
}
