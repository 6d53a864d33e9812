// The type Any: any JSON value.

import type { AttributeType, Value } from './attribute-type.ts';
import { isStorable } from './json.ts';

export const any: AttributeType = {
  name: 'Any',
  aliases: ['Edn'],
  column: 'json',
  expected: 'a JSON value',
  parse: parseAny,
  // JSON is not compared: no text of a query string or a path stands for one.
  parseText: () => undefined,
  schema: {},
  identifies: false,
};

function parseAny(input: Value): Value | undefined {
  return isStorable(input) ? input : undefined;
}
