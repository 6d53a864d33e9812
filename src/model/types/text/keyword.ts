// The type Keyword: a name, as text.

import { textType } from './text.ts';

export const keyword = textType({
  name: 'Keyword',
  column: 'text',
  expected: 'a name without spaces',
  read: (text) => (/^\S+$/u.test(text) ? text : undefined),
  schema: { type: 'string', pattern: '^\\S+$' },
  example: 'word',
});
