// What all types that are written as text share: which characters a text may hold, and how a text type is put together.

import type { AttributeType } from '../attribute-type.ts';

/** PostgreSQL keeps no NUL, and half a surrogate pair has no UTF-8 form: neither would come back as it was sent. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export const textRefusal = 'hold no NUL and no half of a surrogate pair, such as an emoji that was cut in two leaves';

/** Longer e-mail addresses, links and the like are refused before they are looked at. */
const longestFormatted = 2048;

interface TextType extends Pick<AttributeType, 'name' | 'aliases' | 'column' | 'expected' | 'schema' | 'form' | 'example' | 'secret'> {
  readonly longest?: number;
  readonly identifies?: boolean;
  /** Whether `read` takes ASCII without control characters alone: then nothing else need be looked for. */
  readonly isAscii?: boolean;
  /** The text to keep, or `undefined` when it does not have the format. Sees clean, not too long text only. */
  read(text: string): string | undefined;
}

/** A type whose values are texts of a format, in a body as in a query string. */
export function textType({ longest = longestFormatted, identifies = true, isAscii = false, read, ...rest }: TextType): AttributeType {
  const parseText = (text: string) => (text.length <= longest && (isAscii || isCleanText(text)) ? read(text) : undefined);
  return { ...rest, identifies, parseText, parse: (input) => (typeof input === 'string' ? parseText(input) : undefined) };
}
