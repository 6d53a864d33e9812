// The type Any: any JSON value.

import type { AttributeType } from './attribute-type.ts';
import { refusalInside, storable } from './json.ts';

export const any: AttributeType = {
  name: 'Any',
  aliases: ['Edn'],
  column: 'json',
  expected: 'a JSON value',
  parse: storable,
  refusal: refusalInside,
  // JSON is not compared: no text of a query string or a path stands for one.
  parseText: () => undefined,
  schema: {},
  identifies: false,
};
