// Long lists as a stream of JSON text: page by page, each made when it is asked for.

import type { List } from '../../engine/operation.ts';
import type { Page } from '../../store/store.ts';

/** `before` and `after` stand around the objects. No text stays here while it is being sent, to a caller who may not read. */
export function streamed(first: Page, rest: NonNullable<List['rest']>, before = '[', after = ']'): AsyncGenerator<string, void> {
  let { last } = first;
  let begin: string | undefined = `${before}${first.json}`;
  return pieces(async () => {
    const text = begin;
    begin = undefined;
    if (text !== undefined) return { text, isLast: false };
    const page = await rest(last);
    last = page.last;
    return { text: `${page.count === 0 ? '' : ','}${page.json}${page.isLast ? after : ''}`, isLast: page.isLast };
  });
}

async function* pieces(next: () => Promise<{ readonly text: string; readonly isLast: boolean }>): AsyncGenerator<string, void> {
  let isMore = true;
  const taken = async (): Promise<string> => {
    const { text, isLast } = await next();
    isMore = !isLast;
    return text;
  };
  while (isMore) yield await taken();
}
