// Long lists as a stream of JSON text: page by page, with room for other requests between two pages.

import type { List } from '../engine/operation.ts';
import type { Page } from '../store/store.ts';

/** `before` and `after` stand around the objects. */
export async function* streamed(first: Page, rest: NonNullable<List['rest']>, before = '[', after = ']'): AsyncGenerator<string, void> {
  let { last } = first;
  let isMore = true;
  // No page stays here while its text is being sent.
  const next = async (): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve));
    const page = await rest(last);
    isMore = page !== undefined;
    if (page === undefined) return after;
    last = page.last;
    return `,${page.json}`;
  };
  yield `${before}${first.json}`;
  while (isMore) yield await next();
}
