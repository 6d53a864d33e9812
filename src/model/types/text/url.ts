// The type URL: an absolute URL of any scheme, as the URL standard of browsers reads it.

import { textType } from './text.ts';

/** The standard forgives white space around a URL and a missing `//`; an attribute does not, since it keeps the text as sent. */
const form = /^(?!(?:https?|wss?|ftp):(?!\/\/))[a-z][a-z0-9+.-]*:[^\0-\x20\x7f]+$/i;

export const url = textType({
  name: 'URL',
  column: 'text',
  expected: 'an absolute URL',
  read: (text) => (form.test(text) && URL.canParse(text) ? text : undefined),
  schema: { type: 'string', format: 'uri' },
  form: 'An address on the web.',
  example: 'https://example.com/1',
});
