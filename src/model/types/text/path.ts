// The type Path: the path of an instance, or any other non-empty text of the kind.

import { textType } from './text.ts';

export const path = textType({
  name: 'Path',
  column: 'text',
  expected: 'a path',
  read: (text) => (text === '' ? undefined : text),
  schema: { type: 'string', minLength: 1 },
  example: 'path/1',
});
