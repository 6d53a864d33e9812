// The type UUID (also Identity, Identifier): a UUID of any version.

import { textType } from './text.ts';

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Kept in lower case: the case of its digits is no part of a UUID (RFC 9562). */
export const uuid = textType({
  name: 'UUID',
  aliases: ['Identity', 'Identifier'],
  column: 'uuid',
  expected: 'a UUID',
  isAscii: true,
  read: (text) => (form.test(text) ? text : inLowerCase(text.toLowerCase())),
  schema: { type: 'string', format: 'uuid' },
  form: 'A universally unique identifier.',
  example: '019c1345-6d40-7000-8000-000000000001',
});

function inLowerCase(text: string): string | undefined {
  return form.test(text) ? text : undefined;
}
