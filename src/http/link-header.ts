// The `Link` header of a list that its limit cut.

import type { HttpRequest } from './exchange.ts';

/** The same request, behind the cursor: `@offset` was for the first page alone. */
export function nextLink(request: HttpRequest, cursor: string): string {
  const others = request.query.split('&').filter((part) => part !== '' && !/^(@|%40)(after|offset)=/i.test(part));
  const target = `${request.path}?${[...others, `@after=${cursor}`].join('&')}`;
  return `<${target.replace(/[<>"]/g, encodeURIComponent)}>; rel="next"`;
}
