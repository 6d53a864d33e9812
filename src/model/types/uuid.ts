// The type UUID (also Identity, Identifier): a UUID of any version.

import { textType } from './text.ts';

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Kept in the case it was sent in, as all values are: two spellings of one UUID are two values. */
export const uuid = textType({
  name: 'UUID',
  aliases: ['Identity', 'Identifier'],
  column: 'uuid',
  expected: 'a UUID',
  read: (text) => (form.test(text) ? text : undefined),
  schema: { type: 'string', format: 'uuid' },
});
