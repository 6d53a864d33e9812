// The type Boolean.

import type { AttributeType } from './attribute-type.ts';

export const boolean: AttributeType = {
  name: 'Boolean',
  column: 'boolean',
  expected: 'true or false',
  parse: (input) => (typeof input === 'boolean' ? input : undefined),
  parseText: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  schema: { type: 'boolean' },
  example: true,
  identifies: false,
};
