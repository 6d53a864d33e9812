// The type String: any well-formed Unicode text that every store can hold.

import type { AttributeType } from '../attribute-type.ts';
import { isCleanText, textRefusal } from './text.ts';

export const string: AttributeType = {
  name: 'String',
  column: 'text',
  expected: 'a text',
  parse: (input) => (typeof input === 'string' && isCleanText(input) ? input : undefined),
  refusal: (input) => (typeof input === 'string' ? textRefusal : undefined),
  parseText: (text) => (isCleanText(text) ? text : undefined),
  schema: { type: 'string' },
  identifies: true,
};
