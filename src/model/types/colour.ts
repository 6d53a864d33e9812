// The type Colour: three bytes in hexadecimal digits, as in style sheets.

import { textType } from './text/text.ts';

const form = /^#[0-9a-f]{6}$/i;

export const colour = textType({
  name: 'Colour',
  column: 'text',
  expected: 'a colour such as #a0b1c2',
  isAscii: true,
  identifies: false,
  read: (text) => (form.test(text) ? text.toLowerCase() : undefined),
  schema: { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
  form: 'A colour: `#a0b1c2`.',
  example: '#a0b1c2',
});
