// The `Link` header of a list that its limit cut.

import type { ListQuery } from '../../engine/operation.ts';
import type { Value } from '../../values/value.ts';
import type { HttpRequest } from '../exchange.ts';
import { writeCursor } from '../query/cursor.ts';

/** Clients read headers, and we URLs, of some kilobytes. */
const longestCursor = 4096;

/**
 * The same request, behind the cursor: `@offset` was for the first page alone. A place that is a long text does not fit into a cursor; the
 * list then goes on by its count.
 */
export function nextLink(request: HttpRequest, { order, offset = 0, limit = 0 }: ListQuery, place: readonly Value[]): string {
  const cursor = writeCursor(order, place);
  const isLong = cursor.length > longestCursor;
  const replaced = isLong ? /^(@|%40)offset=/i : /^(@|%40)(after|offset)=/i;
  const others = request.query.split('&').filter((part) => part !== '' && !replaced.test(part));
  const target = `${request.path}?${[...others, isLong ? `@offset=${offset + limit}` : `@after=${cursor}`].join('&')}`;
  return `<${target.replace(/[<>"]/g, encodeURIComponent)}>; rel="next"`;
}
